"""The one style and the one script of the page, and the policy that lets in these two alone."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #23211d; --soft: #6a655c; --line: #e4dfd4;
  --accent: #0b6b62; --wash: #e8f1ef; --warn: #8a4b08; --mark: #fff3c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #171816; --card: #20211e; --ink: #e9e6df; --soft: #a39e93; --line: #35352f;
    --accent: #6fc7bb; --wash: #22312e; --warn: #e5a864; --mark: #4d4316;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB",
    "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif;
  overflow-wrap: anywhere;
}
header, nav, main, footer { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3rem; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.45rem; line-height: 1.3; margin: 3rem 0 .75rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
h4 { font-size: .95rem; margin: 1.2rem 0 .4rem; color: var(--soft); font-weight: 600; }
h3 small, summary small { font-weight: 400; color: var(--soft); }
p { margin: 0 0 .6rem; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 9; }
.span, .meta, .notes, figcaption, footer { color: var(--soft); font-size: .9rem; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem 2.25rem; list-style: none; padding: 0;
  margin: 1.25rem 0 0; }
.figures li { color: var(--soft); font-size: .9rem; line-height: 1.3; }
.figures b { display: block; font-size: 1.6rem; color: var(--ink);
  font-variant-numeric: tabular-nums; }
nav { position: sticky; top: 0; background: var(--paper); z-index: 2; margin-top: 1.5rem;
  border-bottom: 1px solid var(--line); padding-top: .6rem; padding-bottom: .6rem; }
nav ul { display: flex; gap: .2rem 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .9rem;
  overflow-x: auto; white-space: nowrap; }
nav a { text-decoration: none; display: inline-block; padding: .15rem 0; }
nav a:hover { text-decoration: underline; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem 2rem;
  margin: 1.5rem 0 0; }
.charts figure { border: 0; padding: 0; }
.charts svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--soft); font-size: 11px; }
svg .axis { stroke: var(--line); fill: none; }
svg .bar { fill: var(--accent); opacity: .75; }
svg .area { fill: var(--accent); opacity: .18; }
svg .curve { stroke: var(--accent); stroke-width: 2; fill: none; stroke-linejoin: round; }
.search { display: flex; gap: .75rem; align-items: center; margin: 0 0 1rem; flex-wrap: wrap; }
.search input { font: inherit; color: inherit; background: var(--card); flex: 1 1 14rem;
  border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .75rem; min-width: 0; }
.search output:empty { display: none; }
[hidden] { display: none !important; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
  padding: .9rem 1.1rem; margin: 0 0 .7rem; break-inside: avoid; }
.card:target, .turns > :target { background: var(--mark); }
.says { font-size: 1.05rem; margin: 0 0 .3rem; white-space: pre-wrap; }
.meta { display: flex; flex-wrap: wrap; gap: 0 .9rem; margin: 0; padding: 0; list-style: none; }
.meta .since { color: var(--accent); }
.meta .secret { color: var(--warn); font-family: ui-monospace, monospace; }
figure { margin: .7rem 0 0; padding-left: .9rem; border-left: 3px solid var(--line); }
blockquote { margin: 0; white-space: pre-wrap; color: var(--soft); }
blockquote + figcaption { margin-top: .1rem; }
.chain { list-style: none; margin: .7rem 0 0; padding: 0 0 0 1.1rem;
  border-left: 2px dotted var(--line); }
.chain li { position: relative; padding: .1rem 0; color: var(--soft); }
.chain li::before { content: ""; position: absolute; left: calc(-1.1rem - 5px); top: .75em;
  width: .5rem; height: .5rem; border-radius: 50%; background: var(--line); }
.chain s { text-decoration-color: var(--soft); text-decoration-thickness: 1px; }
.chain small, .before { color: var(--soft); font-size: .85rem; }
.before { margin: .7rem 0 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .15rem 0; }
.folded > summary { color: var(--accent); font-size: .9rem; }
.day { content-visibility: auto; contain-intrinsic-size: auto 16rem; }
.session { background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
  padding: .65rem 1.1rem; margin: 0 0 .7rem; }
.session > summary { display: list-item; }
.session > summary b { font-weight: 600; margin-right: .4rem; }
.story { margin: .1rem 0 .2rem; color: var(--soft); }
.turns { list-style: none; margin: .8rem 0 .2rem; padding: 0; }
.turns > li { scroll-margin-top: 4rem; padding: .55rem 0 .55rem .9rem; border-left: 3px solid var(--line); margin: 0 0 .3rem; }
.turns > .user { border-left-color: var(--accent); }
.turns > .tool, .turns > .system { font-size: .9rem; }
.who { margin: 0; font-size: .85rem; color: var(--soft); }
.who b { color: var(--ink); }
.text { white-space: pre-wrap; }
pre { font: .85rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; margin: .3rem 0;
  white-space: pre-wrap; background: var(--wash); padding: .5rem .7rem; border-radius: .4rem; }
.learnt { font-size: .85rem; margin: .25rem 0 0; color: var(--soft); }
.empty { color: var(--soft); padding: 1rem 1.1rem; border: 1px dashed var(--line);
  border-radius: .7rem; }
.warn { color: var(--warn); }
footer { margin-top: 4rem; padding-bottom: 3rem; border-top: 1px solid var(--line);
  padding-top: 1rem; }
@media (max-width: 30rem) {
  header { padding-top: 1.75rem; }
  h1 { font-size: 1.65rem; }
  .card, .session { padding: .75rem .85rem; }
  .figures { gap: .6rem 1.5rem; }
  .figures b { font-size: 1.3rem; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #000;
    --wash: #f3f3f3; --mark: #fff; }
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  nav, .search, .skip { display: none; }
  h2, h3, h4, summary { break-after: avoid; }
  .day { content-visibility: visible; }
  a { color: inherit; text-decoration: none; }
}
""".strip()

# Opens what a link leads into, where the browser does not do so itself, and searches the cards.
# The page is whole without it: the search box stays hidden.
SCRIPT = """
"use strict";
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let node = target; node; node = node.parentElement)
    if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView({ block: target.matches("section") ? "start" : "center" });
};
addEventListener("hashchange", reveal);
reveal();
const form = document.querySelector(".search");
if (form) {
  form.hidden = false;
  const [box, count] = [form.querySelector("input"), form.querySelector("output")];
  const cards = [...document.querySelectorAll("#known .card")]
    .map((card) => [card, card.textContent.toLowerCase()]);
  const groups = document.querySelectorAll("#known .kind, #known .about, #known details.folded");
  const search = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const [card, text] of cards) {
      card.hidden = !words.every((word) => text.includes(word));
      shown += card.hidden ? 0 : 1;
    }
    for (const group of groups) {
      const some = group.querySelector(".card:not([hidden])");
      if (group.matches(".kind, .about")) group.hidden = !some;
      else if (group.querySelector(".card")) group.open = words.length > 0 && !!some;
    }
    count.textContent = words.length
      ? count.dataset.of.replace("{shown}", shown).replace("{all}", cards.length) : "";
  };
  box.addEventListener("input", search);
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
}
""".strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# Nothing is fetched, nothing is sent, and no other style or script runs.
POLICY = (
    f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)};"
    " base-uri 'none'; form-action 'none'"
)

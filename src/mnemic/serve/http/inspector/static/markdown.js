// Documents as people read them, and their text without the marks that tie a line to its memory.

import { h } from "./dom.js";

const MARK = /\s*<!--m:([\w-]+)-->/;
const ANY_MARK = /\s*<!--m:[\w-]+-->/g;
const ALIKE = 0.35; // of the pairs of letters that two lines share: from there one is the other, corrected

export function withoutMarks(text) {
  return text.replace(ANY_MARK, "");
}

// An edited text with the mark of every line that is still there or was corrected. A line that was
// taken out loses its mark, and a new one has none.
export function withMarks(original, edited) {
  const lines = original.split("\n");
  const [before, after] = [lines.map(withoutMarks), edited.split("\n")];
  const partner = new Map(); // place in `after` → place in `before`
  const free = new Map(); // text → places in `before`, the first one last
  for (let place = before.length - 1; place >= 0; place -= 1) free.set(before[place], [...(free.get(before[place]) ?? []), place]);
  after.forEach((line, to) => {
    const from = free.get(line)?.pop();
    if (from !== undefined) partner.set(to, from);
  });
  const left = new Set([...free.values()].flat().filter((place) => MARK.test(lines[place])));
  after.forEach((line, to) => {
    if (partner.has(to) || !line.trim()) return;
    const [best, from] = [...left].map((place) => [likeness(before[place], line), place]).sort((a, b) => b[0] - a[0])[0] ?? [0];
    if (best < ALIKE) return;
    partner.set(to, from);
    left.delete(from);
  });
  return after.map((line, to) => {
    const mark = partner.has(to) && MARK.exec(lines[partner.get(to)]);
    return mark && line.trim() ? line + mark[0] : line;
  }).join("\n");
}

function likeness(a, b) {
  const pairs = (text) => new Set(Array.from(text.toLowerCase(), (_, at) => text.toLowerCase().slice(at, at + 2)).filter((two) => two.length === 2 && two.trim()));
  const [x, y] = [pairs(a), pairs(b)];
  const shared = [...x].filter((two) => y.has(two)).length;
  return (2 * shared) / Math.max(1, x.size + y.size);
}

// Headings, lists, quotes, code and paragraphs as elements; `link(id)` is the address of a memory.
export function rendered(text, link) {
  const blocks = [];
  let [list, paragraph, code] = [null, null, null];
  let level = 1; // that of the page's own heading; none below it is passed over
  for (const raw of text.split("\n")) {
    const id = MARK.exec(raw)?.[1];
    const line = withoutMarks(raw);
    const fence = /^\s*```/.test(line);
    const heading = /^(#{1,6})\s+(.*)/.exec(line);
    const item = /^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)/.exec(line);
    if (code) {
      if (fence) code = null;
      else code.append(`${line}\n`);
      continue;
    }
    if (fence || heading || !line.trim() || (!item && list)) list = null;
    if (fence || heading || item || !line.trim()) paragraph = null;
    if (fence) {
      code = h("pre", { tabindex: "0" });
      blocks.push(code);
    } else if (heading) {
      level = Math.min(6, heading[1].length + 1, level + 1);
      blocks.push(h(`h${level}`, null, inline(heading[2])));
    } else if (item) {
      if (!list) blocks.push(list = h("ul", null));
      const done = item[2] && item[2] !== " ";
      const words = [item[2] && (done ? "☑ " : "☐ "), inline(item[3])];
      list.append(h("li", { class: item[1].length > 1 ? "inner" : null }, id && link ? h("a", { href: link(id) }, words) : words));
    } else if (line.trim()) {
      if (paragraph) paragraph.append(h("br"));
      else blocks.push(paragraph = h("p", null));
      paragraph.append(...inline(line.replace(/^>\s?/, "")));
    }
  }
  return h("div", { class: "rendered" }, blocks);
}

// **strong**, *emphasis* and `code`; anything else is text.
function inline(text) {
  const tags = { "**": "strong", "*": "em", "`": "code" };
  return text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`)/).filter(Boolean).map((part) => {
    const sign = ["**", "*", "`"].find((one) => part.length > 2 * one.length && part.startsWith(one) && part.endsWith(one));
    return sign ? h(tags[sign], null, part.slice(sign.length, -sign.length)) : document.createTextNode(part);
  });
}

// Opens what a link leads into, where the browser does not do so itself, and searches the statements.
// The page is whole without it: the search box stays hidden.
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
  const cards = [...document.querySelectorAll("#known > ul > li")]
    .map((card) => [card, card.textContent.toLowerCase()]);
  const lists = document.querySelectorAll("#known > ul");
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [card, text] of cards) {
      card.hidden = !words.every((word) => text.includes(word));
      shown += card.hidden ? 0 : 1;
    }
    for (const list of lists) {
      list.hidden = !list.querySelector(":scope > li:not([hidden])");
      const heading = list.previousElementSibling;
      if (heading && heading.matches("h4")) heading.hidden = list.hidden;
    }
    count.textContent = words.length
      ? count.dataset.of.replace("{shown}", shown).replace("{all}", cards.length) : "";
  };
  box.addEventListener("input", search);
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
}

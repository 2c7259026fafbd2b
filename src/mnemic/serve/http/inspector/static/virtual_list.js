// A list of any length: only the rows in sight are elements, and only the pages in sight are asked for.

import { h, replace } from "./dom.js";

const SPARE = 6; // rows above and below those in sight
const PAUSE = 60; // milliseconds of standing still before a page is asked for
const MOST_PAGES = 60;

// `load(offset, limit)` gives {items, next}; `row(item, index)` the content of a row. Without a `total`
// the list grows by a page until it ends. `onTotal(count, isExact)` is told how many there are at least.
export function virtualList({ rowHeight, pageSize, load, row, total, label, onProblem, onTotal }) {
  const pages = new Map(); // page number → items, or a promise while they are asked for
  const rows = new Map(); // index → element
  const list = h("ul", { class: "rows" });
  const element = h("div", { class: "virtual-list", tabindex: "0", role: "group", "aria-label": label }, list);
  let size = total ?? pageSize;
  let exact = total !== undefined;
  let timer = 0;
  let drawn = 0;
  let gone = false;
  let asked = 0; // counts refreshes, so that an answer to an older question is passed over

  function setSize(next) {
    size = next;
    list.style.height = `${size * rowHeight}px`;
  }

  function item(index) {
    const page = pages.get(Math.floor(index / pageSize));
    return Array.isArray(page) ? page[index % pageSize] : undefined;
  }

  function inSight() {
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE);
    const last = Math.min(size, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + SPARE);
    return [first, Math.max(first, last)];
  }

  async function ask(number) {
    pages.set(number, "asked");
    const mine = asked;
    try {
      const offset = number * pageSize;
      const { items, next } = await load(offset, pageSize);
      if (gone || mine !== asked) return;
      pages.set(number, items);
      if (pages.size > MOST_PAGES) pages.delete(pages.keys().next().value);
      const end = offset + items.length;
      if (next === null) {
        exact = true;
        setSize(items.length || number === 0 ? end : Math.min(size, end));
      } else if (size < end || (size === end && !exact)) {
        setSize(end + pageSize);
        fetchSeen(); // it may have ended just there
      }
      onTotal(exact ? size : end, exact);
      draw();
    } catch (error) {
      if (gone || mine !== asked) return;
      pages.delete(number);
      onProblem(error);
    }
  }

  function fetchSeen() {
    const [first, last] = inSight();
    for (let number = Math.floor(first / pageSize); number * pageSize < Math.max(last, 1); number += 1) {
      if (!pages.has(number)) ask(number);
    }
  }

  function draw() {
    drawn = 0;
    const [first, last] = inSight();
    for (const [index, element_] of rows) {
      const away = index < first || index >= last;
      if (index >= size || (away && !element_.contains(document.activeElement))) {
        element_.remove();
        rows.delete(index);
      } else if (element_.dataset.empty && item(index)) {
        const focused = element_.contains(document.activeElement);
        replace(element_, row(item(index), index));
        delete element_.dataset.empty;
        if (focused) element_.querySelector("a")?.focus({ preventScroll: true });
      }
    }
    for (let index = first; index < last; index += 1) {
      if (rows.has(index)) continue;
      const value = item(index);
      const li = h("li", { class: "row", "aria-setsize": size, "aria-posinset": index + 1 },
        value === undefined ? h("span", { class: "ghost" }) : row(value, index));
      if (value === undefined) li.dataset.empty = "yes";
      li.dataset.index = index;
      li.style.transform = `translateY(${index * rowHeight}px)`;
      rows.set(index, li);
      const after = [...rows.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
      list.insertBefore(li, after === undefined ? null : rows.get(after));
    }
  }

  function moved() {
    drawn ||= requestAnimationFrame(draw);
    clearTimeout(timer);
    timer = setTimeout(fetchSeen, PAUSE);
  }

  function step(event) {
    const ways = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };
    const li = event.target.closest("li");
    if (event.key === "x" && li && event.target.type !== "checkbox") li.querySelector("input[type=checkbox]")?.click();
    if (!(event.key in ways)) return;
    const index = li ? Number(li.dataset.index) + ways[event.key] : Math.ceil(element.scrollTop / rowHeight);
    if (index < 0 || index >= size) return;
    event.preventDefault();
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
    draw();
    rows.get(index)?.querySelector("a")?.focus({ preventScroll: true });
  }

  element.addEventListener("scroll", moved, { passive: true });
  element.addEventListener("keydown", step);
  const watcher = new ResizeObserver(moved);
  watcher.observe(element);
  setSize(size);
  fetchSeen();
  return {
    element,
    // Ask again for what is in sight, after something changed: `total` is how many there are now.
    refresh({ total: now, fromTop = false } = {}) {
      asked += 1;
      pages.clear();
      exact = now !== undefined;
      setSize(now ?? (fromTop ? pageSize : size));
      if (fromTop) element.scrollTop = 0;
      for (const li of rows.values()) li.dataset.empty = "yes";
      fetchSeen();
    },
    // What is held of it, in order.
    loaded: () => [...pages].filter(([, items]) => Array.isArray(items)).sort(([a], [b]) => a - b).flatMap(([, items]) => items),
    close() {
      gone = true;
      watcher.disconnect();
      clearTimeout(timer);
    },
  };
}

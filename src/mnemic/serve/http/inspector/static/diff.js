// What changed from one text to the next, word by word; Chinese is cut into its words too.

import { h } from "./dom.js";

const MOST = 600; // words of one text; longer ones are shown whole, one after the other

function words(text) {
  if (typeof Intl.Segmenter === "function") {
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (part) => part.segment);
  }
  return text.match(/\s+|[\p{Script=Han}]|[^\s\p{Script=Han}]+/gu) ?? [];
}

// [kind, text] with kind "same", "minus" or "plus".
export function changes(before, after) {
  const [a, b] = [words(before), words(after)];
  if (a.length > MOST || b.length > MOST) return [["minus", before], ["plus", after]];
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const parts = [];
  const add = (kind, text) => {
    if (parts.length && parts.at(-1)[0] === kind) parts.at(-1)[1] += text;
    else parts.push([kind, text]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) {
      add("minus", a[i]);
      i += 1;
    } else {
      add("plus", b[j]);
      j += 1;
    }
  }
  return parts;
}

export function diff(before, after) {
  const tags = { same: "span", minus: "del", plus: "ins" };
  return h("p", { class: "diff" }, changes(before, after).map(([kind, text]) => h(tags[kind], null, text)));
}

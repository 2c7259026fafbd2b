// Elements from values. Text goes in as text nodes only, so nothing that is stored becomes markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (name === "value") {
      element.value = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

// A text with the places of some words marked; `terms` are compared without regard to case.
export function marked(text, terms) {
  const wanted = terms.filter((term) => term.length > 0).map((term) => term.toLowerCase());
  const low = text.toLowerCase();
  if (!wanted.length || low.length !== text.length) return [text];
  const spans = [];
  for (const term of wanted) {
    for (let at = low.indexOf(term); at >= 0; at = low.indexOf(term, at + term.length)) {
      if (isWord(low, at, term)) spans.push([at, at + term.length]);
    }
  }
  return spanned(text, spans);
}

// A Latin term is marked where a word begins with it; a very short one only where it is the word.
function isWord(text, at, term) {
  const letter = (place) => /[\p{L}\p{N}]/u.test(text.charAt(place)) && !/\p{Script=Han}/u.test(text.charAt(place));
  if (!letter(at)) return true;
  return !letter(at - 1) && (term.length > 2 || !letter(at + term.length));
}

// The same by places; they count characters, not UTF-16 units, as Python does.
export function markedAt(text, places) {
  return spanned(Array.from(text), places);
}

function spanned(text, spans) {
  const parts = [];
  let end = 0;
  const joined = (part) => (typeof part === "string" ? part : part.join(""));
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (to <= end) continue;
    const start = Math.max(from, end);
    if (start > end) parts.push(joined(text.slice(end, start)));
    parts.push(h("mark", null, joined(text.slice(start, to))));
    end = to;
  }
  parts.push(joined(text.slice(end)));
  return parts;
}

// Taking back what was done: at once where the API can, else by waiting a while before it is done.

import { button, notice } from "./parts.js";
import { t } from "./words.js";

const GRACE = 7000; // milliseconds in which a deletion can still be called off
const AT_ONCE = 4;
const waiting = new Set();

// Does the work for every item, a few at a time; problems are thrown when all are tried.
export async function forEach(items, work) {
  const rest = [...items];
  const problems = [];
  const next = async () => {
    while (rest.length) {
      const item = rest.shift();
      try {
        await work(item);
      } catch (error) {
        problems.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  if (problems.length) throw problems[0];
}

// Says what was done, with a button that does the opposite.
export function done(text, undo) {
  const shown = notice(text, "good", undo && button(t("action.undo"), async () => {
    shown.close();
    await undo();
    notice(t("action.undone"));
  }));
}

// Says what will be done, and does it unless somebody calls it off.
export function later(text, work, calledOff) {
  let over = false;
  const entry = () => {
    if (over) return undefined;
    over = true;
    waiting.delete(entry);
    clearTimeout(timer);
    shown.close();
    return work();
  };
  const shown = notice(text, "good", button(t("action.undo"), () => {
    over = true;
    waiting.delete(entry);
    clearTimeout(timer);
    shown.close();
    calledOff();
  }), { lasting: true, closed: entry });
  const timer = setTimeout(entry, GRACE);
  waiting.add(entry);
}

// What still waits is done before the page goes.
export function finishWaiting() {
  return Promise.all([...waiting].map((entry) => entry()));
}

window.addEventListener("pagehide", finishWaiting);

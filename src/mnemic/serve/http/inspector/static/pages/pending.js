// What waits for a person: statements to confirm, memories taken out of a document, rules that ask first.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, announceChange, button, chip, empty, kindChip, linkButton, moreList, notice, reveal, section, trustChip, turnsInPlace, detail } from "../parts.js";
import { address } from "../route.js";
import { moment, t, word } from "../words.js";

export async function render({ api, space, again }) {
  const [questions, rules, first] = await Promise.all([
    api.get(["documents", "questions"]), api.get(["rules", "waiting"]), api.get("pending", { limit: 1 }),
  ]);
  if (!questions.length && !rules.length && !first.items.length) return empty(t("pending.empty"), t("pending.empty.hint"), linkButton("memories", t("pending.empty.go"), address(space, "memories")));
  const statements = await moreList(
    (offset) => api.get("pending", { limit: 50, offset }), (memory) => statement(api, memory, again),
    { tag: "ul", attributes: { class: "cards" }, none: h("p", { class: "muted" }, t("pending.none")) });
  return h("div", { class: "stack" },
    section(t("pending.statements"), h("p", { class: "muted" }, t("pending.hint")), statements),
    questions.length > 0 && section(t("pending.questions"),
      h("ul", { class: "cards" }, questions.map((question) => removed(api, space, question, again)))),
    rules.length > 0 && section(t("pending.rules"),
      h("ul", { class: "cards" }, rules.map((event) => rule(api, event, again)))));
}

// After an answer the card goes; when it was the last one, the page says so.
function answer(text, work, said, again, attributes) {
  const made = button(text, async () => {
    const card = made.closest("li");
    await work();
    notice(said);
    announceChange();
    const list = card.parentElement;
    const next = card.nextElementSibling ?? card.previousElementSibling;
    card.remove();
    if (!list.childElementCount) await again();
    else next?.querySelector("button")?.focus();
  }, attributes);
  return made;
}

function statement(api, memory, again) {
  const source = memory.sources[0];
  const ask = (verb) => () => api.post(["pending", memory.id, verb]);
  // What is put off still waits, so it stays in the list and says until when.
  const later = button([icon("clock"), t("pending.later")], async () => {
    const next = statement(api, await ask("snooze")(), again);
    later.closest("li").replaceWith(next);
    notice(t("pending.put.off"));
    next.querySelector("button")?.focus();
  });
  return h("li", { class: "card", "data-reveal": "" },
    h("p", { class: "prose" }, memory.text),
    h("p", { class: "chips" }, kindChip(memory.kind), trustChip(memory.trust),
      h("span", { class: "muted" }, moment(memory.created_at)),
      memory.snoozed_until && chip(t("pending.snoozed", { at: moment(memory.snoozed_until) }))),
    h("div", { class: "actions" },
      allowed("write",
        answer([icon("check"), t("pending.confirm")], ask("confirm"), t("pending.confirmed"), again, { class: "primary" }),
        answer([icon("close"), t("pending.ignore")], ask("ignore"), t("pending.ignored"), again),
        later),
      source && reveal(t("hit.source"), () => turnsInPlace(api, source.session, source.index)),
      linkButton(null, t("hit.open"), address(api.space, "memories", memory.id))));
}

function removed(api, space, question, again) {
  const { memory } = question;
  return h("li", { class: "card" },
    h("p", { class: "prose" }, memory.text),
    h("p", { class: "muted" }, t("pending.removed", { names: question.documents.join(", "), at: moment(question.asked_at) })),
    h("div", { class: "actions" }, allowed("write",
      answer(t("pending.archive"), () => api.post(["memories", memory.id, "archive"]), t("memory.archived"), again, { class: "primary" }),
      answer(t("pending.keep"), () => api.post(["memories", memory.id, "restore"]), t("memory.restored"), again))));
}

function rule(api, event, again) {
  return h("li", { class: "card" },
    h("p", null, word("event", event.type), " · ", moment(event.at)),
    detail(t("event.payload"), JSON.stringify(event.payload, null, 1)),
    h("div", { class: "actions" }, allowed("admin",
      answer(t("pending.approve"), () => api.post(["rules", "waiting", event.id, "approve"]), t("pending.approved"), again, { class: "primary" }))));
}

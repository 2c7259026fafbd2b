// Pieces that several pages are made of.

import { can } from "./api.js";
import { h, replace } from "./dom.js";
import { icon } from "./icons.js";
import { address } from "./route.js";
import { clock, explained, moment, number, t, word } from "./words.js";

const NOTICE_TIME = 7000;
const MOST_NOTICES = 3;

// A line about what happened, perhaps with a button; `closed` is called when a person closes it.
export function notice(text, tone = "good", action = null, { lasting = false, closed = () => {} } = {}) {
  const close = () => shown.remove();
  const shown = h("div", { class: `notice ${tone}${lasting ? "" : " passing"}` }, h("p", null, text), action, iconButton("close", t("action.close"), () => {
    close();
    closed();
  }));
  const place = document.getElementById("notices");
  place.append(shown);
  if (!lasting) setTimeout(close, NOTICE_TIME);
  const passing = place.querySelectorAll(".passing");
  if (passing.length > MOST_NOTICES) passing[0].remove();
  return { close };
}

// Something that is shown elsewhere has changed: counts beside the navigation are asked for again.
export function announceChange() {
  window.dispatchEvent(new Event("mnemic:changed"));
}

export function problemBox(problem, again) {
  const unreachable = problem.code === "Unreachable";
  return h("div", { class: "problem", role: "alert" },
    h("p", { class: "problem-text" }, unreachable ? t("problem.unreachable") : problem.message),
    (problem.remedy || unreachable) && h("p", { class: "muted" }, unreachable ? t("problem.unreachable.remedy") : problem.remedy),
    again && button(t("action.retry"), again));
}

export function problemNotice(problem) {
  notice(problem.remedy ? `${problem.message}. ${problem.remedy}` : problem.message, "bad");
}

// Nothing is here: what it means, and what to do about it.
export function empty(title, hint, ...actions) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", { class: "muted" }, hint),
    actions.length > 0 && h("div", { class: "actions" }, actions));
}

export function button(text, action, attributes = {}) {
  const made = h("button", { type: "button", ...attributes, on: { click: () => run(made, action) } }, text);
  return made;
}

export function iconButton(name, label, action, attributes = {}) {
  return button(icon(name), action, { "aria-label": label, "data-tip": label, ...attributes, class: `icon-button ${attributes.class ?? ""}` });
}

// A link that looks like a button.
export function linkButton(name, text, href, attributes = {}) {
  return h("a", { class: "button", href, ...attributes }, name && icon(name), text);
}

// One at a time: while the action runs the button takes no other click.
async function run(pressed, action) {
  if (pressed.getAttribute("aria-disabled") === "true") return;
  pressed.setAttribute("aria-disabled", "true");
  try {
    await action();
  } catch (error) {
    if (!("status" in error)) throw error;
    problemNotice(error);
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}

// What cannot be taken back wants a second click on the same place.
export function twoStep(text, sure, action, attributes = {}) {
  let armed = false;
  const set = (value) => {
    armed = value;
    made.classList.toggle("armed", armed);
    replace(made, armed ? sure : text);
  };
  const made = button(text, async () => {
    if (!armed) return set(true);
    set(false);
    return action();
  }, { class: "danger", ...attributes });
  made.addEventListener("blur", () => set(false));
  made.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && armed) {
      event.stopPropagation();
      set(false);
    }
  });
  return made;
}

export function allowed(scope, ...elements) {
  return can(scope) ? elements : [];
}

export function chip(text, tone = "", tip = null) {
  return h("span", { class: `chip ${tone}`, "data-tip": tip }, text);
}

export function kindChip(kind) {
  return chip(word("kind", kind), "kind", explained("kind", kind));
}

export function trustChip(trust) {
  return chip(word("trust", trust), trust === "owner" ? "" : "warn", explained("trust", trust));
}

export function statusChip(status) {
  return chip(word("status", status), status === "active" ? "good" : "", explained("status", status));
}

export function section(title, ...children) {
  return h("section", { class: "card stack" }, h("h2", null, title), ...children);
}

// One whose heading has a control beside it.
export function controlled(title, control, ...children) {
  return h("section", { class: "card stack" }, h("div", { class: "head" }, h("h2", null, title), control), ...children);
}

export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return h("dl", { class: "facts" }, shown.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

let fields = 0;

export function field(label, input) {
  fields += 1;
  input.id ||= `field-${fields}`;
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
}

export function choice(name, options, chosen) {
  const select = h("select", { name }, options.map(([value, text]) =>
    h("option", { value, selected: value === chosen }, text)));
  select.value = chosen;
  return select;
}

// Values of a form, without those that are empty.
export function given(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim() !== ""));
}

// --- turns ------------------------------------------------------------------------------------

const USUAL = { user: "owner", assistant: "agent", tool: "tool", system: "agent" };

export function turnBlock(turn, highlighted = false) {
  return h("article", { class: `turn ${turn.role}${highlighted ? " at" : ""}`, id: `turn-${turn.index}` },
    h("header", null,
      h("span", { class: "who" }, word("role", turn.role), turn.sender && ` · ${turn.sender}`),
      h("span", { class: "muted" }, moment(turn.at)),
      turn.trust !== USUAL[turn.role] && turn.trust !== "owner" && chip(word("trust", turn.trust), "warn"),
      turn.state !== "extracted" && turn.state !== "empty" && chip(word("state", turn.state), turn.state === "new" ? "" : "bad"),
      turn.reason && h("span", { class: "muted" }, turn.reason)),
    turn.text && h("p", { class: "prose" }, turn.text),
    turn.tool_calls.map((call) => detail(t("turn.call", { name: call.name }), JSON.stringify(call.input, null, 1))),
    turn.tool_results.map((result) =>
      detail(result.is_error ? t("turn.failed") : t("turn.result"), result.content)));
}

export function detail(title, text) {
  return h("details", { class: "code" }, h("summary", null, title), h("pre", { tabindex: "0" }, text));
}

// A turn where it was said, with what stands around it.
export function turnsInPlace(api, session, index, around = 1) {
  const place = h("div", { class: "in-place", "aria-busy": "true" }, h("p", { class: "muted" }, t("loading")));
  const fill = async () => {
    try {
      const turns = await api.get(["sessions", session, "turns", index], { around });
      replace(place,
        turns.length
          ? turns.map((turn) => turnBlock(turn, turn.index === index))
          : h("p", { class: "muted" }, t("source.gone")),
        h("a", { class: "more", href: address(api.space, "timeline", session, { at: index }) }, t("source.open")));
    } catch (error) {
      replace(place, problemBox(error, fill));
    }
    place.removeAttribute("aria-busy");
  };
  fill();
  return place;
}

// A button that shows and hides something which is made when it is first asked for.
export function reveal(text, make) {
  let shown = null;
  const made = h("button", { type: "button", class: "unfold", "aria-expanded": "false" }, icon("down"), text);
  made.addEventListener("click", () => {
    if (shown) {
      shown.remove();
      shown = null;
    } else {
      shown = make();
      made.closest("[data-reveal]").append(shown);
    }
    made.setAttribute("aria-expanded", String(Boolean(shown)));
  });
  return made;
}

// --- lists that go on --------------------------------------------------------------------------

// `show` makes an item; with `all`, `show` makes the items of one page together.
export function moreList(load, show, { tag = "div", attributes = {}, none, all = false }) {
  const showAll = (items) => (all ? show(items) : items.map(show)).flat(Infinity).filter(Boolean);
  const list = h(tag, attributes);
  const holder = h("div", null, list);
  const next = async (offset) => {
    const page = await load(offset);
    if (!page.items.length && offset === 0) return replace(holder, none);
    list.append(...showAll(page.items));
    holder.querySelector(":scope > .more")?.remove();
    if (page.next !== null) holder.append(button(t("action.more"), () => next(page.next), { class: "more" }));
    return holder;
  };
  return next(0);
}

export function times(from, to) {
  const same = from.slice(0, 10) === to.slice(0, 10);
  return from.slice(0, 16) === to.slice(0, 16) ? moment(from) : `${moment(from)} – ${same ? clock(to) : moment(to)}`;
}

export function download(name, text) {
  const address_ = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = h("a", { href: address_, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address_), 1000);
}

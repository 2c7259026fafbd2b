// The scratchpad and the documents, as people read them, and as text that they may change.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, announceChange, button, empty, field, notice, problemBox } from "../parts.js";
import { rendered, withMarks, withoutMarks } from "../markdown.js";
import { address } from "../route.js";
import { done } from "../undo.js";
import { moment, number, t } from "../words.js";

const PAD = "scratchpad";

export async function render({ api, space, id, again }) {
  const [pad, documents] = await Promise.all([api.get("scratchpad"), loaded(api)]);
  const names = [PAD, ...documents.items.map((document) => document.name)];
  const chosen = names.includes(id) ? id : PAD;
  const found = documents.items.find((document) => document.name === chosen);
  const tabs = h("nav", { class: "tabs", "aria-label": t("nav.documents") }, h("ul", null, names.map((name) => h("li", null, h("a", {
    href: address(space, "documents", name), "aria-current": name === chosen ? "page" : null,
  }, name === PAD ? t("documents.scratchpad") : name)))));
  const sync = button([icon("sync"), t("documents.sync")], async () => {
    report(await api.post(["documents", "sync"]));
    await again();
  }, { "data-tip": t("documents.sync.tip") });
  const savePad = async (text) => {
    await api.put("scratchpad", { markdown: text });
    await again();
    done(t("documents.saved"), async () => {
      await api.put("scratchpad", { markdown: pad.text });
      await again();
    });
  };
  const saveDocument = async (text) => {
    report(await api.put(["documents", found.name], { markdown: withMarks(found.text, text), digest: found.digest }));
    await again();
  };
  const shown = chosen === PAD
    ? { name: t("documents.scratchpad"), text: pad.text, save: savePad, note: t("documents.scratchpad.hint"), at: pad.updated_at, none: empty(t("documents.pad.empty"), t("documents.pad.empty.hint")) }
    : { name: found.name, text: found.text, save: saveDocument, note: t("documents.hint"), problem: found.problem, none: empty(t("documents.blank"), t("documents.blank.hint")) };
  return h("div", { class: "stack" },
    tabs,
    documentView(space, shown, sync),
    documents.problem && problemBox(documents.problem),
    !documents.items.length && !documents.problem && empty(t("documents.empty"), t("documents.empty.hint")));
}

async function loaded(api) {
  try {
    return { items: await api.get("documents"), problem: null };
  } catch (error) {
    if (!("status" in error)) throw error;
    return { items: [], problem: error };
  }
}

// What became of an edit, said in one line each.
function report(made) {
  let said = 0;
  for (const one of made.documents) {
    const counts = [["taken", one.taken.length], ["asked", one.asked.length], ["kept", one.kept.length]].filter(([, count]) => count);
    if (one.problem) notice(`${one.name}: ${one.problem}`, "bad");
    else if (counts.length) notice(`${one.name}: ${counts.map(([name, count]) => t(`documents.${name}`, { count: number(count) })).join(" · ")}`);
    said += counts.length + (one.problem ? 1 : 0);
  }
  if (!said) notice(t("documents.saved"));
  announceChange();
}

function documentView(space, { name, text, save, note, at, problem, none }, sync) {
  const place = h("div", { class: "stack" });
  const read = () => replace(place,
    h("div", { class: "card document" }, withoutMarks(text).trim() ? rendered(text, (id) => address(space, "memories", id)) : none),
    h("div", { class: "actions" },
      allowed("write", button([icon("edit"), t("documents.edit")], () => edit(), { class: "primary", "data-action": "edit" }), sync),
      at && h("span", { class: "muted" }, t("documents.updated", { at: moment(at) }))));

  function edit() {
    const area = h("textarea", { rows: "20", spellcheck: "false", class: "editor", value: withoutMarks(text) });
    const trouble = h("div", null);
    const submit = button(t("action.save"), async () => {
      replace(trouble);
      try {
        await save(area.value);
      } catch (error) {
        if (!("status" in error)) throw error;
        replace(trouble, problemBox(error));
      }
    }, { class: "primary" });
    const cancel = () => {
      read();
      place.querySelector("[data-action=edit]")?.focus();
    };
    area.addEventListener("keydown", (event) => {
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        submit.click();
      } else if (event.key === "Escape" && area.value === withoutMarks(text)) {
        event.stopPropagation();
        cancel();
      }
    });
    replace(place, field(name, area), trouble, h("div", { class: "actions" }, submit, button(t("action.cancel"), cancel)));
    area.focus();
  }

  read();
  return h("div", { class: "stack" }, h("p", { class: "muted" }, note), problem && h("p", { class: "problem-text" }, problem), place);
}

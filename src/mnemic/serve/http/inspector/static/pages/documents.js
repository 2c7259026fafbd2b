// The scratchpad and the documents, as text that a person may change.

import { can } from "../api.js";
import { h, replace } from "../dom.js";
import { allowed, button, empty, field, notice, problemBox } from "../parts.js";
import { address } from "../route.js";
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
  const sync = button(t("documents.sync"), async () => {
    report(await api.post(["documents", "sync"]));
    await again();
  });
  return h("div", { class: "stack" },
    h("p", { class: "muted" }, t("documents.hint")),
    tabs,
    chosen === PAD
      ? editor(t("documents.scratchpad"), pad.text, pad.updated_at && t("documents.updated", { at: moment(pad.updated_at) }), async (text) => {
        await api.put("scratchpad", { markdown: text });
        notice(t("documents.saved"));
        await again();
      }, sync)
      : document(api, found, again, sync),
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

function document(api, found, again, sync) {
  return editor(found.name, found.text, found.problem, async (text) => {
    report(await api.put(["documents", found.name], { markdown: text, digest: found.digest }));
    await again();
  }, sync);
}

// What became of an edit, said in one line each.
function report(done) {
  let said = 0;
  for (const one of done.documents) {
    const counts = [["taken", one.taken.length], ["asked", one.asked.length], ["kept", one.kept.length]].filter(([, count]) => count);
    if (one.problem) notice(`${one.name}: ${one.problem}`, "bad");
    else if (counts.length) notice(`${one.name}: ${counts.map(([name, count]) => t(`documents.${name}`, { count: number(count) })).join(" · ")}`);
    said += counts.length + (one.problem ? 1 : 0);
  }
  if (!said) notice(t("documents.saved"));
}

function editor(name, text, note, save, sync) {
  const area = h("textarea", { rows: "20", spellcheck: "false", class: "editor", value: text, readonly: !can("write") });
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
  area.addEventListener("keydown", (event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit.click();
    }
  });
  return h("div", { class: "stack" }, note && h("p", { class: "muted" }, note), field(name, area), trouble,
    h("div", { class: "actions" }, allowed("write", submit, sync)));
}

// Forgetting: what is to go is shown first, then it goes for good, and a receipt proves it.

import { can, everywhere } from "../api.js";
import { h, markedAt, replace } from "../dom.js";
import { announceChange, button, chip, choice, detail, empty, facts, field, problemBox, section, twoStep, download, notice } from "../parts.js";
import { findings } from "./audit.js";
import { moment, number, t, word } from "../words.js";

const WAYS = ["query", "id", "session", "source", "time"];
const MOST_SHOWN = 500;

// "episode rewritten" in the reader's language.
function counted(name) {
  const [, kind, change] = /^(.*?)(?: (rewritten|emptied|renamed))?$/.exec(name);
  return change ? `${word("forgotten", kind)} (${word("change", change)})` : word("forgotten", kind);
}

export async function render({ api, query }) {
  if (!can("admin")) return empty(t("forget.refused"), t("forget.refused.hint"));
  const by = choice("by", WAYS.map((way) => [way, t(`forget.by.${way}`)]), WAYS.includes(query.by) ? query.by : "query");
  const what = h("input", { name: "what", value: query.what ?? "", autocomplete: "off" });
  const since = h("input", { type: "datetime-local", name: "since" });
  const until = h("input", { type: "datetime-local", name: "until" });
  const named = h("div", { class: "grow" }, field(t("forget.what"), what));
  const range = h("div", { class: "pair" }, field(t("forget.since"), since), field(t("forget.until"), until));
  const hint = h("p", { class: "muted" });
  const result = h("div", { class: "stack", "aria-live": "polite" });
  const turn = () => {
    named.hidden = by.value === "time";
    range.hidden = by.value !== "time";
    hint.textContent = t(`forget.hint.${by.value}`);
    replace(result);
  };
  by.addEventListener("change", turn);
  what.addEventListener("input", () => replace(result));
  turn();

  const asked = () => (by.value === "time"
    ? Object.fromEntries([["since", since.value], ["until", until.value]].filter(([, value]) => value).map(([name, value]) => [name, new Date(value).toISOString()]))
    : { [by.value]: what.value.trim() });

  async function preview() {
    const request = asked();
    if (!Object.values(request).some(Boolean)) return what.focus();
    replace(result, h("p", { class: "muted" }, t("loading")));
    try {
      const receipt = await api.post("forget", { dry_run: true, ...request });
      replace(result, receipt.items.length ? listed(receipt, request) : empty(t("forget.none"), t("forget.none.hint")));
    } catch (error) {
      if (!("status" in error)) throw error;
      replace(result, problemBox(error, preview));
    }
    return undefined;
  }

  function listed(receipt, request) {
    return section(t("forget.preview"),
      h("p", { class: "chips" }, Object.entries(receipt.counts).map(([name, count]) => chip(`${counted(name)} ${number(count)}`))),
      h("ul", { class: "cards" }, receipt.items.slice(0, MOST_SHOWN).map((item) => h("li", { class: "card" },
        h("p", { class: "chips" }, chip(word("forgotten", item.kind)), chip(word("change", item.change), item.change === "removed" ? "bad" : "warn"), h("span", { class: "muted" }, word("reason", item.reason))),
        h("p", { class: "prose" }, markedAt(item.text, item.highlights))))),
      receipt.items.length > MOST_SHOWN && h("p", { class: "muted" }, t("forget.more", { count: number(receipt.items.length - MOST_SHOWN) })),
      h("div", { class: "actions" },
        twoStep(t("forget.do"), t("forget.sure"), async () => done(await api.post("forget", request))),
        button(t("action.cancel"), () => replace(result))));
  }

  function done(receipt) {
    const checked = h("div", null);
    const text = JSON.stringify(receipt, null, 1);
    notice(t("forget.done"));
    announceChange();
    what.value = "";
    replace(result, section(t("forget.receipt"),
      h("p", null, t("forget.receipt.hint")),
      facts([
        ["id", h("code", null, receipt.id)],
        [t("forget.at"), moment(receipt.at)],
        ...Object.entries(receipt.counts).map(([name, count]) => [counted(name), number(count)]),
      ]),
      detail(t("forget.receipt"), text),
      h("div", { class: "actions" },
        button(t("forget.download"), () => download(`mnemic-receipt-${receipt.id}.json`, text), { class: "primary" }),
        everywhere() && button(t("forget.check"), async () => {
          replace(checked, findings(await api.post("doctor", { deep: false, forgotten: text })));
        })),
      checked));
  }

  const form = h("form", { class: "filters" }, field(t("forget.by"), by), named, range, h("button", { class: "primary" }, t("forget.show")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    preview();
  });
  return h("div", { class: "stack" }, h("p", { class: "muted" }, t("forget.hint")), form, hint, result);
}

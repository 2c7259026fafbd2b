// How good the memory is, whether the database is sound, and what happened to it.

import { everywhere } from "../api.js";
import { h, replace } from "../dom.js";
import { allowed, button, chip, choice, controlled, detail, empty, field, moreList, problemBox, section } from "../parts.js";
import { address } from "../route.js";
import { moment, number, percent, t, word } from "../words.js";

const TYPES = ["write", "update", "supersede", "archive", "restore", "delete", "forget", "confirm", "ignore", "retry", "dead", "episode", "scratchpad"];

export async function render({ api, space, query }) {
  const report = h("div", { class: "stack", "aria-live": "polite" });
  const health = h("div", { class: "stack", "aria-live": "polite" });
  const list = h("div", null);
  const type = choice("type", [["", t("filter.any")], ...[...new Set([...TYPES, query.type ?? ""])].filter(Boolean).map((one) => [one, word("event", one)])], query.type ?? "");
  const show = async (place, work, made) => {
    replace(place, h("p", { class: "muted" }, t("loading")));
    try {
      replace(place, made(await work()));
    } catch (error) {
      if (!("status" in error)) throw error;
      replace(place, problemBox(error, () => show(place, work, made)));
    }
  };
  const events = () => show(list, () => moreList(
    (offset) => api.get("events", { type: type.value, limit: 50, offset }), (event) => line(space, event),
    { tag: "ol", attributes: { class: "events" }, none: empty(t("audit.events.none"), t("audit.events.none.hint")) }), (made) => made);
  type.addEventListener("change", events);
  await events();
  return h("div", { class: "stack" },
    section(t("audit.report"),
      h("p", { class: "muted" }, t("audit.report.hint")),
      h("div", { class: "actions" }, button(t("audit.run"), () => show(report, () => api.get("audit"), (done) => checks(space, done)), { class: "primary" })),
      report),
    everywhere() && allowed("admin", section(t("audit.health"),
      h("p", { class: "muted" }, t("audit.health.hint")),
      h("div", { class: "actions" }, button(t("audit.health.run"), () => show(health, () => api.post("doctor", { deep: false }), findings))),
      health)),
    controlled(t("audit.events"), field(t("audit.type"), type), list));
}

function checks(space, report) {
  return [
    h("p", { class: "muted" }, t("audit.of", { count: number(report.memories), at: moment(report.at) })),
    h("ul", { class: "findings" }, report.checks.map((check) => h("li", null,
      h("p", { class: "chips" }, h("strong", null, word("check", check.name)),
        chip(check.found ? t("audit.found", { found: number(check.found), of: number(check.of), rate: percent(check.found / Math.max(1, check.of)) }) : t("audit.clean"), check.found ? "warn" : "good")),
      check.found > 0 && h("p", { class: "muted" }, check.remedy),
      check.examples.length > 0 && h("ul", null, check.examples.map(([id, text]) =>
        h("li", null, h("a", { href: address(space, "memories", id) }, text || id))))))),
  ];
}

function findings(listed) {
  return h("ul", { class: "findings" }, listed.map((finding) => h("li", null,
    chip(finding.ok ? t("audit.ok") : t("audit.bad"), finding.ok ? "good" : "bad"), " ", h("strong", null, finding.check), " ", finding.detail,
    finding.remedy && h("span", { class: "muted" }, " ", finding.remedy))));
}

function line(space, event) {
  const isMemory = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(event.subject) && event.type !== "episode";
  return h("li", null,
    h("span", { class: "muted" }, moment(event.at)), " ", h("strong", null, word("event", event.type)), " ",
    isMemory ? h("a", { href: address(space, "memories", event.subject) }, event.subject) : event.subject,
    detail(t("event.payload"), JSON.stringify(event.payload, null, 1)));
}

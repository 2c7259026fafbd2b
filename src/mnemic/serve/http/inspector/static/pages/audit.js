// What happened to memory, day by day; how good it is, and whether the database is sound.

import { everywhere } from "../api.js";
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, button, chip, choice, detail, empty, field, moreList, problemBox, section } from "../parts.js";
import { address } from "../route.js";
import { clock, day, dayName, explained, moment, number, percent, t, word } from "../words.js";

const TYPES = ["write", "revise", "supersede", "merge", "archive", "restore", "delete", "forget", "pending", "confirm", "reject", "expire", "core", "episode", "session.ended", "scratchpad", "retry", "dead"];
// What only repeats another event of the same moment.
const ECHOES = new Set(["memory.write.important"]);
const PICTURES = {
  write: "write", revise: "edit", supersede: "edit", merge: "merge", archive: "archive", restore: "restore", delete: "delete", forget: "forget",
  confirm: "check", pending: "pending", snooze: "clock", core: "star", leave_core: "star", episode: "timeline", "session.ended": "timeline", compress: "timeline",
  scratchpad: "documents", retry: "alert", dead: "alert", expire: "clock",
};
const FEW = 3; // texts that one line shows of several

export async function render({ api, space, query, setQuery }) {
  const report = h("div", { class: "stack", "aria-live": "polite" });
  const health = h("div", { class: "stack", "aria-live": "polite" });
  const list = h("div", null);
  const type = choice("type", [["", t("filter.any")], ...[...new Set([...TYPES, query.type ?? ""])].filter(Boolean).map((one) => [one, word("event", one)])], query.type ?? "");
  const until = h("input", { type: "date", name: "day", value: query.day ?? "" });
  const show = async (place, work, made) => {
    const waiting = h("p", { class: "muted" }, t("loading"));
    replace(place, waiting);
    try {
      const answer = await work();
      if (waiting.parentNode === place) replace(place, made(answer)); // else something newer was asked
    } catch (error) {
      if (!("status" in error)) throw error;
      replace(place, problemBox(error, () => show(place, work, made)));
    }
  };
  const events = () => {
    let lastDay = "";
    const last = until.value && new Date(`${until.value}T23:59:59.999`).toISOString();
    return show(list, () => moreList(
      (offset) => api.get(["inspector", "events"], { type: type.value, until: last, limit: 100, offset }),
      (items) => runs(items).map((run) => {
        const today = new Date(run[0].event.at).toDateString();
        const heading = today !== lastDay && h("li", { class: "day" }, h("h3", null, dayName(run[0].event.at)));
        lastDay = today;
        return [heading, line(space, run)];
      }),
      { tag: "ol", attributes: { class: "history" }, all: true, none: empty(t("audit.events.none"), t(type.value || until.value ? "audit.events.filtered" : "audit.events.none.hint")) }), (made) => made);
  };
  for (const input of [type, until]) {
    input.addEventListener("change", () => {
      setQuery({ type: type.value, day: until.value });
      events();
    });
  }
  await events();
  return h("div", { class: "stack" },
    h("div", { class: "columns" },
      section(t("audit.report"),
        h("p", { class: "muted" }, t("audit.report.hint")),
        h("div", { class: "actions" }, button([icon("audit"), t("audit.run")], () => show(report, () => api.get("audit"), (done) => checks(space, done)), { class: "primary" })),
        report),
      everywhere() && allowed("admin", section(t("audit.health"),
        h("p", { class: "muted" }, t("audit.health.hint")),
        h("div", { class: "actions" }, button(t("audit.health.run"), () => show(health, () => api.post("doctor", { deep: false }), findings))),
        health))),
    h("section", { class: "card stack" },
      h("div", { class: "head" }, h("h2", null, t("audit.events")), h("div", { class: "pair" }, field(t("audit.type"), type), field(t("timeline.jump"), until))),
      list));
}

function checks(space, report) {
  return [
    h("p", { class: "muted" }, t("audit.of", { count: number(report.memories), at: moment(report.at) })),
    h("ul", { class: "findings" }, report.checks.map((check) => h("li", null,
      h("p", { class: "chips" }, h("strong", { "data-tip": explained("check", check.name) }, word("check", check.name)),
        chip(check.found ? t("audit.found", { found: number(check.found), of: number(check.of), rate: percent(check.found / Math.max(1, check.of)) }) : t("audit.clean"), check.found ? "warn" : "good")),
      check.found > 0 && h("p", { class: "muted" }, check.remedy),
      check.examples.length > 0 && h("ul", null, check.examples.map(([id, text]) =>
        h("li", null, h("a", { href: address(space, "memories", id) }, text || id))))))),
  ];
}

export function findings(listed) {
  return h("ul", { class: "findings" }, listed.map((finding) => h("li", null,
    h("p", { class: "chips" }, chip(finding.ok ? t("audit.ok") : t("audit.bad"), finding.ok ? "good" : "bad"), h("strong", null, finding.check)),
    h("p", { class: "muted" }, finding.detail, finding.remedy && ` ${finding.remedy}`))));
}

// Events of one kind that follow each other within a minute are one line.
function runs(items) {
  const made = [];
  for (const item of items.filter(({ event }) => !ECHOES.has(event.type))) {
    const last = made.at(-1)?.[0].event;
    if (last && last.type === item.event.type && last.at.slice(0, 16) === item.event.at.slice(0, 16)) made.at(-1).push(item);
    else made.push([item]);
  }
  return made;
}

function line(space, run) {
  const [{ event }] = run;
  const words = run.map((item) => what(space, item)).filter(Boolean);
  const about = words.filter((one, nth) => words.findIndex((other) => key(other) === key(one)) === nth);
  const bad = event.type === "dead" || event.type === "retry" || event.type.endsWith("fail");
  return h("li", { class: `happening${bad ? " bad" : ""}` },
    h("span", { class: "picture" }, icon(PICTURES[event.type] ?? "write")),
    h("div", { class: "happened" },
      h("p", null, h("strong", null, word("event", event.type)), run.length > 1 && [" ", chip(`× ${number(run.length)}`)], h("time", { class: "muted", datetime: event.at }, clock(event.at))),
      about.length > 0 && h("ul", null, about.slice(0, FEW).map((one) => h("li", null, one))),
      about.length > FEW && h("details", null, h("summary", null, t("audit.more", { count: number(about.length - FEW) })),
        h("ul", null, about.slice(FEW).map((one) => h("li", null, one))))),
    detail(t("event.payload"), JSON.stringify(run.map((item) => ({ subject: item.event.subject, ...item.event.payload })), null, 1)));
}

function key(words) {
  return [words].flat(Infinity).map((part) => part?.href ?? part).join("");
}

// The words of what an event is about.
function what(space, { event, text, after, page, id }) {
  if (text) return [h("a", { href: address(space, page, id) }, text), after && [" → ", after]];
  if (event.subject.startsWith("job:")) return [word("work", event.payload.kind), event.payload.error && `: ${event.payload.error}`];
  if (event.subject.startsWith("day:")) return day(event.subject.slice(4));
  if (event.type === "delete" || event.type === "forget") return t("audit.gone");
  return event.payload.reason || event.payload.error || (/^[0-9a-f-]{36}$/.test(event.subject) ? t("audit.gone") : event.type === event.subject ? "" : event.subject);
}

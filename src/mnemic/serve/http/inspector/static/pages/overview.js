// What is known about the person first; then how it grew, what waits, how well it serves and what it cost.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { choice, controlled, empty, facts, field, linkButton, section } from "../parts.js";
import { dayBars, shareBars } from "../plot.js";
import { address } from "../route.js";
import { bytes, day, moment, number, percent, t, word } from "../words.js";

const DAYS = ["7", "30", "90", "365"];
const KEPT = "mnemic.growth";
const GROUPS = {
  about: ["identity", "trait"], likes: ["preference"], rules: ["rule"], plans: ["decision", "event"],
  facts: ["fact", "config", "skill", "lesson", "temp"],
};
const SHOWN = 5;

export async function render({ api, space }) {
  const [stats, metrics, usage] = await Promise.all([
    api.get("stats"), api.get("metrics"), api.get("usage"),
  ]);
  if (!stats.turns && !stats.memories) return empty(t("overview.empty"), t("overview.empty.hint"), h("pre", { class: "start" }, t("overview.empty.command")));
  const [known, drawn] = await Promise.all([knowledge(api, space, stats), growth(api)]);
  return h("div", { class: "stack" },
    known,
    warnings(space, stats, metrics),
    tiles(space, stats, metrics),
    h("div", { class: "columns" },
      drawn,
      section(t("overview.kinds"), shareBars(Object.entries(stats.by_kind).map(([kind, value]) => ({
        name: word("kind", kind), value, href: address(space, "memories", "", { kind }),
      }))))),
    h("div", { class: "columns three" }, queue(space, stats), serving(metrics), cost(metrics, usage)));
}

// The answer to "what do you know about me?": the weightiest memories of each kind, and the latest.
async function knowledge(api, space, stats) {
  const counts = stats.by_kind;
  const load = async (query) => (await api.get("memories", query)).items;
  const groups = Object.entries(GROUPS).map(([name, kinds]) => [name, kinds.filter((kind) => counts[kind])]).filter(([, kinds]) => kinds.length);
  const [latest, ...lists] = await Promise.all([
    load({ limit: SHOWN }), ...groups.map(async ([, kinds]) =>
      (await Promise.all(kinds.map((kind) => load({ kind, order: "importance", limit: SHOWN })))).flat().sort((a, b) => b.importance - a.importance).slice(0, SHOWN)),
  ]);
  const link = (memory) => h("a", { href: address(space, "memories", memory.id) }, memory.text);
  return h("section", { class: "card stack knowledge" },
    h("div", { class: "head" }, h("h2", null, t("overview.known")), linkButton("search", t("overview.ask"), address(space, "search"))),
    h("p", { class: "muted" }, t(stats.sessions ? "overview.known.from" : "overview.known.only", {
      count: number(stats.memories), sessions: number(stats.sessions), since: stats.first_at ? day(stats.first_at) : "",
    })),
    latest.length === 0 && h("p", null, t("overview.known.none")),
    h("div", { class: "known" },
      groups.map(([name, kinds], nth) => h("div", { class: "known-group" },
        h("h3", null, t(`known.${name}`)),
        h("ul", null, lists[nth].map((memory) => h("li", null, link(memory)))),
        kinds.reduce((sum, kind) => sum + counts[kind], 0) > lists[nth].length && kinds.map((kind) =>
          h("a", { class: "more-of", href: address(space, "memories", "", { kind }) }, t("known.all", { kind: word("kind", kind), count: number(counts[kind]) }))))),
      latest.length > 0 && h("div", { class: "known-group" },
        h("h3", null, t("known.latest")),
        h("ul", null, latest.map((memory) => h("li", null, link(memory), " ", h("span", { class: "muted small" }, day(memory.created_at))))))));
}

function warnings(space, stats, metrics) {
  const said = [
    stats.worker_failure && [t("overview.worker", { reason: stats.worker_failure })],
    stats.recall_failure && [t("overview.recall", { reason: stats.recall_failure })],
    stats.model_wait && [t("overview.model", {
      turns: number(stats.model_wait.turns), next: moment(stats.model_wait.next_try), reason: stats.model_wait.reason,
    })],
    stats.read_only && [t("overview.readonly")],
    stats.suspended.length && [t("overview.suspended", { names: stats.suspended.join(", ") })],
    stats.jobs_dead && [t("overview.dead", { count: number(stats.jobs_dead) }), address(space, "jobs", "", { state: "dead" })],
    metrics.pending && [t("overview.asks", { count: number(metrics.pending) }), address(space, "pending"), "pending"],
  ].filter(Boolean);
  return said.length > 0 && h("ul", { class: "warnings" }, said.map(([text, href, kind]) =>
    h("li", { class: kind }, icon(kind ?? "alert"), href ? h("a", { href }, text) : text)));
}

function tiles(space, stats, metrics) {
  const shown = [
    ["memories", stats.memories, "memories"],
    ["turns", stats.turns, "timeline"],
    ["sessions", stats.sessions, "timeline"],
    ["episodes", stats.episodes, "timeline"],
    ["attachments", stats.attachments, null],
    ["pending", metrics.pending, "pending"],
  ];
  return h("ul", { class: "tiles" }, shown.map(([name, value, page]) => {
    const inner = [h("span", { class: "tile-value" }, number(value)), h("span", { class: "tile-name" }, t(`overview.${name}`))];
    return h("li", null, page ? h("a", { href: address(space, page) }, inner) : h("div", null, inner));
  }));
}

async function growth(api) {
  const kept = localStorage.getItem(KEPT);
  const select = choice("days", DAYS.map((days) => [days, t("overview.days", { days })]), DAYS.includes(kept) ? kept : "30");
  const place = h("div", null);
  const draw = async () => {
    const days = await api.get("growth", { days: select.value });
    const total = (name) => number(days.reduce((sum, one) => sum + one[name], 0));
    replace(place,
      dayBars(days.map((one) => one.day), [
        ["first", days.map((one) => one.turns)],
        ["second", days.map((one) => one.memories)],
      ], t("overview.growth.label", { turns: total("turns"), memories: total("memories"), days: select.value })),
      h("ul", { class: "legend" },
        h("li", { class: "first" }, t("overview.turns"), " ", total("turns")),
        h("li", { class: "second" }, t("overview.memories"), " ", total("memories"))));
  };
  select.addEventListener("change", () => {
    localStorage.setItem(KEPT, select.value);
    draw();
  });
  await draw();
  return controlled(t("overview.growth"), field(t("overview.period"), select), place);
}

function queue(space, stats) {
  return section(t("overview.queue"),
    shareBars([["ready", stats.jobs_ready], ["running", stats.jobs_running], ["dead", stats.jobs_dead]]
      .map(([state, value]) => ({
        name: word("job", state), value, tone: state === "dead" ? "minus" : "value",
        href: address(space, "jobs", "", { state }),
      }))),
    h("h3", null, t("overview.learning")),
    shareBars(Object.entries(stats.turn_states).map(([state, value]) => ({
      name: word("state", state), value, tone: state === "failed" || state === "dead" ? "minus" : "value",
    }))),
    facts([[t("overview.file"), bytes(stats.file_bytes)]]));
}

function serving(metrics) {
  const rate = (name, part, whole) => [
    t(`metric.${name}`), metrics[name] === null ? t("metric.none") : `${percent(metrics[name])} (${number(part)} / ${number(whole)})`,
  ];
  return section(t("overview.metrics"), facts([
    rate("recall_hit_rate", metrics.recalls_with_evidence, metrics.recalls),
    rate("evidence_used_rate", metrics.replies_using_evidence, metrics.replies),
    rate("confirmation_rate", metrics.confirmed, metrics.confirmed + metrics.refused),
    rate("wrong_write_rate", metrics.taken_back, metrics.learned),
    rate("context_share", metrics.memory_tokens, metrics.context_tokens),
  ]));
}

function cost(metrics, usage) {
  return section(t("overview.cost"),
    usage.length
      ? h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("overview.cost") }, h("table", null,
        h("thead", null, h("tr", null, ["purpose", "model", "calls", "tokens", "price"].map((name) =>
          h("th", { scope: "col" }, t(`cost.${name}`))))),
        h("tbody", null, usage.map((row) => h("tr", null,
          h("td", null, word("work", row.purpose)), h("td", null, row.model), h("td", { class: "number" }, number(row.calls)),
          h("td", { class: "number" }, number(row.input_tokens + row.output_tokens)),
          h("td", { class: "number" }, row.cost === null ? "–" : number(row.cost, 4)))))))
      : h("p", { class: "muted" }, t("cost.none")),
    usage.length > 1 && facts([
      [t("cost.calls"), number(metrics.model_calls)],
      [t("cost.tokens"), number(metrics.model_tokens)],
      [t("cost.price"), metrics.cost === null ? "" : number(metrics.cost, 4)],
    ]));
}

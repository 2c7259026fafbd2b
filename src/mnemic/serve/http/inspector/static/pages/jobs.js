// Background work: what waits, what runs, what died and why; dead work can be run again or dropped.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, announceChange, button, chip, detail, empty, moreList, notice, twoStep } from "../parts.js";
import { address } from "../route.js";
import { explained, moment, number, t, word } from "../words.js";

const STATES = ["", "ready", "running", "dead"];
const SECONDS = 30;

export async function render({ api, space, query, again }) {
  const state = STATES.includes(query.state ?? "") ? query.state ?? "" : "";
  const stats = await api.get("stats");
  const counts = { ready: stats.jobs_ready, running: stats.jobs_running, dead: stats.jobs_dead };
  counts[""] = counts.ready + counts.running + counts.dead;
  const done = async (work, key) => {
    const count = await work();
    notice(t(key, { count: number(count) }));
    announceChange();
    await again();
  };
  const tabs = h("nav", { class: "tabs", "aria-label": t("nav.jobs") }, h("ul", null, STATES.map((one) => h("li", null, h("a", {
    href: address(space, "jobs", "", { state: one }), "aria-current": one === state ? "page" : null,
    "data-tip": explained("job", one),
  }, one ? word("job", one) : t("jobs.all"), " ", h("span", { class: "count" }, number(counts[one])))))));
  const list = await moreList((offset) => api.get("jobs", { state, limit: 50, offset }), (job) => card(api, job, done), {
    tag: "ul", attributes: { class: "cards" },
    none: empty(state === "dead" ? t("jobs.none.dead") : t("jobs.none"), t("jobs.none.hint")),
  });
  return h("div", { class: "stack" },
    tabs,
    h("div", { class: "actions" }, allowed("admin",
      counts.dead > 0 && button(t("jobs.redrive.all"), () => done(() => api.post(["jobs", "redrive"]), "jobs.redriven"), { class: "primary" }),
      button(t("jobs.drain"), () => done(async () =>
        (await api.post(["jobs", "drain"], { timeout: SECONDS, due_only: true })).done, "jobs.drained")))),
    list);
}

function card(api, job, done) {
  return h("li", { class: "card" },
    h("header", null,
      h("strong", null, word("work", job.kind)),
      chip(word("job", job.state), { dead: "bad", running: "good" }[job.state] ?? ""),
      h("span", { class: "muted" }, t("jobs.attempts", { count: number(job.attempts), most: number(job.max_attempts) })),
      h("span", { class: "muted" }, t("jobs.due", { at: moment(job.run_at) }))),
    job.error && h("p", { class: "problem-text" }, job.error),
    detail(t("jobs.payload"), JSON.stringify({ id: job.id, key: job.key, created_at: job.created_at, lease_until: job.lease_until, ...job.payload }, null, 1)),
    job.state === "dead" && h("div", { class: "actions" }, allowed("admin",
      button(t("jobs.redrive"), () => done(() => api.post(["jobs", "redrive"], { ids: [job.id] }), "jobs.redriven")),
      twoStep(t("jobs.discard"), t("jobs.discard.sure"), () => done(() => api.post(["jobs", "discard"], { ids: [job.id] }), "jobs.discarded")))));
}

// A recall with its explanation: which route found what, the parts of each score, the turns behind it.

import { h, marked, replace } from "../dom.js";
import { chip, choice, empty, field, given, kindChip, problemBox, reveal, turnsInPlace } from "../parts.js";
import { routeMap, scoreParts } from "../plot.js";
import { address, go } from "../route.js";
import { moment, number, t, word } from "../words.js";

const TYPES = ["memory", "turn", "episode", "attachment"];
const COUNTS = ["10", "25", "50"];

export async function render({ api, space, query }) {
  const words = h("input", { type: "search", name: "q", value: query.q ?? "", required: true, autocomplete: "off" });
  const form = h("form", { class: "filters", role: "search" },
    h("div", { class: "grow" }, field(t("search.query"), words)),
    field(t("search.of"), choice("of", [["", t("search.all")], ...TYPES.map((type) => [type, word("type", type)])], query.of ?? "")),
    field(t("search.count"), choice("limit", COUNTS.map((count) => [count, count]), query.limit ?? "10")),
    h("button", { class: "primary" }, t("search.go")));
  const results = h("div", { class: "stack", "aria-live": "polite" });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = given(form);
    if (JSON.stringify(asked) === JSON.stringify(query)) find();
    else go(space, "search", "", asked);
  });

  async function find() {
    replace(results, h("p", { class: "muted" }, t("loading")));
    try {
      const hits = await api.post("recall", { query: query.q, limit: Number(query.limit ?? 10), ...(query.of ? { of: query.of } : {}) });
      replace(results, hits.length ? [overall(hits), h("ol", { class: "hits" }, hits.map((hit, nth) => card(api, hit, nth)))]
        : empty(t("search.none"), t("search.none.hint")));
    } catch (error) {
      replace(results, problemBox(error, find));
    }
  }

  if (query.q) await find();
  else replace(results, empty(t("search.start"), t("search.start.hint")));
  return { element: h("div", { class: "stack" }, form, results), ready: () => query.q || words.focus() };
}

function overall(hits) {
  const routes = [...new Set(hits.flatMap((hit) => hit.why.routes))];
  if (!routes.length) return null;
  const label = t("search.routes.label", { hits: number(hits.length), routes: routes.map((route) => word("route", route)).join(", ") });
  return h("details", { class: "card", open: true },
    h("summary", null, t("search.routes")),
    h("p", { class: "muted" }, t("search.routes.hint")),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("search.routes") },
      routeMap(hits, routes, label, (route) => word("route", route))));
}

function card(api, hit, nth) {
  const place = hit.type === "turn" ? { session: hit.session, index: hit.index } : hit.sources[0];
  const page = hit.type === "memory" ? address(api.space, "memories", hit.id)
    : hit.session ? address(api.space, "timeline", hit.session, hit.index === null ? {} : { at: hit.index }) : null;
  return h("li", { class: "card hit", "data-reveal": "" },
    h("header", null,
      h("span", { class: "rank" }, number(nth + 1)),
      chip(word("type", hit.type)),
      hit.kind && kindChip(hit.kind),
      hit.role && chip(word("role", hit.role)),
      hit.trust && hit.trust !== "owner" && chip(word("trust", hit.trust), "warn"),
      hit.ended && chip(t("hit.ended", { at: moment(hit.ended) }), "warn"),
      h("span", { class: "muted" }, moment(hit.at)),
      h("span", { class: "score" }, t("hit.score", { score: number(hit.score, 3) }))),
    h("p", { class: "prose" }, marked(hit.text, hit.why.terms)),
    h("p", { class: "why" },
      h("span", { class: "muted" }, t("hit.found")), hit.why.routes.map((route) => chip(word("route", route), "route")),
      hit.why.terms.length > 0 && [h("span", { class: "muted" }, t("hit.terms")), hit.why.terms.map((term) => h("mark", null, term))]),
    h("details", { open: nth === 0 },
      h("summary", null, t("hit.parts")), scoreParts(hit.why.parts, (part) => word("part", part))),
    h("div", { class: "actions" },
      place && reveal(t("hit.source"), () => turnsInPlace(api, place.session, place.index)),
      page && h("a", { class: "button", href: page }, t("hit.open"))));
}

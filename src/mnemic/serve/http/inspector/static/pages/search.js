// A recall with its explanation. What says the same is one answer: the memory, where it was said, and
// the conversation that it was part of.

import { h, marked, replace } from "../dom.js";
import { icon } from "../icons.js";
import { button, chip, choice, empty, field, given, kindChip, linkButton, problemBox, reveal, trustChip, turnsInPlace } from "../parts.js";
import { routeMap, scoreParts } from "../plot.js";
import { address, go } from "../route.js";
import { group, shares } from "../score.js";
import { explained, moment, number, percent, t, word } from "../words.js";

const TYPES = ["memory", "turn", "episode", "attachment"];
const COUNTS = ["10", "25", "50"];
const LIKELY = 0.1; // what is less likely an answer is folded away
const EXAMPLES = ["about", "prefer", "decide"];

export async function render({ api, space, query }) {
  const words = h("input", { type: "search", name: "q", value: query.q ?? "", required: true, autocomplete: "off", placeholder: t("example.about") });
  const form = h("form", { class: "filters", role: "search" },
    h("div", { class: "grow" }, field(t("search.query"), words)),
    field(t("search.of"), choice("of", [["", t("search.all")], ...TYPES.map((type) => [type, word("type", type)])], query.of ?? "")),
    field(t("search.count"), choice("limit", COUNTS.map((count) => [count, count]), query.limit ?? "10")),
    h("button", { class: "primary" }, icon("search"), t("search.go")));
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
      const [hits, settings] = await Promise.all([
        api.post("recall", { query: query.q, limit: Number(query.limit ?? 10), ...(query.of ? { of: query.of } : {}) }), api.get("settings"),
      ]);
      replace(results, hits.length ? answers(api, hits, settings.ranking) : empty(t("search.none"), t("search.none.hint"),
        linkButton("memories", t("search.none.browse"), address(space, "memories"))));
    } catch (error) {
      if (!("status" in error)) throw error;
      replace(results, problemBox(error, find));
    }
  }

  if (query.q) await find();
  else {
    replace(results, empty(t("search.start"), t("search.start.hint"), EXAMPLES.map((name) =>
      button(t(`example.${name}`), () => go(space, "search", "", { q: t(`example.${name}`) })))));
  }
  return { element: h("div", { class: "stack" }, form, results), ready: () => query.q || words.focus() };
}

function answers(api, hits, ranking) {
  const groups = group(hits);
  const likely = groups.filter((one) => one.score >= LIKELY);
  const rest = groups.filter((one) => one.score < LIKELY);
  const listed = (those, start) => h("ol", { class: "hits" }, those.map((one, nth) => card(api, one, start + nth, ranking)));
  return [
    likely.length > 0 ? listed(likely, 0) : h("p", { class: "unsure" }, icon("pending"), t("search.unsure")),
    rest.length > 0 && h("details", { class: "less-likely", open: !likely.length },
      h("summary", null, t("search.rest", { count: number(rest.length) })), listed(rest, likely.length)),
    overall(groups),
  ];
}

function overall(groups) {
  const routes = [...new Set(groups.flatMap((one) => one.routes))];
  if (!routes.length) return null;
  const label = t("search.routes.label", { hits: number(groups.length), routes: routes.map((route) => word("route", route)).join(", ") });
  return h("details", { class: "card", open: true },
    h("summary", null, t("search.routes")),
    h("p", { class: "muted" }, t("search.routes.hint")),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("search.routes") },
      routeMap(groups, routes, label, (route) => word("route", route))));
}

function card(api, answer, nth, ranking) {
  const { best, head, members } = answer;
  const place = members.map((hit) => (hit.type === "turn" ? hit : hit.sources[0])).find(Boolean);
  const told = members.find((hit) => hit.type === "episode" && hit !== head);
  const page = head.type === "memory" ? address(api.space, "memories", head.id)
    : head.session ? address(api.space, "timeline", head.session, head.index === null ? {} : { at: head.index }) : null;
  return h("li", { class: "card hit", "data-reveal": "" },
    h("header", null,
      h("span", { class: "rank" }, number(nth + 1)),
      chip(word("type", head.type), "", explained("type", head.type)),
      head.kind && kindChip(head.kind),
      head.role && chip(word("role", head.role)),
      head.trust && head.trust !== "owner" && trustChip(head.trust),
      head.ended && chip(t("hit.ended", { at: moment(head.ended) }), "warn"),
      h("span", { class: "muted" }, moment(head.at)),
      h("span", { class: "score", "data-tip": t("hit.score.tip") },
        h("meter", { min: "0", max: "1", value: answer.score, "aria-label": t("hit.likely") }), t("hit.score", { score: percent(answer.score) }))),
    h("p", { class: "prose" }, marked(head.text, answer.terms)),
    h("p", { class: "why muted" }, t("hit.found"), answer.routes.map((route) => chip(word("route", route), "route", explained("route", route)))),
    told && h("p", { class: "told muted" }, icon("timeline"), h("span", null, t("hit.told"), " ", h("a", { href: address(api.space, "timeline", told.session) }, told.text))),
    h("details", { class: "score-parts", open: nth === 0 },
      h("summary", null, t("hit.parts")),
      h("p", { class: "muted" }, t("hit.parts.hint", { score: percent(best.score) })),
      scoreParts(shares(best, ranking), (part) => word("part", part))),
    h("div", { class: "actions" },
      place && reveal(t("hit.source"), () => turnsInPlace(api, place.session, place.index)),
      page && linkButton(null, t("hit.open"), page)));
}

// Conversations by day, with the episodes that tell of them and what was done in them; and one of them in full.

import { h, replace } from "../dom.js";
import { allowed, button, chip, detail, empty, moreList, reveal, times, turnBlock } from "../parts.js";
import { address } from "../route.js";
import { moment, number, t, weekday, word } from "../words.js";

const PAGE = 30;
const TURNS = 60;
const BEFORE = 20;
const MOST_LEARNT = 50;

export async function render(context) {
  return context.id ? conversation(context) : overall(context);
}

async function overall({ api }) {
  let lastDay = "";
  const load = async (offset) => {
    const page = await api.get("sessions", { limit: PAGE, offset });
    if (page.items.length) {
      const since = page.items.map((one) => one.started_at).sort()[0];
      const { items } = await api.get("episodes", { since, limit: 1000 });
      for (const one of page.items) one.episodes = items.filter((episode) => episode.session === one.id).reverse();
      await Promise.all(page.items.filter((one) => !one.episodes.length && one.turns).map(async (one) => {
        one.opening = (await api.get("turns", { session: one.id, limit: 1 })).items[0]?.text;
      }));
    }
    return page;
  };
  return moreList(load, (session) => {
    const today = new Date(session.last_at).toDateString();
    const heading = today !== lastDay && h("h2", { class: "day" }, weekday(session.last_at));
    lastDay = today;
    return [heading, card(api, session)];
  }, { attributes: { class: "stack" }, none: empty(t("timeline.empty"), t("timeline.empty.hint")) });
}

function title(session) {
  const goal = session.episodes?.find((episode) => episode.goal)?.goal;
  return goal || session.opening || session.topic || t("timeline.untitled");
}

function card(api, session) {
  const { space } = api;
  return h("article", { class: "card session" },
    h("header", null,
      h("h3", null, h("a", { href: address(space, "timeline", session.id) }, title(session))),
      session.project && chip(session.project), session.topic && chip(session.topic),
      h("span", { class: "muted" }, times(session.started_at, session.last_at)),
      h("span", { class: "muted" }, t("timeline.turns", { count: number(session.turns) })),
      !session.ended_at && chip(t("timeline.open"), "good")),
    session.episodes.map((episode) => story(api, episode)));
}

function story(api, episode) {
  return h("div", { class: "episode", "data-reveal": "" },
    h("p", { class: "prose" }, episode.summary),
    h("p", { class: "chips" },
      chip(word("outcome", episode.outcome), { success: "good", failed: "bad" }[episode.outcome] ?? "warn"),
      episode.tools.map((tool) => chip(tool)),
      episode.entities.slice(0, 8).map((entity) => h("span", { class: "muted entity" }, entity)),
      episode.memories.length > 0 && reveal(t("timeline.memories", { count: number(episode.memories.length) }), () => learnt(api, episode.memories))),
    episode.actions.length > 0 && h("details", null,
      h("summary", null, t("timeline.actions", { count: number(episode.actions.length) })),
      h("ol", { class: "actions-list" }, episode.actions.map((action) => h("li", null,
        h("p", null, chip(action.tool, action.success ? "" : "bad"), " ", h("span", { class: "muted" }, moment(action.at)), " ", action.decision),
        detail(t("timeline.params"), JSON.stringify(action.params, null, 1)),
        (action.error || action.result) && detail(action.error ? t("turn.failed") : t("turn.result"), action.error || action.result))))));
}

// What was learnt from it, by its words; what is no longer there is passed over.
function learnt(api, ids) {
  const list = h("ul", { class: "learnt" });
  Promise.allSettled(ids.slice(0, MOST_LEARNT).map((id) => api.get(["memories", id]))).then((asked) => {
    replace(list, asked.filter((one) => one.status === "fulfilled").map(({ value }) =>
      h("li", null, h("a", { href: address(api.space, "memories", value.id) }, value.text))));
  });
  return list;
}

async function conversation({ api, space, id, query, heading }) {
  const at = query.at === undefined ? null : Number(query.at);
  const start = at === null ? 0 : Math.max(0, at - BEFORE);
  const [first, episodes] = await Promise.all([
    api.get("turns", { session: id, limit: TURNS, offset: start }), api.get("episodes", { session: id, limit: 50 }),
  ]);
  const session = { topic: "", episodes: episodes.items };
  heading.textContent = title(session);
  const list = h("div", { class: "stack turns" });
  const show = (turns) => turns.map((turn) => turnBlock(turn, turn.index === at));
  const holder = h("div", { class: "stack" });

  function earlier(offset) {
    if (offset === 0) return null;
    const made = button(t("timeline.earlier"), async () => {
      const from = Math.max(0, offset - TURNS);
      const page = await api.get("turns", { session: id, limit: offset - from, offset: from });
      list.prepend(...show(page.items));
      const next = earlier(from);
      if (next) made.replaceWith(next);
      else made.remove();
    });
    return made;
  }

  function later(next) {
    if (next === null) return null;
    const made = button(t("timeline.later"), async () => {
      const page = await api.get("turns", { session: id, limit: TURNS, offset: next });
      list.append(...show(page.items));
      const following = later(page.next);
      if (following) made.replaceWith(following);
      else made.remove();
    });
    return made;
  }

  list.append(...show(first.items));
  replace(holder,
    h("div", { class: "actions" },
      h("a", { class: "button", href: address(space, "timeline") }, t("timeline.back")),
      allowed("admin", h("a", { class: "button", href: address(space, "forget", "", { by: "session", what: id }) }, t("timeline.forget")))),
    h("p", { class: "muted" }, h("code", null, id)),
    episodes.items.length > 0 && h("section", { class: "card stack" }, h("h2", null, t("timeline.story")), episodes.items.map((episode) => story(api, episode))),
    earlier(start),
    first.items.length ? list : empty(t("timeline.none"), t("timeline.none.hint")),
    later(first.next));
  return { element: holder, ready: () => at !== null && document.getElementById(`turn-${at}`)?.scrollIntoView({ block: "center" }) };
}

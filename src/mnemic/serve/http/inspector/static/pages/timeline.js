// Conversations by day, with titles that say what they were about; and one of them in full.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, button, chip, choice, detail, empty, field, given, linkButton, moreList, problemBox, times, turnBlock } from "../parts.js";
import { address } from "../route.js";
import { dayName, moment, number, t, word } from "../words.js";

const PAGE = 30;
const TURNS = 60;
const BEFORE = 20;
const PAUSE = 250; // milliseconds without a key before the list follows what is typed

export async function render(context) {
  return context.id ? conversation(context) : overall(context);
}

async function overall({ api, space, query: asked, setQuery }) {
  let query = asked;
  const projects = (await api.get("projects")).filter((name) => name && name !== "_global");
  const until = h("input", { type: "date", name: "day", value: query.day ?? "" });
  const text = h("input", { type: "search", name: "text", value: query.text ?? "", placeholder: t("timeline.text.hint"), autocomplete: "off" });
  const clear = button([icon("close"), t("filter.clear")], () => {
    for (const input of form.elements) if (input.name) input.value = "";
    follow();
  }, { class: "quiet", hidden: !Object.keys(query).length });
  const form = h("form", { class: "filters", role: "search" },
    h("div", { class: "grow" }, field(t("filter.text"), text)),
    field(t("timeline.jump"), until),
    projects.length > 0 && field(t("filter.project"), choice("project", [["", t("filter.any")], ...projects.map((name) => [name, name])], query.project ?? "")),
    clear);
  const place = h("div", { "aria-live": "polite" });
  let timer = 0;
  let drawn = 0;
  const follow = () => {
    clearTimeout(timer);
    query = given(form);
    setQuery(query);
    clear.hidden = !Object.keys(query).length;
    return list();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    follow();
  });
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(follow, PAUSE);
  });

  async function list() {
    drawn += 1;
    const mine = drawn;
    let lastDay = "";
    const day = query.day && new Date(`${query.day}T23:59:59.999`);
    const narrowed = {
      text: query.text, project: query.project, until: day && !Number.isNaN(day.getTime()) ? day.toISOString() : undefined,
    };
    const none = Object.keys(query).length
      ? empty(t("timeline.no.match"), t("timeline.no.match.hint"), button(t("filter.clear"), () => clear.click()))
      : empty(t("timeline.empty"), t("timeline.empty.hint"));
    try {
      const made = await moreList((offset) => api.get(["inspector", "sessions"], { ...narrowed, limit: PAGE, offset }), (talk) => {
        const today = new Date(talk.session.last_at).toDateString();
        const heading = today !== lastDay && h("h2", { class: "day" }, dayName(talk.session.last_at));
        lastDay = today;
        return [heading, card(space, talk)];
      }, { attributes: { class: "stack" }, none });
      if (mine === drawn) replace(place, made);
    } catch (error) {
      if (!("status" in error)) throw error;
      if (mine === drawn) replace(place, problemBox(error, list));
    }
  }

  await list();
  return h("div", { class: "stack" }, form, place);
}

function card(space, { session, title, episodes, learned }) {
  const count = episodes.reduce((sum, episode) => sum + episode.memories.length, 0);
  return h("article", { class: "card session" },
    h("header", null,
      h("h3", null, h("a", { href: address(space, "timeline", session.id) }, title || t("timeline.untitled"))),
      h("span", { class: "when muted" }, times(session.started_at, session.last_at))),
    told(episodes, title).map(story),
    learned.length > 0 && h("div", { class: "learned" }, h("span", { class: "muted" }, t("timeline.learned")),
      h("ul", null, learned.map((memory) => h("li", null, icon("memories"), h("a", { href: address(space, "memories", memory.id) }, memory.text))),
        count > learned.length && h("li", { class: "muted" }, t("timeline.learned.more", { count: number(count - learned.length) })))),
    h("p", { class: "chips" },
      chip(t("timeline.turns", { count: number(session.turns) })),
      session.project && chip(session.project, "", t("memory.project")), session.topic && chip(session.topic, "", t("memory.topic")),
      !session.ended_at && chip(t("timeline.open"), "good", t("timeline.open.tip"))));
}

// Episodes that say more than the title, without it.
function told(episodes, title) {
  const beyond = (summary) => (summary.startsWith(title) ? summary.slice(title.length).replace(/^\s*[·→]\s*/, "") : summary);
  return episodes.map((episode) => ({ ...episode, summary: beyond(episode.summary) })).filter((episode) => episode.summary || episode.actions.length);
}

// An episode; how it ended is only said of one in which something was done.
function story(episode) {
  return h("div", { class: "episode" },
    episode.summary && h("p", { class: "prose muted" }, episode.summary),
    episode.actions.length > 0 && h("p", { class: "chips" },
      chip(word("outcome", episode.outcome), { success: "good", failed: "bad" }[episode.outcome] ?? "warn"),
      episode.tools.map((tool) => h("span", { class: "chip" }, icon("tool"), tool))),
    episode.actions.length > 0 && h("details", null,
      h("summary", null, t("timeline.actions", { count: number(episode.actions.length) })),
      h("ol", { class: "actions-list" }, episode.actions.map((action) => h("li", null,
        h("p", null, chip(action.tool, action.success ? "" : "bad"), " ", h("span", { class: "muted" }, moment(action.at)), " ", action.decision),
        detail(t("timeline.params"), JSON.stringify(action.params, null, 1)),
        (action.error || action.result) && detail(action.error ? t("turn.failed") : t("turn.result"), action.error || action.result))))));
}

async function conversation({ api, space, id, query, heading }) {
  const at = query.at === undefined ? null : Number(query.at);
  const start = at === null ? 0 : Math.max(0, at - BEFORE);
  const [first, episodes, title] = await Promise.all([
    api.get("turns", { session: id, limit: TURNS, offset: start }), api.get("episodes", { session: id, limit: 50 }),
    api.get(["inspector", "sessions", id, "title"]),
  ]);
  heading.textContent = title || t("timeline.untitled");
  const list = h("div", { class: "stack turns" });
  const show = (turns) => turns.map((turn) => turnBlock(turn, turn.index === at));

  function more(key, from, to, put, following) {
    const made = button(t(key), async () => {
      const page = await api.get("turns", { session: id, limit: to - from, offset: from });
      put(show(page.items));
      const next = following(page);
      if (next) made.replaceWith(next);
      else made.remove();
    });
    return made;
  }
  const earlier = (offset) => (offset === 0 ? null
    : more("timeline.earlier", Math.max(0, offset - TURNS), offset, (turns) => list.prepend(...turns), () => earlier(Math.max(0, offset - TURNS))));
  const later = (next) => (next === null ? null
    : more("timeline.later", next, next + TURNS, (turns) => list.append(...turns), (page) => later(page.next)));

  list.append(...show(first.items));
  const element = h("div", { class: "stack" },
    h("div", { class: "actions" },
      linkButton("timeline", t("timeline.back"), address(space, "timeline")),
      allowed("admin", linkButton("forget", t("timeline.forget"), address(space, "forget", "", { by: "session", what: id })))),
    told(episodes.items, title).length > 0 && h("section", { class: "card stack" }, h("h2", null, t("timeline.story")), told(episodes.items, title).map(story)),
    earlier(start),
    first.items.length ? list : empty(t("timeline.none"), t("timeline.none.hint")),
    later(first.next),
    h("p", { class: "muted small" }, t("timeline.id"), " ", h("code", null, id)));
  return { element, ready: () => at !== null && document.getElementById(`turn-${at}`)?.scrollIntoView({ block: "center" }) };
}

// One memory: what it says, where it came from, what became of it, how it fades; and what to do about it.

import { diff } from "../diff.js";
import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, button, chip, choice, detail, facts, field, kindChip, linkButton, statusChip, trustChip, turnsInPlace, twoStep } from "../parts.js";
import { curve } from "../plot.js";
import { address } from "../route.js";
import { done } from "../undo.js";
import { moment, number, percent, t, word } from "../words.js";
import { KINDS } from "./memories.js";

const FADE_DAYS = 90;
const MOST_SOURCES = 5;

// `actions` are those of the page around it, which draws again whatever they change.
export async function memoryView(api, id, query, actions) {
  const [memory, history, decay] = await Promise.all([
    api.get(["memories", id]), api.get(["memories", id, "history"]),
    api.get(["memories", id, "decay"], { days: FADE_DAYS }),
  ]);
  const body = h("div", { class: "memory-text" }, h("h2", { class: "prose", tabindex: "-1" }, memory.text));
  const list = address(api.space, "memories", "", query);
  return h("article", { class: "memory" },
    h("div", { class: "memory-head" },
      h("a", { class: "back", href: list }, t("memory.back")),
      h("p", { class: "chips" }, kindChip(memory.kind), statusChip(memory.status), trustChip(memory.trust),
        memory.tier === 1 && chip(t("memory.core"), "good", t("memory.core.tip"))),
      h("a", { class: "icon-button close", href: list, "aria-label": t("action.close"), "data-tip": t("action.close") }, icon("close"))),
    body,
    h("div", { class: "actions" },
      allowed("write",
        memory.status === "active" && button([icon("edit"), t("memory.edit")], () => edit(body, memory, api, actions), { "data-action": "edit" }),
        memory.status === "active" && button([icon("archive"), t("memory.archive")], () => actions.archive([memory])),
        memory.status === "archived" && button([icon("restore"), t("memory.restore")], () => actions.restore([memory]))),
      allowed("admin",
        twoStep([icon("delete"), t("memory.delete")], t("memory.delete.sure"), () => actions.remove([memory])),
        linkButton("forget", t("memory.forget"), address(api.space, "forget", "", { by: "id", what: id }), { class: "button quiet", "data-tip": t("memory.forget.tip") }))),
    memory.superseded_by && h("p", { class: "newer" }, icon("alert"), h("a", { href: address(api.space, "memories", memory.superseded_by, query) }, t("memory.newer"))),
    sources(api, history.versions),
    versions(history.versions),
    about(memory),
    fade(decay),
    events(history.events));
}

function edit(body, memory, api, actions) {
  const text = h("textarea", { name: "text", rows: "4", required: true, value: memory.text });
  const kind = choice("kind", [...new Set([...KINDS, memory.kind])].map((one) => [one, word("kind", one)]), memory.kind);
  const weight = h("input", { type: "number", name: "importance", min: "0", max: "1", step: "any", value: memory.importance });
  const tags = h("input", { name: "tags", value: memory.tags.join(", ") });
  const shown = [...body.childNodes];
  // The next version has an id of its own, which the page then opens.
  const show = async (next) => {
    if (next !== memory.id) actions.open(next);
    await actions.redraw();
  };
  const form = h("form", { class: "stack" },
    field(t("memory.text"), text),
    h("div", { class: "filters" }, field(t("filter.kind"), kind), field(t("memory.importance"), weight), field(t("memory.tags"), tags)),
    h("div", { class: "actions" },
      h("button", { class: "primary" }, t("action.save")), button(t("action.cancel"), () => replace(body, shown))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const listed = tags.value.split(/[,，]/).map((tag) => tag.trim()).filter(Boolean);
    const changes = {
      ...(text.value !== memory.text && { text: text.value }),
      ...(kind.value !== memory.kind && { kind: kind.value }),
      ...(weight.value !== "" && Number(weight.value) !== memory.importance && { importance: Number(weight.value) }),
      ...(listed.join("\n") !== memory.tags.join("\n") && { tags: listed }),
    };
    if (!Object.keys(changes).length) return replace(body, shown);
    const before = Object.fromEntries(Object.keys(changes).map((name) => [name, name === "text" ? memory.text : memory[name]]));
    return button("", async () => {
      const next = await api.patch(["memories", memory.id], changes);
      await show(next.id);
      done(t("memory.saved"), async () => show((await api.patch(["memories", next.id], before)).id));
    }).click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      replace(body, shown);
    }
  });
  replace(body, form);
  text.focus();
}

// The sources of every version: a correction has none of its own, and what it corrects has.
function sources(api, versions) {
  const seen = new Map();
  for (const version of versions) for (const source of version.sources) seen.set(source.turn_id, source);
  const listed = [...seen.values()];
  return h("section", null,
    h("h3", null, t("memory.sources")),
    listed.slice(0, MOST_SOURCES).map((source) => turnsInPlace(api, source.session, source.index)),
    listed.length > MOST_SOURCES && h("p", { class: "muted" }, t("memory.sources.more", { count: number(listed.length - MOST_SOURCES) })),
    !listed.length && h("p", { class: "muted" }, t("memory.sources.none", { origin: word("origin", versions.at(-1).origin) })));
}

function versions(listed) {
  return h("section", null,
    h("h3", null, t("memory.versions")),
    listed.length === 1
      ? h("p", { class: "muted" }, t("memory.versions.one", { at: moment(listed[0].created_at) }))
      : h("ol", { class: "versions" }, listed.map((version, nth) => h("li", null,
        h("p", { class: "muted" }, t("memory.version", { number: number(nth + 1), at: moment(version.created_at) }), " · ", word("origin", version.origin)),
        nth === 0 ? h("p", { class: "diff" }, version.text) : diff(listed[nth - 1].text, version.text),
        nth > 0 && changed(listed[nth - 1], version)))));
}

function changed(before, after) {
  const names = ["kind", "importance", "confidence", "trust", "project", "topic"];
  const said = names.filter((name) => before[name] !== after[name]).map((name) => `${t(`memory.${name}`)}: ${before[name]} → ${after[name]}`);
  return said.length > 0 && h("p", { class: "muted" }, said.join(" · "));
}

function fade(decay) {
  // The curve goes so many days beyond what is now for the service.
  const now = new Date(new Date(decay.points.at(-1).at).getTime() - FADE_DAYS * 86400e3);
  const days = decay.half_life === null ? null : number(decay.half_life / 86400, 1);
  const said = days === null ? t("decay.never") : t("decay.half", { days });
  return h("section", null,
    h("h3", null, t("memory.decay")),
    h("p", { class: "muted" }, said),
    curve(decay.points, {
      label: `${t("memory.decay")}. ${said}`, now, nowWord: t("decay.now"),
      levels: [[decay.archive_below, t("decay.archive")], [decay.delete_below, t("decay.delete")]].filter(([level]) => level > 0),
    }));
}

function about(memory) {
  return h("section", null,
    h("h3", null, t("memory.about")),
    facts([
      [t("memory.subject"), memory.subject],
      [t("memory.predicate"), memory.predicate],
      [t("memory.value"), memory.value],
      [t("memory.project"), memory.project === "_global" ? "" : memory.project],
      [t("memory.topic"), memory.topic === "_general" ? "" : memory.topic],
      [t("memory.tags"), memory.tags.join(", ")],
      [t("memory.importance"), number(memory.importance, 2)],
      [t("memory.confidence"), percent(memory.confidence)],
      [t("memory.origin"), word("origin", memory.origin)],
      [t("memory.learned"), moment(memory.created_at)],
      [t("memory.valid"), `${moment(memory.valid_from)}${memory.valid_to ? ` – ${moment(memory.valid_to)}` : ""}`],
      [t("memory.expires"), memory.expires_at && moment(memory.expires_at)],
      [t("memory.used"), !memory.access_count ? t("memory.used.never") : t("memory.used.count", { count: number(memory.access_count), at: moment(memory.last_accessed_at) })],
      [t("memory.confirmations"), memory.confirmations ? number(memory.confirmations) : ""],
      ["id", h("code", null, memory.id)],
    ]),
    Object.keys(memory.metadata).length > 0 && detail(t("memory.metadata"), JSON.stringify(memory.metadata, null, 1)));
}

function events(listed) {
  return h("section", null,
    h("h3", null, t("memory.events")),
    h("ol", { class: "events" }, listed.map((event) => h("li", null,
      h("span", null, word("event", event.type)), h("span", { class: "muted" }, moment(event.at)),
      detail(t("event.payload"), JSON.stringify(event.payload, null, 1))))));
}

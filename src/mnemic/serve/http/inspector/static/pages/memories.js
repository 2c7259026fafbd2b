// All memories behind filters, in a list that takes any number of them, beside the one that is open.

import { h, replace } from "../dom.js";
import { icon } from "../icons.js";
import { allowed, announceChange, button, choice, chip, empty, field, given, iconButton, kindChip, linkButton, problemBox, trustChip, twoStep } from "../parts.js";
import { address, go } from "../route.js";
import { done, forEach, later } from "../undo.js";
import { virtualList } from "../virtual_list.js";
import { day, number, t, word } from "../words.js";
import { memoryView } from "./memory.js";

export const KINDS = ["identity", "preference", "rule", "config", "credential", "fact", "decision", "skill", "lesson", "event", "trait", "temp"];
const STATUSES = ["active", "pending", "archived", "superseded", "rejected", "all"];
const TRUSTS = ["owner", "agent", "tool", "external"];
const ORDERS = ["newest", "oldest", "updated", "importance", "used"];
const ROW = 68;
const PAGE = 50;
const NARROW = 760; // pixels, as in the style sheet
const PAUSE = 200; // milliseconds without a key before the list follows what is typed

export async function render({ api, space, id, query: asked, setQuery }) {
  let query = asked;
  let open = null;
  let correcting = null;
  let lastPicked = null;
  const picked = new Map(); // id → memory
  const leaving = new Set(); // ids that are deleted unless somebody calls it off
  const [stats, projects] = await Promise.all([api.get("stats"), api.get("projects")]);
  const isFiltered = () => Object.keys(query).some((name) => name !== "order");

  // --- filters ------------------------------------------------------------------------------------

  const kinds = [...new Set([...KINDS, ...Object.keys(stats.by_kind)])];
  const words = (group, values) => [["", t("filter.any")], ...values.map((value) => [value, word(group, value)])];
  const text = h("input", { type: "search", name: "text", value: query.text ?? "", placeholder: t("filter.text.hint"), autocomplete: "off" });
  const clear = button([icon("close"), t("filter.clear")], () => {
    for (const input of form.elements) if (input.name) input.value = "";
    follow();
    text.focus();
  }, { class: "quiet", hidden: !isFiltered() });
  const form = h("form", { class: "filters", role: "search" },
    h("div", { class: "grow" }, field(t("filter.text"), text)),
    h("details", { class: "more-filters", open: window.innerWidth > NARROW || Object.keys(query).some((name) => name !== "text") },
      h("summary", null, t("filter.more")),
      h("div", null,
        field(t("filter.kind"), choice("kind", words("kind", kinds), query.kind ?? "")),
        field(t("filter.status"), choice("status", [["", word("status", "active")], ...words("status", STATUSES).slice(2)], query.status ?? "")),
        field(t("filter.trust"), choice("trust", words("trust", TRUSTS), query.trust ?? "")),
        projects.length > 1 && field(t("filter.project"), choice("project", [["", t("filter.any")], ...projects.map((name) => [name, name])], query.project ?? "")),
        field(t("filter.order"), choice("order", [["", word("order", "newest")], ...words("order", ORDERS).slice(2)], query.order ?? "")))),
    clear);
  let timer = 0;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    follow();
  });
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(follow, PAUSE);
  });

  function follow() {
    clearTimeout(timer);
    const next = given(form);
    if (JSON.stringify(next) === JSON.stringify(query)) return;
    query = next;
    setQuery(query);
    clear.hidden = !isFiltered();
    pick(null);
    reload({ fromTop: true });
  }

  // --- the list -----------------------------------------------------------------------------------

  const count = h("p", { class: "muted count", role: "status" });
  const trouble = h("div", null);
  const nothing = h("div", null);
  const list = virtualList({
    rowHeight: ROW, pageSize: PAGE, label: t("memories.list"),
    total: isFiltered() ? undefined : stats.memories,
    load: (offset, limit) => {
      replace(trouble);
      return api.get(["inspector", "memories"], { ...query, offset, limit });
    },
    row: (item) => row(item),
    onProblem: (problem) => replace(trouble, problemBox(problem, () => list.refresh())),
    onTotal: (total, isExact) => {
      replace(nothing, total === 0 && (isFiltered()
        ? empty(t("memories.none"), t("memories.none.hint"),
          button(t("filter.clear"), () => clear.click()), query.text && linkButton("search", t("memories.none.search"), address(space, "search", "", { q: query.text })))
        : empty(t("memories.empty"), t("memories.empty.hint"))));
      count.textContent = t(isExact ? "memories.count" : "memories.count.least", { count: number(total) });
    },
  });

  // After a change: the rows in sight, how many there are, and what is counted elsewhere.
  async function reload({ fromTop = false } = {}) {
    const total = isFiltered() ? undefined : (await api.get("stats")).memories;
    list.refresh({ total, fromTop });
    announceChange();
  }

  function row({ memory, said, role }) {
    const quiet = { "aria-describedby": `row-${memory.id}` };
    const box = h("input", { type: "checkbox", "aria-label": t("memories.select"), "aria-describedby": `row-${memory.id}`, "data-id": memory.id });
    box.checked = picked.has(memory.id);
    box.addEventListener("click", (event) => pick(memory, box.checked, event.shiftKey));
    const act = (name, label, action, attributes = {}) => iconButton(name, label, action, { ...quiet, ...attributes });
    return [
      allowed("write", h("label", { class: "pick" }, box)),
      h("a", {
        class: `row-link${leaving.has(memory.id) ? " leaving" : ""}`, href: address(space, "memories", memory.id, query),
        "data-id": memory.id, "aria-current": memory.id === open ? "true" : null,
      },
        h("span", { class: "row-text", id: `row-${memory.id}` }, memory.text),
        h("span", { class: "row-meta" },
          kindChip(memory.kind),
          memory.status !== "active" && chip(word("status", memory.status)),
          memory.trust !== "owner" && trustChip(memory.trust),
          h("span", { class: "muted" }, day(memory.created_at)),
          said ? h("span", { class: "said muted", "data-tip": t("memories.said", { who: word("role", role) }) }, icon("quote"), said)
            : h("span", { class: "said muted" }, word("origin", memory.origin)))),
      h("span", { class: "row-actions" },
        allowed("write",
          memory.status === "active" && act("edit", t("memory.edit"), () => correct(memory.id)),
          memory.status === "active" && act("archive", t("memory.archive"), () => archive([memory])),
          memory.status === "archived" && act("restore", t("memory.restore"), () => restore([memory]))),
        allowed("admin", twoStep(icon("delete"), t("memory.delete.sure"), () => remove([memory]), {
          ...quiet, class: "icon-button danger", "aria-label": t("memory.delete"), "data-tip": t("memory.delete"),
        }))),
    ];
  }

  // --- choosing several ---------------------------------------------------------------------------

  const chosen = h("p", { role: "status" });
  const archiveAll = button([icon("archive"), t("memory.archive")], () => archive([...picked.values()]));
  const restoreAll = button([icon("restore"), t("memory.restore")], () => restore([...picked.values()]));
  const several = h("div", { class: "several", hidden: true },
    chosen,
    h("div", { class: "actions" },
      allowed("write",
        archiveAll, restoreAll),
      allowed("admin", twoStep([icon("delete"), t("memory.delete")], t("memories.delete.sure"), () => remove([...picked.values()]))),
      button(t("memories.select.all"), () => {
        for (const { memory } of list.loaded()) picked.set(memory.id, memory);
        showPicked();
      }, { class: "quiet", "data-tip": t("memories.select.all.tip") })),
    iconButton("close", t("memories.select.none"), () => pick(null)));

  function pick(memory, on, range = false) {
    if (memory === null) picked.clear();
    else {
      const items = list.loaded().map((item) => item.memory);
      const [from, to] = [lastPicked, memory.id].map((one) => items.findIndex((item) => item.id === one));
      const those = range && from >= 0 && to >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1) : [memory];
      for (const one of those) {
        if (on) picked.set(one.id, one);
        else picked.delete(one.id);
      }
      lastPicked = memory.id;
    }
    showPicked();
  }

  function showPicked() {
    const has = (status) => [...picked.values()].some((memory) => memory.status === status);
    several.hidden = picked.size === 0;
    archiveAll.hidden = !has("active");
    restoreAll.hidden = !has("archived");
    chosen.textContent = t("memories.selected", { count: number(picked.size) });
    for (const box of list.element.querySelectorAll("input[type=checkbox]")) box.checked = picked.has(box.dataset.id);
  }

  // --- what can be done ---------------------------------------------------------------------------

  const size = (memories) => ({ count: number(memories.length) });
  const archiving = (memory) => api.post(["memories", memory.id, "archive"]);
  const restoring = (memory) => api.post(["memories", memory.id, "restore"]);

  async function move(memories, there, back, said) {
    pick(null);
    try {
      await forEach(memories, there);
      done(said, () => forEach(memories, back).finally(redraw));
    } finally {
      await redraw();
    }
  }

  const of = (memories, status) => memories.filter((memory) => memory.status === status);
  const archive = (all) => move(of(all, "active"), archiving, restoring, t("memory.archived", size(of(all, "active"))));
  const restore = (all) => move(of(all, "archived"), restoring, archiving, t("memory.restored", size(of(all, "archived"))));

  function remove(memories) {
    const ids = memories.map((memory) => memory.id);
    const marked = (on) => {
      for (const one of ids) {
        if (on) leaving.add(one);
        else leaving.delete(one);
        list.element.querySelector(`.row-link[data-id="${one}"]`)?.classList.toggle("leaving", on);
      }
    };
    marked(true);
    pick(null);
    if (ids.includes(open)) go(space, "memories", "", query);
    later(t("memory.deleting", size(memories)), async () => {
      await forEach(ids, (one) => api.remove(["memories", one])).finally(() => {
        marked(false);
        redraw();
      });
      done(t("memory.deleted", size(memories)));
    }, () => marked(false));
  }

  // Opens it with its text ready to be changed.
  async function correct(id_) {
    correcting = id_;
    if (open === id_) await update(id_);
    else go(space, "memories", id_, query);
  }

  // Whatever was done: the list, its count and the open memory are those of now.
  async function redraw() {
    await reload();
    if (open) await update(open);
  }

  // --- the open one -------------------------------------------------------------------------------

  const side = h("div", { class: "side" });
  const element = h("div", { class: "memories-page" },
    form, trouble,
    h("div", { class: "split" }, h("div", { class: "list-side" }, h("div", { class: "list-head" }, count, several), nothing, list.element), side));

  async function update(next) {
    const same = open === next;
    open = next;
    element.classList.toggle("has-open", Boolean(open));
    for (const link of list.element.querySelectorAll(".row-link")) {
      if (open && link.dataset.id === open) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!open) return replace(side, h("div", { class: "hint" }, icon("memories"), h("p", { class: "muted" }, t("memories.hint"))));
    const mine = open;
    const actions = { archive, restore, remove, redraw, open: (id_) => go(space, "memories", id_, query) };
    try {
      const view = await memoryView(api, mine, query, actions);
      if (mine === open) {
        const top = same ? side.scrollTop : 0;
        replace(side, view);
        side.querySelector("h2")?.focus({ preventScroll: true });
        side.scrollTop = top;
        if (correcting === mine) side.querySelector("[data-action=edit]")?.click();
        correcting = null;
      }
    } catch (error) {
      if (!("status" in error)) throw error;
      if (mine === open) replace(side, problemBox(error, () => update(mine)));
    }
    return undefined;
  }

  await update(id);
  return { element, update, close: list.close };
}

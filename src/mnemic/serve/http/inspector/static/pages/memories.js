// All memories behind filters, in a list that takes any number of them, beside the one that is open.

import { h, replace } from "../dom.js";
import { allowed, button, choice, empty, field, given, kindChip, chip, notice, problemBox, twoStep } from "../parts.js";
import { address, go } from "../route.js";
import { virtualList } from "../virtual_list.js";
import { day, number, t, word } from "../words.js";
import { memoryView } from "./memory.js";

export const KINDS = ["identity", "preference", "rule", "config", "credential", "fact", "decision", "skill", "lesson", "event", "trait", "temp"];
const STATUSES = ["active", "pending", "archived", "superseded", "rejected", "all"];
const TRUSTS = ["owner", "agent", "tool", "external"];
const ORDERS = ["newest", "oldest", "updated", "importance", "used"];
const ROW = 68;
const PAGE = 100;
const NARROW = 760; // pixels, as in the style sheet

export async function render({ api, space, id, query }) {
  const [stats, projects] = await Promise.all([api.get("stats"), api.get("projects")]);
  const kinds = [...new Set([...KINDS, ...Object.keys(stats.by_kind)])];
  const words = (group, values) => [["", t("filter.any")], ...values.map((value) => [value, word(group, value)])];
  const form = h("form", { class: "filters" },
    h("div", { class: "grow" }, field(t("filter.text"), h("input", { type: "search", name: "text", value: query.text ?? "" }))),
    h("details", { class: "more-filters", open: window.innerWidth > NARROW || Object.keys(query).some((name) => name !== "text") },
      h("summary", null, t("filter.more")),
      h("div", null,
        field(t("filter.kind"), choice("kind", words("kind", kinds), query.kind ?? "")),
        field(t("filter.status"), choice("status", [["", word("status", "active")], ...words("status", STATUSES).slice(2)], query.status ?? "")),
        field(t("filter.trust"), choice("trust", words("trust", TRUSTS), query.trust ?? "")),
        projects.length > 1 && field(t("filter.project"), choice("project", [["", t("filter.any")], ...projects.map((name) => [name, name])], query.project ?? "")),
        field(t("filter.order"), choice("order", [["", word("order", "newest")], ...words("order", ORDERS).slice(2)], query.order ?? "")))));
  const apply = () => go(space, "memories", "", given(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  for (const select of form.querySelectorAll("select")) select.addEventListener("change", apply);

  const filtered = Object.keys(query).length > 0;
  const count = h("p", { class: "muted count", role: "status" });
  const trouble = h("div", null);
  const nothing = h("div", null);
  let open = null;
  let correcting = null;
  const list = virtualList({
    rowHeight: ROW, pageSize: PAGE, label: t("memories.list"),
    total: filtered ? undefined : stats.memories,
    load: (offset, limit) => {
      replace(trouble);
      return api.get("memories", { ...query, offset, limit });
    },
    row: (memory) => row(memory),
    onProblem: (problem) => replace(trouble, problemBox(problem, () => list.refresh())),
    onTotal: (total, isExact) => {
      replace(nothing, total === 0 && empty(filtered ? t("memories.none") : t("memories.empty"), filtered ? t("memories.none.hint") : t("memories.empty.hint")));
      count.textContent = t(isExact ? "memories.count" : "memories.count.least", { count: number(total) });
    },
  });

  function row(memory) {
    const quiet = { class: "quiet", "aria-describedby": `row-${memory.id}` };
    return [
      h("a", {
        class: "row-link", href: address(space, "memories", memory.id, query),
        "aria-current": memory.id === open ? "true" : null,
      },
        h("span", { class: "row-text", id: `row-${memory.id}` }, memory.text),
        h("span", { class: "row-meta" },
          kindChip(memory.kind),
          memory.status !== "active" && chip(word("status", memory.status)),
          memory.trust !== "owner" && chip(word("trust", memory.trust), "warn"),
          h("span", { class: "muted" }, day(memory.created_at)))),
      h("span", { class: "row-actions" },
        allowed("write",
          memory.status === "active" && button(t("memory.edit"), () => correct(memory.id), quiet),
          memory.status === "active" && button(t("memory.archive"), () => change(api.post(["memories", memory.id, "archive"]), t("memory.archived")), quiet),
          memory.status === "archived" && button(t("memory.restore"), () => change(api.post(["memories", memory.id, "restore"]), t("memory.restored")), quiet)),
        allowed("admin",
          twoStep(t("memory.delete"), t("memory.delete.sure"), () => change(api.remove(["memories", memory.id]), t("memory.deleted")), { ...quiet, class: "quiet danger" }))),
    ];
  }

  // Opens it with its text ready to be changed.
  async function correct(id_) {
    correcting = id_;
    if (open === id_) await update(id_);
    else go(space, "memories", id_, query);
  }

  async function change(done, said) {
    await done;
    notice(said);
    list.refresh();
  }

  const side = h("div", { class: "side" });
  const element = h("div", { class: "memories-page" },
    form, trouble,
    h("div", { class: "split" }, h("div", { class: "list-side" }, count, nothing, list.element), side));

  async function update(next) {
    open = next;
    element.classList.toggle("has-open", Boolean(open));
    for (const link of list.element.querySelectorAll(".row-link")) {
      const mine = open && link.getAttribute("href").includes(encodeURIComponent(open));
      if (mine) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!open) return replace(side, h("p", { class: "muted hint" }, t("memories.hint")));
    const mine = open;
    try {
      const view = await memoryView(api, mine, query, () => list.refresh());
      if (mine === open) {
        replace(side, view);
        side.querySelector("h2")?.focus({ preventScroll: true });
        side.scrollTop = 0;
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

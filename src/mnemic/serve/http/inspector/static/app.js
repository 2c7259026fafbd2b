// The frame of the page: login, navigation, space, language, theme, shortcuts; and one page at a time.

import { api, currentLogin, logIn, logOut, spaces } from "./api.js";
import { h, replace } from "./dom.js";
import { icon, mark } from "./icons.js";
import { button, problemBox, problemNotice } from "./parts.js";
import { address, go, route } from "./route.js";
import { startTooltips } from "./tooltip.js";
import { finishWaiting } from "./undo.js";
import { language, number, setLanguage, t } from "./words.js";

// Each page is loaded when it is first opened. The letter is its shortcut after g.
const PAGES = {
  overview: ["o", () => import("./pages/overview.js")],
  search: ["s", () => import("./pages/search.js")],
  memories: ["m", () => import("./pages/memories.js")],
  timeline: ["t", () => import("./pages/timeline.js")],
  pending: ["p", () => import("./pages/pending.js")],
  documents: ["d", () => import("./pages/documents.js")],
  jobs: ["j", () => import("./pages/jobs.js")],
  audit: ["a", () => import("./pages/audit.js")],
  devices: ["v", () => import("./pages/devices.js")],
  forget: ["f", () => import("./pages/forget.js")],
};
const SPACE = "mnemic.space";
const THEME = "mnemic.theme";
const THEMES = ["auto", "light", "dark"];

const app = document.getElementById("app");
let login = null;
let known = [];
let shown = null; // {space, page, query, close, update}
let turn = 0; // counts navigations, so that a late answer does not replace a newer page
let main = null;

// --- theme and language -------------------------------------------------------------------------

function theme() {
  const kept = localStorage.getItem(THEME);
  return THEMES.includes(kept) ? kept : "auto";
}

function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

function switches() {
  const named = () => [icon("theme"), t("theme.label", { theme: t(`theme.${theme()}`) })];
  const themes = button(named(), () => {
    localStorage.setItem(THEME, THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    applyTheme();
    replace(themes, named());
  }, { class: "quiet", id: "theme" });
  const other = language() === "zh" ? "en" : "zh";
  return [themes, button([icon("language"), t("language.other")], async () => {
    await setLanguage(other);
    await begin();
  }, { class: "quiet", id: "language", lang: other === "zh" ? "zh-CN" : "en" })];
}

// --- login --------------------------------------------------------------------------------------

function showLogin(problem) {
  shown?.close?.();
  shown = null;
  main = null;
  turn += 1;
  document.title = "Mnemic";
  const token = h("input", {
    type: "password", name: "token", id: "token", autocomplete: "off", required: true,
    spellcheck: "false", placeholder: "mnm_…",
  });
  const form = h("form", { class: "login card" },
    h("h1", { class: "brand" }, mark(), "Mnemic"),
    h("p", { class: "muted" }, t("login.hint")),
    h("label", { for: "token" }, t("login.token")),
    token,
    h("button", { class: "primary" }, t("login.enter")),
    problem && problemBox(problem),
    h("div", { class: "login-foot" }, switches()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(token.value.trim());
  });
  replace(app, h("main", { class: "login-page" }, form));
  token.focus();
}

async function enter(token) {
  try {
    login = await logIn(token);
    await begin();
  } catch (error) {
    showLogin(error);
  }
}

// A link with #token=… logs in at once; the token leaves the address before anything else happens.
function tokenInAddress() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (found) history.replaceState(null, "", location.pathname);
  return found?.[1];
}

// --- frame --------------------------------------------------------------------------------------

function frame(space) {
  const links = Object.entries(PAGES).map(([page, [letter]]) =>
    h("li", null, h("a", {
      href: address(space, page), "data-page": page, "data-tip": t("shortcut.go", { what: t(`tip.${page}`), keys: `g ${letter}` }),
    }, icon(page), h("span", { class: "nav-name" }, t(`nav.${page}`)))));
  const select = h("select", { id: "space", "aria-label": t("space.label") },
    [...new Set([...known, space])].map((name) => h("option", { value: name, selected: name === space }, name)));
  select.value = space;
  select.addEventListener("change", () => {
    localStorage.setItem(SPACE, select.value);
    go(select.value, route().page || "overview");
  });
  const nav = h("nav", { id: "nav", "aria-label": t("nav.label") },
    h("ul", null, links),
    h("div", { class: "nav-foot" },
      switches(),
      button([icon("keyboard"), t("help.title")], help, { class: "quiet" }),
      button([icon("leave"), t("login.leave")], leave, { class: "quiet" })));
  const menu = h("button", {
    type: "button", class: "quiet menu", "aria-expanded": "false", "aria-controls": "nav",
  }, icon("menu"), t("nav.menu"));
  menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
  main = h("main", { id: "main", tabindex: "-1" });
  const skip = h("a", { class: "skip", href: "#main" }, t("nav.skip"));
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  replace(app,
    skip,
    h("div", { class: "sidebar" },
      h("header", { class: "top" },
        h("a", { class: "brand", href: address(space, "overview") }, mark(), "Mnemic"),
        h("div", { class: "space" }, select),
        menu),
      nav),
    main);
}

function openMenu(open) {
  document.querySelector(".menu")?.setAttribute("aria-expanded", String(open));
  document.getElementById("nav")?.classList.toggle("open", open);
}

// How many things wait for a person, beside the page that has them; asked for again after a change.
async function showBadges() {
  const space = shown?.space;
  if (!login || !space) return;
  try {
    const [stats, metrics] = await Promise.all([api(space).get("stats"), api(space).get("metrics")]);
    if (shown?.space !== space) return;
    for (const [page, count, label] of [["pending", metrics.pending, "badge.pending"], ["jobs", stats.jobs_dead, "badge.jobs"]]) {
      const link = document.querySelector(`nav a[data-page=${page}]`);
      link?.querySelector(".badge")?.remove();
      if (count) link?.append(h("span", { class: `badge ${page}` }, h("span", { class: "unseen" }, t(label)), number(count)));
    }
  } catch (error) {
    if (!("status" in error)) throw error; // the page itself says that the service is away
  }
}

async function leave() {
  await finishWaiting();
  await logOut();
  login = null;
  showLogin();
}

// --- one page at a time -------------------------------------------------------------------------

async function show() {
  if (!login) return;
  const at = route();
  const page = at.page in PAGES ? at.page : "overview";
  const space = at.space || chosenSpace();
  if (!at.space || at.page !== page) {
    history.replaceState(null, "", address(space, page));
    at.id = "";
  }
  const sameFrame = main && shown?.space === space;
  if (!sameFrame) frame(space);
  openMenu(false);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${t(`nav.${page}`)} · ${space} · Mnemic`;
  const query = JSON.stringify(at.query);
  if (sameFrame && shown.page === page && shown.query === query && shown.update) {
    shown.update(at.id);
    return;
  }
  shown?.close?.();
  const first = !shown;
  shown = { space, page, query };
  await draw(page, { api: api(space), space, id: at.id, query: at.query, first, setQuery });
  if (!sameFrame) showBadges();
}

// The address of other filters, where the page shows them already.
function setQuery(query) {
  history.replaceState(null, "", address(shown.space, shown.page, route().id, query));
  shown.query = JSON.stringify(query);
}

async function draw(page, context) {
  turn += 1;
  const mine = turn;
  const heading = h("h1", { tabindex: "-1" }, t(`nav.${page}`));
  const body = h("div", { class: `page ${page}`, "aria-busy": "true" });
  const waiting = setTimeout(() => {
    if (!body.childElementCount) replace(body, h("p", { class: "muted" }, t("loading")));
  }, 250);
  // A page that is drawn again stays in sight until its successor is there.
  if (context.keep) main.querySelector(".page")?.setAttribute("aria-busy", "true");
  else replace(main, heading, body);
  if (!context.first) heading.focus({ preventScroll: true });
  if (!context.keep) window.scrollTo(0, 0);
  try {
    const module = await PAGES[page][1]();
    const again = () => draw(page, { ...context, first: true, query: route().query, keep: true });
    const made = await module.render({ ...context, heading, again });
    if (mine !== turn || !shown) { // another page, another language, or logged out meanwhile
      made.close?.();
      return;
    }
    if (context.keep) shown.close?.();
    Object.assign(shown, { close: made.close, update: made.update });
    replace(body, made.element ?? made);
    if (context.keep) {
      replace(main, heading, body);
      if (document.activeElement === document.body) heading.focus({ preventScroll: true });
    }
    made.ready?.();
  } catch (error) {
    if (!("status" in error)) throw error;
    if (mine !== turn) return;
    replace(body, problemBox(error, () => draw(page, context)));
    replace(main, heading, body);
  } finally {
    clearTimeout(waiting);
    body.removeAttribute("aria-busy");
  }
}

function chosenSpace() {
  const kept = localStorage.getItem(SPACE);
  if (known.includes(kept)) return kept;
  if (known.includes("default") || !known.length) {
    const named = login.spaces.find((name) => name !== "*");
    return known.length ? "default" : named ?? "default";
  }
  return known[0];
}

async function begin() {
  applyTheme();
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  shown?.close?.();
  shown = null;
  main = null;
  try {
    const token = tokenInAddress();
    login = token ? await logIn(token) : await currentLogin();
    if (!login) return showLogin();
    known = await spaces();
    return await show();
  } catch (error) {
    if (!("status" in error)) throw error;
    return error.status === 401 ? showLogin(error) : replace(app, h("main", null, problemBox(error, begin)));
  }
}

// --- keyboard -----------------------------------------------------------------------------------

function help() {
  const rows = [
    ["/", t("shortcut.search")],
    ...Object.entries(PAGES).map(([page, [letter]]) => [`g ${letter}`, t(`nav.${page}`)]),
    ["↑ ↓  j k", t("shortcut.rows")],
    ["Esc", t("shortcut.close")],
    ["?", t("help.title")],
  ];
  const dialog = h("dialog", { "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, t("help.title")),
    h("dl", { class: "keys" }, rows.map(([keys, text]) => [
      h("dt", null, keys.split(" ").filter(Boolean).map((key) => h("kbd", null, key))), h("dd", null, text)])),
    button(t("action.close"), () => dialog.close(), { class: "primary" }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

let prefix = -Infinity; // when g was pressed

function pressed(event) {
  if (!login || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else if (document.getElementById("nav")?.classList.contains("open")) openMenu(false);
    else if (route().id) go(shown.space, shown.page, "", route().query);
    return;
  }
  if (typing) return;
  const { space } = shown ?? {};
  if (performance.now() - prefix < 1500) {
    prefix = -Infinity;
    const found = Object.entries(PAGES).find(([, [letter]]) => letter === event.key);
    if (found) {
      event.preventDefault();
      go(space, found[0]);
      return;
    }
  }
  if (event.key === "g") prefix = performance.now();
  else if (event.key === "?") help();
  else if (event.key === "/") {
    event.preventDefault();
    if (shown?.page === "search") document.querySelector(".page.search input[type=search]")?.focus();
    else go(space, "search");
  }
}

window.addEventListener("hashchange", () => (/^#token=/.test(location.hash) ? begin() : show().catch(problemNotice)));
window.addEventListener("mnemic:login", () => showLogin());
window.addEventListener("mnemic:changed", showBadges);
document.addEventListener("keydown", pressed);
startTooltips();
begin();

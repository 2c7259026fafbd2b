// The words of the page in the reader's language, and dates and numbers as that language writes them.

const LANGUAGES = { en: () => import("./en.js"), zh: () => import("./zh.js") };
const KEPT = "mnemic.language";

let current = remembered() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
let dictionary = (await LANGUAGES[current]()).default;

function remembered() {
  const kept = localStorage.getItem(KEPT);
  return kept in LANGUAGES ? kept : null;
}

export function language() {
  return current;
}

export async function setLanguage(name) {
  dictionary = (await LANGUAGES[name]()).default;
  current = name;
  localStorage.setItem(KEPT, name);
}

export function t(key, values = {}) {
  const text = dictionary[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  const [one, many = one] = text.split(" || "); // for a count of one, and for any other
  return (values.count === "1" ? one : many).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

// The word for a value of the API; one that the page does not know stands for itself.
export function word(group, value) {
  return dictionary[`${group}.${value}`] ?? value;
}

// What a value of the API means, in a sentence, where the page has one.
export function explained(group, value) {
  return dictionary[`${group}.${value}.tip`] ?? null;
}

const locale = () => (current === "zh" ? "zh-CN" : "en-US");

export function number(value, digits = 0) {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
}

export function percent(value) {
  if (value === null) return "–";
  return new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(value);
}

export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  return new Intl.NumberFormat(locale(), {
    style: "unit", unit: units[power], unitDisplay: "short", maximumFractionDigits: 1,
  }).format(value / 1024 ** power);
}

function dated(text, options) {
  if (!text) return "–";
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : new Intl.DateTimeFormat(locale(), options).format(at);
}

export function moment(text) {
  return dated(text, { dateStyle: "medium", timeStyle: "short" });
}

export function day(text) {
  return dated(text, { dateStyle: "medium" });
}

export function weekday(text) {
  return dated(text, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
}

// A day as people say it: today, yesterday, or its name.
export function dayName(text) {
  const days = Math.round((new Date(new Date(text).toDateString()) - new Date(new Date().toDateString())) / 86400e3);
  if (days === 0 || days === -1) return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(days, "day");
  return weekday(text);
}

export function clock(text) {
  return dated(text, { timeStyle: "short" });
}

// The words of the page in the reader's language, and dates and numbers as that language writes them.

import en from "./en.js";
import zh from "./zh.js";

const DICTIONARIES = { en, zh };
const KEPT = "mnemic.language";

let current = remembered() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

function remembered() {
  const kept = localStorage.getItem(KEPT);
  return kept in DICTIONARIES ? kept : null;
}

export function language() {
  return current;
}

export function setLanguage(name) {
  current = name;
  localStorage.setItem(KEPT, name);
}

export function t(key, values = {}) {
  const text = DICTIONARIES[current][key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

// The word for a value of the API; one that the page does not know stands for itself.
export function word(group, value) {
  return DICTIONARIES[current][`${group}.${value}`] ?? value;
}

const locale = () => (current === "zh" ? "zh-CN" : "en-GB");

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

export function clock(text) {
  return dated(text, { hour: "2-digit", minute: "2-digit" });
}

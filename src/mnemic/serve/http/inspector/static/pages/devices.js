// The devices of a memory: when each was last heard of, what was forgotten on them, contradictions.

import { h } from "../dom.js";
import { chip, empty, section } from "../parts.js";
import { address } from "../route.js";
import { moment, t } from "../words.js";

export async function render({ api, space }) {
  const report = await api.get("devices");
  const names = new Map(report.devices.map((device) => [device.id, device.name]));
  const named = (id) => names.get(id) ?? id;
  const conflicts = await Promise.all(report.conflicts.map((pair) => Promise.all(pair.map((id) => link(api, space, id)))));
  if (!report.devices.length) return empty(t("devices.none"), t("devices.none.hint"));
  return h("div", { class: "stack" },
    section(t("devices.title"), table([t("devices.device"), t("devices.last"), t("devices.state")],
      report.devices.map((device) => [`${device.name} · ${device.id.slice(0, 6)}`, moment(device.last_change), state(device)]))),
    report.conflicts.length > 0 && section(t("devices.conflicts"),
      h("p", { class: "muted" }, t("devices.conflicts.hint")),
      table([t("devices.holds"), t("devices.waits")], conflicts)),
    report.forgotten.length > 0 && section(t("devices.forgotten"),
      table([t("devices.at"), t("devices.device"), t("devices.confirmed"), t("devices.state")],
        report.forgotten.map((one) => [moment(one.at), named(one.device), Object.keys(one.confirmed).map(named).join(", "),
          one.complete ? chip(t("devices.complete"), "good") : chip(t("devices.waiting"), "warn")]))));
}

function state(device) {
  if (device.own) return chip(t("devices.own"), "good");
  return device.removed ? chip(t("devices.removed"), "warn") : chip(t("devices.paired"));
}

// A memory by its words; one that is gone has none.
async function link(api, space, id) {
  if (!id) return "–";
  try {
    return h("a", { href: address(space, "memories", id) }, (await api.get(["memories", id])).text);
  } catch (error) {
    if (error.status !== 404) throw error;
    return "–";
  }
}

function table(heads, rows) {
  return h("table", null,
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", null, rows.map((row) => h("tr", null, row.map((cell) => h("td", null, cell))))));
}

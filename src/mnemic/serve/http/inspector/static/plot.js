// Plots as SVG. Numbers come from the API; what they mean is also said in words for who cannot see them.

import { h, s } from "./dom.js";
import { day, number, percent } from "./words.js";

const WIDTH = 480;
const HEIGHT = 170;
const LEFT = 34;
const BOTTOM = 24;
const TOP = 12;

function frame(label, ...children) {
  return s("svg", {
    class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label,
    preserveAspectRatio: "xMidYMid meet",
  }, ...children);
}

function rounded(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= most && step % 1 === 0) ?? most;
}

function grid(most, format) {
  return [0, 0.5, 1].map((share) => {
    const y = TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
    return [
      s("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y, y2: y }),
      s("text", { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, format(most * share)),
    ];
  });
}

// Two series a day, side by side; `series` are [class, values].
export function dayBars(days, series, label) {
  const most = rounded(Math.max(1, ...series.flatMap(([, values]) => values)));
  const step = (WIDTH - LEFT) / days.length;
  const room = HEIGHT - TOP - BOTTOM;
  const each = Math.max(0.8, (step * 0.72) / series.length);
  const bars = series.map(([kind, values], nth) => values.map((value, at) => {
    const height = (value / most) * room;
    const x = LEFT + at * step + (step - each * series.length) / 2 + nth * each;
    return value > 0 && s("rect", {
      class: kind, x: x.toFixed(2), y: (TOP + room - height).toFixed(2),
      width: each.toFixed(2), height: Math.max(height, 1).toFixed(2), rx: Math.min(2, each / 3),
    });
  }));
  const ends = [[0, "start"], [days.length - 1, "end"]].map(([at, anchor]) =>
    s("text", {
      class: "tick", "text-anchor": anchor, y: HEIGHT - 6, x: anchor === "start" ? LEFT : WIDTH,
    }, day(days[at])));
  return frame(label, grid(most, (value) => (value % 1 ? "" : number(value))), bars, ends);
}

// One falling line over time, with the moment that is now and the levels that something happens at.
export function curve(points, { label, now, nowWord, levels }) {
  const times = points.map((point) => new Date(point.at).getTime());
  const [first, last] = [times[0], times.at(-1)];
  const room = HEIGHT - TOP - BOTTOM;
  const x = (time) => LEFT + ((time - first) / Math.max(1, last - first)) * (WIDTH - LEFT);
  const y = (score) => TOP + (1 - Math.min(1, score)) * room;
  const path = points.map((point, at) => `${x(times[at]).toFixed(1)},${y(point.score).toFixed(1)}`);
  const place = x(Math.min(last, Math.max(first, now.getTime())));
  const area = `${LEFT},${y(0)} ${path.join(" ")} ${WIDTH},${y(0)}`;
  return frame(label,
    grid(1, (value) => number(value, 1)),
    s("polygon", { class: "area", points: area }),
    levels.map(([level, name]) => [
      s("line", { class: "level", x1: LEFT, x2: WIDTH, y1: y(level), y2: y(level) }),
      s("text", { class: "tick", x: WIDTH - 4, y: y(level) - 4, "text-anchor": "end" }, name),
    ]),
    s("polyline", { class: "line", points: path.join(" ") }),
    s("line", { class: "now", x1: place, x2: place, y1: TOP, y2: HEIGHT - BOTTOM }),
    s("text", {
      class: "tick", x: place + (place > WIDTH / 2 ? -6 : 6), y: TOP + 10,
      "text-anchor": place > WIDTH / 2 ? "end" : "start",
    }, nowWord),
    s("text", { class: "tick", x: LEFT, y: HEIGHT - 6 }, day(points[0].at)),
    s("text", { class: "tick", x: WIDTH, y: HEIGHT - 6, "text-anchor": "end" }, day(points.at(-1).at)));
}

// Named shares as horizontal bars, the whole row a link where there is one.
export function shareBars(rows) {
  const most = Math.max(1, ...rows.map((row) => row.value));
  return h("ul", { class: "bars" }, rows.map((row) => {
    const inner = [
      h("span", { class: "bar-name" }, row.name),
      s("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { class: "track", width: 100, height: 8 }),
        s("rect", { class: row.tone ?? "value", width: ((row.value / most) * 100).toFixed(2), height: 8 })),
      h("span", { class: "bar-value" }, number(row.value)),
    ];
    return h("li", null, row.href ? h("a", { href: row.href }, inner) : h("div", null, inner));
  }));
}

// Points of a score, from where it starts to the whole: each bar begins where the one before it ended.
// They are rounded so that the percentages that are shown add up, too.
export function scoreParts(points, name) {
  let [at, shown] = [0, 0];
  const rows = points.map(([part, value]) => {
    const [from, to] = [Math.max(0, Math.min(at, at + value)), Math.min(1, Math.max(at, at + value))];
    at += value;
    const whole = Math.round(at * 100) - shown;
    shown += whole;
    return { part, whole, from, to };
  });
  const bar = ({ from, to }, tone) => s("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "track", width: 100, height: 8 }),
    s("rect", { class: tone, height: 8, x: (from * 100).toFixed(2), width: Math.max(0.6, (to - from) * 100).toFixed(2) }));
  const line = (row, tone, sign) => h("li", { class: row.part }, h("div", null,
    h("span", { class: "bar-name" }, name(row.part)), bar(row, tone), h("span", { class: "bar-value" }, sign, percent(Math.abs(row.whole) / 100))));
  return h("ul", { class: "bars parts" },
    rows.filter((row) => row.whole).map((row, nth) => line(row, row.whole < 0 ? "minus" : "value", row.whole < 0 ? "−" : nth ? "+" : "")),
    line({ part: "sum", whole: shown, from: 0, to: Math.min(1, at) }, "second", ""));
}

// Which route found which hit: a row a hit, a column a route.
export function routeMap(hits, routes, label, name) {
  const [row, column, head] = [18, 92, 24];
  const width = 36 + routes.length * column;
  const height = head + hits.length * row;
  return s("svg", { class: "routes", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    routes.map((route, at) =>
      s("text", { class: "tick", x: 36 + at * column + column / 2, y: 14, "text-anchor": "middle" }, name(route))),
    hits.map((hit, nth) => {
      const y = head + nth * row + row / 2;
      const found = routes.map((route, at) => (hit.routes.includes(route) ? 36 + at * column + column / 2 : null));
      const places = found.filter((place) => place !== null);
      return [
        s("text", { class: "tick", x: 24, y: y + 4, "text-anchor": "end" }, nth + 1),
        s("line", { class: "grid", x1: 36, x2: width, y1: y, y2: y }),
        places.length > 1 && s("line", { class: "link", x1: places[0], x2: places.at(-1), y1: y, y2: y }),
        found.map((place) => place !== null && s("circle", { class: "dot", cx: place, cy: y, r: 5 })),
      ];
    }));
}

// Icons as strokes on a grid of 24, and the mark of the page.

import { s } from "./dom.js";

const PATHS = {
  overview: "M4 11.5 12 5l8 6.5M6 10v9h12v-9M10 19v-5h4v5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4 4",
  memories: "M7 4h10a1 1 0 0 1 1 1v15l-6-4-6 4V5a1 1 0 0 1 1-1Z",
  timeline: "M12 7v5l3.5 2M12 20a8 8 0 1 0-8-8m0 0 2-2m-2 2L2 10",
  pending: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-2.5-11a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.9-1.1 1.8m0 2.5v.1",
  documents: "M7 3h7l4 4v14H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm6.5 0v5H18M9.5 13h5m-5 4h5",
  jobs: "M3 12h4l3-7 4 14 3-7h4",
  audit: "M12 3l7 3v5c0 5-3 8.5-7 10-4-1.5-7-5-7-10V6l7-3Zm-3 9 2.2 2.2L15.5 10",
  forget: "M4 16.5 13.5 7l5 5-7.5 7.5H7L4 16.5Zm5-5 5 5M14 19.5h6",
  archive: "M4 5h16v4H4V5Zm1.5 4v10h13V9M10 13h4",
  restore: "M5 9h9a5 5 0 0 1 0 10h-4M5 9l4-4M5 9l4 4",
  edit: "M5 19l1-4L16 5l3 3L9 18l-4 1Zm9-12 3 3",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5m3-5v5",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 12.5 10 17 19 7",
  quote: "M5 6h14v10h-7l-4 4v-4H5V6Z",
  calendar: "M5 6h14v14H5V6Zm0 4h14M9 4v4m6-4v4",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3 2",
  star: "M12 4l2.4 5 5.6.7-4 3.9 1 5.4-5-2.7L7 19l1-5.4-4-3.9L9.6 9 12 4Z",
  write: "M12 5v14M5 12h14",
  merge: "M7 4v4c0 3 5 4 5 8v4m5-16v4c0 3-5 4-5 8",
  alert: "M12 4 2.5 20h19L12 4Zm0 6v5m0 2.5v.1",
  theme: "M12 20a8 8 0 1 0 0-16v16Zm0-16a8 8 0 0 0 0 16",
  language: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3.5 12h17M12 3c5 5 5 13 0 18-5-5-5-13 0-18Z",
  keyboard: "M3 7h18v11H3V7Zm4 4h.1m3.3 0h.1m3.3 0h.1m3.2 0h.1M8 15h8",
  leave: "M14 4h5v16h-5M4 12h11m-4-4 4 4-4 4",
  sync: "M19 8a7.5 7.5 0 0 0-13-1L4 9m0-5v5h5m-4 7a7.5 7.5 0 0 0 13 1l2-2m0 5v-5h-5",
  menu: "M4 7h16M4 12h16M4 17h16",
  open: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-4 3.5-6 7-6s6.4 2 7 6",
  tool: "M14.5 6a4 4 0 0 0-5 5L4 16.5 7.5 20l5.5-5.5a4 4 0 0 0 5-5L15.5 12 12 8.5 14.5 6Z",
  devices: "M4 5h11v9H4V5Zm-2 12h10M17 9h4v10h-6v-2",
};

export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] ?? PATHS.write }));
}

export function mark() {
  return s("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true" },
    s("rect", { width: 32, height: 32, rx: 9 }),
    s("path", { d: "M8 23v-8a4 4 0 0 1 8 0v8m0-8a4 4 0 0 1 8 0v8" }),
    s("circle", { cx: 24, cy: 7.5, r: 2.4 }));
}

// Small pictures beside words. They say nothing that the words do not, so screen readers pass over them.

import { svg } from "./dom.js";

/** Lines on a grid of 24 by 24. */
const lines = {
  home: "M3.5 11.5 12 4l8.5 7.5M6 9.5V20h12V9.5M10 20v-5.5h4V20",
  apps: "M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z",
  journeys: "M8.5 5.5h3a4 4 0 0 1 4 4M8.5 18.5h3a4 4 0 0 0 4-4"
    + "M8.5 5.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M8.5 18.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0"
    + "M20.5 12a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0",
  users: "M15.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M5 20a7 7 0 0 1 14 0",
  reviews: "M12 3.5 19.5 6v5.5c0 4.5-3 7.5-7.5 9-4.5-1.5-7.5-4.5-7.5-9V6zM8.5 12l2.5 2.5 4.5-5",
  audit: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  settings: "M4 7.5h8M18 7.5h2M4 16.5h2M12 16.5h8"
    + "M18 7.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0M12 16.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0",
  administrators: "M11.5 15.5a4 4 0 1 1-8 0 4 4 0 0 1 8 0M10.5 12.5l9-9M15.5 7.5l3 3M18 5l2 2",
  organizations: "M4.5 20V4.5h9V20M13.5 9.5h6V20M3 20h18M8 8.5h2M8 12h2M8 15.5h2M16 13h1M16 16.5h1",
  done: "M5 12.5l4.5 4.5L19 7.5",
};

/** A picture by its name. */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", width: "20", height: "20", "aria-hidden": "true",
    focusable: "false" }, svg("path", { d: lines[name] ?? "" }));
}

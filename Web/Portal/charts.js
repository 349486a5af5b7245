// Pictures of numbers, each with a table that says the same.

import { h, svg, uniqueID } from "./dom.js";
import { formatNumber, t } from "./strings.js";

/** A table that opens below a picture. */
function asTable(title, columns, rows) {
  return h("details", { class: "chart-table" }, h("summary", null, t("home.table")),
    h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": title }, h("table", { class: "table" },
      h("thead", null, h("tr", null, columns.map((name, index) => h("th", { scope: "col", class: index ? "cell-number" : null }, name)))),
      h("tbody", null, rows.map((row) => h("tr", null, row.map((value, index) => index ? h("td", { class: "cell-number" }, typeof value === "number" ? formatNumber(value) : value) : h("th", { scope: "row" }, value))))))));
}

/**
 * Horizontal bars.
 *
 * @param {string} title What the bars show; the picture's name.
 * @param {{name: string, value: number, series?: 1 | 2 | 3 | 4}[]} bars
 */
export function barChart(title, bars) {
  if (!bars.length) return h("p", { class: "empty" }, t("home.nothing"));
  const width = 640, row = 30, label = 210, most = Math.max(1, ...bars.map((bar) => bar.value)), scale = (width - label - 70) / most, name = uniqueID("chart");
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${bars.length * row}`, role: "img", "aria-labelledby": name },
    svg("title", { id: name }, `${title}: ${bars.slice(0, 8).map((bar) => `${bar.name} ${formatNumber(bar.value)}`).join(", ")}`),
    bars.map((bar, index) => {
      const y = index * row, size = Math.max(1, bar.value * scale), text = bar.name.length > 30 ? `${bar.name.slice(0, 29)}…` : bar.name;
      return svg("g", null,
        svg("text", { x: label - 10, y: y + 19, "text-anchor": "end", class: "chart-text" }, text),
        svg("rect", { x: label, y: y + 6, width: size, height: row - 12, rx: 3, class: `chart-bar chart-series-${bar.series ?? 1}` }),
        svg("text", { x: label + size + 8, y: y + 19, class: "chart-text" }, formatNumber(bar.value)));
    }));
  return h("figure", { class: "chart-figure" }, picture, asTable(title, [t("home.label"), t("home.count")], bars.map((bar) => [bar.name, bar.value])));
}

/**
 * Columns of a histogram.
 *
 * @param {{name: string, value: number}[]} columns In order.
 */
export function columnChart(title, columns) {
  if (!columns.some((column) => column.value)) return h("p", { class: "empty" }, t("home.nothing"));
  const width = 640, height = 220, foot = 34, head = 18, most = Math.max(...columns.map((column) => column.value)), step = width / columns.length, name = uniqueID("chart");
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": name },
    svg("title", { id: name }, `${title}: ${columns.filter((column) => column.value).map((column) => `${column.name} ${formatNumber(column.value)}`).join(", ")}`),
    svg("line", { x1: 0, x2: width, y1: height - foot, y2: height - foot, class: "chart-axis" }),
    columns.map((column, index) => {
      const size = column.value ? Math.max(2, (height - foot - head) * column.value / most) : 0, x = index * step;
      return svg("g", null,
        svg("rect", { x: x + 2, y: height - foot - size, width: Math.max(1, step - 4), height: size, class: "chart-bar chart-series-1" }),
        column.value > 0 && svg("text", { x: x + step / 2, y: height - foot - size - 5, "text-anchor": "middle", class: "chart-text" }, formatNumber(column.value)),
        svg("text", { x: x + step / 2, y: height - foot + 20, "text-anchor": "middle", class: "chart-text" }, column.name));
    }));
  return h("figure", { class: "chart-figure" }, picture, asTable(title, [t("home.label"), t("home.count")], columns.map((column) => [column.name, column.value])));
}

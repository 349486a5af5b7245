// Pictures of numbers, each with a table that says the same.

import { h } from "./dom.js";
import { formatList, formatNumber, t } from "./strings.js";

/** A table that opens below a picture. */
function asTable(title, columns, rows) {
  return h("details", { class: "chart-table" }, h("summary", null, t("home.table")),
    h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": title }, h("table", { class: "table" },
      h("thead", null, h("tr", null,
        columns.map((name, index) => h("th", { scope: "col", class: index ? "cell-number" : null }, name)))),
      h("tbody", null,
        rows.map(
          (row) =>
            h("tr", null,
              row.map((value, index) => index ? h("td", { class: "cell-number" },
                typeof value === "number" ? formatNumber(value) : value) : h("th", { scope: "row" }, value))))))));
}

/**
 * Horizontal bars.
 *
 * @param {string} title What the bars show; the picture's name.
 * @param {{name: string, value: number, series?: 1 | 2 | 3 | 4}[]} bars
 */
export function barChart(title, bars) {
  if (!bars.length) return h("p", { class: "empty" }, t("home.nothing"));
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const picture = h("div", { class: "chart", role: "img", "aria-label": inWords(title, bars) },
    bars.map((bar) => h("div", { class: "chart-row" },
      h("span", { class: "chart-name", title: bar.name }, bar.name),
      h("span", { class: "chart-track" }, h("span",
        { class: `chart-bar chart-series-${bar.series ?? 1}`, style: { "inline-size": share(bar.value, most) } })),
      h("span", { class: "chart-value" }, formatNumber(bar.value)))));
  return h("figure", { class: "chart-figure" }, picture,
    asTable(title, [t("home.label"), t("home.count")], bars.map((bar) => [bar.name, bar.value])));
}

/**
 * Columns of a histogram. They rise from left to right in every language, as numbers do.
 *
 * @param {{name: string, value: number}[]} columns In order.
 */
export function columnChart(title, columns) {
  if (!columns.some((column) => column.value)) return h("p", { class: "empty" }, t("home.nothing"));
  const most = Math.max(...columns.map((column) => column.value));
  const picture = h("div", { class: "chart chart-columns", role: "img", dir: "ltr",
    "aria-label": inWords(title, columns.filter((column) => column.value)) },
    columns.map((column) => h("div", { class: "chart-column" },
      h("span", { class: "chart-rise" },
        h("span", { class: "chart-value" }, column.value ? formatNumber(column.value) : ""),
        h("span",
          { class: "chart-bar chart-series-1", style: { "block-size": column.value
            ? `calc(${share(column.value, most)} - 1.25rem * ${column.value / most})` : "0" } })),
      h("span", { class: "chart-name" }, column.name))));
  return h("figure", { class: "chart-figure" }, picture,
    asTable(title, [t("home.label"), t("home.count")], columns.map((column) => [column.name, column.value])));
}

/** The part of the largest value; the smallest ones stay visible. */
function share(value, most) { return `${Math.max(0.5, (100 * value) / most)}%`; }

/** What a picture shows, for those who do not see it; the table has all of it. */
function inWords(title, parts) {
  return `${title}: ${formatList(parts.slice(0, 8).map((part) => `${part.name} ${formatNumber(part.value)}`))}`;
}

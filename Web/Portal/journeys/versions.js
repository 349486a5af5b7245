// The versions of journeys: the list of all, the versions of one, and what differs between two.

import { at, call } from "../api.js";
import { h, select, tag } from "../dom.js";
import { arrow, formatTime, t } from "../strings.js";
import { difference, isEmpty } from "./diff.js";

const kinds = { draft: "wait", published: "good", retired: "" };

/** Every version, with the newest of a journey first. */
export async function allVersions(signal) {
  const { items } = await call("GET", "/v1/journeys", { signal });
  const journeys = new Map();
  for (const version of items) {
    if (!journeys.has(version.id)) journeys.set(version.id, []);
    journeys.get(version.id).unshift(version);
  }
  return journeys;
}

/** The definition of a version, as it was saved. */
export function definitionOf(id, version, signal) {
  return call("GET", at`/v1/journeys/${id}/versions/${version}`, { signal });
}

export function stateTag(state) { return tag(t(`journeys.state_${state}`), kinds[state]); }

export function journeyPath(id, version) {
  return version === undefined ? at`/admin/journeys/${id}` : at`/admin/journeys/${id}/versions/${version}`;
}

/**
 * The versions of a journey as a table, with what can be done with each.
 *
 * @param {object} options
 * @param {object[]} options.versions
 * @param {number} options.shown The version in the editor.
 * @param {boolean} options.mayChange
 * @param {(version: object) => HTMLElement[]} options.actions
 */
export function versionTable({ versions, shown, actions }) {
  return h("div", { class: "table-area" },
    h("table", { class: "table" }, h("caption", { class: "visually-hidden" }, t("journeys.versions")),
      h("thead", null,
        h("tr", null, ["version", "state", "saved_at",
          "actions"].map((key) => h("th", { scope: "col" }, t(`journeys.column_${key}`))))),
      h("tbody", null, versions.map((version) => h("tr", { "aria-current": version.version === shown ? "true" : null },
        h("th", { scope: "row" }, h("a", { href: journeyPath(version.id, version.version) },
          t("journeys.version", { number: version.version }))),
        h("td", null, stateTag(version.state)), h("td", null, formatTime(version.updated_at)),
        h("td", { class: "cell-actions" }, h("div", { class: "row" }, actions(version))))))));
}

/** Asks for two versions and shows what differs. */
export function comparison(versions, shown, load) {
  const choices = versions.map((version) => [String(version.version),
    `${t("journeys.version", { number: version.version })} (${t(`journeys.state_${version.state}`)})`]);
  const published = versions.find((version) => version.state === "published" && version.version !== shown)
    ?? versions.find((version) => version.version !== shown) ?? versions[0];
  const before =
    select(choices, String(published.version), { "aria-label": t("journeys.compare_from"), onchange: () => draw() });
  const after = select([["", t("journeys.in_editor")], ...choices], "",
    { "aria-label": t("journeys.compare_to"), onchange: () => draw() });
  const result = h("div", { class: "stack", role: "status" });
  let asked = 0;
  const draw = async () => {
    const number = ++asked;
    try {
      const [old, now] =
        await Promise.all([load(Number(before.value)), load(after.value === "" ? null : Number(after.value))]);
      if (number === asked) result.replaceChildren(differenceView(difference(old, now)));
    } catch (error) {
      if (number === asked) result.replaceChildren(h("p", { class: "alert alert-error" }, error.message));
    }
  };
  return { element: h("div", { class: "stack" },
    h("div", { class: "row" }, before, h("span", { "aria-hidden": "true" }, arrow), after), result), draw };
}

/** What differs, as lists of steps and settings. */
export function differenceView(found) {
  if (isEmpty(found)) return h("p", { class: "muted" }, t("journeys.same"));
  const shown =
    (value) => h("code", { class: "journey-value" }, typeof value === "string" ? value : JSON.stringify(value));
  const change =
    (one) => h("li", { class: `journey-change journey-change-${one.kind}` },
      h("span", { class: "journey-change-kind" }, t(`journeys.change_${one.kind}`)), " ",
      one.path ? h("code", null, one.path) : null,
      one.kind === "changed" ? [" ", h("del", null, shown(one.before)), ` ${arrow} `, h("ins", null, shown(one.after))]
        : one.kind === "added" ? [" ", h("ins", null, shown(one.after))] : [" ", h("del", null, shown(one.before))]);
  return h("div", { class: "stack" },
    found.fields.length ? h("section", null, h("h3", null, t("journeys.whole")),
      h("ul", { class: "journey-changes" }, found.fields.map(change))) : null,
    found.steps.map(
      (one) =>
        h("section", null,
          h("h3", null, h("span", { dir: "auto" }, one.kind === "renamed" ? `${one.from} → ${one.name}` : one.name),
            " ", tag(t(`journeys.change_${one.kind}`), { added: "good", removed: "bad" }[one.kind] ?? "wait")),
          one.changes.length ? h("ul", { class: "journey-changes" }, one.changes.map(change)) : null)));
}

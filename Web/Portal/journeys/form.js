// The form of the selected step: its name, settings, and the steps that follow its outcomes.

import { field, h, replace, select, textInput } from "../dom.js";
import { formatList, t } from "../strings.js";
import { isObject, member } from "./value.js";
import { isName, setLabel, setSetting, step, stepNames, target } from "./document.js";
import { fieldsOf, jsonField, pathText, settingTitle } from "./settings.js";
import { webhookTest } from "./webhook-test.js";

/**
 * @typedef {object} Editing What the form needs of the editor.
 * @property {unknown} definition
 * @property {Map<string, object>} types
 * @property {object} definitions
 * @property {boolean} isFixed
 * @property {(next: unknown, what: string, merge?: string) => void} apply
 * @property {(from: string, to: string) => void} rename
 * @property {(step: string, outcome: string | null) => void} remove
 * @property {(from: string, outcome: string, to: string | null) => void} connect
 * @property {(from: string, outcome: string) => void} choose
 * @property {(step: string) => object[]} variables
 * @property {(step: string) => object[]} findings
 */
export class StepForm {
  #step = null;

  /** @param {Editing} editing */
  constructor(editing) {
    this.editing = editing;
    this.heading = h("h2", { tabindex: "-1", dir: "auto" });
    this.body = h("div", { class: "form" });
    this.element = h("section", { class: "card journey-form", "aria-label": t("journeys.form") },
      this.heading, this.body);
  }

  /** Shows a step's form; null shows what to do. */
  show(name, node) {
    this.#step = name;
    const { editing } = this, one = name === null ? undefined : step(editing.definition, name);
    if (one === undefined) {
      this.heading.textContent = t("journeys.no_step_title");
      replace(this.body, h("p", { class: "muted" }, t("journeys.no_step")));
      return;
    }
    this.heading.textContent = t("journeys.step_title", { name });
    replace(this.body, this.#parts(name, one, node));
    if (editing.isFixed)
      for (const control of this.body.querySelectorAll("input, select, textarea, button")) control.disabled = true;
    this.mark();
  }

  #parts(name, one, node) {
    const { editing } = this, type = editing.types.get(member(one, "type"));
    if (!isObject(one)) {
      return [jsonField({ name: t("journeys.step"), path: [], schema: {}, value: one, isRequired: true },
        { change: (_, value) => value !== undefined
          && editing.apply({ ...editing.definition, steps: { ...editing.definition.steps, [name]: value } },
            t("journeys.edit_setting", { name }), `step ${name}`) })];
    }
    const config = member(one, "config"), around = {
      definitions: editing.definitions, secrets: type?.secrets ?? [], variables: () => editing.variables(name),
      change: (path, value, merge) => editing.apply(setSetting(editing.definition, name, path, value),
        t("journeys.edit_setting", { name: `${name}.${pathText(path)}` }), merge && `${name} ${merge}`),
      redraw: () => this.redraw(),
    };
    return [
      h("div", { class: "journey-findings", role: "status" }),
      h("p", { class: "muted small" },
        t("journeys.type_is", { type: settingTitle(String(member(one, "type") ?? "")) }),
        type ? ` · ${t(`journeys.role_${type.role}`)}` : ""),
      this.#name(name), this.#label(name, one),
      h("div", { class: "form journey-settings", "data-setting": "" },
        type ? fieldsOf(type.settings, config, [], around)
        : config === undefined ? null : Object.entries(isObject(config) ? config : {})
          .map(([key, value]) => jsonField({ name: key, path: [key], schema: {}, value, isRequired: false }, around))),
      member(one, "type") === "call_webhook" && !editing.isFixed
        ? webhookTest(() => member(step(editing.definition, name), "config")) : null,
      this.#outcomes(name, one, node),
      h("div", { class: "actions" },
        h("button", { type: "button", class: "button button-danger", onclick: () => editing.remove(name, null) },
          t("journeys.remove_step"))),
    ];
  }

  /** Draws the form again and leaves the focus at the same place. */
  redraw() {
    const controls = () => [...this.body.querySelectorAll("input, select, textarea, button")];
    const hadFocus = this.body.contains(document.activeElement), at = controls().indexOf(document.activeElement);
    this.editing.redrawForm();
    if (!hadFocus) return;
    const again = controls();
    (again[Math.min(at, again.length - 1)] ?? this.heading).focus();
  }

  #name(name) {
    const input = textInput({ value: name, dir: "ltr", maxlength: 64, onchange: () => {
      const next = input.value.trim();
      if (next === name) { made.setError(""); return; }
      if (!isName(next)) { made.setError(t("journeys.name_rule")); return; }
      if (step(this.editing.definition, next) !== undefined) {
        made.setError(t("journeys.name_taken", { name: next }));
        return;
      }
      this.editing.rename(name, next);
    } });
    const made = field({ label: t("journeys.name"), help: t("journeys.name_help"), input });
    return made;
  }

  #label(name, one) {
    const value = member(one, "label");
    const input =
      textInput({ value: typeof value === "string" ? value : "", dir: "auto", maxlength: 200, oninput: () =>
        this.editing.apply(setLabel(this.editing.definition, name, input.value),
          t("journeys.edit_setting", { name: `${name}.label` }), `${name} label`) });
    const made = field({ label: t("journeys.label"), help: t("journeys.label_help"), input });
    made.dataset.setting = "label";
    return made;
  }

  #outcomes(name, one, node) {
    const { editing } = this, names = stepNames(editing.definition);
    const ways = node?.ways ?? [];
    if (!ways.length) return null;
    return h("fieldset", { class: "field" }, h("legend", null, t("journeys.outcomes")), ways.map((way) => {
      const to = target(one, way.id), current = typeof to === "string" ? to : "";
      const none = way.returns.length ? t("journeys.way_returns", { step: formatList(way.returns) })
        : t(way.required ? "journeys.choose_step" : "journeys.way_ends");
      const choices =
        [["", none],
          ...(current && !names.includes(current) ? [[current, t("journeys.way_missing", { step: current })]] : []),
          ...names.map((other) => [other, other]), [" new", t("journeys.new_step")]];
      const input = select(choices, current, { onchange: () => {
        if (input.value === " new") { input.value = current; editing.choose(name, way.id); return; }
        editing.connect(name, way.id, input.value || null);
      } });
      const made = field({ label: t("journeys.after", { outcome: way.id }), input });
      made.dataset.setting = `on.${way.id}`;
      return made;
    }));
  }

  /** Shows the findings at their settings. */
  mark() {
    if (this.#step === null) return;
    const all = this.editing.findings(this.#step), fields = [...this.body.querySelectorAll("[data-setting]")],
      shown = new Map(), rest = [];
    for (const finding of all) {
      const place = finding.setting ?? "";
      // The innermost setting that the finding's place is in.
      const best = fields.filter((one) => one.setError && isWithin(place, one.dataset.setting))
        .sort((a, b) => b.dataset.setting.length - a.dataset.setting.length)[0];
      if (best) shown.set(best, [...(shown.get(best) ?? []), finding.message]); else rest.push(finding);
    }
    for (const one of fields) one.setError?.((shown.get(one) ?? []).join(" "));
    const box = this.body.querySelector(".journey-findings");
    if (box)
      replace(box,
        rest.map((finding) => h("p", { class: `alert alert-${finding.severity}` },
          finding.setting ? `${finding.setting}: ${finding.message}` : finding.message)));
  }

  focus() { this.heading.focus(); }
}

/** Whether a place such as `branches[0].id` is a setting or within it. */
export function isWithin(place, setting) {
  return setting !== "" && (place === setting || place.startsWith(`${setting}.`) || place.startsWith(`${setting}[`));
}

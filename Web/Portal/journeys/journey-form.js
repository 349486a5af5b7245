// The form of the journey itself: its title, start, limits, and parameters.

import { field, h, replace, select, textInput } from "../dom.js";
import { t } from "../strings.js";
import { at, isObject, member } from "./value.js";
import { stepNames } from "./document.js";
import { jsonField } from "./settings.js";

const known = ["$schema", "id", "version", "title", "description", "start", "steps", "limits",
  "parameters", "requires_user"];

export class JourneyForm {
  /** @param {object} editing The editor. */
  constructor(editing) {
    this.editing = editing;
    this.heading = h("h2", { tabindex: "-1" }, t("journeys.tab_journey"));
    this.body = h("div", { class: "form" });
    this.element = h("section", { class: "card", "aria-label": t("journeys.tab_journey") }, this.heading, this.body);
  }

  show() {
    const { editing } = this, definition = editing.definition;
    const text = (name, isLong) => {
      const value = member(definition, name);
      if (value !== undefined && typeof value !== "string") return this.#json(name, value);
      const set = () => editing.setField([name], input.value || undefined, `journey ${name}`);
      const input = isLong ? h("textarea", { class: "input", dir: "auto", value: value ?? "", oninput: set })
        : textInput({ dir: "auto", value: value ?? "", oninput: set });
      return this.#field(name, { label: t(`journeys.field_${name}`), input });
    };
    const start = select(stepNames(definition).map((name) => [name, name]), member(definition, "start") ?? "",
      { onchange: () => editing.setField(["start"], start.value) });
    const number = (name) => {
      const value = at(definition, ["limits", name]);
      const input = h("input", { class: "input", type: "number", value: value ?? "",
        placeholder: { max_steps: 200, lifetime_seconds: 3600 }[name], oninput: () =>
        editing.setField(["limits", name], input.value === "" ? undefined : Number(input.value), `limit ${name}`) });
      return this.#field(`limits.${name}`,
        { label: t(`journeys.field_${name}`), help: t(`journeys.help_${name}`), input });
    };
    const user = h("input", { type: "checkbox", checked: member(definition, "requires_user") === true,
      onchange: () => editing.setField(["requires_user"], user.checked || undefined) });
    const limits = member(definition, "limits"),
      others = Object.keys(isObject(definition) ? definition : {}).filter((name) => !known.includes(name));
    replace(this.body, h("div", { class: "journey-findings", role: "status" }), text("title"),
      text("description", true), this.#field("start", { label: t("journeys.field_start"), input: start }),
      this.#field("requires_user", { label: t("journeys.field_requires_user"), input: user }),
      limits === undefined || isObject(limits)
        ? [number("max_steps"), number("lifetime_seconds")] : this.#json("limits", limits),
      this.#json("parameters", member(definition, "parameters")),
      others.map((name) => this.#json(name, definition[name])));
    if (editing.isFixed)
      for (const control of this.body.querySelectorAll("input, select, textarea, button")) control.disabled = true;
    this.mark();
  }

  #field(name, options) {
    const made = field(options);
    made.dataset.setting = name;
    return made;
  }

  #json(name, value) {
    const made = jsonField({ name, path: [name], schema: {}, value, isRequired: false },
      { change: (path, next, merge) => this.editing.setField(path, next, merge) });
    made.dataset.setting = name;
    return made;
  }

  /** Shows the findings that belong to no step. */
  mark() {
    const fields = [...this.body.querySelectorAll("[data-setting]")], rest = [];
    const texts = new Map();
    for (const finding of this.editing.findings(null)) {
      const place = finding.setting ?? "",
        one = fields.find(({ dataset }) => place === dataset.setting || place.startsWith(`${dataset.setting}.`));
      if (one) texts.set(one, `${texts.get(one) ?? ""} ${finding.message}`.trim()); else rest.push(finding);
    }
    for (const one of fields) one.setError(texts.get(one) ?? "");
    const box = this.body.querySelector(".journey-findings");
    if (box)
      replace(box,
        rest.map((finding) => h("p", { class: `alert alert-${finding.severity}` },
          finding.setting ? `${finding.setting}: ${finding.message}` : finding.message)));
  }

  focus() { (this.body.querySelector('[aria-invalid="true"]') ?? this.heading).focus(); }
}

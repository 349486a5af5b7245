// Inputs for settings, made from their JSON Schema. A value that its schema does not describe is edited as
// JSON, so that nothing is lost.

import { field, h, select, textInput } from "../dom.js";
import { has, isEnglish, t } from "../strings.js";
import { isObject, member } from "./value.js";
import { expressionInput } from "./completion.js";

/**
 * @typedef {object} Surroundings
 * @property {Record<string, object>} definitions The schemas that settings refer to.
 * @property {() => object[]} variables The variables in scope.
 * @property {string[]} secrets The settings that may read sensitive fields.
 * @property {(path: (string | number)[], value: unknown, merge?: string) => void} change
 * @property {() => void} redraw Draws the form again, after parts were added or removed.
 */

/** The schema that a setting refers to, with the setting's own members. */
function resolved(schema, definitions) {
  const name = /^#\/\$defs\/(.+)$/.exec(member(schema, "$ref") ?? "")?.[1];
  return name ? { ...definitions[name], ...schema, kind: name } : { ...schema, kind: "" };
}

/** The name of a setting for people: "failure_behavior" is "Failure behavior". */
export function settingTitle(name) {
  const key = `journeys.setting.${name}`;
  if (has(key)) return t(key);
  const words = String(name).replaceAll("_", " ").replace(/\b(otp|id|url|amr|acr)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Texts of schemas have `code` in backticks. */
function helpText(schema) {
  const text = member(schema, "description");
  if (typeof text !== "string") return null;
  return h("span", isEnglish ? null : { lang: "en", dir: "ltr" },
    text.split("`").map((part, index) => index % 2 ? h("code", null, part) : part));
}

/**
 * The input of one setting.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {(string | number)[]} options.path The place in the step's settings.
 * @param {object} options.schema
 * @param {unknown} options.value undefined if it is not set.
 * @param {boolean} options.isRequired
 * @param {Surroundings} around
 * @returns {HTMLElement} Has `data-setting` with the path as findings write it.
 */
export function settingField(options, around) {
  const schema = resolved(options.schema, around.definitions), made = control({ ...options, schema }, around);
  made.dataset.setting = pathText(options.path);
  return made;
}

/** A path as findings write it: `branches[0].id`. */
export function pathText(path) {
  return path.reduce((text, part) => typeof part === "number" ? `${text}[${part}]` : text
    ? `${text}.${part}` : part, "");
}

function control(options, around) {
  const { schema, value } = options;
  if (schema.kind === "input_schema" || (value !== undefined && !fits(value, schema)))
    return jsonField(options, around);
  switch (schema.kind) {
    case "expression": return expressionField(options, around);
    case "expressions": return expressionsField(options, around);
    case "consent": case "liveness": return objectField(options, around);
    default:
  }
  if (Array.isArray(schema.enum)) return choiceField(options, around);
  switch (schema.type) {
    case "boolean": return flagField(options, around);
    case "integer": case "number": return numberField(options, around);
    case "string": return textField(options, around);
    case "array": return member(resolved(schema.items, around.definitions), "type") === "object"
      ? listField(options, around) : wordsField(options, around);
    case "object": return isObject(schema.properties) ? objectField(options, around) : jsonField(options, around);
    default: return jsonField(options, around);
  }
}

/** Whether the inputs of a schema can show a value. */
function fits(value, schema) {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  switch (schema.type) {
    case "boolean": return typeof value === "boolean";
    case "integer": case "number": return typeof value === "number";
    case "string": return typeof value === "string";
    case "array": return Array.isArray(value)
      && value.every((one) => member(schema.items, "$ref") ? isObject(one) : typeof one === "string");
    case "object": return isObject(value)
      && (schema.kind !== "expressions" || Object.values(value).every((one) => typeof one === "string"));
    default: return true;
  }
}

function label({ name, isRequired }) {
  return isRequired ? t("journeys.required", { name: settingTitle(name) }) : settingTitle(name);
}

// A form keeps the row of letters typed into one input as one edit.
function typing(path) { return `typing ${JSON.stringify(path)}`; }

function expressionField(options, { variables, secrets, change }) {
  const { path, value, schema } = options;
  const input = expressionInput({
    value: value ?? "", variables, mayReadSecrets: secrets.includes(path[0]), label: settingTitle(options.name),
    change: (text) => change(path, text || undefined, typing(path)),
  });
  return field({ label: label(options), help: helpText(schema), input });
}

function textField(options, { variables, change }) {
  const { path, value, schema } = options,
    isTemplate = !schema.pattern && schema.maxLength === undefined && schema.kind === "";
  const set = (text) => change(path, text || undefined, typing(path));
  if (isTemplate) {
    const input = expressionInput({ value: value ?? "", variables, isTemplate: true, isLong: true,
      label: settingTitle(options.name), change: set });
    return field({ label: label(options), help: helpText(schema), input });
  }
  const input = (schema.maxLength ?? 0) > 500
    ? h("textarea", { class: "input", value: value ?? "", dir: "auto", maxlength: schema.maxLength,
      oninput: () => set(input.value) })
    : textInput({ value: value ?? "", dir: schema.pattern ? "ltr" : "auto", maxlength: schema.maxLength,
      oninput: () => set(input.value) });
  return field({ label: label(options), help: helpText(schema), input });
}

function numberField(options, { change }) {
  const { path, value, schema } = options;
  const input = h("input", {
    class: "input", type: "number", min: schema.minimum, max: schema.maximum,
    step: schema.type === "integer" ? 1 : "any", value: value ?? "", placeholder: schema.default ?? "",
    oninput: () => change(path, input.value === "" ? undefined : Number(input.value), typing(path)),
  });
  const range = schema.minimum !== undefined && schema.maximum !== undefined
    ? t("journeys.range", { from: schema.minimum, to: schema.maximum }) : null;
  return field({ label: label(options), help: h("span", null, helpText(schema), " ", range), input });
}

function choiceField(options, { change, redraw }) {
  const { path, value, schema } = options, words = schema.enum.map((word) => [word, String(word)]);
  const unset = schema.default === undefined
    ? t("journeys.unset") : t("journeys.unset_default", { value: String(schema.default) });
  const input = select([["", unset], ...words], value ?? "",
    { onchange: () => { change(path, input.value || undefined); redraw(); } });
  return field({ label: label(options), help: helpText(schema), input });
}

function flagField(options, { change }) {
  const { path, value, schema } = options;
  const unset = schema.default === undefined
    ? t("journeys.unset") : t("journeys.unset_default", { value: t(schema.default ? "journeys.yes" : "journeys.no") });
  const input = select([["", unset], ["true", t("journeys.yes")], ["false", t("journeys.no")]],
    value === undefined ? "" : String(value), {
      onchange: () => change(path, input.value === "" ? undefined : input.value === "true"),
    });
  return field({ label: label(options), help: helpText(schema), input });
}

function wordsField(options, { change, definitions }) {
  const { path, value = [], schema } = options, words = resolved(schema.items, definitions).enum ?? [];
  const all = [...words, ...value.filter((word) => !words.includes(word))];
  const boxes = all.map((word) => h("input", { type: "checkbox", checked: value.includes(word), onchange: () => {
    const next = all.filter((_, index) => boxes[index].checked);
    change(path, next.length ? next : undefined);
  } }));
  return h("fieldset", { class: "field" }, h("legend", null, label(options)),
    helpText(schema) && h("p", { class: "hint" }, helpText(schema)),
    all.map((word, index) => h("label", { class: "choice" }, boxes[index], h("span", null, word))));
}

/** Pairs of a name and an expression. */
function expressionsField(options, { variables, change, redraw }) {
  const { path, value = {}, schema } = options;
  const rows = Object.entries(value).map(([name, source]) => {
    const rename = textInput({ value: name, dir: "ltr", "aria-label": t("journeys.variable_name"), onchange: () => {
      const next = rename.value.trim();
      if (!next || (next !== name && Object.hasOwn(value, next))) { rename.value = name; return; }
      change(path, Object.fromEntries(Object.entries(value).map(([key, one]) => [key === name ? next : key, one])));
      redraw();
    } });
    const input = expressionInput({ value: source, variables, label: name,
      change: (text) => change([...path, name], text, typing([...path, name])) });
    input.querySelector("input").setAttribute("aria-label", t("journeys.expression_of", { name }));
    const remove = h("button", { type: "button", class: "button button-quiet button-small",
      "aria-label": t("journeys.remove_named", { name }), onclick: () => {
        const next = Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
        change(path, Object.keys(next).length || options.isRequired ? next : undefined);
        redraw();
      } }, t("journeys.remove"));
    return h("div", { class: "journey-pair", "data-setting": pathText([...path, name]) }, rename, input, remove);
  });
  const add = h("button", { type: "button", class: "button button-secondary button-small", onclick: () => {
    let name = "name", number = 1;
    while (Object.hasOwn(value, name)) name = `name${++number}`;
    change([...path, name], "true");
    redraw();
  } }, t("journeys.add_variable"));
  return h("fieldset", { class: "field" }, h("legend", null, label(options)),
    helpText(schema) && h("p", { class: "hint" }, helpText(schema)), rows, h("div", null, add));
}

/** A list of objects, such as branches. */
function listField(options, around) {
  const { path, value = [], schema } = options, item = resolved(schema.items, around.definitions);
  const parts = value.map((one, index) => {
    const at = [...path, index], id = member(one, "id");
    const name = t("journeys.item",
      { name: settingTitle(options.name), number: index + 1, id: typeof id === "string" ? id : "" });
    const move = (by) => {
      const next = [...value];
      next.splice(index + by, 0, ...next.splice(index, 1));
      around.change(path, next);
      around.redraw();
    };
    const button = (key, text, action, isOff) =>
      h("button", { type: "button", class: "button button-quiet button-small", "aria-label": t(key, { name }),
        disabled: isOff, onclick: action }, text);
    return h("fieldset", { class: "field journey-item" }, h("legend", null, name), fieldsOf(item, one, at, around),
      h("div", { class: "actions" }, button("journeys.move_up", "↑", () => move(-1), index === 0),
        button("journeys.move_down", "↓", () => move(1), index === value.length - 1),
        button("journeys.remove_named", t("journeys.remove"),
          () => { around.change(path, value.filter((_, other) => other !== index)); around.redraw(); })));
  });
  const add = h("button", { type: "button", class: "button button-secondary button-small", onclick: () => {
    const ids = value.map((one) => member(one, "id"));
    let id = "branch", number = 1;
    while (ids.includes(id)) id = `branch${++number}`;
    around.change(path, [...value, { id }]);
    around.redraw();
  } }, t("journeys.add_item", { name: settingTitle(options.name) }));
  return h("fieldset", { class: "field" }, h("legend", null, label(options)),
    helpText(schema) && h("p", { class: "hint" }, helpText(schema)), parts, h("div", null, add));
}

/** An object of settings that may be absent as a whole. */
function objectField(options, around) {
  const { path, value, schema } = options, title = label(options),
    help = helpText(schema) && h("p", { class: "hint" }, helpText(schema));
  if (value === undefined) {
    const least = Object.fromEntries((schema.required ?? []).map((name) => [name, "1"]));
    return h("fieldset", { class: "field" }, h("legend", null, title), help, h("div", null,
      h("button", { type: "button", class: "button button-secondary button-small", onclick: () => {
        around.change(path, least);
        around.redraw();
      } }, t("journeys.set", { name: settingTitle(options.name) }))));
  }
  const remove = options.isRequired
    ? null : h("div", null,
      h("button", { type: "button", class: "button button-quiet button-small", onclick: () => {
        around.change(path, undefined);
        around.redraw();
      } }, t("journeys.remove_named", { name: settingTitle(options.name) })));
  return h("fieldset", { class: "field journey-item" }, h("legend", null, title), help,
    fieldsOf(schema, value, path, around), remove);
}

/** Settings that many types have come last, in this order. */
const common = ["output_variable", "failure_behavior", "error_output_variable", "cancel_behavior", "custom_branches",
  "branch_output_variable"];

/** Members have no order of their own: what is required comes first, in its order. */
function rank(name, required) {
  const at = required.indexOf(name);
  return at >= 0 ? at : required.length + 1 + common.indexOf(name);
}

/** The inputs of all members of an object, also of those that the schema does not know. */
export function fieldsOf(schema, value, path, around) {
  const known = member(schema, "properties") ?? {}, required = member(schema, "required") ?? [];
  const names = Object.keys(known).sort((a, b) => rank(a, required) - rank(b, required) || (a < b ? -1 : 1));
  const fields =
    names.map((name) => settingField({ name, path: [...path, name], schema: known[name], value: member(value, name),
      isRequired: required.includes(name) }, around));
  const others = Object.keys(isObject(value) ? value : {}).filter((name) => !Object.hasOwn(known, name));
  return [...fields,
    ...others.map(
      (name) => settingField({ name, path: [...path, name], schema: { description: t("journeys.unknown_setting") },
        value: value[name], isRequired: false }, around))];
}

/** Any value as JSON. Text that is no JSON is kept in the input and not in the definition. */
export function jsonField(options, { change }) {
  const { path, value, schema } = options;
  const input = h("textarea", { class: "input journey-code", rows: 4, spellcheck: "false", dir: "ltr",
    value: value === undefined ? "" : JSON.stringify(value, null, 2), oninput: () => {
      if (!input.value.trim()) { made.setError(""); change(path, undefined, typing(path)); return; }
      let next;
      try {
        next = JSON.parse(input.value);
      } catch (error) { made.setError(t("journeys.no_json", { reason: error.message })); return; }
      made.setError("");
      change(path, next, typing(path));
    } });
  const made =
    field({ label: label(options), help: h("span", null, helpText(schema), " ", t("journeys.as_json")), input });
  return made;
}

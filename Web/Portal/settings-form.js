// A form for settings, from their JSON Schema. Names and choices have texts; help comes from the server.

import { field, h, select, serverText, textInput } from "./dom.js";
import { formatList, formatNumber, has, named, t } from "./strings.js";

/** What the schema allows, without "null". */
function plain(schema) {
  const types = [schema.type].flat().filter((type) => type && type !== "null");
  return { ...schema, type: types[0] ?? (schema.enum ? "string" : schema.anyOf ? "object" : undefined),
    choices: schema.enum?.filter((one) => one !== null) };
}

/** A value as a person reads it. */
export function shown(value) {
  if (value === null || value === undefined || value === "") return t("apps.nothing");
  if (value === true) return t("shell.yes");
  if (value === false) return t("shell.no");
  if (Array.isArray(value)) return value.length ? formatList(value.map(shown)) : t("apps.nothing");
  if (typeof value === "number") return formatNumber(value);
  return named("apps.choice", value);
}

/** The name of one choice of a setting; some words mean another thing in one setting. */
function choiceName(path, one) {
  const key = `apps.choice.${path}.${one}`;
  return has(key) ? t(key) : named("apps.choice", one);
}

/** The help of a setting in the page's language, or as the server has it; then the range and default. */
function help(path, schema, standard, isList) {
  // Locks have the same settings for each method.
  const key = `apps.help.${path.replace(/^locks\.\w+\./, "locks.")}`, parts = [];
  const low = schema.minimum, high = schema.maximum;
  if (low !== undefined && high !== undefined) parts.push(t("apps.range", { low, high }));
  else if (low !== undefined) parts.push(t("apps.at_least", { low }));
  else if (high !== undefined) parts.push(t("apps.at_most", { high }));
  if (isList) parts.push(t("apps.one_per_line"));
  if (standard !== undefined && standard !== null && !isList && !(typeof standard === "object"))
    parts.push(t("apps.default", { value: shown(standard) }));
  return h("span", null, has(key) ? t(key) : serverText((schema.description ?? "").replaceAll("`", "")),
    parts.length ? ` ${parts.join(" ")}` : "");
}

/**
 * A field for one setting. The result has `read()`: the value, or undefined for the default.
 *
 * @param {string} path Such as "tokens.idle_seconds".
 * @param {object} schema Its JSON Schema.
 * @param {unknown} value What the app has.
 * @param {unknown} standard The value in effect without one.
 */
export function settingField(path, schema, value, standard, { disabled = false } = {}) {
  const kind = plain(schema),
    label = has(`apps.field.${path}`) ? t(`apps.field.${path}`) : named("apps.lock", path.split(".").at(-1));
  const same = JSON.stringify(value) === JSON.stringify(standard);
  let element, read;
  if (kind.type === "boolean") {
    const standardly = standard ?? schema.default;
    const input = select(
      [["", t("apps.use_default", { value: shown(standardly) })], ["true", t("shell.yes")], ["false", t("shell.no")]],
      value === undefined || value === null || value === standardly ? "" : String(value), { disabled });
    element = field({ label, help: help(path, schema, undefined), input });
    read = () => input.value === "" ? undefined : input.value === "true";
  } else if (kind.choices) {
    const standardly = standard ?? schema.default;
    const own = typeof standardly === "string" ? choiceName(path, standardly) : shown(standardly);
    const input = select([["", t("apps.use_default", { value: own })],
      ...kind.choices.map((one) => [one, choiceName(path, one)])],
      value === undefined || value === null || value === standardly ? "" : value, { disabled });
    element = field({ label, help: help(path, schema, undefined), input });
    read = () => input.value || undefined;
  } else if (kind.type === "integer" || kind.type === "number") {
    const input = textInput({ type: "number", min: schema.minimum, max: schema.maximum,
      step: kind.type === "integer" ? 1 : "any", value: value === undefined || value === null || same ? "" : value,
      placeholder: standard === undefined || standard === null ? "" : formatNumber(standard), disabled });
    element = field({ label, help: help(path, schema, standard), input });
    read = () => input.value === "" ? undefined : Number(input.value);
  } else if (kind.type === "array" && plain(schema.items ?? {}).choices) {
    const boxes = plain(schema.items).choices.map((one) => {
      const box =
        h("input", { type: "checkbox", value: one, checked: (value ?? standard ?? []).includes(one), disabled });
      return h("label", { class: "choice" }, box, h("span", null, named("apps.choice", one)));
    });
    const group =
      h("fieldset", null, h("legend", null, label), h("p", { class: "hint" }, help(path, schema, undefined)),
        h("div", { class: "choices" }, boxes), h("p", { class: "field-error", hidden: true }));
    element = h("div", { class: "field" }, group);
    element.input = boxes[0].querySelector("input");
    element.setError = (text) => {
      const message = group.lastChild;
      message.textContent = text;
      message.hidden = !text;
    };
    read = () => {
      const chosen = boxes.map((label) => label.querySelector("input")).filter((box) => box.checked)
        .map((box) => box.value);
      return chosen.length === boxes.length || !chosen.length ? undefined : chosen;
    };
  } else if (kind.type === "array" && plain(schema.items ?? {}).type === "string") {
    const input = h("textarea", { class: "input", rows: 3, spellcheck: "false", autocomplete: "off", disabled,
      value: (value ?? []).join("\n") });
    element = field({ label, help: help(path, schema, standard, true), input });
    read = () => {
      const lines = input.value.split("\n").map((line) => line.trim()).filter(Boolean);
      // An app that may start no journey must not be allowed all of them because somebody saves something else.
      return lines.length ? lines : path === "journeys" && Array.isArray(value) && !value.length ? [] : undefined;
    };
  } else if (kind.type === "string" && path !== "pages.logo") {
    const input = textInput({ value: value ?? "", maxlength: schema.maxLength, disabled,
      placeholder: typeof standard === "string" ? standard : "" });
    element = field({ label, help: help(path, schema, standard), input });
    read = () => input.value.trim() || undefined;
  } else {
    // Settings with parts of their own, as JSON.
    const isEmpty = value === undefined || value === null || (typeof value === "object" && !Object.keys(value).length);
    const input = h("textarea", { class: "input mono", rows: 4, spellcheck: "false", autocomplete: "off", disabled,
      value: isEmpty ? "" : JSON.stringify(value, null, 2) });
    element = field({ label, help: h("span", null, help(path, schema, undefined), " JSON."), input });
    read = () => {
      if (!input.value.trim()) return undefined;
      try { return JSON.parse(input.value); } catch (error) {
        element.setError(t("apps.json_invalid", { fault: error.message }));
        input.focus();
        throw error;
      }
    };
  }
  element.read = read;
  element.path = path;
  return element;
}

/** Reads and writes parts by paths such as "tokens.idle_seconds". */
export function part(object, path) { return path.split(".").reduce((one, key) => one?.[key], object); }
export function setPart(object, path, value) {
  const keys = path.split("."), last = keys.pop();
  let one = object;
  for (const key of keys) {
    if (value === undefined && one[key] === undefined) return;
    one = one[key] ??= {};
  }
  if (value === undefined) delete one[last]; else one[last] = value;
}

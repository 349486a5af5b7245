// Elements, messages, and dialogs. Text is always text: nothing here reads HTML.

import { has, isEnglish, t } from "./strings.js";
import { ApiError } from "./api.js";

const vector = "http://www.w3.org/2000/svg";

/**
 * Builds an element.
 *
 * @param {string} tag
 * @param {Record<string, unknown> | null} [attributes] `onclick` and the like are listeners; `style` is an object;
 *   true is an empty attribute; false, null, and undefined leave an attribute out; `value`, `checked`, `selected`, and
 *   `indeterminate` are set as properties.
 * @param {...(Node | string | number | null | undefined | false | Array)} children
 */
export function h(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }

/** Builds an element of a picture, as `h` does. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(vector, tag), attributes, children);
}

const properties = new Set(["checked", "selected", "indeterminate"]);

function fill(element, attributes, children) {
  const late = [];
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) { if (value) element.addEventListener(name.slice(2), value); }
    else if (name === "style" && value)
      for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (properties.has(name)) element[name] = Boolean(value);
    // A select has no options before its children are there.
    else if (name === "value" && "value" in element && element.tagName !== "LI")
      late.push(() => { element.value = value ?? ""; });
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...flat(children));
  for (const set of late) set();
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => child instanceof Node ? child : String(child));
}

/** Replaces what a node contains. */
export function replace(node, ...children) {
  node.replaceChildren(...flat(children));
  return node;
}

let numbered = 0;
/** An ID that no other element of the page has. */
export function uniqueID(prefix = "id") { return `${prefix}-${++numbered}`; }

// MARK: Messages

const live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

/** Adds the regions of messages to the page, once. */
export function addRegions() { document.body.append(live, toasts); }

/** Tells users of screen readers about a change that others see. */
export function announce(text) {
  // The same text twice is told twice.
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 60);
}

/** Shows a short message that goes by itself. `kind` is "info", "warning", or "error". */
export function toast(text, kind = "info") {
  const dismiss = h("button",
    { type: "button", class: "toast-close", "aria-label": t("shell.dismiss"), onclick: () => item.remove() }, "×");
  const item = h("div", { class: `toast toast-${kind}` }, h("p", null, text), dismiss);
  toasts.append(item);
  while (toasts.children.length > 4) toasts.firstChild.remove();
  setTimeout(() => item.remove(), kind === "info" ? 6_000 : 12_000);
}

/** A message within the page. `kind`: "info", "success", "warning", "error". */
export function alertBox(kind, ...children) {
  return h("div", { class: `alert alert-${kind}`, role: kind === "error" ? "alert" : null },
    children.flat().map((child) => typeof child === "string" ? h("p", null, child) : child));
}

/** What an error means for the person who sees it. */
export function errorText(error) {
  if (!(error instanceof ApiError)) return error?.message ?? String(error);
  const key = `error.${error.code}`, said = error.detail, known = !isEnglish && has(key) ? t(key) : "";
  // The API speaks English. What it says beyond its code stays, set apart from text that may run the other way.
  const text = !known ? said : said === error.problem?.title ? known : `${known} \u2068${said}\u2069`;
  return error.retryAfter ? `${text} ${t("shell.retry_after", { count: error.retryAfter })}` : text;
}

/**
 * A fault of a field, as a sentence. The API's begins with a verb, because programs read it after the field's name.
 *
 * @param {string} message Such as "must be a color like #1f5fbf".
 * @param {string} [name] What the person calls the field.
 */
export function faultText(message, name = "") {
  const text = name ? `${name} ${message}` : message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/**
 * Shows why a form was refused: faults of its fields beside them, each as a sentence, and everything else in
 * `message`. Puts the focus where the first fault is.
 *
 * @param {Error} error
 * @param {Record<string, any>} fields Made by `field`, by the API's names.
 * @param {HTMLElement} message
 */
export function showFaults(error, fields, message) {
  const rest = [];
  let first = null;
  for (const { field: name = "", message: said } of error.problem?.errors ?? []) {
    const known = fields[name] ?? fields[name.replace(/\[\d+\]$/, "")];
    if (!known) { rest.push(faultText(said, name)); continue; }
    known.setError(faultText(said));
    first ??= known;
    for (let outer = known.parentElement; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS")
      outer.open = true;
  }
  if (rest.length || !first) replace(message, alertBox("error", rest.length ? rest : errorText(error)));
  (first?.input ?? message).focus?.();
  announce(errorText(error));
}

/**
 * Waits for something that a page can do without. If it fails, the person is told, and the page is drawn with
 * `without`.
 *
 * @template T
 * @param {Promise<T>} work
 * @param {T} without
 * @returns {Promise<T>}
 */
export async function orWithout(work, without) {
  try { return await work; } catch (error) {
    if (error?.name !== "AbortError") toast(t("shell.part_missing", { reason: errorText(error) }), "error");
    return without;
  }
}

/** Runs an action of the page; shows its error. Returns whether it succeeded. */
export async function attempt(work) {
  try {
    await (typeof work === "function" ? work() : work);
    return true;
  } catch (error) {
    if (error?.name === "AbortError") return false;
    if (!(error instanceof ApiError)) console.error(error);
    toast(errorText(error), "error");
    return false;
  }
}

/**
 * Marks a button as busy until a promise settles, so that its action does not run twice.
 *
 * @param {HTMLElement} button
 * @param {Promise<any> | (() => Promise<any>)} promise A function is not called while the button is busy.
 */
export async function busy(button, promise) {
  if (button.getAttribute("aria-busy") === "true") return undefined;
  button.setAttribute("aria-busy", "true");
  try {
    return await (typeof promise === "function" ? promise() : promise);
  } finally { button.removeAttribute("aria-busy"); }
}

/**
 * A button with an action, which is busy while the action runs and whose errors are shown. `kind`: primary,
 * secondary, danger, quiet.
 */
export function actionButton(text, action, { kind = "secondary", ...attributes } = {}) {
  const button = h("button", { type: "button", class: `button button-${kind}`, ...attributes,
    onclick: () => busy(button, () => attempt(() => action(button))) }, text);
  return button;
}

// MARK: Dialogs

/**
 * Asks before something happens.
 *
 * @param {object} options
 * @param {string} options.title The question.
 * @param {string | Node} [options.text] What will happen.
 * @param {string} options.action The label of the button that does it.
 * @param {boolean} [options.danger]
 * @param {Node} [options.preview] Shows what will be changed or removed.
 * @param {string} [options.typed] A word that has to be typed first.
 * @returns {Promise<boolean>} Whether to do it.
 */
export function confirmDialog({ title, text, action, danger = false, preview, typed }) {
  return new Promise((resolve) => {
    const heading = uniqueID("dialog");
    const yes = h("button", { type: "submit", value: "yes", class: `button button-${danger ? "danger" : "primary"}`,
      disabled: Boolean(typed) }, action);
    const no = h("button",
      { type: "submit", value: "", class: "button button-secondary", formnovalidate: true }, t("shell.cancel"));
    const word = typed && h("input", { class: "input", autocomplete: "off", spellcheck: "false",
      oninput: () => { yes.disabled = word.value !== typed; } });
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": heading },
      h("form", { method: "dialog", class: "form" },
        h("h2", { id: heading }, title), text && (text instanceof Node ? text : h("p", null, text)), preview,
        word && field({ label: t("shell.type_word", { word: typed }), input: word }),
        h("div", { class: "actions" }, danger ? [no, yes] : [yes, no])));
    const opener = document.activeElement;
    dialog.addEventListener("close", () => {
      dialog.remove();
      opener?.focus?.();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    (word || (danger ? no : yes)).focus();
  });
}

/**
 * Shows something in a dialog until it is closed.
 *
 * @param {string} title
 * @param {Node} content
 * @param {{close?: string}} [options] The label of the button.
 */
export function showDialog(title, content, { close = t("shell.close") } = {}) {
  return new Promise((resolve) => {
    const heading = uniqueID("dialog"), opener = document.activeElement;
    const dialog = h("dialog", { class: "dialog dialog-wide", "aria-labelledby": heading },
      h("h2", { id: heading, tabindex: "-1" }, title), content,
      h("form", { method: "dialog", class: "actions" }, h("button", { class: "button button-primary" }, close)));
    dialog.addEventListener("close", () => { dialog.remove(); opener?.focus?.(); resolve(); });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("h2").focus();
  });
}

// MARK: Forms

/**
 * A labeled input. The element returned has `setError(text)`, which ties a message to the input; "" removes it.
 *
 * @param {object} options
 * @param {string} options.label
 * @param {string | Node} [options.help]
 * @param {HTMLElement} options.input An input, select, or textarea; or an element that contains one.
 * @param {string} [options.error]
 * @returns {HTMLElement & {setError: (text: string) => void, input: HTMLElement}}
 */
export function field({ label, help, input, error = "" }) {
  const control = input.matches("input, select, textarea")
    ? input : input.querySelector("input, select, textarea") ?? input;
  control.id ||= uniqueID("field");
  const helpID = `${control.id}-help`, errorID = `${control.id}-error`;
  const isChoice = control.type === "checkbox";
  const message = h("p", { class: "field-error", id: errorID, hidden: true });
  const hint = help && h("p", { class: "hint", id: helpID }, help);
  const element = isChoice
    ? h("div", { class: "field" }, h("label", { class: "choice" }, input, h("span", null, label)), hint, message)
    : h("div", { class: "field" }, h("label", { for: control.id }, label), hint, input, message);
  element.input = control;
  element.setError = (text) => {
    message.textContent = text;
    message.hidden = !text;
    const described = [hint && helpID, text && errorID].filter(Boolean).join(" ");
    if (described)
      control.setAttribute("aria-describedby", described);
    else control.removeAttribute("aria-describedby");
    if (text) control.setAttribute("aria-invalid", "true"); else control.removeAttribute("aria-invalid");
  };
  element.setError(error);
  return element;
}

/** An input with the look of the portal. */
export function textInput(attributes = {}) {
  return h("input", { class: "input", type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
}

/** A menu of choices: `[[value, text], …]`. */
export function select(choices, value, attributes = {}) {
  return h("select", { class: "input", ...attributes, value },
    choices.map(([key, text]) => h("option", { value: key }, text)));
}

/** Facts as a list of terms and values: `[[term, value], …]`; empty values are left out. */
export function facts(pairs) {
  return h("dl", { class: "facts" },
    pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined && pair[1] !== "" && pair[1] !== false)
    .map(([term, value]) => h("div", null, h("dt", null, term), h("dd", { dir: "auto" }, value))));
}

/** A value to copy, with a button. */
export function copyable(text, label) {
  const button = h("button", { type: "button", class: "button button-quiet button-small",
    "aria-label": t("shell.copy_named", { name: label }), onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        toast(t("shell.copied"));
      } catch { window.getSelection().selectAllChildren(code);
      }
    } }, t("shell.copy"));
  const code = h("code", { class: "copyable-text", dir: "ltr" }, text);
  return h("span", { class: "copyable" }, code, button);
}

/** A block of code with a button that copies it. */
export function codeBlock(text, label) {
  const button = h("button", { type: "button", class: "button button-quiet button-small",
    "aria-label": t("shell.copy_named", { name: label }), onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        toast(t("shell.copied"));
      } catch { window.getSelection().selectAllChildren(code);
      }
    } }, t("shell.copy"));
  const code = h("code", { dir: "ltr" }, text);
  return h("figure", { class: "code" }, h("figcaption", null, h("span", null, label), button),
    h("pre", { tabindex: "0", role: "group", "aria-label": label }, code));
}

/** A text of the API, which is in English, so that it is read and set as English. */
export function serverText(text) { return isEnglish || !text ? text : h("span", { lang: "en", dir: "ltr" }, text); }

/** An ID, shortened to the eye. */
export function shortID(id) { return h("span", { class: "id", dir: "ltr", title: id }, id); }

/** A small sign of a state. `kind`: "good", "bad", "wait", "". */
export function tag(text, kind = "") { return h("span", { class: kind ? `tag tag-${kind}` : "tag" }, text); }

/** A section with a heading and, beside it, actions. */
export function section(title, { actions = [], lead, id } = {}, ...children) {
  const heading = id ?? uniqueID("section");
  return h("section", { class: "card", "aria-labelledby": heading },
    h("div", { class: "section-head" }, h("h2", { id: heading, tabindex: "-1" }, title),
      actions.length ? h("div", { class: "section-actions" }, actions) : null),
    lead && h("p", { class: "lead" }, lead), children);
}

/** The head of a page: its h1, a way back, and actions. */
export function pageHead(title, { back, lead, actions = [], tags = [] } = {}) {
  return h("div", { class: "page-head" },
    back && h("a", { class: "back", href: back.href }, h("span", { "aria-hidden": "true" }, "‹ "), back.text),
    h("div", { class: "section-head" },
      h("h1", { tabindex: "-1", dir: "auto" }, title, tags.length ? [" ", tags] : null),
      actions.length ? h("div", { class: "section-actions" }, actions) : null),
    lead && h("p", { class: "lead" }, lead));
}

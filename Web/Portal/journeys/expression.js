// Completion of expressions. Pure: a text and a caret in, proposals out.

/** The functions of expressions, with what they take. */
const functions = {
  size: "size(x)", startsWith: "x.startsWith(y)", endsWith: "x.endsWith(y)", contains: "x.contains(y)",
  lowerAscii: "x.lowerAscii()",
  upperAscii: "x.upperAscii()", trim: "x.trim()", split: "x.split(separator)", substring: "x.substring(from, to)",
  replace: "x.replace(old, new)",
  int: "int(x)", double: "double(x)", string: "string(x)", bool: "bool(x)",
};
const global = ["size", "int", "double", "string", "bool"];
const methods = ["size", "startsWith", "endsWith", "contains", "lowerAscii", "upperAscii", "trim", "split",
  "substring", "replace"];
const words = ["true", "false", "null"];

/**
 * The part of a text that is an expression around the caret.
 *
 * @param {string} text
 * @param {number} caret
 * @param {boolean} isTemplate Whether expressions are within {{ }}.
 * @returns {{start: number, end: number} | null} null outside of an expression.
 */
export function expressionAt(text, caret, isTemplate) {
  if (!isTemplate) return { start: 0, end: text.length };
  const start = text.lastIndexOf("{{", caret - 1);
  if (start < 0 || start + 2 > caret) return null;
  const close = text.indexOf("}}", start + 2);
  if (close >= 0 && close < caret) return null;
  return { start: start + 2, end: close < 0 ? text.length : close };
}

/** Whether a position is within a text in quotation marks. */
function isQuoted(source) {
  let quote = null;
  for (let at = 0; at < source.length; at++) {
    if (quote && source[at] === "\\") at++;
    else if (quote) {
      if (source[at] === quote) quote = null;
    } else if (source[at] === "'" || source[at] === '"') quote = source[at];
  }
  return quote !== null;
}

/**
 * @typedef {{path: string, always: boolean, open: boolean, secret: boolean}} Variable
 * @typedef {{text: string, insert: string, kind: "variable" | "secret" | "function" | "word", always: boolean,
 *   detail: string}} Proposal
 *
 * @param {string} text The whole input.
 * @param {number} caret
 * @param {Variable[]} variables Those in scope, with their members as paths.
 * @param {{isTemplate?: boolean, mayReadSecrets?: boolean}} [options]
 * @returns {{from: number, to: number, items: Proposal[]}} The part of the input that a proposal replaces.
 */
export function complete(text, caret, variables, { isTemplate = false, mayReadSecrets = false } = {}) {
  const none = { from: caret, to: caret, items: [] }, place = expressionAt(text, caret, isTemplate);
  if (!place) return none;
  const before = text.slice(place.start, caret);
  if (isQuoted(before)) return none;
  const typed = /(?:[A-Za-z_][A-Za-z0-9_]*\.)*[A-Za-z_]?[A-Za-z0-9_]*$/.exec(before)[0];
  // A number, or a method of something that is not a variable.
  if (/[0-9]$/.test(before.slice(0, before.length - typed.length)) && typed) return none;
  const after = /^[A-Za-z0-9_]*/.exec(text.slice(caret, place.end))[0];
  const dot = typed.lastIndexOf("."), base = dot < 0 ? "" : typed.slice(0, dot), start = typed.slice(dot + 1);
  const isMethod = dot >= 0 || /[)\]'"]\.$/.test(before.slice(0, before.length - typed.length));
  const items = [], seen = new Set();
  const add = (item) => {
    if (!seen.has(item.text) && item.text !== start) { seen.add(item.text); items.push(item); }
  };
  for (const variable of variables) {
    if (variable.secret && !mayReadSecrets) continue;
    const prefix = base ? `${base}.` : "";
    if (!variable.path.startsWith(prefix)) continue;
    const rest = variable.path.slice(prefix.length), name = rest.split(".")[0];
    if (!name.startsWith(start)) continue;
    const isWhole = rest === name;
    const known = isWhole
      ? variable : variables.find((other) => other.path === prefix + name && !other.secret) ?? variable;
    add({ text: name, insert: name, kind: isWhole && variable.secret ? "secret" : "variable", always: known.always,
      detail: prefix + name });
  }
  for (const name of isMethod ? methods : [...global, "has"]) {
    if (name.startsWith(start))
      add({ text: `${name}()`, insert: `${name}(`, kind: "function", always: true,
        detail: functions[name] ?? "has(a.b)" });
  }
  if (!isMethod && start)
    for (const word of words) if (word.startsWith(start))
      add({ text: word, insert: word, kind: "word", always: true, detail: word });
  const rank = { secret: 0, variable: 1, word: 2, function: 3 };
  items.sort((a, b) => rank[a.kind] - rank[b.kind] || (a.text < b.text ? -1 : 1));
  return { from: caret - start.length, to: caret + after.length, items: items.slice(0, 50) };
}

/** The text after a proposal was chosen, and the caret in it. */
export function insert(text, { from, to }, proposal) {
  return { text: text.slice(0, from) + proposal.insert + text.slice(to), caret: from + proposal.insert.length };
}

// The definition that is being edited, and its history. Pure: no page, no server.
//
// An edit takes a definition and returns another one. Whatever an edit does not name stays as it is, also members that
// this editor does not know.

import { at, isObject, isSame, member, withValue } from "./value.js";

/** The steps by name, as far as the definition has them. */
export function steps(definition) {
  const all = member(definition, "steps");
  return isObject(all) ? all : {};
}

/** One step; undefined if there is none. */
export function step(definition, name) { return member(steps(definition), name); }

/** The steps that follow a step's outcomes, by outcome, as written. */
export function targets(one) {
  const on = member(one, "on");
  return isObject(on) ? on : {};
}

/** Spellings of outcomes. Both may be in `on`. */
const aliases = { success: "next" };

/** The name under which `on` has an outcome. */
function spelling(one, outcome) {
  const other = Object.hasOwn(aliases, outcome) ? aliases[outcome] : undefined, on = targets(one);
  return other && !Object.hasOwn(on, outcome) && Object.hasOwn(on, other) ? other : outcome;
}

/** The step that follows an outcome; undefined if none is set. */
export function target(one, outcome) { return member(targets(one), spelling(one, outcome)); }

/** The outcomes that `on` names, by name: the order of members means nothing and changes on the way to the server. */
export function outcomesInUse(one) {
  return Object.keys(targets(one))
    .map((name) => Object.keys(aliases).find((outcome) => aliases[outcome] === name) ?? name).sort();
}

/** The names of all steps, in order. */
export function stepNames(definition) { return Object.keys(steps(definition)).sort(); }

/** Whether a text can name a step or a branch. */
export function isName(text) { return /^[A-Za-z0-9_-]{1,64}$/.test(text); }

/** A name that no step has, made from a base. */
export function freeName(definition, base) {
  const all = steps(definition), clean = base.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 56) || "step";
  if (!Object.hasOwn(all, clean)) return clean;
  for (let number = 2; ; number++) if (!Object.hasOwn(all, `${clean}_${number}`)) return `${clean}_${number}`;
}

// MARK: Edits

export function addStep(definition, name, type, config) {
  const made = { type };
  if (config && Object.keys(config).length) made.config = config;
  const next = withValue(definition, ["steps", name], made);
  // The first step is where a journey starts.
  return Object.keys(steps(definition)).length || member(definition, "start") !== undefined
    ? next : withValue(next, ["start"], name);
}

/** Removes a step and the connections to it. */
export function removeStep(definition, name) {
  let next = withValue(definition, ["steps", name], undefined);
  for (const [other, one] of Object.entries(steps(next))) {
    for (const [outcome, to] of Object.entries(targets(one))) {
      if (to === name) next = withoutTarget(next, other, outcome);
    }
  }
  return next;
}

/** Renames a step, in its place, with the connections to it. A name that is taken changes nothing. */
export function renameStep(definition, name, other) {
  const all = steps(definition);
  if (!Object.hasOwn(all, name) || Object.hasOwn(all, other) || !isName(other)) return definition;
  const renamed = Object.entries(all).map(([key, one]) => {
    let changed = one;
    for (const [outcome, to] of Object.entries(targets(one))) if (to === name)
      changed = withValue(changed, ["on", outcome], other);
    return [key === name ? other : key, changed];
  });
  const next = withValue(definition, ["steps"], Object.fromEntries(renamed));
  return member(next, "start") === name ? withValue(next, ["start"], other) : next;
}

/** Lets a step follow an outcome of another one. */
export function connect(definition, from, outcome, to) {
  const one = step(definition, from);
  return isObject(one) ? withValue(definition, ["steps", from, "on", spelling(one, outcome)], to) : definition;
}

export function disconnect(definition, from, outcome) {
  return withoutTarget(definition, from, spelling(step(definition, from), outcome));
}

function withoutTarget(definition, from, name) {
  const path = ["steps", from, "on"], next = withValue(definition, [...path, name], undefined);
  return Object.keys(at(next, path) ?? {}).length ? next : withValue(next, path, undefined);
}

/** Changes a value within a step's settings; undefined removes it. A step without settings needs no `config`. */
export function setSetting(definition, name, path, value) {
  const next = withValue(definition, ["steps", name, "config", ...path], value);
  const config = at(next, ["steps", name, "config"]);
  return value === undefined && isObject(config) && !Object.keys(config).length
    ? withValue(next, ["steps", name, "config"], undefined) : next;
}

export function setLabel(definition, name, label) {
  return withValue(definition, ["steps", name, "label"], label || undefined);
}

/** Changes a value of the journey itself, such as ["title"] or ["limits", "max_steps"]. */
export function setField(definition, path, value) {
  const next = withValue(definition, path, value);
  const parent = path.slice(0, -1), rest = parent.length ? at(next, parent) : null;
  return value === undefined && isObject(rest) && !Object.keys(rest).length
    ? withValue(next, parent, undefined) : next;
}

// MARK: History

/** What was edited, with undo and redo. */
export class History {
  static most = 1000;
  #past = [];
  #future = [];
  #merging = null;

  constructor(definition) {
    this.value = definition;
    this.saved = definition;
  }

  /**
   * @param {unknown} next The definition after an edit.
   * @param {string} what The edit, for people.
   * @param {string} [merge] Edits in a row with the same text are undone together, such as the letters of a word.
   */
  apply(next, what, merge) {
    if (next === this.value || isSame(next, this.value)) return false;
    if (!merge || merge !== this.#merging) {
      this.#past.push({ value: this.value, what });
      if (this.#past.length > History.most) this.#past.shift();
    }
    this.#merging = merge ?? null;
    this.#future = [];
    this.value = next;
    return true;
  }

  /** Ends a row of edits that are undone together. */
  settle() { this.#merging = null; }

  /** @returns {string | null} The edit that was undone. */
  undo() { return this.#step(this.#past, this.#future); }
  /** @returns {string | null} The edit that was made again. */
  redo() { return this.#step(this.#future, this.#past); }

  #step(from, to) {
    const entry = from.pop();
    if (!entry) return null;
    to.push({ value: this.value, what: entry.what });
    this.value = entry.value;
    this.#merging = null;
    return entry.what;
  }

  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }
  get isChanged() { return !isSame(this.value, this.saved); }

  /** @param {unknown} definition What was saved. */
  markSaved(definition = this.value) {
    this.saved = definition;
    this.settle();
  }
}

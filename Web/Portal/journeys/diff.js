// The differences of two versions of a journey, by step and setting. Pure.

import { isObject, isSame } from "./value.js";
import { steps } from "./document.js";

/**
 * @typedef {{path: string, kind: "added" | "removed" | "changed", before?: unknown, after?: unknown}} Change
 * @typedef {{fields: Change[], steps: {name: string, kind: "added" | "removed" | "changed" | "renamed", from?:
 *   string, changes: Change[]}[]}} Difference
 */

/**
 * @param {unknown} before
 * @param {unknown} after
 * @returns {Difference} What turns one into the other. The version's own number is no difference.
 */
export function difference(before, after) {
  const fields = changes(without(before, ["steps", "version"]), without(after, ["steps", "version"]));
  const old = steps(before), now = steps(after), found = [];
  const gone = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  const come = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  const renamed = new Map();
  for (const name of come) {
    const from = gone.find((other) => !renamed.has(other) && isSame(old[other], now[name]));
    if (from !== undefined) renamed.set(from, name);
  }
  const names = new Map([...renamed].map(([from, name]) => [name, from]));
  for (const name of [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()) {
    if (names.has(name)) found.push({ name, kind: "renamed", from: names.get(name), changes: [] });
    else if (renamed.has(name)) continue;
    else if (!Object.hasOwn(now, name)) found.push({ name, kind: "removed", changes: changes(old[name], undefined) });
    else if (!Object.hasOwn(old, name)) found.push({ name, kind: "added", changes: changes(undefined, now[name]) });
    else if (!isSame(old[name], now[name]))
      found.push({ name, kind: "changed", changes: changes(old[name], now[name]) });
  }
  return { fields, steps: found };
}

/** Whether two versions differ in nothing. */
export function isEmpty({ fields, steps: all }) { return !fields.length && !all.length; }

function without(value, keys) {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value;
}

/** The changes within a value, down to the members of objects. Lists of the same length are compared by element. */
export function changes(before, after, path = "") {
  if (isSame(before, after)) return [];
  const isPart = (value) => isObject(value) && Object.keys(value).length > 0;
  if ((isPart(before) || isPart(after)) && [before, after].every((value) => value === undefined || isObject(value))) {
    const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
    return keys.flatMap((key) => changes(own(before, key), own(after, key), path ? `${path}.${key}` : key));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((one, index) => changes(one, after[index], `${path}[${index}]`));
  }
  if (before === undefined) return [{ path, kind: "added", after }];
  if (after === undefined) return [{ path, kind: "removed", before }];
  return [{ path, kind: "changed", before, after }];
}

function own(value, key) { return value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined; }

// JSON values that never change: each change makes a new value that shares the unchanged parts.
//
// Members keep their order, and a member such as "__proto__" is a member like any other.

/** Whether a value is a JSON object. */
export function isObject(value) { return typeof value === "object" && value !== null && !Array.isArray(value); }

/** A member of an object, or an element of a list; undefined if there is none. */
export function member(value, key) {
  return value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a path, such as ["steps", "form", "config"]; undefined if there is none. */
export function at(value, path) { return path.reduce(member, value); }

/**
 * Returns the value with another value at a path. `undefined` removes what is there. Objects that are missing on the
 * way are created; a path through a text or a number changes nothing.
 */
export function withValue(value, path, next) {
  if (!path.length) return next;
  const [key, ...rest] = path;
  if (value === undefined) {
    return next === undefined ? undefined : withValue({}, path, next);
  }
  if (Array.isArray(value)) {
    const copy = [...value], changed = withValue(value[key], rest, next);
    if (changed === undefined) copy.splice(key, 1); else copy[key] = changed;
    return copy;
  }
  if (!isObject(value)) return value;
  const before = member(value, key), changed = withValue(before, rest, next);
  if (changed === before) return value;
  const entries = Object.entries(value);
  if (changed === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  const index = entries.findIndex(([name]) => name === key);
  if (index < 0) entries.push([key, changed]); else entries[index] = [key, changed];
  return Object.fromEntries(entries);
}

/** Whether two JSON values are the same, in whatever order their members are. */
export function isSame(a, b) {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length
      && a.every((one, index) => isSame(one, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

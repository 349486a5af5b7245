// Texts of the portal by key. Each module keeps its own in languages/en-<module>.js.

/** The language of texts, dates, and numbers. */
export const language = "en";

const texts = new Map();
const plurals = new Intl.PluralRules(language);

/**
 * Adds a module's texts. A text has {placeholders}; a text that depends on `count` is `{one, other}`.
 *
 * @param {Record<string, string | {one: string, other: string}>} all
 */
export function addTexts(all) {
  for (const [key, text] of Object.entries(all)) texts.set(key, text);
}

/** Whether there is a text for a key that is made from a value of the server. */
export function has(key) { return texts.has(key); }

/**
 * A text with its {placeholders} replaced. Missing texts show their key.
 *
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  let text = texts.get(key) ?? key;
  if (typeof text === "object") text = text[plurals.select(Number(values.count))] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return value === undefined ? all : typeof value === "number" ? formatNumber(value) : String(value);
  });
}

/** A text for a value of the server, such as a state; the value itself if there is none. */
export function named(prefix, value) {
  const key = `${prefix}.${value}`;
  return has(key) ? t(key) : String(value ?? "").replaceAll("_", " ");
}

const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

export function formatNumber(value) { return numbers.format(value); }

/** @param {number} milliseconds Since 1970. */
export function formatTime(milliseconds) { return milliseconds ? times.format(milliseconds) : ""; }

/** @param {number} milliseconds Since 1970. */
export function formatDay(milliseconds) { return milliseconds ? days.format(milliseconds) : ""; }

/** Such as "5 minutes ago" or "in 2 days". */
export function formatAgo(milliseconds, now = Date.now()) {
  const seconds = (milliseconds - now) / 1000, size = Math.abs(seconds);
  for (const [unit, length] of [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60]]) {
    if (size >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.trunc(seconds), "second");
}

/** Such as "1 hour 30 minutes". */
export function formatDuration(seconds) {
  const parts = [];
  let rest = Math.round(seconds);
  for (const [unit, length] of [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]]) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count) parts.push(`${formatNumber(count)} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.slice(0, 2).join(" ") || "0 seconds";
}

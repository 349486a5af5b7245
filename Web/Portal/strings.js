// Texts of the portal by key, in the person's language, from languages/<tag>.json. A text that another language
// lacks is shown in English.

import { current } from "./languages.js";

/** The language of dates and numbers. */
export const language = current.locale ?? current.tag;

/** Whether the texts of the API, which are in English, are in the page's language. */
export const isEnglish = current.tag === "en";

/** Whether the page runs from right to left. */
export const isRightToLeft = current.direction === "rtl";

/** An arrow that points where the text goes. */
export const arrow = isRightToLeft ? "←" : "→";

const plurals = new Intl.PluralRules(language);

async function read(tag) {
  const answer = await fetch(new URL(`./languages/${tag}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`languages/${tag}.json: ${answer.status}`);
  return Object.entries((await answer.json()).texts);
}

/**
 * English, and the page's language over it. Modules wait for both, because they import this one. A text has
 * {placeholders}; a text that depends on `count` has one form for each plural category, such as `{one, other}`.
 *
 * @type {Map<string, string | {other: string}>}
 */
const texts = new Map((await Promise.all([
  read("en"),
  // If the page's language cannot be read, the portal is in English, which is better than no portal.
  isEnglish ? [] : read(current.tag).catch((error) => { console.warn(error); return []; }),
])).flat());

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
    return value === undefined ? all : typeof value === "number" ? formatNumber(value) : isolated(String(value));
  });
}

/** Scripts that are written from right to left, and marks that change the direction. */
const rightToLeft =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Keeps a value in one piece, and the text around it in order, if one runs from right to left and the other
 * from left to right.
 */
function isolated(value) { return isRightToLeft || rightToLeft.test(value) ? `\u2068${value}\u2069` : value; }

/** A text for a value of the server, such as a state; the value itself if there is none. */
export function named(prefix, value) {
  const key = `${prefix}.${value}`;
  return has(key) ? t(key) : String(value ?? "").replaceAll("_", " ");
}

const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
const shares = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const instants = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const lists = new Intl.ListFormat(language, { type: "unit", style: "short" });
const units = new Map();

export function formatNumber(value) { return numbers.format(value); }

/** A part of a whole, such as 0.25, in percent. */
export function formatShare(part) { return shares.format(part); }

/** A number with its unit, such as "5 hr": a unit of ECMA-402, and how long its name is. */
export function formatUnit(value, unit, display = "short") {
  const key = `${unit} ${display}`;
  if (!units.has(key))
    units.set(key,
      new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: display, maximumFractionDigits: 1 }));
  return units.get(key).format(value);
}

/** A size in bytes, such as "1.5 MB". A megabyte has 1,000,000 bytes. */
export function formatBytes(count) {
  const names = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let index = 0, size = count;
  while (size >= 1000 && index < names.length - 1) { size /= 1000; index += 1; }
  return formatUnit(size, names[index]);
}

/** Several words or names. */
export function formatList(items) { return items.join(t("shell.comma")); }

/** The detail of an entry of the audit log. */
export function detailText(detail) {
  return Object.entries(detail)
    .map(([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
}

/** @param {number} milliseconds Since 1970. */
export function formatTime(milliseconds) { return milliseconds ? times.format(milliseconds) : ""; }

/** With its seconds. @param {number} milliseconds Since 1970. */
export function formatInstant(milliseconds) { return milliseconds ? instants.format(milliseconds) : ""; }

/** @param {number} milliseconds Since 1970. */
export function formatDay(milliseconds) { return milliseconds ? days.format(milliseconds) : ""; }

/** Such as "5 minutes ago" or "in 2 days". */
export function formatAgo(milliseconds, now = Date.now()) {
  const seconds = (milliseconds - now) / 1000, size = Math.abs(seconds);
  for (const [unit, length] of [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400],
    ["hour", 3600], ["minute", 60]]) {
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
    if (count) parts.push(formatUnit(count, unit, "long"));
  }
  return parts.length ? lists.format(parts.slice(0, 2)) : formatUnit(0, "second", "long");
}

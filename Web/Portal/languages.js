// The languages of the portal. To add one: a file languages/<tag>.json, a line here, and a line each in
// Sources/Server/MienServer/Portal/Embedded.txt and PortalAssets.swift.

/** Each with its name for itself and its direction, as in its file. */
export const languages = [
  { tag: "en", name: "English", direction: "ltr" },
  { tag: "es", name: "Español", direction: "ltr" },
  // Identifiers, times, and settings have European digits, so numbers beside them do, too.
  { tag: "ar", name: "العربية", direction: "rtl", locale: "ar-u-nu-latn" },
];

const place = "mien.language";

/** The language that was chosen in this browser; null if none was, or if the browser keeps nothing. */
function chosen() {
  try { return localStorage.getItem(place); } catch { return null; }
}

/**
 * The first language that the portal has, by its main tag: "es-MX" is Spanish.
 *
 * @param {readonly (string | null)[]} wanted Tags, the most wanted first.
 */
export function choose(wanted) {
  for (const tag of wanted) {
    const main = tag?.toLowerCase().split("-")[0], found = languages.find((one) => one.tag === main);
    if (found) return found;
  }
  return languages[0];
}

/** The language of this page: the person's choice, then the browser's preferences, then English. */
export const current = choose([chosen(), ...navigator.languages]);

/** Keeps a choice in this browser. The next page that is loaded has it. */
export function keep(tag) {
  try { localStorage.setItem(place, tag); } catch { /* The choice lasts for this page only. */ }
}

// What is around every page: the header, the navigation, and who is signed in.

import { call, forgetMe, loadMe, may, me, ApiError } from "./api.js";
import { addRegions, attempt, h, replace, select } from "./dom.js";
import { find, go, mayLeave, render, start } from "./router.js";
import { icon } from "./icons.js";
import { current, keep, languages } from "./languages.js";
import { named, t } from "./strings.js";

/** The parts of the portal, in order. Each is shown to roles with one of its permissions. */
const places = [
  { path: "/admin", text: "shell.nav_home", any: ["readMetrics"], always: true },
  { path: "/admin/apps", text: "shell.nav_apps", any: ["readConfiguration"] },
  { path: "/admin/journeys", text: "shell.nav_journeys", any: ["readConfiguration"] },
  { path: "/admin/users", text: "shell.nav_users", any: ["readUsers"] },
  { path: "/admin/organizations", text: "shell.nav_organizations", any: ["readUsers"] },
  { path: "/admin/reviews", text: "shell.nav_reviews", any: ["reviewIdentities"] },
  { path: "/admin/audit", text: "shell.nav_audit", any: ["readAudit"] },
  { path: "/admin/settings", text: "shell.nav_settings", any: ["readConfiguration"] },
  { path: "/admin/administrators", text: "shell.nav_administrators", any: ["readAdministrators"] },
];

const main = h("main", { id: "main", tabindex: "-1" });
const navigation = h("nav", { class: "navigation", id: "navigation", "aria-label": t("shell.navigation") });
const account = h("div", { class: "header-account" });
const menu =
  h("button",
    { type: "button", class: "button button-secondary button-small menu-button", "aria-expanded": "false",
      "aria-controls": "navigation",
      onclick: () => open(menu.getAttribute("aria-expanded") !== "true") }, t("shell.menu"));

function open(isOpen) {
  menu.setAttribute("aria-expanded", String(isOpen));
  navigation.classList.toggle("navigation-open", isOpen);
}

/**
 * The choice of a language, in each language's own name. The page is loaded again with it, after asking about
 * unsaved changes.
 */
function languageChoice() {
  const choice =
    select(languages.map((one) => [one.tag, one.name]), current.tag, { class: "input language", onchange: async () => {
      if (!(await mayLeave())) { choice.value = current.tag; return; }
      keep(choice.value);
      location.reload();
    } });
  for (const option of choice.options) option.lang = option.value;
  return h("label", { class: "language-choice" }, h("span", null, t("shell.language")), choice);
}

/** Draws the shell and the page of the current address. */
export async function startShell() {
  document.documentElement.lang = current.tag;
  document.documentElement.dir = current.direction;
  document.body.append(
    h("a", { class: "skip-link", href: "#main",
      onclick: (event) => { event.preventDefault(); (main.querySelector("h1") ?? main).focus(); } }, t("shell.skip")),
    h("header", { class: "header" }, menu,
      h("a", { class: "header-name", href: "/admin" },
        h("img", { src: "/admin/assets/logo.svg", alt: "", width: "28", height: "28" }),
        h("span", null, t("shell.product"), " ", h("span", { class: "header-part" }, t("shell.portal")))), account),
    h("div", { class: "columns" }, navigation, main),
    h("footer", { class: "footer" }, languageChoice()));
  addRegions();
  for (const part of [menu, navigation]) {
    part.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.getAttribute("aria-expanded") === "true") { open(false); menu.focus(); }
    });
  }
  window.addEventListener("mien:signed-out", () => {
    if (!me) return;
    forgetMe();
    drawFrame();
    render();
  });
  start(main, before);
  await render();
}

/** Shows the page of the current address to the person who has just signed in. */
export async function signedIn() {
  await loadMe();
  drawFrame();
  const found = find(location.pathname);
  if (found?.open) await go("/admin", { replace: true }); else await render();
}

/** Signs out, and shows the sign-in page. */
export async function signOut() {
  if (!(await mayLeave())) return;
  await attempt(() => call("DELETE", "/v1/administrator/session"));
  forgetMe();
  drawFrame();
  await go("/admin");
}

/** Decides what is shown before a page: pages for strangers as they are, sign-in in place of all others. */
async function before(found, path) {
  open(false);
  if (found?.open) { drawFrame(path); return null; }
  try { if (!me) await loadMe(); } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    drawFrame(path);
    return find("/admin/sign-in") ?? { page: drawNoSignIn };
  }
  drawFrame(path);
  return null;
}

function drawNoSignIn(params, root) {
  replace(root, h("h1", null, t("shell.signed_out_title")), h("p", null, t("shell.signed_out_text")));
}

function drawFrame(path = location.pathname.replace(/\/$/, "")) {
  const shown = me ? places.filter((place) => find(place.path) && (place.always || place.any.some(may))) : [];
  navigation.hidden = !shown.length;
  menu.hidden = !shown.length;
  replace(navigation, h("ul", null, shown.map((place) => {
    const isHere = place.path === "/admin" ? path === "/admin" : path === place.path
      || path.startsWith(`${place.path}/`);
    return h("li", null, h("a", { href: place.path, "aria-current": isHere ? "page" : null },
      icon(place.text.slice("shell.nav_".length)), t(place.text)));
  })));
  replace(account, me && [
    h(find("/admin/account") ? "a" : "span", { class: "header-me", href: find("/admin/account")
      ? "/admin/account" : null, dir: "auto" }, me.name, h("span", { class: "tag" }, named("shell.role", me.role))),
    find("/admin/sign-in") && h("button",
      { type: "button", class: "button button-quiet button-small", onclick: signOut }, t("shell.sign_out")),
  ]);
}

// Addresses of the portal, and of the pages at /organization. The server answers every page with the same document.

import { replace, h, alertBox, errorText, confirmDialog } from "./dom.js";
import { t } from "./strings.js";
import { ApiError } from "./api.js";

/** The address under which all pages are. */
const base = document.documentElement.dataset.base ?? "/admin";
const routes = [];
let main = null, current = null, leaving = null, shown = "";

/**
 * Registers a page.
 *
 * @param {string} pattern Such as "/admin/users/:id". More exact patterns win over parameters.
 * @param {(params: Record<string, string>, root: HTMLElement, visit: {query: URLSearchParams, signal: AbortSignal})
 *   => Promise<void> | void} page Draws the page into `root`, with one h1. `signal` aborts when the person leaves.
 * @param {object} [options]
 * @param {boolean} [options.open] Whether the page is for people who are not signed in.
 */
export function route(pattern, page, { open = false } = {}) {
  const names = [], parts = pattern.split("/");
  const source = parts.map((part) => {
    if (!part.startsWith(":")) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    names.push(part.slice(1));
    return "([^/]+)";
  }).join("/");
  routes.push({ expression: new RegExp(`^${source}/?$`), names, page, open, pattern });
  routes.sort((a, b) => a.names.length - b.names.length);
}

/** The page of an address; null if there is none. */
export function find(path) {
  for (const one of routes) {
    const match = one.expression.exec(path);
    if (!match) continue;
    try {
      return { ...one,
        params: Object.fromEntries(one.names.map((name, index) => [name, decodeURIComponent(match[index + 1])])) };
    } catch { return null; }
  }
  return null;
}

/** Goes to a page of the portal. */
export async function go(path, { replace: replaces = false } = {}) {
  if (!(await mayLeave())) return;
  history[replaces ? "replaceState" : "pushState"](null, "", path);
  await render();
}

/** Changes the query of the address without drawing the page again, so that it can be bookmarked. */
export function setQuery(query) {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) all.set(name, value);
  shown = location.pathname + (all.size ? `?${all}` : "");
  history.replaceState(null, "", shown);
}

/**
 * Asks before the person leaves this page while `isUnsaved` returns true. It ends with the page.
 *
 * @param {() => boolean} isUnsaved
 */
export function guardUnsaved(isUnsaved) { leaving = isUnsaved; }

/** Asks about unsaved changes, if there are any. Returns whether the person leaves, who is then not asked again. */
export async function mayLeave() {
  if (!leaving?.()) return true;
  const leaves = await confirmDialog({ title: t("shell.unsaved_title"), text: t("shell.unsaved_text"),
    action: t("shell.unsaved_leave"), danger: true });
  if (leaves) leaving = null;
  return leaves;
}

/**
 * Draws pages into an element from now on. `before` runs before each page; it returns a page that is shown in
 * its place, or null.
 */
export function start(element, before) {
  main = element;
  current = { before, controller: new AbortController() };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey
        || event.shiftKey || event.altKey)
      return;
    if (link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname !== base && !link.pathname.startsWith(`${base}/`) || link.pathname.startsWith(`${base}/assets/`))
      return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
  addEventListener("popstate", async () => {
    const wanted = location.pathname + location.search;
    if (wanted === shown) return;
    if (await mayLeave()) await render(); else history.pushState(null, "", shown);
  });
  addEventListener("beforeunload", (event) => { if (leaving?.()) event.preventDefault(); });
}

/** Draws the page of the current address. */
export async function render() {
  leaving = null;
  shown = location.pathname + location.search;
  current.controller.abort();
  const controller = current.controller = new AbortController();
  const root = h("div", { class: "page" }), path = location.pathname.replace(/\/$/, "") || base;
  const found = find(path);
  const loading = h("p", { class: "loading", hidden: true },
    h("span", { class: "spinner", "aria-hidden": "true" }), t("shell.loading"));
  root.append(loading);
  replace(main, root);
  main.setAttribute("aria-busy", "true");
  setTimeout(() => { loading.hidden = false; }, 300);
  try {
    const other = await current.before(found, path);
    const page = other ?? found;
    if (page)
      await page.page(page.params ?? {}, root,
        { query: new URLSearchParams(location.search), signal: controller.signal });
    else replace(root, h("h1", null, t("shell.not_found_title")), h("p", null, t("shell.not_found_text")),
      h("p", null, h("a", { href: base }, t("shell.to_home"))));
  } catch (error) {
    if (controller.signal.aborted) return;
    if (!(error instanceof ApiError)) console.error(error);
    // Signing out has its own page.
    if (error instanceof ApiError && error.status === 401) return;
    const title = error instanceof ApiError && error.status === 404 ? "shell.not_found_title"
      : error instanceof ApiError && error.status === 403 ? "shell.not_permitted_title" : "shell.error_title";
    replace(root, h("h1", null, t(title)), alertBox("error", errorText(error)),
      h("p", null, h("button", { type: "button", class: "button button-secondary", onclick: () => render() },
        t("shell.try_again"))));
  } finally {
    loading.remove();
    if (!controller.signal.aborted) main.removeAttribute("aria-busy");
  }
  if (controller.signal.aborted) return;
  const heading = root.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  document.title = `${heading.textContent.trim()} – ${t(document.documentElement.dataset.product ?? "shell.product")}`;
  // A page may have put the focus into its first field.
  if (!root.contains(document.activeElement)) heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

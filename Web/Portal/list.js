// Tables that come page by page.

import { h, replace, announce, alertBox, errorText, field, textInput, uniqueID } from "./dom.js";
import { t } from "./strings.js";

/**
 * A table of items that the server lists by cursor, with a search box if `search` is given.
 *
 * @param {object} options
 * @param {(cursor: string | undefined, asked: {search: string, signal: AbortSignal}) => Promise<{items: any[],
 *   next?: string | null}>} options.load
 * @param {{title: string, value: (item: any) => Node | string | number | null, kind?: "number" | "actions" |
 *   "mono"}[]} options.columns The first names the row; with `rowLink`, it links to it.
 * @param {string | Node} options.empty What to show without items.
 * @param {(item: any) => string} [options.rowLink] The address of an item's page.
 * @param {{label: string, help?: string, value?: string, placeholder?: string, changed?: (text: string) => void}}
 *   [options.search]
 * @param {Node[]} [options.filters] Inputs beside the search box; call `reload()` when they change.
 * @param {string} [options.caption] The name of the table; otherwise the page's h1 is enough.
 * @param {AbortSignal} [options.signal] Ends requests when the person leaves the page.
 * @returns {HTMLElement & {reload: () => Promise<void>}}
 */
export function pagedList({ load, columns, empty, rowLink, search, filters = [], caption, signal }) {
  /** Cursors of the pages before this one, and of this one. */
  let trail = [undefined], next = null, request = null, text = search?.value ?? "";
  const body = h("tbody"), name = uniqueID("list");
  const message = h("div", { class: "list-message" });
  const table = h("table", { class: "table" },
    caption && h("caption", { id: name, class: "visually-hidden" }, caption),
    h("thead", null, h("tr", null,
      columns.map((column) => h("th", { scope: "col", class: column.kind ? `cell-${column.kind}` : null },
        column.kind === "actions" ? h("span", { class: "visually-hidden" }, column.title) : column.title)))), body);
  const area =
    h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": caption ?? t("shell.list") }, table);
  const where = h("span", { class: "muted" });
  const back = h("button",
    { type: "button", class: "button button-secondary button-small", onclick: () => turn(-1) }, t("shell.previous"));
  const forth = h("button",
    { type: "button", class: "button button-secondary button-small", onclick: () => turn(1) }, t("shell.next"));
  const pager = h("nav", { class: "pager", "aria-label": t("shell.pages") }, back, where, forth);

  async function turn(by) {
    if (by > 0 && next) trail.push(next);
    else if (by < 0 && trail.length > 1) trail.pop();
    else return;
    await show();
    area.focus();
  }

  async function show() {
    request?.abort();
    const mine = request = new AbortController();
    area.setAttribute("aria-busy", "true");
    try {
      const asked = signal ? AbortSignal.any([signal, mine.signal]) : mine.signal;
      const page = await load(trail.at(-1), { search: text, signal: asked });
      if (mine.signal.aborted) return;
      next = page.next ?? null;
      draw(page.items);
    } catch (error) {
      if (mine.signal.aborted || signal?.aborted) return;
      area.hidden = true;
      pager.hidden = true;
      replace(message, alertBox("error", errorText(error)), h("p", null,
        h("button", { type: "button", class: "button button-secondary", onclick: show }, t("shell.try_again"))));
    } finally {
      if (request === mine) area.removeAttribute("aria-busy");
    }
  }

  function draw(items) {
    replace(body, items.map((item) => h("tr", null, columns.map((column, index) => {
      const value = column.value(item), link = index === 0 && rowLink?.(item);
      const content = link ? h("a", { href: link, dir: "auto" }, value) : value;
      return index === 0
        ? h("th", { scope: "row", dir: "auto" }, content)
        : h("td", { dir: "auto", class: column.kind ? `cell-${column.kind}` : null }, content);
    }))));
    const isEmpty = !items.length, page = trail.length;
    area.hidden = isEmpty;
    replace(message, isEmpty ? h("p", { class: "empty" }, text ? t("shell.none_found", { text }) : empty) : null);
    pager.hidden = page === 1 && !next;
    back.disabled = page === 1;
    forth.disabled = !next;
    where.textContent = t("shell.page", { page: page });
    announce(isEmpty ? t("shell.none_found_short") : t("shell.items", { count: items.length, page }));
  }

  const element = h("div", { class: "paged-list" });
  if (search || filters.length) {
    const input = search && textInput({ type: "search", value: text, placeholder: search.placeholder, name: "q" });
    const form = h("form", { class: "list-search", role: "search", onsubmit: (event) => {
      event.preventDefault();
      text = input?.value.trim() ?? "";
      search?.changed?.(text);
      element.reload();
    } }, search && field({ label: search.label, help: search.help, input }), filters,
    h("button", { class: "button button-secondary" }, t("shell.search")));
    element.append(form);
  }
  element.append(message, area, pager);
  element.reload = async () => {
    trail = [undefined];
    await show();
  };
  pager.hidden = true;
  replace(message, h("p", { class: "muted" }, t("shell.loading")));
  area.hidden = true;
  element.reload();
  return element;
}

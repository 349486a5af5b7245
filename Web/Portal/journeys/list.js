// The steps as a tree: the keyboard's twin of the picture. A step has its outcomes below it.

import { h } from "../dom.js";
import { formatList, isRightToLeft, t } from "../strings.js";
import { settingTitle } from "./settings.js";

export class StepTree {
  #rows = [];
  #items = new Map();
  #open = new Set();
  #current = null;
  #typed = "";
  #typedAt = 0;

  /**
   * @param {object} actions
   * @param {(step: string, outcome: string | null) => void} actions.select
   * @param {(step: string) => void} actions.edit Opens a step's form.
   * @param {(step: string, outcome: string) => void} actions.choose Asks for the step that follows an outcome.
   * @param {(step: string, outcome: string | null) => void} actions.remove
   */
  constructor(actions) {
    this.actions = actions;
    this.element = h("ul", { class: "journey-tree", role: "tree", "aria-label": t("journeys.steps"),
      onkeydown: (event) => this.#key(event) });
    this.element.addEventListener("focusout", () => { this.#typed = ""; });
  }

  /**
   * @param {ReturnType<import("./graph.js").graphOf>} graph
   * @param {string[]} order The steps in the order of the picture.
   * @param {{problems: Map<string, "error" | "warning">}} marks
   */
  draw(graph, order, marks) {
    const hadFocus = this.element.contains(document.activeElement), before = this.#current;
    const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    this.#rows = order.flatMap((id, index) => {
      const node = nodes.get(id), isOpen = this.#open.has(id) && node.ways.length > 0;
      return [{ step: id, outcome: null, node, isOpen, place: index + 1, count: order.length },
        ...(isOpen ? node.ways.map(
          (way, at) => ({ step: id, outcome: way.id, node, way, place: at + 1, count: node.ways.length })) : [])];
    });
    if (!this.#rows.some((row) => this.#is(row, before)))
      this.#current = this.#rows.find((row) => row.step === before?.step) ?? this.#rows[0] ?? null;
    // A row that says the same as before stays as it is.
    const known = this.#items, items = new Map();
    for (const row of this.#rows) {
      const key = `${row.step} ${row.outcome ?? ""}`,
        problem = row.outcome === null ? marks.problems.get(row.step) : null;
      const text =
        JSON.stringify([row.outcome === null ? [row.node.label, row.node.type, row.node.isStart, row.isOpen,
          row.node.ways.length > 0, problem] : row.way, row.place, row.count]);
      const before = known.get(key),
        item = before?.text === text ? before : { text, element: this.#item(row, problem) };
      row.element = item.element;
      items.set(key, item);
    }
    for (const [key, item] of known) if (items.get(key) !== item) item.element.remove();
    this.#items = items;
    let next = this.element.firstElementChild;
    for (const { element } of this.#rows) {
      if (element === next) next = next.nextElementSibling; else this.element.insertBefore(element, next);
    }
    this.#markCurrent();
    if (hadFocus && !this.element.contains(document.activeElement)) this.focus();
  }

  #is(row, other) { return other && row.step === other.step && row.outcome === (other.outcome ?? null); }

  #item(row, problem) {
    return h("li", {
      role: "treeitem", tabindex: "-1", "aria-level": row.outcome === null ? 1 : 2,
      "aria-setsize": row.count, "aria-posinset": row.place,
      "aria-expanded": row.outcome === null && row.node.ways.length ? String(row.isOpen) : null,
      "aria-selected": "false",
      class: `journey-row${row.outcome === null ? "" : " journey-row-outcome"}`,
      onclick: () => { this.show(row.step, row.outcome); this.actions.select(row.step, row.outcome); },
      ondblclick: () => row.outcome === null
        ? this.actions.edit(row.step) : this.actions.choose(row.step, row.outcome),
    }, row.outcome === null ? this.#stepText(row, problem) : this.#wayText(row.way));
  }

  #stepText({ node }, problem) {
    return [h("span", { class: "journey-row-name", dir: "auto" }, node.label),
      h("span", { class: "muted small" }, ` ${settingTitle(node.type)}`),
      node.isStart ? h("span", { class: "tag" }, t("journeys.start")) : null,
      problem ? h("span", { class: `tag tag-${problem === "error" ? "bad" : "wait"}` },
        t(`journeys.has_${problem}`)) : null];
  }

  #wayText(way) {
    const to = way.to ? t("journeys.way_to", { step: way.to }) : way.returns.length
      ? t("journeys.way_returns", { step: formatList(way.returns) })
      : way.missing ? t("journeys.way_missing", { step: way.missing })
        : t(way.required ? "journeys.way_open" : "journeys.way_ends");
    return [h("span", { class: "journey-row-name" }, way.id), h("span", { class: "muted small" }, ` ${to}`)];
  }

  /** Makes a step or an outcome the current one. */
  show(step, outcome = null) {
    this.#current = step === null ? this.#rows[0] ?? null : { step, outcome };
    if (outcome !== null) this.#open.add(step);
    this.#markCurrent();
  }

  #markCurrent() {
    for (const row of this.#rows) {
      const isCurrent = String(Boolean(this.#is(row, this.#current)));
      if (row.element.getAttribute("aria-selected") === isCurrent) continue;
      row.element.setAttribute("tabindex", isCurrent === "true" ? "0" : "-1");
      row.element.setAttribute("aria-selected", isCurrent);
    }
  }

  open(step) { this.#open.add(step); }

  /** A step has another name. */
  renamed(from, to) {
    if (this.#open.delete(from)) this.#open.add(to);
    if (this.#current?.step === from) this.#current = { step: to, outcome: this.#current.outcome };
  }

  focus() { this.#rows.find((row) => this.#is(row, this.#current))?.element.focus(); }

  #move(row) {
    if (!row) return;
    this.show(row.step, row.outcome);
    row.element.focus();
    row.element.scrollIntoView({ block: "nearest" });
    this.actions.select(row.step, row.outcome);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#rows.findIndex((row) => this.#is(row, this.#current)), row = this.#rows[at];
    if (!row) return;
    const isStep = row.outcome === null;
    // The arrow into a row's outcomes points where the text goes.
    const key = isRightToLeft ? { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[event.key]
      ?? event.key : event.key;
    switch (key) {
      case "ArrowDown": this.#move(this.#rows[at + 1]); break;
      case "ArrowUp": this.#move(this.#rows[at - 1]); break;
      case "Home": this.#move(this.#rows[0]); break;
      case "End": this.#move(this.#rows.at(-1)); break;
      case "ArrowRight":
        if (isStep && row.node.ways.length && !row.isOpen) {
          this.#open.add(row.step);
          this.actions.select(row.step, null);
        } else if (isStep && row.isOpen) this.#move(this.#rows[at + 1]);
        break;
      case "ArrowLeft":
        if (isStep && row.isOpen) {
          this.#open.delete(row.step);
          this.actions.select(row.step, null);
        } else if (!isStep) this.#move(this.#rows.find((other) => other.step === row.step));
        break;
      case "Enter": case " ":
        if (isStep) this.actions.edit(row.step); else this.actions.choose(row.step, row.outcome);
        break;
      case "Delete": case "Backspace": this.actions.remove(row.step, row.outcome); break;
      default:
        if (event.key.length !== 1) return;
        this.#find(event.key, at, event.timeStamp);
    }
    event.preventDefault();
  }

  /** Goes to the next step that begins with what is typed. */
  #find(letter, at, time) {
    this.#typed = time - this.#typedAt > 800 ? letter : this.#typed + letter;
    this.#typedAt = time;
    const typed = this.#typed.toLowerCase(), from = this.#typed.length > 1 ? at : at + 1;
    const turned = [...this.#rows.slice(from), ...this.#rows.slice(0, from)];
    this.#move(turned.find((row) => (row.outcome ?? row.node.label).toLowerCase().startsWith(typed)));
  }
}

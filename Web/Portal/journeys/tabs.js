// Panels of which one is shown, after the tabs pattern of the ARIA Authoring Practices.

import { h, uniqueID } from "../dom.js";
import { isRightToLeft } from "../strings.js";

export class Tabs {
  /**
   * @param {string} label
   * @param {[string, string, HTMLElement][]} panels Keys, titles, and contents.
   * @param {(key: string) => void} shown
   */
  constructor(label, panels, shown) {
    this.shown = shown;
    this.tabs = new Map(panels.map(([key, title, content]) => {
      const id = uniqueID("tab"), count = h("span", { class: "journey-count" });
      const tab = h("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel`, class: "journey-tab",
        onclick: () => this.show(key) }, title, " ", count);
      return [key,
        { tab, count, panel: h("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id }, content) }];
    }));
    const list = h("div", { class: "journey-tab-list", role: "tablist", "aria-label": label,
      onkeydown: (event) => this.#key(event) }, [...this.tabs.values()].map(({ tab }) => tab));
    this.element = h("div", null, list, [...this.tabs.values()].map(({ panel }) => panel));
    this.show(panels[0][0]);
  }

  show(key) {
    this.current = key;
    for (const [other, { tab, panel }] of this.tabs) {
      tab.setAttribute("aria-selected", String(other === key));
      tab.tabIndex = other === key ? 0 : -1;
      panel.hidden = other !== key;
    }
    this.shown(key);
  }

  /** Adds a number to a tab's title. */
  note(key, text) { this.tabs.get(key).count.textContent = text; }

  #key(event) {
    const keys = [...this.tabs.keys()], at = keys.indexOf(this.current),
      by = { ArrowRight: 1, ArrowLeft: -1 }[event.key] * (isRightToLeft ? -1 : 1);
    const next = by ? keys[(at + by + keys.length) % keys.length] : { Home: keys[0], End: keys.at(-1) }[event.key];
    if (!next) return;
    event.preventDefault();
    this.show(next);
    this.tabs.get(next).tab.focus();
  }
}

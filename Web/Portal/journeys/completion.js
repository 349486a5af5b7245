// A text input with proposals below it, after the combobox pattern of the ARIA Authoring Practices.

import { h, uniqueID } from "../dom.js";
import { t } from "../strings.js";
import { complete, insert } from "./expression.js";

/**
 * @param {object} options
 * @param {string} options.value
 * @param {() => object[]} options.variables Those in scope now.
 * @param {boolean} [options.isTemplate]
 * @param {boolean} [options.mayReadSecrets]
 * @param {boolean} [options.isLong] Whether the text may have several lines.
 * @param {(text: string) => void} options.change Called for each letter.
 * @returns {HTMLElement} An element that contains the input.
 */
export function expressionInput(
  { value, variables, isTemplate = false, mayReadSecrets = false, isLong = false, change, label }) {
    const id = uniqueID("proposals");
    const input = h(isLong ? "textarea" : "input", {
      class: "input journey-code", value, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "ltr",
      rows: isLong ? 3 : null,
      "aria-autocomplete": "list", "aria-controls": id, "aria-haspopup": "listbox",
      // A text of several lines cannot be a combobox.
      ...(isLong ? {} : { role: "combobox", "aria-expanded": "false" }),
    });
    const list = h("ul", { class: "journey-proposals", id, role: "listbox",
      "aria-label": label ?? t("journeys.proposals"), hidden: true });
    let found = { items: [] }, chosen = -1;
    const close = () => {
      list.hidden = true;
      chosen = -1;
      if (!isLong) input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const mark = (index) => {
      chosen = index;
      [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === index)));
      const item = list.children[index];
      if (item) {
        input.setAttribute("aria-activedescendant", item.id);
        item.scrollIntoView({ block: "nearest" });
      } else input.removeAttribute("aria-activedescendant");
    };
    const propose = () => {
      found = input.selectionStart === input.selectionEnd
        ? complete(input.value, input.selectionStart, variables(), { isTemplate, mayReadSecrets }) : { items: [] };
      if (!found.items.length) { close(); return; }
      list.replaceChildren(...found.items.map((item, index) => h("li", {
        role: "option", id: `${id}-${index}`, "aria-selected": "false",
        // Before the input loses the focus.
        onpointerdown: (event) => { event.preventDefault(); take(index); },
      }, h("span", { class: "journey-proposal" }, item.text),
      h("span", { class: "muted small" },
        " ", item.kind === "function" ? item.detail
          : t(item.always ? `journeys.kind_${item.kind}` : "journeys.kind_sometimes")))));
      list.hidden = false;
      if (!isLong) input.setAttribute("aria-expanded", "true");
      mark(-1);
    };
    const take = (index) => {
      const next = insert(input.value, found, found.items[index]);
      input.value = next.text;
      input.setSelectionRange(next.caret, next.caret);
      change(input.value);
      close();
    };
    input.addEventListener("input", () => { change(input.value); propose(); });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === " " && event.ctrlKey) { event.preventDefault(); propose(); return; }
      if (list.hidden) {
        if (event.key === "ArrowDown" && !isLong) { event.preventDefault(); propose(); if (!list.hidden) mark(0); }
        return;
      }
      const count = found.items.length;
      if (event.key === "ArrowDown") mark((chosen + 1) % count);
      else if (event.key === "ArrowUp") mark((chosen + count - (chosen < 0 ? 0 : 1)) % count);
      else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(chosen);
      else if (event.key === "Escape") { close(); event.stopPropagation(); } else return;
      event.preventDefault();
    });
    return h("div", { class: "journey-combobox" }, input, list);
}

// Dialogs that ask for a step.

import { field, h, select, textInput, uniqueID } from "../dom.js";
import { t } from "../strings.js";
import { freeName, isName, step, stepNames } from "./document.js";
import { settingTitle } from "./settings.js";

const roles = ["client", "server", "flow", "end"];

/**
 * Asks for the type and the name of a new step, or for a step that exists.
 *
 * @param {object} options
 * @param {unknown} options.definition
 * @param {Map<string, object>} options.types
 * @param {{step: string, outcome: string} | null} [options.after] The outcome that the step will follow. Then steps
 *   that exist can be chosen, too.
 * @returns {Promise<{name: string, type: string | null} | null>} null if nothing was chosen; `type` null for a step
 *   that exists.
 */
export function askStep({ definition, types, after = null }) {
  return new Promise((resolve) => {
    const heading = uniqueID("dialog"), opener = document.activeElement;
    const kinds =
      h("select", { class: "input" }, roles.map((role) => h("optgroup", { label: t(`journeys.role_${role}`) },
        [...types.values()].filter((type) => type.role === role)
          .map((type) => h("option", { value: type.type }, settingTitle(type.type))))));
    const name = textInput({ dir: "ltr", maxlength: 64, required: true });
    let isOwn = false;
    const suggest = () => { if (!isOwn) name.value = freeName(definition, kinds.value); };
    kinds.addEventListener("change", suggest);
    name.addEventListener("input", () => { isOwn = true; named.setError(""); });
    suggest();
    const named = field({ label: t("journeys.name"), help: t("journeys.name_help"), input: name });
    const made = h("div", { class: "form" }, field({ label: t("journeys.type"), input: kinds }), named);
    const existing = after && select([["", t("journeys.new_step")], ...stepNames(definition).map((one) => [one, one])],
      "", { onchange: () => { made.hidden = existing.value !== ""; name.required = existing.value === ""; } });
    const done = h("button", { type: "submit", value: "done", class: "button button-primary" },
      t(after ? "journeys.connect" : "journeys.add_step"));
    const cancel = h("button",
      { type: "button", class: "button button-secondary", onclick: () => dialog.close("") }, t("shell.cancel"));
    // Enter in a menu answers, as it does in a text.
    const enter = (event) => {
      if (event.key === "Enter" && event.target.matches("select")) {
        event.preventDefault();
        form.requestSubmit(done);
      }
    };
    const form = h("form", { method: "dialog", class: "form", onkeydown: enter, onsubmit: (event) => {
      if (existing?.value) return;
      const wanted = name.value.trim();
      const problem = !isName(wanted) ? t("journeys.name_rule") : step(definition, wanted) !== undefined
        ? t("journeys.name_taken", { name: wanted }) : "";
      named.setError(problem);
      if (problem) { event.preventDefault(); name.focus(); }
    } }, h("h2", { id: heading }, after ? t("journeys.connect_title", after) : t("journeys.add_title")),
    existing && field({ label: t("journeys.next_step"), input: existing }), made,
    h("div", { class: "actions" }, done, cancel));
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": heading }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      opener?.focus?.();
      if (dialog.returnValue !== "done") { resolve(null); return; }
      resolve(existing?.value ? { name: existing.value, type: null } : { name: name.value.trim(), type: kinds.value });
    });
    document.body.append(dialog);
    dialog.showModal();
    (existing ?? kinds).focus();
  });
}

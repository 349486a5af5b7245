// Client code for the selected step, as `mien journey codegen` writes it.

import { call } from "../api.js";
import { codeBlock, errorText, faultText, h, replace } from "../dom.js";
import { t } from "../strings.js";

export class CodePanel {
  #shown = null;

  /** @param {object} editing The editor. */
  constructor(editing) {
    this.editing = editing;
    this.body = h("div", { class: "stack" });
    this.element = h("section", { class: "card", "aria-label": t("journeys.tab_code") },
      h("h2", { tabindex: "-1" }, t("journeys.tab_code")), this.body);
  }

  /** Asks the server for a step's code, unless it is shown already. */
  async show(step) {
    const { definition } = this.editing;
    if (this.#shown?.definition === definition && this.#shown.step === step) return;
    const asked = this.#shown = { definition, step };
    if (step === null || !this.editing.wireName(step)) {
      replace(this.body,
        h("p", { class: "muted" }, t(step === null ? "journeys.no_step" : "journeys.no_code", { name: step })));
      return;
    }
    try {
      const code = await call("POST", "/v1/journeys/code", { body: { definition, step } });
      if (this.#shown !== asked) return;
      replace(this.body, h("p", { class: "muted" }, t("journeys.code_help", { name: step })),
        codeBlock(code.swift, "Swift"), codeBlock(code.typescript, "TypeScript"));
    } catch (error) {
      if (this.#shown !== asked) return;
      this.#shown = null;
      const faults = (error.problem?.errors ?? []).map((one) => faultText(one.message, one.field && `${one.field}:`));
      replace(this.body, h("p", { class: "alert alert-error" }, `${errorText(error)} ${faults.join(" ")}`));
    }
  }
}

// Tries the saved version on the server, with test accounts. Effects are real: passwords are compared, mails
// sent, webhooks called.

import { at, call, listAll } from "../api.js";
import { actionButton, alertBox, errorText, field, h, replace, select, textInput } from "../dom.js";
import { t } from "../strings.js";
import { jsonArea, optionSelect, promptCard, readJSON, runEnd, runProblem, runVariables, schemaFields, showWay,
  turnLine } from "./run-parts.js";

export class TrialPanel {
  #run = null;
  #apps = null;

  /**
   * @param {object} editing The editor.
   * @param {() => {id: string, version: number, isSaved: boolean}} saved The version on the server, and whether the
   *   editor shows it.
   */
  constructor(editing, saved) {
    this.editing = editing;
    this.saved = saved;
    this.app = select([], "", {});
    this.user = textInput({ dir: "auto", maxlength: 254 });
    this.parameters = jsonArea("");
    this.parametersField =
      field({ label: t("journeys.start_parameters"), help: t("journeys.as_json"), input: this.parameters });
    this.message = h("div", { role: "status" });
    this.result = h("div", { class: "stack", role: "group", "aria-label": t("journeys.trial_run") });
    this.element = h("section", { class: "card", "aria-label": t("journeys.tab_trial") },
      h("h2", { tabindex: "-1" }, t("journeys.tab_trial")), h("p", { class: "muted" }, t("journeys.trial_help")),
      h("div", { class: "form" },
        field({ label: t("journeys.trial_app"), help: t("journeys.trial_app_help"), input: this.app }),
        field({ label: t("journeys.signed_in"), help: t("journeys.trial_user_help"), input: this.user }),
        this.parametersField),
      h("div", { class: "actions" }, actionButton(t("journeys.start_run"), () => this.#begin(), { kind: "primary" })),
      this.message, this.result);
  }

  /** Fills what the panel needs when it is shown first. */
  async show() {
    this.#apps ??= listAll("/v1/apps").catch((error) => { this.#apps = null; throw error; });
    try {
      const apps = await this.#apps;
      if (!this.app.options.length) replace(this.app, apps.map((app) => h("option", { value: app.id }, app.name)));
    } catch (error) { replace(this.message, alertBox("error", errorText(error))); }
  }

  async #begin() {
    const { id, version, isSaved } = this.saved();
    replace(this.message, isSaved ? null : alertBox("warning", t("journeys.trial_unsaved")));
    try {
      const user = await this.#userID();
      this.#show(await call("POST", at`/v1/journeys/${id}/versions/${version}/trial`,
        { body: { app_id: this.app.value, user, parameters: readJSON(this.parameters, this.parametersField) } }));
    } catch (error) {
      this.editing.showRun(new Set(), null);
      replace(this.result, runProblem(error));
    }
  }

  /** The ID of the user who is typed by any name. */
  async #userID() {
    const name = this.user.value.trim();
    if (!name) return undefined;
    const found = await call("GET", "/v1/users", { query: { identifier: name } });
    return found.items[0]?.id ?? name;
  }

  #show(run) {
    this.#run = run;
    showWay(run, this.editing);
    replace(this.result, h("h3", null, t("journeys.trace")),
      h("ol", { class: "journey-trace" }, run.turns.map((turn) => turnLine(turn, turn.option ?? null, this.editing))),
      run.prompt ? this.#prompt(run.prompt) : runEnd(run), runVariables(run));
    this.result.querySelector(".journey-prompt h3")?.focus();
  }

  #prompt(prompt) {
    const form = h("div", { class: "form" }), message = h("div", { role: "alert" }),
      option = optionSelect(prompt, () => draw());
    let answer = () => ({});
    const draw = () => {
      const chosen = prompt.options.find((one) => one.id === option.value),
        { fields, read } = schemaFields(chosen?.schema);
      const json = chosen?.type === "client_input" && !fields.length ? jsonArea("") : null,
        made = json && field({ label: t("journeys.data"), help: t("journeys.as_json"), input: json });
      replace(form, fields, made, message);
      answer = () => {
        const data = json ? readJSON(json, made) : read();
        return { state: this.#run.state, option: option.value,
          ...(data === undefined || (!json && !fields.length) ? {} : { data }) };
      };
    };
    draw();
    return promptCard(prompt, option, form, async () => {
      replace(message);
      try {
        this.#show(await call("POST", "/v1/journeys/trial/answer", { body: answer() }));
      } catch (error) { replace(message, runProblem(error)); }
    });
  }
}

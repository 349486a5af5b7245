// Runs the journey in the server's simulator, answer by answer. Nothing is stored, sent, or compared.

import { call } from "../api.js";
import { actionButton, field, h, replace, select, textInput } from "../dom.js";
import { t } from "../strings.js";
import { jsonArea, optionSelect, promptCard, readJSON, runEnd, runProblem, runVariables, schemaFields, showWay,
  turnLine } from "./run-parts.js";
import { at, isObject, member } from "./value.js";

/** A world with somebody in it, to begin with. */
const world = {
  users: [{ id: "usr_ada", username: "ada", email: "ada@example.org", password: "correct horse battery",
    faces: ["ada"], token: true, recovery_codes: ["AAAA-BBBB"] }],
  selfies: { ada: "ada", "another person": "bob", "a photo": { shows: "ada", live: false } },
  verifications: { passes: { recommendation: "allow", selfie: "ada" }, fails: { recommendation: "deny" } },
};

export class SimulationPanel {
  #answers = [];
  #definition = null;

  /** @param {object} editing The editor. */
  constructor(editing) {
    this.editing = editing;
    this.world = h("textarea", { class: "input journey-code", rows: 8, spellcheck: "false", dir: "ltr",
      value: JSON.stringify(world, null, 2) });
    this.user = textInput({ dir: "auto", maxlength: 254 });
    this.parameters = jsonArea("");
    this.worldField = field({ label: t("journeys.world"), help: t("journeys.world_help"), input: this.world });
    this.parametersField =
      field({ label: t("journeys.start_parameters"), help: t("journeys.as_json"), input: this.parameters });
    this.result = h("div", { class: "stack", role: "group", "aria-label": t("journeys.run") });
    this.element = h("section", { class: "card", "aria-label": t("journeys.tab_simulation") },
      h("h2", { tabindex: "-1" }, t("journeys.tab_simulation")),
      h("p", { class: "muted" }, t("journeys.simulation_help")),
      h("details", { class: "stack" }, h("summary", null, t("journeys.surroundings")),
        h("div", { class: "form" }, this.worldField,
          field({ label: t("journeys.signed_in"), help: t("journeys.signed_in_help"), input: this.user }),
          this.parametersField)),
      h("div", { class: "actions" }, actionButton(t("journeys.start_run"), () => this.#begin(), { kind: "primary" })),
      this.result);
  }

  #begin() {
    this.#answers = [];
    this.#definition = this.editing.definition;
    return this.#play();
  }

  async #play() {
    const body = {
      definition: this.#definition, world: readJSON(this.world, this.worldField),
      user: this.user.value.trim() || undefined,
      parameters: readJSON(this.parameters, this.parametersField), answers: this.#answers.map(({ answer }) => answer),
    };
    let run;
    try { run = await call("POST", "/v1/journeys/simulate", { body }); } catch (error) {
      this.editing.showRun(new Set(), null);
      replace(this.result, runProblem(error));
      this.#answers.pop();
      return;
    }
    this.#show(run);
  }

  #show(run) {
    showWay(run, this.editing);
    replace(this.result,
      this.#definition === this.editing.definition ? null : h("p", { class: "alert" }, t("journeys.run_outdated")),
      h("h3", null, t("journeys.trace")),
      h("ol", { class: "journey-trace" },
        run.turns.map((turn, index) =>
          turnLine(turn, index ? this.#answers[index - 1]?.answer.option ?? "" : null, this.editing))),
      run.prompt ? this.#prompt(run.prompt) : runEnd(run), runVariables(run),
      this.#answers.length ? h("div", null,
        actionButton(t("journeys.take_back"), () => { this.#answers.pop(); return this.#play(); })) : null);
    this.result.querySelector(".journey-prompt h3")?.focus();
  }

  /** The form of what the journey asks, with an answer for each option. */
  #prompt(prompt) {
    const form = h("div", { class: "form" }), option = optionSelect(prompt, () => draw());
    let answer = () => ({});
    const draw = () => {
      const chosen = prompt.options.find((one) => one.id === option.value),
        { fields, read } = schemaFields(chosen?.schema);
      // Answers of devices and other systems are those of the world.
      const parts = at(JSON.parse(this.world.value || "{}"), []), extra = [];
      for (const [name, all] of [["selfie", "selfies"], ["verification", "verifications"], ["key", "keys"]]) {
        const names = Object.keys(isObject(member(parts, all)) ? parts[all] : {});
        const fitsStep = { selfie: /selfie/i, verification: /identityVerification/i,
          key: /biometric/i }[name].test(prompt.journey_step_id);
        if (!names.length || !fitsStep) continue;
        const input = select([["", t("journeys.nothing")], ...names.map((one) => [one, one])],
          chosen?.type === "client_input" ? names[0] : "");
        extra.push([name, input, field({ label: t(`journeys.with_${name}`), input })]);
      }
      const isFree = chosen?.type === "client_input" && !fields.length;
      const session = prompt.data?.payload?.session,
        free = session ? { payload: { sessionId: session, state: prompt.data.payload.state } } : undefined;
      const json = isFree ? jsonArea(free ? JSON.stringify(free) : "") : null;
      const wait = h("input", { class: "input", type: "number", min: 0, max: 1000000, value: "" });
      replace(form, fields, json && field({ label: t("journeys.data"), help: t("journeys.as_json"), input: json }),
        extra.map(([, , made]) => made), field({ label: t("journeys.after_seconds"), input: wait }));
      answer = () => {
        const data = read(), given = { option: option.value };
        if (json?.value.trim())
          given.data = JSON.parse(json.value);
        else if (Object.keys(data).length) given.data = data;
        for (const [name, input] of extra) if (input.value) given[name] = input.value;
        if (wait.value) given.after_seconds = Number(wait.value);
        return given;
      };
    };
    draw();
    const send = () => { this.#answers.push({ answer: answer() }); return this.#play(); };
    return promptCard(prompt, option, form, send);
  }
}

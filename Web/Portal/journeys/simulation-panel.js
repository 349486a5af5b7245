// Runs the journey in the server's simulator, answer by answer. Nothing is stored, sent, or compared.

import { call } from "../api.js";
import { actionButton, field, h, replace, select, textInput } from "../dom.js";
import { arrow, t } from "../strings.js";
import { at, isObject, member } from "./value.js";

/** A world with somebody in it, to begin with. */
const world = {
  users: [{ id: "usr_ada", username: "ada", email: "ada@example.org", password: "correct horse battery", faces: ["ada"], token: true, recovery_codes: ["AAAA-BBBB"] }],
  selfies: { ada: "ada", "another person": "bob", "a photo": { shows: "ada", live: false } },
  verifications: { passes: { recommendation: "allow", selfie: "ada" }, fails: { recommendation: "deny" } },
};

export class SimulationPanel {
  #answers = [];
  #definition = null;

  /** @param {object} editing The editor. */
  constructor(editing) {
    this.editing = editing;
    this.world = h("textarea", { class: "input journey-code", rows: 8, spellcheck: "false", dir: "ltr", value: JSON.stringify(world, null, 2) });
    this.user = textInput({ dir: "auto", maxlength: 254 });
    this.parameters = h("textarea", { class: "input journey-code", rows: 2, spellcheck: "false", dir: "ltr", value: "" });
    this.worldField = field({ label: t("journeys.world"), help: t("journeys.world_help"), input: this.world });
    this.parametersField = field({ label: t("journeys.start_parameters"), help: t("journeys.as_json"), input: this.parameters });
    this.result = h("div", { class: "stack", role: "group", "aria-label": t("journeys.run") });
    this.element = h("section", { class: "card", "aria-label": t("journeys.tab_simulation") },
      h("h2", { tabindex: "-1" }, t("journeys.tab_simulation")), h("p", { class: "muted" }, t("journeys.simulation_help")),
      h("details", { class: "stack" }, h("summary", null, t("journeys.surroundings")), h("div", { class: "form" }, this.worldField, field({ label: t("journeys.signed_in"), help: t("journeys.signed_in_help"), input: this.user }), this.parametersField)),
      h("div", { class: "actions" }, actionButton(t("journeys.start_run"), () => this.#begin(), { kind: "primary" })), this.result);
  }

  #begin() {
    this.#answers = [];
    this.#definition = this.editing.definition;
    return this.#play();
  }

  /** Reads an input that holds JSON; shows what is wrong. */
  #read(input, made) {
    if (!input.value.trim()) { made.setError(""); return undefined; }
    try {
      const value = JSON.parse(input.value);
      made.setError("");
      return value;
    } catch (error) {
      made.setError(t("journeys.no_json", { reason: error.message }));
      this.element.querySelector("details").open = true;
      input.focus();
      throw new Error(t("journeys.no_json", { reason: error.message }));
    }
  }

  async #play() {
    const body = {
      definition: this.#definition, world: this.#read(this.world, this.worldField), user: this.user.value.trim() || undefined,
      parameters: this.#read(this.parameters, this.parametersField), answers: this.#answers.map(({ answer }) => answer),
    };
    let run;
    try { run = await call("POST", "/v1/journeys/simulate", { body }); } catch (error) {
      this.editing.showRun(new Set(), null);
      replace(this.result, h("div", { class: "alert alert-error", role: "alert" }, h("p", null, error.detail ?? error.message), (error.problem?.errors ?? []).map((one) => h("p", null, `${one.field}: ${one.message}`))));
      this.#answers.pop();
      return;
    }
    this.#show(run);
  }

  #show(run) {
    const passed = new Set(run.turns.flatMap((turn) => turn.path.flatMap(({ step, outcome }) => [step, `${step} ${outcome}`])));
    this.editing.showRun(passed, run.prompt?.step ?? run.rejection?.step ?? run.turns.at(-1)?.path.at(-1)?.step ?? null);
    replace(this.result,
      this.#definition === this.editing.definition ? null : h("p", { class: "alert" }, t("journeys.run_outdated")),
      h("h3", null, t("journeys.trace")), h("ol", { class: "journey-trace" }, run.turns.map((turn, index) => this.#turn(turn, index))),
      run.prompt ? this.#prompt(run.prompt) : this.#end(run),
      h("details", null, h("summary", null, t("journeys.run_variables")), h("pre", { class: "journey-json", tabindex: "0" }, JSON.stringify({ ...run.variables, ...(run.user ? { user: run.user } : {}) }, null, 2))),
      this.#answers.length ? h("div", null, actionButton(t("journeys.take_back"), () => { this.#answers.pop(); return this.#play(); })) : null);
    this.result.querySelector(".journey-prompt h3")?.focus();
  }

  #turn(turn, index) {
    const said = index ? t("journeys.answered", { option: this.#answers[index - 1]?.answer.option ?? "" }) : t("journeys.started");
    return h("li", null, h("span", { class: "muted" }, said), turn.path.map(({ step, outcome }) => h("span", { class: "journey-passed" },
      h("button", { type: "button", class: "button button-quiet button-small", onclick: () => this.editing.select(step) }, step), ` ${arrow} ${outcome}`)),
    turn.mistake ? h("span", { class: "field-error" }, `${turn.mistake.code}: ${turn.mistake.problems.map((one) => [one.field, one.message].filter(Boolean).join(": ")).join("; ")}`) : null);
  }

  #end({ completion, rejection }) {
    const [kind, text] = completion ? ["success", t("journeys.ended_success", { user: completion.user ?? t("journeys.nobody"), amr: completion.amr.join(", ") || "–" })]
      : rejection ? ["error", t("journeys.ended_rejection", { cause: rejection.cause, reason: rejection.reason })] : ["error", t("journeys.not_started")];
    const claims = completion && Object.keys(completion.claims).length ? h("pre", { class: "journey-json", tabindex: "0" }, JSON.stringify(completion.claims, null, 2)) : null;
    return h("div", { class: `alert alert-${kind} journey-prompt` }, h("h3", { tabindex: "-1" }, text), claims);
  }

  /** The form of what the journey asks, with an answer for each option. */
  #prompt(prompt) {
    const options = prompt.options.map((option) => [option.id, option.label === option.id ? option.id : `${option.label} (${option.id})`]);
    const form = h("div", { class: "form" }), option = select(options, options[0]?.[0] ?? "", { onchange: () => draw() });
    let answer = () => ({});
    const draw = () => {
      const chosen = prompt.options.find((one) => one.id === option.value), schema = chosen?.schema, inputs = [];
      const fields = inOrder(schema).map(([name, one]) => {
        const isSecret = one.format === "password" || one.writeOnly || one.sensitive, isFlag = one.type === "boolean";
        const input = isFlag ? h("input", { type: "checkbox" }) : h("input", { class: "input", type: isSecret ? "password" : one.type === "number" ? "number" : "text", autocomplete: "off", dir: "auto" });
        inputs.push([name, () => isFlag ? input.checked : input.value === "" ? undefined : one.type === "number" ? Number(input.value) : input.value]);
        return field({ label: one.title ?? name, input });
      });
      // Answers of devices and other systems are those of the world.
      const parts = at(JSON.parse(this.world.value || "{}"), []), extra = [];
      for (const [name, all] of [["selfie", "selfies"], ["verification", "verifications"], ["key", "keys"]]) {
        const names = Object.keys(isObject(member(parts, all)) ? parts[all] : {});
        const fitsStep = { selfie: /selfie/i, verification: /identityVerification/i, key: /biometric/i }[name].test(prompt.journey_step_id);
        if (!names.length || !fitsStep) continue;
        const input = select([["", t("journeys.nothing")], ...names.map((one) => [one, one])], chosen?.type === "client_input" ? names[0] : "");
        extra.push([name, input, field({ label: t(`journeys.with_${name}`), input })]);
      }
      const isFree = chosen?.type === "client_input" && !fields.length;
      const session = prompt.data?.payload?.session, free = session ? { payload: { sessionId: session, state: prompt.data.payload.state } } : undefined;
      const json = isFree ? h("textarea", { class: "input journey-code", rows: 2, dir: "ltr", spellcheck: "false", value: free ? JSON.stringify(free) : "" }) : null;
      const wait = h("input", { class: "input", type: "number", min: 0, max: 1000000, value: "" });
      replace(form, fields, json && field({ label: t("journeys.data"), help: t("journeys.as_json"), input: json }), extra.map(([, , made]) => made), field({ label: t("journeys.after_seconds"), input: wait }));
      answer = () => {
        const data = Object.fromEntries(inputs.map(([name, read]) => [name, read()]).filter(([, value]) => value !== undefined));
        const given = { option: option.value };
        if (json?.value.trim()) given.data = JSON.parse(json.value); else if (Object.keys(data).length) given.data = data;
        for (const [name, input] of extra) if (input.value) given[name] = input.value;
        if (wait.value) given.after_seconds = Number(wait.value);
        return given;
      };
    };
    draw();
    const send = () => { this.#answers.push({ answer: answer() }); return this.#play(); };
    return h("form", { class: "card journey-prompt", onsubmit: (event) => { event.preventDefault(); event.target.querySelector(".button-primary").click(); } },
      h("h3", { tabindex: "-1" }, t("journeys.asks", { step: prompt.step, name: prompt.journey_step_id })),
      prompt.error ? h("p", { class: "field-error" }, t("journeys.last_error", { error: prompt.error })) : null,
      h("details", null, h("summary", null, t("journeys.prompt_data")), h("pre", { class: "journey-json", tabindex: "0" }, JSON.stringify(prompt.data, null, 2))),
      field({ label: t("journeys.option"), input: option }), form, h("div", { class: "actions" }, actionButton(t("journeys.send_answer"), send, { kind: "primary" })));
  }
}

/** The fields of a schema as clients show them: the required ones in their order, then the others by name. */
function inOrder(schema) {
  const fields = member(schema, "properties") ?? {}, required = (member(schema, "required") ?? []).filter((name) => Object.hasOwn(fields, name));
  return [...required, ...Object.keys(fields).filter((name) => !required.includes(name)).sort()].map((name) => [name, fields[name]]);
}

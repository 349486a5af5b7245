// What the simulation and the trial on the server show of a run: its way, its end, and the answer to what it asks.

import { actionButton, faultText, field, h, select } from "../dom.js";
import { arrow, t } from "../strings.js";
import { member } from "./value.js";

/** Marks the way of a run in the picture. */
export function showWay(run, editing) {
  const passed =
    new Set(run.turns.flatMap((turn) => turn.path.flatMap(({ step, outcome }) => [step, `${step} ${outcome}`])));
  editing.showRun(passed, run.prompt?.step ?? run.rejection?.step ?? run.turns.at(-1)?.path.at(-1)?.step ?? null);
}

/** The steps that the start (`option` null) or an answer passed. */
export function turnLine(turn, option, editing) {
  return h("li", null,
    h("span", { class: "muted" }, option === null ? t("journeys.started") : t("journeys.answered", { option })),
    turn.path.map(({ step, outcome }) => h("span", { class: "journey-passed" },
      h("button", { type: "button", class: "button button-quiet button-small", onclick: () => editing.select(step) },
        step), ` ${arrow} ${outcome}`)),
  turn.mistake
    ? h("span", { class: "field-error" }, [t("journeys.answer_invalid"),
      ...turn.mistake.problems.map((one) => faultText(one.message, one.field && `${one.field}:`))].join(" ")) : null);
}

export function runEnd({ completion, rejection }) {
  const [kind, text] = completion
    ? ["success", t("journeys.ended_success",
      { user: completion.user ?? t("journeys.nobody"), amr: completion.amr.join(", ") || "–" })]
    : rejection ? ["error", t("journeys.ended_rejection", { cause: rejection.cause, reason: rejection.reason })]
      : ["error", t("journeys.not_started")];
  const claims = completion && Object.keys(completion.claims).length
    ? h("pre", { class: "journey-json", tabindex: "0" }, JSON.stringify(completion.claims, null, 2)) : null;
  return h("div", { class: `alert alert-${kind} journey-prompt` }, h("h3", { tabindex: "-1" }, text), claims);
}

export function runVariables(run) {
  return h("details", null, h("summary", null, t("journeys.run_variables")),
    h("pre", { class: "journey-json", tabindex: "0" },
      JSON.stringify({ ...run.variables, ...(run.user ? { user: run.user } : {}) }, null, 2)));
}

/** A refusal of the server, with each invalid field. */
export function runProblem(error) {
  return h("div", { class: "alert alert-error", role: "alert" }, h("p", null, error.detail ?? error.message),
    (error.problem?.errors ?? []).map((one) => h("p", null, faultText(one.message, one.field && `${one.field}:`))));
}

/** What a run asks, with the form of an answer. */
export function promptCard(prompt, option, form, send) {
  return h("form", { class: "card journey-prompt",
    onsubmit: (event) => { event.preventDefault(); event.target.querySelector(".button-primary").click(); } },
    h("h3", { tabindex: "-1" }, t("journeys.asks", { step: prompt.step, name: prompt.journey_step_id })),
    prompt.error ? h("p", { class: "field-error" }, t("journeys.last_error", { error: prompt.error })) : null,
    h("details", null, h("summary", null, t("journeys.prompt_data")),
      h("pre", { class: "journey-json", tabindex: "0" }, JSON.stringify(prompt.data, null, 2))),
    field({ label: t("journeys.option"), input: option }), form,
    h("div", { class: "actions" }, actionButton(t("journeys.send_answer"), send, { kind: "primary" })));
}

/** A choice of the options of a prompt. */
export function optionSelect(prompt, changed) {
  const options = prompt.options.map(
    (option) => [option.id, option.label === option.id ? option.id : `${option.label} (${option.id})`]);
  return select(options, options[0]?.[0] ?? "", { onchange: changed });
}

/** Inputs for the data that a schema describes, and what was typed. */
export function schemaFields(schema) {
  const inputs = [];
  const fields = inOrder(schema).map(([name, one]) => {
    const isSecret = one.format === "password" || one.writeOnly || one.sensitive, isFlag = one.type === "boolean";
    const input = isFlag
      ? h("input", { type: "checkbox" }) : h("input", { class: "input",
        type: isSecret ? "password" : one.type === "number" ? "number" : "text", autocomplete: "off", dir: "auto" });
    inputs.push([name, () => isFlag ? input.checked : input.value === "" ? undefined : one.type === "number"
      ? Number(input.value) : input.value]);
    return field({ label: one.title ?? name, input });
  });
  return { fields, read: () =>
    Object.fromEntries(inputs.map(([name, read]) => [name, read()]).filter(([, value]) => value !== undefined)) };
}

export function jsonArea(value) {
  return h("textarea", { class: "input journey-code", rows: 2, dir: "ltr", spellcheck: "false", value });
}

/** Reads an input that holds JSON; shows what is wrong. */
export function readJSON(input, made) {
  if (!input.value.trim()) { made.setError(""); return undefined; }
  try {
    const value = JSON.parse(input.value);
    made.setError("");
    return value;
  } catch (error) {
    const text = t("journeys.no_json", { reason: error.message });
    made.setError(text);
    const around = input.closest("details");
    if (around) around.open = true;
    input.focus();
    throw new Error(text);
  }
}

/** The fields of a schema as clients show them: the required ones in their order, then the others by name. */
function inOrder(schema) {
  const fields = member(schema, "properties") ?? {},
    required = (member(schema, "required") ?? []).filter((name) => Object.hasOwn(fields, name));
  return [...required, ...Object.keys(fields).filter((name) => !required.includes(name)).sort()].map(
    (name) => [name, fields[name]]);
}

// The graph of a definition: steps, their outcomes, and the ways between them. Pure.

import { isObject, member } from "./value.js";
import { outcomesInUse, stepNames, steps, target } from "./document.js";

/**
 * The outcomes that a step can have, from its settings alone, so that they are known at once.
 *
 * @param {unknown} one The step.
 * @param {{outcomes: string[], example: object, settings: object} | undefined} type Its type, as the server lists it.
 */
export function outcomesOf(one, type) {
  const found = [];
  const add = (name) => { if (typeof name === "string" && name && !found.includes(name)) found.push(name); };
  if (type) {
    const config = isObject(member(one, "config")) ? one.config : {},
      settings = member(type.settings, "properties") ?? {};
    const standard = (name) => Object.hasOwn(config, name) ? config[name] : member(member(settings, name), "default");
    const exampleBranches = branchIDs(member(type.example, "branches"));
    for (const id of branchIDs(member(config, "branches"))) add(id);
    for (const name of type.outcomes) {
      if (exampleBranches.includes(name)) continue;
      if (name === "failure" && member(settings, "failure_behavior") && standard("failure_behavior") !== "branch")
        continue;
      add(name);
    }
    // An expression of a loop may fail only if there is one.
    if (one?.type === "loop" && member(config, "condition") !== undefined) add("failure");
    if (member(settings, "cancel_behavior") && standard("cancel_behavior") === "cancel_branch") add("cancel");
    for (const id of branchIDs(member(config, "custom_branches"))) add(id);
  }
  for (const name of outcomesInUse(one)) add(name);
  return found;
}

function branchIDs(branches) { return Array.isArray(branches) ? branches.map((branch) => member(branch, "id")) : []; }

/**
 * @typedef {{id: string, to: string | null, required: boolean, returns: string[], known: boolean}} Way
 * @typedef {{id: string, type: string, role: string, label: string, ways: Way[], isStart: boolean}} GraphNode
 * @typedef {{id: string, from: string, outcome: string, to: string, isReturn: boolean}} GraphEdge
 */

/**
 * @param {unknown} definition
 * @param {Map<string, object>} types The types of steps, by name.
 * @param {{definition: unknown, steps: Record<string, object>} | null} checked What the server knows of an earlier
 *   state of the definition. It counts for the steps that have not changed since.
 * @returns {{start: string | null, nodes: GraphNode[], edges: GraphEdge[]}}
 */
export function graphOf(definition, types, checked) {
  const all = steps(definition), start = member(definition, "start"), nodes = [], edges = [];
  const isCurrent = checked?.definition === definition;
  for (const id of stepNames(definition)) {
    const one = all[id];
    const type = types.get(member(one, "type"));
    const known = steps(checked?.definition)[id] === one ? member(checked.steps, id) : undefined;
    const names = known
      ? [...known.outcomes.map((outcome) => outcome.id), ...outcomesInUse(one)] : outcomesOf(one, type);
    const ways = [...new Set(names)].map((name) => {
      const info = known?.outcomes.find((outcome) => outcome.id === name), to = target(one, name);
      const found = typeof to === "string" && Object.hasOwn(all, to) ? to : null;
      const returns = found || !isCurrent ? [] : (info?.returns_to ?? []).filter((loop) => Object.hasOwn(all, loop));
      return { id: name, to: found, missing: typeof to === "string" && !found ? to : null,
        required: info?.required ?? name !== "failure", returns, known: Boolean(info ?? !known) };
    });
    for (const way of ways) {
      if (way.to) edges.push({ id: `${id} ${way.id}`, from: id, outcome: way.id, to: way.to, isReturn: false });
      for (const loop of way.returns) edges.push(
        { id: `${id} ${way.id} ${loop}`, from: id, outcome: way.id, to: loop, isReturn: true });
    }
    const label = member(one, "label");
    nodes.push({ id, type: String(member(one, "type") ?? ""), role: type?.role ?? "unknown",
      label: typeof label === "string" && label ? label : id, ways, isStart: id === start });
  }
  return { start: typeof start === "string" && Object.hasOwn(all, start) ? start : null, nodes, edges };
}

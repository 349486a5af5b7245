// The editor of one version: picture, list, form, and panels over the same document.

import { announce, attempt, errorText, h, replace } from "../dom.js";
import { t } from "../strings.js";
import { History, addStep, connect, disconnect, freeName, removeStep, renameStep, setField, step,
  steps } from "./document.js";
import { Checker } from "./checker.js";
import { askStep } from "./dialogs.js";
import { StepForm } from "./form.js";
import { graphOf } from "./graph.js";
import { JourneyForm } from "./journey-form.js";
import { StepTree } from "./list.js";
import { Picture } from "./picture.js";
import { CodePanel } from "./code-panel.js";
import { SimulationPanel } from "./simulation-panel.js";
import { Tabs } from "./tabs.js";
import { TrialPanel } from "./trial-panel.js";

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

export class JourneyEditor {
  #checked = null;
  #checkError = null;
  #selection = { step: null, outcome: null };
  #graph = { start: null, nodes: [], edges: [] };
  #run = { passed: new Set(), at: null };

  /**
   * @param {object} options
   * @param {unknown} options.definition
   * @param {{all: Map<string, object>, definitions: object}} options.types
   * @param {boolean} options.isFixed Whether it can only be looked at.
   * @param {() => void} options.changed Called after each edit.
   * @param {() => Promise<void>} options.save
   * @param {() => {id: string, version: number}} options.saved The version that the server has.
   */
  constructor({ definition, types, isFixed, changed, save, saved }) {
    this.history = new History(definition);
    this.types = types.all;
    this.definitions = types.definitions;
    this.isFixed = isFixed;
    this.changed = changed;
    this.save = save;
    this.checker = new Checker((checked, error) => this.#learn(checked, error));
    this.picture = new Picture({
      isFixed, select: (name, outcome = null) => this.select(name, outcome),
      connect: (from, outcome, to) => this.connect(from, outcome, to),
      connectNew: (from, outcome) => this.choose(from, outcome),
    });
    this.tree = new StepTree({
      select: (name, outcome) => this.select(name, outcome, { fromTree: true }),
      edit: (name) => { this.select(name); this.#showForm(); },
      choose: (name, outcome) => this.choose(name, outcome), remove: (name, outcome) => this.remove(name, outcome),
    });
    this.form = new StepForm(this);
    this.journeyForm = new JourneyForm(this);
    this.simulation = new SimulationPanel(this);
    this.trial = isFixed ? null : new TrialPanel(this, () => ({ ...saved(), isSaved: !this.history.isChanged }));
    this.code = new CodePanel(this);
    this.findingsList = h("ul", { class: "journey-finding-list" });
    this.findingsTab = h("section", { class: "card", "aria-label": t("journeys.findings") },
      h("h2", { tabindex: "-1" }, t("journeys.findings")), this.findingsList);
    this.tabs = new Tabs(t("journeys.panels"), [
      ["form", t("journeys.tab_step"), this.form.element],
      ["journey", t("journeys.tab_journey"), this.journeyForm.element],
      ["findings", t("journeys.findings"), this.findingsTab],
      ["simulation", t("journeys.tab_simulation"), this.simulation.element],
      ...(this.trial ? [["trial", t("journeys.tab_trial"), this.trial.element]] : []),
      ["code", t("journeys.tab_code"), this.code.element],
    ], () => this.#showPanel());
    this.undoButton = this.#button("journeys.undo", isMac ? "⌘Z" : "Ctrl+Z", () => this.undo());
    this.redoButton = this.#button("journeys.redo", isMac ? "⇧⌘Z" : "Ctrl+Shift+Z", () => this.redo());
    this.addButton = this.#button("journeys.add_step", "", () => this.add());
    this.state = h("p", { class: "journey-state muted small", role: "status" });
    this.element = h("div", { class: "journey-editor" },
      h("div", { class: "journey-tools", role: "group", "aria-label": t("journeys.tools") },
        isFixed ? null : [this.addButton, this.undoButton, this.redoButton], this.state),
      h("div", { class: "journey-columns" },
        h("section", { class: "journey-steps", "aria-label": t("journeys.steps") },
          h("details", { class: "journey-help" }, h("summary", null, t("journeys.keyboard")),
            h("p", { class: "muted small" }, t(isFixed ? "journeys.tree_help_fixed" : "journeys.tree_help"))),
            this.tree.element),
        this.picture.element, h("div", { class: "journey-panels" }, this.tabs.element)));
    this.element.addEventListener("keydown", (event) => this.#shortcut(event));
    this.#selection.step = graphOf(definition, this.types, null).start;
    this.redraw();
    this.redrawForm();
    this.journeyForm.show();
    this.checker.ask(definition, { now: true });
  }

  #button(key, shortcut, action) {
    return h("button", { type: "button", class: "button button-secondary button-small", title: shortcut || null,
      onclick: action }, t(key));
  }

  get definition() { return this.history.value; }
  get selected() { return this.#selection.step; }

  /** Ends what goes on in the background. */
  close() { this.checker.stop(); }

  // MARK: Edits

  /** Makes an edit and draws what it changes. */
  apply(next, what, merge) {
    if (this.isFixed || !this.history.apply(next, what, merge)) return false;
    this.redraw();
    this.checker.ask(this.definition);
    this.changed();
    return true;
  }

  undo() { this.#travel(this.history.undo(), "journeys.undone"); }
  redo() { this.#travel(this.history.redo(), "journeys.redone"); }

  #travel(what, key) {
    if (what === null) return;
    if (step(this.definition, this.#selection.step ?? "") === undefined)
      this.#selection = { step: graphOf(this.definition, this.types, null).start, outcome: null };
    this.redraw();
    this.form.redraw();
    this.journeyForm.show();
    this.checker.ask(this.definition);
    this.changed();
    announce(t(key, { what }));
  }

  async add() {
    const made = await askStep({ definition: this.definition, types: this.types });
    if (made) this.#make(made.name, made.type, null);
  }

  #make(name, type, after) {
    let next = addStep(this.definition, name, type, this.types.get(type)?.example);
    if (after) next = connect(next, after.step, after.outcome, name);
    this.apply(next, t("journeys.edit_add", { name }));
    this.tree.open(name);
    this.select(name);
    this.#showForm();
    announce(t("journeys.added", { name }));
  }

  /** Asks for the step that follows an outcome. */
  async choose(from, outcome) {
    if (this.isFixed) return;
    const found = await askStep({ definition: this.definition, types: this.types, after: { step: from, outcome } });
    if (!found) return;
    if (found.type) this.#make(found.name, found.type, { step: from, outcome });
    else this.connect(from, outcome, found.name);
  }

  connect(from, outcome, to) {
    const next = to === null
      ? disconnect(this.definition, from, outcome) : connect(this.definition, from, outcome, to);
    if (!this.apply(next,
        t(to === null ? "journeys.edit_disconnect" : "journeys.edit_connect", { from, outcome, to })))
      return;
    this.select(from, outcome);
    this.redrawForm();
    announce(to === null
      ? t("journeys.disconnected", { from, outcome }) : t("journeys.connected", { from, outcome, to }));
  }

  /** Removes a step, or the step that follows an outcome. */
  remove(name, outcome) {
    if (this.isFixed) return;
    if (outcome !== null) { this.connect(name, outcome, null); return; }
    const order = this.#order(), at = order.indexOf(name), other = order[at + 1] ?? order[at - 1] ?? null;
    this.apply(removeStep(this.definition, name), t("journeys.edit_remove", { name }));
    this.select(other);
    this.redrawForm();
    announce(t("journeys.removed", { name }));
  }

  rename(from, to) {
    if (!this.apply(renameStep(this.definition, from, to), t("journeys.edit_rename", { from, to }))) return;
    this.tree.renamed(from, to);
    this.select(to);
    this.redrawForm();
  }

  setField(path, value, merge) {
    return this.apply(setField(this.definition, path, value),
      t("journeys.edit_setting", { name: path.join(".") }), merge);
  }

  // MARK: Drawing

  #order() {
    const places = this.picture.places;
    const row = (id) => places.get(id)?.layer ?? 0, x = (id) => places.get(id)?.x ?? 0;
    return this.#graph.nodes.map((node) => node.id).sort((a, b) => row(a) - row(b) || x(a) - x(b) || (a < b ? -1 : 1));
  }

  /** Draws the picture and the list. */
  redraw() {
    this.#graph = graphOf(this.definition, this.types, this.#checked);
    const problems = new Map();
    for (const { step: name, severity } of this.#checked?.findings ?? []) if (name && problems.get(name) !== "error")
      problems.set(name, severity);
    this.picture.draw(this.#graph, { problems, ...this.#run });
    this.tree.draw(this.#graph, this.#order(), { problems });
    this.picture.select(this.#selection.step, this.#selection.outcome, { reveals: false });
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
  }

  redrawForm() {
    const name = this.#selection.step;
    this.form.show(name, this.#graph.nodes.find((node) => node.id === name));
  }

  select(name, outcome = null, { fromTree = false } = {}) {
    const isOther = name !== this.#selection.step;
    this.#selection = { step: name, outcome };
    this.history.settle();
    if (fromTree) this.redraw(); else { this.tree.show(name, outcome); if (outcome !== null) this.redraw(); }
    this.picture.select(name, outcome);
    if (isOther) this.redrawForm();
    this.#showPanel();
  }

  #showForm() {
    this.tabs.show("form");
    this.form.focus();
  }

  #showPanel() {
    if (this.tabs?.current === "code") this.code.show(this.#selection.step);
    if (this.tabs?.current === "trial") this.trial.show();
  }

  /** Marks the way that a simulation took. */
  showRun(passed, at) {
    this.#run = { passed, at };
    this.redraw();
    if (at) this.picture.reveal(at);
  }

  // MARK: Findings

  #learn(checked, error) {
    this.#checkError = error;
    if (checked) this.#checked = checked;
    this.redraw();
    if (checked?.definition === this.definition) {
      const node = this.#graph.nodes.find((one) => one.id === this.#selection.step),
        known = node ? JSON.stringify(node.ways) : "";
      // Outcomes that only the server knows of appear in the form.
      if (known !== this.#shownWays && !this.form.element.contains(document.activeElement)) this.redrawForm();
      this.#shownWays = known;
    }
    this.form.mark();
    this.journeyForm.mark();
    this.#tellFindings();
    this.changed();
    if (this.isChecked || error) for (const resolve of this.#waiters.splice(0)) resolve();
  }
  #shownWays = "";

  #tellFindings() {
    const all = this.#checked?.findings ?? [], errors = all.filter((one) => one.severity === "error").length;
    replace(this.state, this.#checkError ? t("journeys.check_failed", { reason: errorText(this.#checkError) })
      : all.length
        ? t("journeys.finding_count", { errors, warnings: all.length - errors }) : t("journeys.no_findings"));
    replace(this.findingsList, all.length ? all.map((one) => h("li", null,
      h("button", { type: "button", class: "journey-finding", onclick: () => this.#goTo(one) },
        h("span", { class: `tag tag-${one.severity === "error" ? "bad" : "wait"}` },
          t(`journeys.severity_${one.severity}`)), " ",
        h("strong", null, [one.step, one.setting].filter(Boolean).join(" · ") || t("journeys.whole")), h("span",
          { class: "journey-message" }, one.message)))) : h("li", { class: "muted" }, t("journeys.no_findings")));
    this.tabs.note("findings", all.length ? String(all.length) : "");
  }

  /** Shows the place of a finding. */
  #goTo(finding) {
    if (!finding.step || step(this.definition, finding.step) === undefined) {
      this.tabs.show("journey");
      this.journeyForm.focus(finding.setting);
      return;
    }
    this.select(finding.step);
    this.tabs.show("form");
    const invalid = this.form.element.querySelector('[aria-invalid="true"]');
    if (invalid) invalid.focus(); else this.form.focus();
  }

  findings(name) { return (this.#checked?.findings ?? []).filter((one) => (one.step ?? null) === name); }
  get errors() { return (this.#checked?.findings ?? []).filter((one) => one.severity === "error"); }
  /** Waits until the server has checked what is in the editor now, or could not. */
  async whenChecked() {
    if (!this.isChecked) await new Promise((resolve) => { this.#waiters.push(resolve); });
  }
  #waiters = [];

  get isChecked() { return this.#checked?.definition === this.definition; }
  variables(name) { return this.#checked?.steps[name]?.variables ?? []; }
  wireName(name) { return this.types.get(steps(this.definition)[name]?.type)?.journey_step_id; }
  freeName(base) { return freeName(this.definition, base); }

  // MARK: Keyboard

  #shortcut(event) {
    // From a panel back to the list of steps.
    if (event.key === "Escape" && this.tabs.element.contains(event.target)) { this.tree.focus(); return; }
    if (!(isMac ? event.metaKey : event.ctrlKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "s" && !event.shiftKey) attempt(() => this.save());
    else if (this.isFixed) return;
    else if (key === "z" && !event.shiftKey) this.undo();
    else if ((key === "z" && event.shiftKey) || key === "y") this.redo();
    else return;
    event.preventDefault();
  }
}

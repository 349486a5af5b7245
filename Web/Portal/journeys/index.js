// The pages of journeys: the list, and the editor of a journey with its versions.

import { at, call, may } from "../api.js";
import { actionButton, alertBox, confirmDialog, errorText, faultText, field, h, pageHead, replace, section, showDialog,
  textInput, toast, uniqueID } from "../dom.js";
import { go, guardUnsaved, route } from "../router.js";
import { formatTime, t } from "../strings.js";
import { stepTypes } from "./checker.js";
import { difference } from "./diff.js";
import { JourneyEditor } from "./editor.js";
import { withValue } from "./value.js";
import { allVersions, comparison, definitionOf, differenceView, journeyPath, stateTag,
  versionTable } from "./versions.js";

let isStyled = false;
function addStyle() {
  if (isStyled) return;
  isStyled = true;
  document.head.append(h("link", { rel: "stylesheet", href: "/admin/assets/journeys/journeys.css" }));
}

route("/admin/journeys", async (params, root, { signal }) => {
  addStyle();
  const journeys = await allVersions(signal);
  const rows = [...journeys.values()].map((versions) => {
    const published = versions.find((version) => version.state === "published"), newest = versions[0];
    return h("tr", null,
      h("th", { scope: "row" }, h("a", { href: journeyPath(newest.id), dir: "auto" }, (published ?? newest).title)),
      h("td", { class: "cell-mono" }, newest.id),
      h("td", null, published ? t("journeys.version", { number: published.version }) : t("journeys.none_published")),
      h("td", null, versions.some((version) => version.state === "draft") ? stateTag("draft") : "", ),
      h("td", null, formatTime(Math.max(...versions.map((version) => version.updated_at)))));
  });
  replace(root,
    pageHead(t("journeys.title"), { lead: t("journeys.lead"), actions: may("changeConfiguration")
      ? [actionButton(t("journeys.new"), () => createJourney(journeys), { kind: "primary" })] : [] }),
    rows.length ? h("div", { class: "table-area" },
      h("table", { class: "table" }, h("caption", { class: "visually-hidden" }, t("journeys.title")),
        h("thead", null,
          h("tr", null,
            ["journey", "id", "published", "draft",
              "saved_at"].map((key) => h("th", { scope: "col" }, t(`journeys.column_${key}`))))),
              h("tbody", null, rows))) : h("p", { class: "empty" }, t("journeys.empty")));
});

/** Asks for the ID and title of a new journey, and saves its first draft. */
async function createJourney(journeys) {
  const heading = uniqueID("dialog"), id = textInput({ dir: "ltr", required: true, maxlength: 64 }),
    title = textInput({ dir: "auto", required: true, maxlength: 200 });
  const idField = field({ label: t("journeys.id"), help: t("journeys.id_help"), input: id }),
    titleField = field({ label: t("journeys.field_title"), input: title });
  const chosen = await new Promise((resolve) => {
    const form = h("form", { method: "dialog", class: "form", onsubmit: (event) => {
      const wanted = id.value.trim();
      const problem = !/^[A-Za-z0-9_.-]{1,64}$/.test(wanted) ? t("journeys.id_rule") : journeys.has(wanted)
        ? t("journeys.id_taken", { id: wanted }) : "";
      idField.setError(problem);
      if (problem) { event.preventDefault(); id.focus(); }
    } }, h("h2", { id: heading }, t("journeys.new")), titleField, idField, h("div", { class: "actions" },
      h("button", { class: "button button-primary", value: "done" }, t("journeys.create")),
      h("button",
        { type: "button", class: "button button-secondary", onclick: () => dialog.close("") }, t("shell.cancel"))));
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": heading }, form);
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "done"); });
    document.body.append(dialog);
    dialog.showModal();
    title.focus();
  });
  if (!chosen) return;
  const name = id.value.trim();
  const definition = {
    id: name, version: 1, title: title.value.trim() || name, start: "form",
    steps: {
      form: { type: "login_form", config: { branches: [{ id: "password" }], output_variable: "form" },
        on: { password: "check" } },
      check: { type: "authenticate_password", config: { username: "form.username", password: "form.password" },
        on: { success: "done", failure: "refused" } },
      done: { type: "complete_journey" }, refused: { type: "reject_access" },
    },
  };
  await call("PUT", at`/v1/journeys/${name}/versions/1`,
    { query: { incomplete: "true", if_updated_at: "0" }, body: definition });
  await go(journeyPath(name));
}

/** The version that a journey's page opens: the newest draft, otherwise what is published, otherwise the newest. */
function preferred(versions) {
  return versions.find((version) => version.state === "draft")
    ?? versions.find((version) => version.state === "published") ?? versions[0];
}

async function journeyPage({ id, v }, root, { signal }) {
  addStyle();
  const [all, types] = await Promise.all([allVersions(signal), stepTypes()]);
  let versions = all.get(id) ?? [],
    shown = v === undefined ? preferred(versions) : versions.find((version) => String(version.version) === v);
  // An address that names nothing gets the server's answer.
  const definition = await definitionOf(id, shown?.version ?? v ?? 1, signal);
  const mayChange = may("changeConfiguration");
  const head = h("div"), message = h("div", { role: "status" }), below = h("div", { class: "stack" });
  const editor = new JourneyEditor({ definition, types, isFixed: !mayChange, changed: () => drawHead(),
    save: () => save(), saved: () => ({ id, version: shown.version }) });
  signal.addEventListener("abort", () => editor.close());
  guardUnsaved(() => editor.history.isChanged);

  const title = () => typeof editor.definition?.title === "string" ? editor.definition.title : id;
  let hadChanges = null, hadErrors = null;
  function drawHead() {
    // What is not checked yet may be published: it is checked before.
    const hasErrors = editor.isChecked && editor.errors.length > 0;
    if (hadChanges === editor.history.isChanged && hadErrors === hasErrors && head.childElementCount) { return; }
    hadChanges = editor.history.isChanged;
    hadErrors = hasErrors;
    const isDraft = shown.state === "draft", focused = document.activeElement?.id;
    replace(head, pageHead(title(), {
      back: { href: "/admin/journeys", text: t("journeys.title") },
      lead: t("journeys.version_lead", { id, number: shown.version }),
      tags: [stateTag(shown.state),
        hadChanges ? h("span", { class: "tag tag-wait" }, t("journeys.unsaved")) : null].filter(Boolean),
      actions: mayChange ? [
        actionButton(t(isDraft ? "journeys.save" : "journeys.save_new", { number: nextVersion() }), () => save(),
          { kind: "primary", id: "journey-save" }),
        shown.state === "published" && !hadChanges
          ? null : actionButton(
            t(shown.state === "retired" && !hadChanges ? "journeys.roll_back" : "journeys.publish"), () => publish(),
            { id: "journey-publish", disabled: hasErrors, title: hasErrors ? t("journeys.publish_errors") : null }),
      ].filter(Boolean) : [],
    }));
    if (focused?.startsWith("journey-")) head.querySelector(`#${focused}`)?.focus();
  }
  const nextVersion = () => Math.max(...versions.map((version) => version.version)) + 1;

  /** Saves what is in the editor: a draft in its place, everything else as the next version. */
  async function save() {
    if (!mayChange) return;
    const isDraft = shown.state === "draft";
    if (!editor.history.isChanged) { toast(t("journeys.nothing_to_save")); return; }
    const number = isDraft ? shown.version : nextVersion(),
      written = withValue(withValue(editor.definition, ["id"], id), ["version"], number), source = editor.definition;
    let saved;
    try {
      saved = await call("PUT", at`/v1/journeys/${id}/versions/${number}`,
        { query: { incomplete: "true", if_updated_at: String(isDraft ? shown.updated_at : 0) }, body: written });
    } catch (error) {
      showProblem(error, "journeys.not_saved");
      if (error.code === "conflict" && await resolveConflict(number)) return;
      throw error;
    }
    replace(message);
    // Edits that were made while the request was under way stay unsaved.
    if (editor.definition === source) {
      editor.history.apply(written, t("journeys.edit_version"));
      editor.history.markSaved();
    } else editor.history.markSaved(written);
    shown = saved;
    versions = [saved,
      ...versions.filter((version) => version.version !== saved.version)].sort((a, b) => b.version - a.version);
    if (!isDraft) history.replaceState(null, "", journeyPath(id, number));
    hadChanges = null;
    drawHead();
    drawBelow();
    if (!editor.isChecked) editor.checker.ask(editor.definition, { now: true });
    await editor.whenChecked();
    if (editor.errors.length)
      toast(t("journeys.saved_with_errors", { number }), "warning");
    else toast(t("journeys.saved", { number }));
  }

  /**
   * Somebody else has saved the version: shows how it differs, and lets it be replaced or kept. Returns
   * whether it was replaced.
   */
  async function resolveConflict(number) {
    const theirs = await definitionOf(id, number);
    const replaces =
      await confirmDialog(
        { title: t("journeys.conflict_title", { number }), text: t("journeys.conflict_text"),
          action: t("journeys.conflict_action"), danger: true,
          preview: differenceView(difference(theirs, editor.definition)) });
    if (!replaces) return false;
    versions = (await allVersions()).get(id) ?? [];
    shown = versions.find((version) => version.version === number) ?? shown;
    await save();
    return true;
  }

  function showProblem(error, key) {
    const errors = error.problem?.errors ?? [];
    replace(message, alertBox("error", `${t(key)} ${errorText(error)}`,
      ...errors.map((one) => faultText(one.message, one.field && `${one.field}:`))));
  }

  async function publish() {
    await editor.whenChecked();
    if (editor.isChecked && editor.errors.length) {
      replace(message, alertBox("error", t("journeys.publish_errors")));
      return;
    }
    if (editor.history.isChanged) await save();
    const published = versions.find((version) => version.state === "published"), isBack = shown.state === "retired";
    const preview = published
      ? differenceView(difference(await definitionOf(id, published.version), editor.definition)) : null;
    const confirmed = await confirmDialog({
      title: t(isBack ? "journeys.roll_back_title" : "journeys.publish_title", { number: shown.version }),
      text: published ? t("journeys.publish_text", { number: published.version }) : t("journeys.publish_first"),
      action: t(isBack ? "journeys.roll_back" : "journeys.publish"), preview,
    });
    if (!confirmed) return;
    try {
      await call("POST", at`/v1/journeys/${id}/versions/${shown.version}/publish`, { body: {} });
    } catch (error) { showProblem(error, "journeys.not_published"); throw error; }
    replace(message);
    await reload();
    toast(t("journeys.published", { number: shown.version }));
  }

  async function retire(version) {
    const confirmed = await confirmDialog({ title: t("journeys.retire_title", { number: version.version }),
      text: t("journeys.retire_text"), action: t("journeys.retire"), danger: true });
    if (!confirmed) return;
    await call("POST", at`/v1/journeys/${id}/versions/${version.version}/retire`,
      { query: { force: "true" }, body: {} });
    await reload();
    toast(t("journeys.retired", { number: version.version }));
  }

  async function reload() {
    versions = (await allVersions()).get(id) ?? [];
    shown = versions.find((version) => version.version === shown.version) ?? shown;
    hadChanges = null;
    drawHead();
    drawBelow();
  }

  function drawBelow() {
    const compared = versions.length ? comparison(versions, shown.version,
      async (number) => number === null ? editor.definition : definitionOf(id, number)) : null;
    replace(below,
      section(t("journeys.versions"), {}, versionTable({ versions, shown: shown.version, actions: (version) => [
        version.version === shown.version
          ? null : h("a", { class: "button button-quiet button-small", href: journeyPath(id, version.version),
            "aria-label": t("journeys.open_version", { number: version.version }) }, t("journeys.open")),
        mayChange && version.state === "published" ? actionButton(t("journeys.retire"), () => retire(version),
          { kind: "quiet", "aria-label": t("journeys.retire_version", { number: version.version }) }) : null,
      ].filter(Boolean) })),
      section(t("journeys.compare"),
        { actions: [actionButton(t("journeys.show_difference"), () => compared.draw())] }, compared?.element),
      section(t("journeys.as_text"),
        { actions: [
          actionButton(t("journeys.show_text"),
            () => showDialog(t("journeys.as_text"), h("pre", { class: "journey-json", tabindex: "0" },
              JSON.stringify(editor.definition, null, 2))))], lead: t("journeys.as_text_lead") }));
  }

  shown ??= { id, version: Number(v), state: "retired", updated_at: 0 };
  drawHead();
  drawBelow();
  replace(root, head, message, editor.element, below);
  editor.picture.open();
  // What an automatic test measures.
  root.journeyEditor = editor;
}

route("/admin/journeys/:id", journeyPage);
route("/admin/journeys/:id/versions/:v", journeyPage);

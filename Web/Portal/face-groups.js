// Groups of apps that share faces.

import { at, call, listAll, may } from "./api.js";
import { actionButton, busy, confirmDialog, field, h, pageHead, replace, section, showFaults, tag, textInput, toast }
  from "./dom.js";
import { pagedList } from "./list.js";
import { go, guardUnsaved, route } from "./router.js";
import { t } from "./strings.js";

const home = { href: "/admin/face-groups", text: t("face_groups.title") };

route("/admin/face-groups", (params, root, { signal }) => {
  replace(root,
    pageHead(t("face_groups.title"), { lead: t("face_groups.lead"),
      back: { href: "/admin/apps", text: t("apps.title") }, actions: may("changeConfiguration")
        ? [h("a", { class: "button button-primary", href: "/admin/face-groups/new" }, t("face_groups.new"))] : [] }),
    pagedList({
      signal, empty: t("face_groups.none"), caption: t("face_groups.title"),
      rowLink: (group) => `/admin/face-groups/${encodeURIComponent(group.id)}`,
      load: (cursor, asked) => call("GET", "/v1/face-groups", { query: { after: cursor }, signal: asked.signal }),
      columns: [
        { title: t("face_groups.name"), value: (group) => group.name },
        { title: t("face_groups.apps"), kind: "mono", value: (group) => group.app_ids.join(", ") },
        { title: t("face_groups.people"), kind: "number", value: (group) => group.people },
      ],
    }));
});

route("/admin/face-groups/new", async (params, root, { signal }) => {
  const apps = await listAll("/v1/apps", { signal });
  replace(root, pageHead(t("face_groups.new"), { back: home }),
    h("div", { class: "card" }, form({ name: "", app_ids: [], max_age: 300 }, apps, t("face_groups.create"),
      async (body) => {
        const made = await call("POST", "/v1/face-groups", { body });
        toast(t("face_groups.created"));
        guardUnsaved(null);
        await go(`/admin/face-groups/${encodeURIComponent(made.id)}`);
      })));
  root.classList.add("page-narrow");
});

route("/admin/face-groups/:id", async ({ id }, root, { signal }) => {
  const path = at`/v1/face-groups/${id}`;
  const [group, apps] = await Promise.all([call("GET", path, { signal }), listAll("/v1/apps", { signal })]);
  replace(root,
    pageHead(group.name, { back: home, tags: [tag(t("face_groups.people_count", { count: group.people }))] }),
    section(t("face_groups.settings"), {}, form(group, apps, t("face_groups.save"), async (body) => {
      const gone = group.app_ids.filter((app) => !body.app_ids.includes(app));
      if (gone.length && !(await confirmDialog({ title: t("face_groups.leave_title"),
          text: t("face_groups.leave_text", { apps: gone.join(", ") }),
          action: t("face_groups.save"), danger: true })))
        return;
      await call("PUT", path, { body: { ...body, version: group.version } });
      toast(t("face_groups.saved"));
      guardUnsaved(null);
      await go(`/admin/face-groups/${encodeURIComponent(group.id)}`, { replace: true });
    })),
    may("changeConfiguration") && section(t("face_groups.danger"), {}, h("p", null, t("face_groups.delete_text")),
      h("div", { class: "actions" }, actionButton(t("face_groups.delete"), async () => {
        if (!(await confirmDialog({ title: t("face_groups.delete_title", { name: group.name }),
            text: t("face_groups.delete_text"), action: t("face_groups.delete"), danger: true })))
          return;
        await call("DELETE", path);
        toast(t("face_groups.deleted"));
        guardUnsaved(null);
        await go("/admin/face-groups");
      }, { kind: "danger" }))));
});

/** The name, the apps, and the time of a group. */
function form(group, apps, action, save) {
  const disabled = !may("changeConfiguration");
  const name = field({ label: t("face_groups.name"),
    input: textInput({ value: group.name, required: true, maxlength: 100, disabled }) });
  const boxes = apps.map((app) => [app.id,
    h("input", { type: "checkbox", value: app.id, checked: group.app_ids.includes(app.id), disabled })]);
  const names = new Map(apps.map((app) => [app.id, app.name]));
  const choices = h("fieldset", null, h("legend", null, t("face_groups.apps")),
    h("p", { class: "hint" }, t("face_groups.apps_help")),
    boxes.map(([id, box]) => h("label", { class: "choice" }, box,
      h("span", { dir: "auto" }, names.get(id), " ", h("code", null, id)))));
  const age = field({ label: t("face_groups.max_age"), help: t("face_groups.max_age_help"),
    input: h("input", { class: "input", type: "number", min: 0, max: 43200, value: group.max_age, disabled }) });
  const message = h("div", { tabindex: "-1" }), submit = h("button", { class: "button button-primary" }, action);
  let isChanged = false;
  guardUnsaved(() => isChanged);
  return h("form", { class: "form", novalidate: true, oninput: () => { isChanged = true; }, onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      for (const one of [name, age]) one.setError("");
      try {
        await save({ name: name.input.value.trim(), max_age: Number(age.input.value),
          app_ids: boxes.filter(([, box]) => box.checked).map(([id]) => id) });
      } catch (error) { showFaults(error, { name, max_age: age }, message); }
    });
  } }, message, name, choices, age, !disabled && h("div", { class: "actions" }, submit));
}

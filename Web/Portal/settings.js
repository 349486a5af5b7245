// Services, faces, licenses, keys, and the server's settings.

import { at, call, listAll, may } from "./api.js";
import { actionButton, alertBox, announce, attempt, busy, confirmDialog, copyable, errorText, facts, faultText, field,
  h, pageHead, replace, section, select, serverText, showDialog, showFaults, tag, textInput, toast } from "./dom.js";
import { settingsGuide, testResult } from "./apps.js";
import { branding } from "./branding.js";
import { part, setPart, settingField } from "./settings-form.js";
import { pagedList } from "./list.js";
import { route } from "./router.js";
import { formatNumber, formatTime, named, t } from "./strings.js";

/** The pages of this part, each with what it needs. */
const parts = [
  { path: "/admin/settings", text: "settings.services", page: services, permission: "readConfiguration" },
  { path: "/admin/settings/pages", text: "settings.branding", page: look, permission: "readConfiguration" },
  { path: "/admin/settings/faces", text: "settings.faces", page: faces, permission: "readConfiguration" },
  { path: "/admin/settings/licenses", text: "settings.licenses", page: licenses, permission: "readConfiguration" },
  { path: "/admin/settings/registry", text: "settings.registry", page: registry, permission: "readRegistry" },
  { path: "/admin/settings/master-keys", text: "settings.master", page: masterKeys, permission: "readMasterKeys" },
  { path: "/admin/settings/server", text: "settings.server", page: server, permission: "readConfiguration" },
];

for (const part of parts) {
  route(part.path, async (params, root, visit) => {
    const content = h("div", { class: "stack" });
    await part.page(content, visit);
    replace(root, pageHead(t(part.path === "/admin/settings" ? "settings.title" : part.text),
      part.path === "/admin/settings" ? { lead: t("settings.lead") } : {}),
      h("nav", { class: "tabs", "aria-label": t("settings.title") }, parts.filter((one) => may(one.permission)).map(
        (one) => h("a", { href: one.path, "aria-current": one === part ? "page" : null }, t(one.text)))), content);
  });
}

function table(title, columns, items, empty) {
  if (!items.length) return h("p", { class: "empty" }, empty);
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": title },
    h("table", { class: "table" },
      h("thead", null,
        h("tr", null,
          columns.map((column) => h("th", { scope: "col", class: column.kind ? `cell-${column.kind}` : null },
            column.kind === "actions" ? h("span", { class: "visually-hidden" }, column.title) : column.title)))),
      h("tbody", null,
        items.map(
          (item) =>
            h("tr", null,
              columns.map((column, index) => index === 0
                ? h("th", { scope: "row", dir: "auto" }, column.value(item)) : h("td",
                  { dir: "auto", class: column.kind ? `cell-${column.kind}` : null }, column.value(item))))))));
}

// MARK: Services

async function services(root, { signal }) {
  const [sources, apps, settings] = await Promise.all([call("GET", "/v1/verifications/sources", { signal }),
    listAll("/v1/apps", { signal }), call("GET", "/v1/settings", { signal })]);
  const mayTest = may("changeConfiguration"), hooks = apps.flatMap((app) => [
    app.settings.identity?.webhook && { app, kind: "results", url: app.settings.identity.webhook,
      test: at`/v1/apps/${app.id}/webhook/test` },
    app.settings.backchannel_logout_uri && { app, kind: "logout", url: app.settings.backchannel_logout_uri,
      test: at`/v1/apps/${app.id}/logout/test` },
  ].filter(Boolean));
  const days = settings.items.find((one) => one.key === "identity.retention_days")?.value,
    own = apps.filter((app) => app.settings.identity?.retention_days);
  const result = h("div", { role: "status" }), hookResult = h("div", { role: "status" });
  const testButton = (name, path, area) => mayTest
    && actionButton(t("settings.test"),
      async () => replace(area, h("p", null, h("strong", null, name)), testResult(await call("POST", path))),
      { "aria-label": t("settings.test_named", { name }), class: "button button-secondary button-small" });
  replace(root,
    section(t("settings.sources"), { lead: t("settings.sources_lead") }, table(t("settings.sources"), [
      { title: t("settings.source"), value: (one) => one.name }, { title: t("settings.simulated"),
        value: (one) => one.is_simulated ? tag(t("shell.yes"), "wait") : t("shell.no") },
      { title: t("settings.actions"), kind: "actions",
        value: (one) => testButton(one.name, at`/v1/verifications/sources/${one.name}/test`, result) },
    ], sources.items, t("settings.no_sources")), result),
    section(t("settings.webhooks"), { lead: t("settings.webhooks_lead") }, table(t("settings.webhooks"), [
      { title: t("settings.app"),
        value: ({ app }) => h("a", { href: `/admin/apps/${encodeURIComponent(app.id)}` }, app.name) },
      { title: t("settings.hears"), value: (one) => t(`settings.hears_${one.kind}`) },
      { title: t("settings.address"), kind: "mono", value: (one) => one.url },
      { title: t("settings.actions"), kind: "actions",
        value: (one) => testButton(`${one.app.name}, ${t(`settings.hears_${one.kind}`)}`, one.test, hookResult) },
    ], hooks, t("settings.no_webhooks")), hookResult),
    section(t("settings.retention"), { lead: t("settings.retention_lead", { days }) },
      own.length > 0
        && h("ul", null,
          own.map((app) => h("li", null,
            t("settings.retention_apps", { app: app.name, days: app.settings.identity.retention_days })))),
      may("changeVerifications") && h("div", { class: "actions" }, actionButton(t("settings.purge"), async () => {
        const due = await call("POST", "/v1/verifications/purge", { body: { dry_run: true } });
        if (!(await confirmDialog({ title: t("settings.purge_title"), text: t("settings.purge_text", due),
            action: t("settings.purge"), danger: true })))
          return;
        toast(t("settings.purge_done", await call("POST", "/v1/verifications/purge", { body: {} })));
      }))));
}

// MARK: Look of pages

/** The look of pages where an app does not say. */
async function look(root, { signal }) {
  const [pages, guide] = await Promise.all([call("GET", "/v1/page-settings", { signal }), settingsGuide()]);
  const disabled = !may("changeConfiguration"),
    server = { name: t("settings.branding_example"), settings: { pages } }, fields = {}, all = [];
  const make = (path) => {
    const schema = guide.schema.properties.pages.properties[path.split(".")[1]];
    const one = settingField(path, schema, part(server.settings, path), undefined, { disabled });
    fields[path] = one;
    all.push(one);
    return one;
  };
  const message = h("div", { tabindex: "-1" }),
    submit = h("button", { class: "button button-primary" }, t("shell.save"));
  async function save() {
    replace(message);
    for (const one of Object.values(fields)) one.setError("");
    const wanted = { pages: {} };
    try { for (const one of all) setPart(wanted, one.path, one.read()); } catch { return; }
    try {
      const stored = await call("PUT", "/v1/page-settings", { body: { ...wanted.pages, revision: pages.revision } });
      pages.revision = stored.revision;
      settingsGuide.forget();
      toast(t("settings.branding_saved"));
    } catch (error) {
      showFaults(error, Object.fromEntries(Object.entries(fields)
        .map(([name, one]) => [name.replace(/^pages[.]/, ""), one])), message);
    }
  }
  replace(root,
    section(t("settings.branding"), { lead: t("settings.branding_lead") }, h("p", null, t("settings.language_lead")),
      h("form", { class: "form", novalidate: true,
        onsubmit: (event) => { event.preventDefault(); busy(submit, save); } }, message,
        branding(server, ["pages.brand", "pages.brand_dark", "pages.logo", "pages.language", "pages.texts"], make,
          fields, all, disabled), !disabled && h("div", { class: "actions" }, submit)),
      h("p", null, h("a", { href: "/admin/apps" }, t("settings.branding_apps")))));
}

// MARK: Faces

async function faces(root, { signal }) {
  const [state, metrics] = await Promise.all([call("GET", "/v1/faces/migration", { signal }),
    may("readMetrics") ? call("GET", "/v1/metrics", { signal }) : { items: [] }]);
  const shadow = metrics.items.find((one) => one.name === "mien_face_shadow_decisions_total")?.series ?? [];
  replace(root,
    section(t("settings.packs"), { lead: t("settings.packs_lead", { pack: state.pack }) }, table(t("settings.packs"), [
      { title: t("settings.pack"), value: (one) => one.pack },
      { title: t("settings.faces_count"), kind: "number", value: (one) => formatNumber(one.faces) },
      { title: t("settings.people"), kind: "number", value: (one) => formatNumber(one.people) },
      { title: t("settings.loaded"),
        value: (one) => one.is_loaded ? tag(t("shell.yes"), "good") : tag(t("shell.no"), "bad") },
    ], state.packs, t("settings.no_faces")), h("p", null, t("settings.remaining", { count: state.remaining })),
    h("p", null, t("settings.former", { count: state.former_templates }))),
    section(t("settings.shadow"), { lead: t("settings.shadow_lead") }, table(t("settings.shadow"), [
      { title: t("settings.policy"), value: (one) => one.labels.policy },
      { title: t("settings.app"), value: (one) => one.labels.app },
      { title: t("settings.active"), value: (one) => one.labels.active },
      { title: t("settings.would"), value: (one) => one.labels.shadow },
      { title: t("settings.number"), kind: "number", value: (one) => formatNumber(one.value) },
    ], shadow, t("settings.shadow_none"))));
}

// MARK: Licenses

async function licenses(root, { signal }) {
  const mayChange = may("changeConfiguration");
  const fields = {
    name: field({ label: t("settings.name"), input: textInput({ required: true, maxlength: 100 }) }),
    product: field({ label: t("settings.product"), help: t("settings.product_help"),
      input: textInput({ required: true, maxlength: 64 }) }),
    activations: field({ label: t("settings.activations"), help: t("settings.activations_help"),
      input: textInput({ type: "number", min: 1, max: 1_000_000, value: 1 }) }),
    days: field({ label: t("settings.days"), help: t("settings.days_help"),
      input: textInput({ type: "number", min: 1, max: 3650, value: 365 }) }),
  };
  const message = h("div"), submit = h("button", { class: "button button-primary" }, t("settings.create_key"));
  async function create() {
    replace(message);
    for (const one of Object.values(fields)) one.setError("");
    try {
      const key =
        await call("POST", "/v1/product-keys",
          { body: { name: fields.name.input.value.trim(), product: fields.product.input.value.trim(),
            activations: Number(fields.activations.input.value), days: Number(fields.days.input.value) } });
      await showDialog(t("settings.key_title", { name: key.name }), h("div", { class: "stack" },
        h("p", null, t("settings.key_text")), copyable(key.product_key, t("settings.product_key"))));
      submit.form.reset();
      await list.reload();
    } catch (error) {
      showFaults(error, fields, message);
    }
  }
  const list = pagedList({
    signal, caption: t("settings.keys"), empty: t("settings.no_keys"),
    load: (cursor, asked) => call("GET", "/v1/product-keys", { query: { after: cursor }, signal: asked.signal }),
    columns: [
      { title: t("settings.name"), value: (one) => one.name },
      { title: t("settings.product"), value: (one) => one.product },
      { title: t("settings.activations"), value: (one) => t("settings.used", one) },
      { title: t("settings.days"), kind: "number", value: (one) => formatNumber(one.days) },
      { title: t("settings.created"), value: (one) => formatTime(one.created_at) }, { title: t("settings.key_state"),
        value: (one) => one.revoked_at ? tag(t("settings.revoked"), "bad") : tag(t("settings.valid"), "good") },
      ...(mayChange
        ? [{ title: t("settings.actions"), kind: "actions",
          value: (one) => !one.revoked_at && actionButton(t("settings.revoke"), async () => {
            if (!(await confirmDialog({ title: t("settings.revoke_title", one), text: t("settings.revoke_text"),
                action: t("settings.revoke"), danger: true })))
              return;
            await call("DELETE", at`/v1/product-keys/${one.id}`);
            toast(t("settings.revoked_done"));
            await list.reload();
          }, { "aria-label": t("settings.revoke_named", one), class: "button button-secondary button-small" }) }]
            : []),
    ],
  });
  replace(root,
    section(t("settings.keys"), { lead: t("settings.keys_lead") }, list),
    mayChange && section(t("settings.new_key"), {}, h("form",
      { class: "form", novalidate: true, onsubmit: (event) => { event.preventDefault(); busy(submit, create); } },
      message, fields.name, fields.product, h("div", { class: "form-row" }, fields.activations, fields.days),
      h("div", { class: "actions" }, submit))));
}

// MARK: Registry

/** @param {HTMLElement | null} [note] About the last import. */
async function registry(root, { signal }, note = null) {
  const { people } = await call("GET", "/v1/registry", { signal }), mayChange = may("changeRegistry");
  const file = h("input", { type: "file", class: "input", accept: ".csv,text/csv" }),
    encoding = select([["", t("settings.import_unicode")], ["windows-1252", t("settings.import_windows")]], ""),
    before = textInput({ type: "datetime-local", required: true });
  const message = h("div", null, note);
  replace(root, section(t("settings.registry"), { lead: t("settings.registry_lead", { count: people }) }, message,
    mayChange && h("form", { class: "list-search", onsubmit: (event) => {
      event.preventDefault();
      busy(event.submitter, async () => {
        replace(message);
        try {
          const answer =
            await call("POST", "/v1/registry/people", { query: { encoding: encoding.value },
              body: new Blob([file.files[0]], { type: "text/csv" }) });
          toast(t("settings.imported", { count: answer.imported }));
          await registry(root, { signal }, answer.rows_beyond_ascii
            ? alertBox("info", t("settings.imported_letters",
              { count: answer.rows_beyond_ascii, letters: answer.letters }))
            : null);
        } catch (error) {
          // The server names the line for people, and the row for programs.
          replace(message, alertBox("error", faultText(errorText(error))));
        }
      });
    } }, field({ label: t("settings.import"), help: t("settings.import_help"), input: file }),
    field({ label: t("settings.import_encoding"), input: encoding }),
    h("button", { class: "button button-secondary" }, t("settings.import_action"))),
    mayChange && h("form", { class: "list-search", onsubmit: (event) => {
      event.preventDefault();
      const time = new Date(before.value).getTime();
      busy(event.submitter, () => attempt(async () => {
        if (!(await confirmDialog({ title: t("settings.remove_title", { time: formatTime(time) }),
            text: t("settings.remove_text"), action: t("settings.remove_action"), danger: true })))
          return;
        toast(t("settings.removed",
          { count: (await call("DELETE", "/v1/registry/people", { query: { imported_before: time } })).removed }));
        await registry(root, { signal });
      }));
    } }, field({ label: t("settings.remove_before"), input: before }),
    h("button", { class: "button button-secondary" }, t("settings.remove_action")))));
}

// MARK: Master keys

async function masterKeys(root, { signal }) {
  const state = await call("GET", "/v1/master-keys", { signal }), mayChange = may("changeMasterKeys");
  replace(root, section(t("settings.master"),
    { lead: t("settings.master_lead"), actions: mayChange ? [actionButton(t("settings.rotate"), async () => {
      if (!(await confirmDialog(
          { title: t("settings.rotate_title"), text: t("settings.rotate_text"), action: t("settings.rotate") })))
        return;
      await call("POST", "/v1/master-keys");
      toast(t("settings.rotated"));
      await masterKeys(root, { signal });
    })] : [] },
  state.is_sealing && alertBox("info", t("settings.sealing")),
  table(t("settings.master"), [
    { title: t("settings.version"), value: (one) => formatNumber(one.version) },
    { title: t("settings.key_id"), kind: "mono", value: (one) => one.id },
    { title: t("settings.records"), kind: "number", value: (one) => formatNumber(one.records) },
    { title: t("settings.seals"), value: (one) => one.is_active ? tag(t("shell.yes"), "good") : t("shell.no") },
    ...(mayChange
      ? [{ title: t("settings.actions"), kind: "actions",
        value: (one) => !one.is_active && actionButton(t("settings.remove_key"), async () => {
          if (!(await confirmDialog({ title: t("settings.remove_key_title", one), text: t("settings.remove_key_text"),
              action: t("settings.remove_key"), danger: true })))
            return;
          await call("DELETE", at`/v1/master-keys/${one.version}`);
          toast(t("settings.removed_key"));
          await masterKeys(root, { signal });
        }, { "aria-label": t("settings.remove_key_named", one), class: "button button-secondary button-small" }) }]
          : []),
  ], state.keys, "")));
}

// MARK: The server's settings

async function server(root, { signal }) {
  const { items } = await call("GET", "/v1/settings", { signal });
  const area = h("div"), find = textInput({ type: "search" }), only = h("input", { type: "checkbox" });
  function show() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = items.filter((one) => (!only.checked || one.is_set)
      && words.every((word) => `${one.key} ${one.meaning}`.toLowerCase().includes(word)));
    replace(area, table(t("settings.server"), [
      { title: t("settings.key"), value: (one) => h("code", null, one.key) },
      { title: t("settings.value"), kind: "mono",
        value: (one) => one.is_secret ? one.is_set ? t("settings.secret") : "" : [one.value,
          !one.is_set && one.value ? h("span", { class: "muted small" }, ` ${t("settings.default")}`) : null] },
      { title: t("settings.meaning"), value: (one) => serverText(one.meaning) },
    ], found, t("shell.none_found_short")));
    announce(t("settings.shown", { count: found.length }));
  }
  find.addEventListener("input", show);
  only.addEventListener("change", show);
  show();
  replace(root, section(t("settings.server"), { lead: t("settings.server_lead") },
    field({ label: t("settings.find"), input: find }), field({ label: t("settings.only_set"), input: only }), area));
}

// Users: find, create, and everything about one user.

import { at, call, download, listAll, may } from "./api.js";
import { actionButton, alertBox, attempt, busy, confirmDialog, copyable, errorText, facts, field, h, orWithout,
  pageHead, replace, section, select, shortID, showFaults, tag, textInput, toast } from "./dom.js";
import { pagedList } from "./list.js";
import { userOrganizations } from "./organizations.js";
import { go, render, route, setQuery } from "./router.js";
import { detailText, formatAgo, formatInstant, formatList, formatNumber, formatTime, named,
  t } from "./strings.js";

/** How a list names a user. */
function nameOf(user) { return user.username ?? user.email ?? user.external_id ?? user.id; }

function stateTag(state) {
  return tag(named("users.state", state), state === "active" ? "good" : state === "suspended" ? "bad" : "wait");
}

// MARK: List

/** Finds by a name or by an ID; a name that looks like an ID is tried as a name, too. */
async function find(text, signal) {
  const page = await call("GET", "/v1/users", { query: { identifier: text }, signal });
  if (page.items.length || !text.startsWith("usr_")) return page;
  try { return { items: [await call("GET", at`/v1/users/${text}`, { signal })] }; } catch (error) {
    if (error.status === 404 || error.status === 400) return page;
    throw error;
  }
}

route("/admin/users", (params, root, { query, signal }) => {
  replace(root,
    pageHead(t("users.title"), { lead: t("users.lead"), actions: may("changeUsers")
      ? [h("a", { class: "button button-primary", href: "/admin/users/new" }, t("users.new"))] : [] }),
    pagedList({
      signal, empty: t("users.none"), caption: t("users.list"),
      rowLink: (user) => `/admin/users/${encodeURIComponent(user.id)}`,
      load: (cursor, { search, signal }) => search
        ? find(search, signal) : call("GET", "/v1/users", { query: { after: cursor }, signal }),
      // A name belongs neither into the address nor into the history of the browser.
      search: { label: t("users.search"), help: t("users.search_help") },
      columns: [
        { title: t("users.user"), value: nameOf },
        { title: t("users.email"), value: (user) => user.email && user.email_verified === false
          ? t("users.email_unverified", user) : user.email },
        { title: t("users.state"),
          value: (user) => [stateTag(user.state), user.is_test && " ", user.is_test && tag(t("users.test_tag"))] },
        { title: t("users.created"), kind: "time", value: (user) => formatTime(user.created_at) },
        { title: t("users.id"), value: (user) => shortID(user.id) },
      ],
    }));
});

// MARK: New user

route("/admin/users/new", (params, root) => {
  const fields = {
    username: field({ label: t("users.username"), input: textInput({ maxlength: 254, autocapitalize: "none" }) }),
    email: field({ label: t("users.email"), input: textInput({ type: "email", maxlength: 254 }) }),
    external_id: field({ label: t("users.external_id"), input: textInput({ maxlength: 254 }) }),
    password: field({ label: t("users.password"), help: t("users.password_help"),
      input: textInput({ type: "password", autocomplete: "new-password", maxlength: 512 }) }),
  };
  const isTest =
    field({ label: t("users.is_test"), help: t("users.is_test_help"), input: h("input", { type: "checkbox" }) });
  const vouched = field({ label: t("users.email_verified"), help: t("users.email_verified_help"),
    input: h("input", { type: "checkbox", checked: true }) });
  const message = h("div"), submit = h("button", { class: "button button-primary" }, t("users.create"));
  replace(root, pageHead(t("users.new"),
    { back: { href: "/admin/users", text: t("users.title") }, lead: t("users.new_lead") }), h("div", { class: "card" },
      h("form",
        { class: "form", novalidate: true, onsubmit: (event) => { event.preventDefault(); busy(submit, create); } },
        message, fields.username, fields.email, vouched, fields.external_id, fields.password, isTest,
        h("div", { class: "actions" }, submit))));
  root.classList.add("page-narrow");
  fields.username.input.focus();

  async function create() {
    replace(message);
    const body = {};
    for (const [name, one] of Object.entries(fields)) {
      one.setError("");
      if (one.input.value) body[name] = one.input.value;
    }
    if (body.email) body.email_verified = vouched.input.checked;
    if (isTest.input.checked) body.is_test = true;
    try {
      const user = await call("POST", "/v1/users", { body });
      toast(t("users.created_done"));
      await go(`/admin/users/${encodeURIComponent(user.id)}`);
    } catch (error) {
      showFaults(error, fields, message);
    }
  }
});

// MARK: One user

route("/admin/users/:id", async ({ id }, root, { signal }) => {
  const user = await call("GET", at`/v1/users/${id}`, { signal });
  const path = at`/v1/users/${id}`, parts = h("div", { class: "stack" });
  const apps = may("readConfiguration") ? orWithout(listAll("/v1/apps", { signal }), []) : [];
  const verification = may("readVerifications")
    ? orWithout(call("GET", `${path}/verification`, { signal }), null) : null;
  const [authenticators, signIns, consents, groups, known, verified] = await Promise.all([
    call("GET", `${path}/authenticators`, { signal }), call("GET", `${path}/sign-ins`, { signal }),
    call("GET", `${path}/consents`, { signal }), call("GET", `${path}/groups`, { signal }), apps, verification,
  ]);
  const context = { user, path, appNames: new Map(known.map((app) => [app.id, app.name])),
    mayChange: may("changeUsers"), redraw: render };
  replace(parts, profile(context), authenticatorSection(context, authenticators.items),
    signInSection(context, signIns, signal), userOrganizations(path, signal),
    groupSection(context, groups.groups), consentSection(context, consents.items),
    verified && verificationSection(context, verified),
    may("readAudit") && activitySection(context, signal),
    context.mayChange && dangerSection(context));
  replace(root,
    pageHead(nameOf(user), { back: { href: "/admin/users", text: t("users.title") },
      tags: [stateTag(user.state), user.is_test && tag(t("users.test_tag"))].filter(Boolean) }), parts);
});

/** Does something to the user, then shows the user again, with the focus in the same section. */
async function change(context, method, path, done, body) {
  const place = document.activeElement?.closest("section")?.querySelector("h2")?.textContent;
  await call(method, path, { body });
  toast(done);
  await context.redraw();
  [...document.querySelectorAll("main section h2")].find((heading) => heading.textContent === place)?.focus();
}

function profile(context) {
  const { user, path, mayChange } = context, attributes = Object.keys(user.attributes ?? {}).length;
  const isActive = user.state === "active";
  return section(t("users.profile"), { actions: mayChange && user.state !== "pending"
    ? [actionButton(t(isActive ? "users.suspend" : "users.activate"), async () => {
      if (isActive
          && !(await confirmDialog({ title: t("users.suspend_title"), text: t("users.suspend_text"),
            action: t("users.suspend"), danger: true })))
        return;
      await change(context, "PATCH", path, t(isActive ? "users.suspended" : "users.activated"),
        { state: isActive ? "suspended" : "active" });
    })] : [] },
  facts([
    [t("users.id"), copyable(user.id, t("users.id"))], [t("users.username"), user.username],
    [t("users.email"), user.email && user.email_verified === false ? t("users.email_unverified", user) : user.email],
    [t("users.external_id"), user.external_id], [t("users.created"), formatTime(user.created_at)],
    [t("users.attributes"), attributes ? h("code", { dir: "ltr" }, JSON.stringify(user.attributes)) : null],
  ]));
}

/** A table that is complete. */
function table(caption, columns, items, empty) {
  if (!items.length) return h("p", { class: "empty" }, empty);
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": caption },
    h("table", { class: "table" },
      h("thead", null,
        h("tr", null,
          columns.map((column) => h("th", { scope: "col", class: column.kind ? `cell-${column.kind}` : null },
            column.kind === "actions" ? h("span", { class: "visually-hidden" }, column.title) : column.title)))),
      h("tbody", null, items.map((item) => h("tr", null, columns.map((column, index) => index === 0
        ? h("th", { scope: "row" }, column.value(item))
        : h("td", { dir: "auto", class: column.kind ? `cell-${column.kind}` : null }, column.value(item))))))));
}

function authenticatorSection(context, items) {
  const app = (one) => one.app_id ? context.appNames.get(one.app_id) ?? one.app_id : t("users.all_apps");
  const label = (one) => `${named("users.type", one.type)} (${app(one)})`;
  const lockedDevices = (one) => one.devices.filter((device) => device.lock !== "open").length;
  const lock = (one) => [
    tag(named("users.lock", one.lock), one.lock === "open" ? "good" : "bad"),
    one.lock !== "open" && h("span", { class: "small muted" },
      ` ${named("users.locked_by", one.locked_by ?? "failures")} `,
      one.locked_until && t("users.locked_until", { time: formatTime(one.locked_until) })),
    one.devices.length > 0 && h("p", { class: "small muted" },
      t("users.devices", { count: one.devices.length, locked: lockedDevices(one) })),
  ];
  const actions = (one) => {
    const path = `${context.path}/authenticators/${encodeURIComponent(one.id)}`, name = label(one);
    const isFace = one.type === "face", mustUnlock = one.lock !== "open" || lockedDevices(one) > 0
      || one.total_failures > 0;
    return h("span", { class: "row row-end" },
      mustUnlock && actionButton(t("users.unlock"),
        () => change(context, "POST", `${path}/unlock`, t("users.unlocked", { name })),
        { "aria-label": t("users.unlock_named", { name }), class: "button button-secondary button-small" }),
      one.locked_by !== "administrator" && actionButton(t("users.lock_action"), async () => {
        if (await confirmDialog({ title: t("users.lock_title", { name }), text: t("users.lock_text"),
            action: t("users.lock_action"), danger: true }))
          await change(context, "POST", `${path}/lock`, t("users.locked_done", { name }));
      }, { "aria-label": t("users.lock_named", { name }), class: "button button-secondary button-small" }),
      actionButton(t("users.remove"), async () => {
        if (await confirmDialog({ title: t("users.remove_title", { name }),
            text: t(isFace ? "users.remove_face_text" : "users.remove_text"),
            action: t("users.remove"), danger: true }))
          await change(context, "DELETE", path, t("users.removed", { name }));
      }, { "aria-label": t("users.remove_named", { name }), class: "button button-secondary button-small" }));
  };
  return section(t("users.authenticators"), {}, table(t("users.authenticators"), [
    { title: t("users.kind"), value: (one) => named("users.type", one.type) }, { title: t("users.app"), value: app },
    { title: t("users.lock"), value: lock },
    { title: t("users.failures"), kind: "number", value: (one) => formatNumber(one.total_failures) },
    { title: t("users.registered"), kind: "time", value: (one) => formatTime(one.created_at) },
    ...(context.mayChange ? [{ title: t("users.actions"), kind: "actions", value: actions }] : []),
  ], items, t("users.no_authenticators")));
}

function signInSection(context, first, signal) {
  const name = (one) => one.app_name ?? one.app_id ?? t("users.browser");
  // The page of the user has come with the first sign-ins.
  let known = first;
  const load = async (cursor, asked) => {
    const page = cursor ? null : known;
    known = null;
    return page ?? call("GET", `${context.path}/sign-ins`, { query: { after: cursor }, signal: asked.signal });
  };
  return section(t("users.sign_ins"),
    { actions: context.mayChange && first.items.length ? [actionButton(t("users.end_all"), async () => {
      if (await confirmDialog(
          { title: t("users.end_all_title"), text: t("users.end_all_text"),
            action: t("users.end_all"), danger: true }))
        await change(context, "DELETE", `${context.path}/sign-ins`, t("users.ended_all"));
    })] : [] },
  pagedList({ load, signal, caption: t("users.sign_ins"), empty: t("users.no_sign_ins"), columns: [
    { title: t("users.app"), value: name }, { title: t("users.methods"), value: (one) => formatList(one.methods) },
    { title: t("users.signed_in"), kind: "time", value: (one) => formatTime(one.signed_in_at) },
    { title: t("users.used"), value: (one) => formatAgo(one.used_at) },
    { title: t("users.expires"), kind: "time", value: (one) => formatTime(one.expires_at) },
    ...(context.mayChange
      ? [{ title: t("users.actions"), kind: "actions",
        value: (one) =>
          actionButton(t("users.end"),
            () => change(context, "DELETE", `${context.path}/sign-ins/${encodeURIComponent(one.id)}`,
              t("users.ended")), { "aria-label": t("users.end_named", { name: name(one) }),
                class: "button button-secondary button-small" }) }] : []),
  ] }));
}

/** The groups that apps read in a claim, one on each line. */
function groupSection(context, groups) {
  const input = h("textarea", { class: "input", rows: 3, spellcheck: "false", autocomplete: "off",
    disabled: !context.mayChange, value: groups.join("\n") });
  const one = field({ label: t("users.groups"), help: t("users.groups_help"), input });
  const message = h("div"), submit = h("button", { class: "button button-secondary" }, t("users.groups_save"));
  return section(t("users.groups"), {}, h("form", { class: "form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      one.setError("");
      const names = input.value.split("\n").map((line) => line.trim()).filter(Boolean);
      try {
        await call("PUT", `${context.path}/groups`, { body: { groups: names } });
        toast(t("users.groups_saved"));
      } catch (error) { showFaults(error, { groups: one }, message); }
    });
  } }, message, one, context.mayChange && h("div", { class: "actions" }, submit)));
}

function consentSection(context, items) {
  const name = (id) => context.appNames.get(id) ?? id;
  const app = (one) => one.app_ids?.length ? one.app_ids.map(name).join(", ") : name(one.app_id);
  return section(t("users.consents"), {}, table(t("users.consents"), [
    { title: t("users.purpose"), value: (one) => named("users.purpose", one.purpose) },
    { title: t("users.app"), value: app },
    { title: t("users.text_version"), kind: "mono", value: (one) => one.text_version ?? one.scope },
    { title: t("users.given"), kind: "time", value: (one) => formatTime(one.given_at) },
    { title: t("users.withdrawn"), kind: "time", value: (one) => formatTime(one.withdrawn_at) },
    ...(context.mayChange
      ? [{ title: t("users.actions"), kind: "actions",
        value: (one) => one.withdrawn_at ? null : actionButton(t("users.withdraw"), async () => {
          if (await confirmDialog({ title: t("users.withdraw_title"), text: t("users.withdraw_text"),
              action: t("users.withdraw"), danger: true }))
            await change(context, "DELETE", `${context.path}/consents/${encodeURIComponent(one.app_id)}`,
              t("users.withdrawn_done"));
        }, { "aria-label": t("users.withdraw_named", { name: app(one) }),
          class: "button button-secondary button-small" }) }] : []),
  ], items, t("users.no_consents")));
}

/** The checks of an attempt as words. */
export function checkList(checks) {
  const kinds = { passed: "good", failed: "bad", inconclusive: "wait" };
  return h("ul", { class: "checks" }, Object.entries(checks ?? {}).sort().map(([name, result]) =>
    h("li", null, h("span", null, named("reviews.check", name)), " ",
      tag(named("users.check", result), kinds[result] ?? ""))));
}

function verificationSection(context, state) {
  const mayChange = may("changeVerifications");
  const levels = ["NONE", "KNOWLEDGE_OF_PII", "GOVERNMENT_ID"].map((level) => [level, t(`users.method.${level}`)]);
  const level = select(levels, state.required_method);
  return section(t("users.verification"),
    { actions: mayChange && state.attempts.length ? [actionButton(t("users.reset"), async () => {
      if (await confirmDialog(
          { title: t("users.reset_title"), text: t("users.reset_text"), action: t("users.reset"), danger: true }))
        await change(context, "POST", `${context.path}/verification/reset`, t("users.reset_done"));
    })] : [] },
  facts([
    [t("users.level"), named("users.method", state.verification_method)],
    [t("users.verified_at"), formatTime(state.verified_at)],
    [t("users.required"), named("users.method", state.required_method)],
    [t("users.block"), state.block && tag(named("users.block", state.block), "bad")],
  ]),
  state.simulated && alertBox("warning", t("users.simulated")),
  table(t("users.attempts"), [
    { title: t("users.attempts"), value: (one) => named("users.attempt", one.kind) },
    { title: t("users.begun"), kind: "time", value: (one) => formatTime(one.begun_at) },
    { title: t("users.result"),
      value: (one) => one.recommendation
        ? tag(named("users.recommendation", one.recommendation), one.recommendation === "ALLOW"
          ? "good" : one.recommendation === "DENY" ? "bad" : "wait") : t("users.in_progress") },
    { title: t("users.checks"), value: (one) => checkList(one.checks) },
    { title: t("users.evidence"), kind: "actions",
      value: (one) => one.recommendation && actionButton(t("users.evidence"),
        () => download(`${context.path}/verification/attempts/${encodeURIComponent(one.id)}/evidence`,
          `${one.id}.jws`), { class: "button button-secondary button-small" }) },
  ], [...state.attempts].reverse(), t("users.no_attempts")),
  mayChange && h("form", { class: "list-search", onsubmit: (event) => {
    event.preventDefault();
    busy(event.submitter,
      () => attempt(() => change(context, "PUT", `${context.path}/verification/requirement`, t("users.required_done"),
        { method: level.value })));
  } }, field({ label: t("users.require"), input: level }),
  h("button", { class: "button button-secondary" }, t("shell.save"))));
}

function activitySection(context, signal) {
  const area = h("div");
  call("GET", "/v1/audit", { query: { user: context.user.id, order: "newest" }, signal })
    .then((page) => replace(area, table(t("users.activity"), [
      { title: t("users.event"), value: (one) => h("code", null, one.event) },
      { title: t("users.time"), kind: "time", value: (one) => formatInstant(one.at) },
      { title: t("users.actor"), value: (one) => /^\w{3}_/.test(one.actor) ? shortID(one.actor) : one.actor },
      { title: t("users.detail"), kind: "detail", value: (one) => detailText(one.detail) },
    ], page.items.slice(0, 20), t("users.no_activity"))),
    (error) => { if (!signal.aborted) replace(area, alertBox("error", errorText(error))); });
  return section(t("users.activity"), {}, area, h("p", null,
    h("a", { href: `/admin/audit?user=${encodeURIComponent(context.user.id)}` }, t("users.activity_all"))));
}

function dangerSection(context) {
  return section(t("users.danger"), {},
    h("p", null, t("users.compromised_lead")),
    h("div", { class: "actions" }, actionButton(t("users.compromised"), async () => {
      if (await confirmDialog({ title: t("users.compromised_title"), text: t("users.compromised_text"),
          action: t("users.compromised"), danger: true }))
        await change(context, "POST", `${context.path}/compromised`, t("users.compromised_done"));
    })), h("hr"),
    h("p", null, t("users.erase_lead")),
    h("div", { class: "actions" }, actionButton(t("users.erase"), () => erase(context), { kind: "danger" })));
}

async function erase(context) {
  const preview = await call("GET", `${context.path}/erasure`);
  const rows = (counts) => Object.entries(counts).sort()
    .map(([name, count]) => [named("users.section", name), formatNumber(count)]);
  const isSure = await confirmDialog({
    title: t("users.erase_title"), text: t("users.erase_text"), action: t("users.erase"),
    danger: true, typed: context.user.id,
    preview: h("div", { class: "stack" }, h("h3", null, t("users.erase_gone")), facts(rows(preview.erased)),
      h("h3", null, t("users.erase_kept")), facts(rows(preview.kept))),
  });
  if (!isSure) return;
  await call("DELETE", context.path);
  toast(t("users.erased"));
  await go("/admin/users");
}

// Organizations: find, create, and everything about one organization; and the organizations of a user.

import { at, call, listAll, may } from "./api.js";
import { actionButton, alertBox, busy, confirmDialog, copyable, errorText, facts, field, h, orWithout, pageHead,
  replace, section, select, showFaults, tag, textInput, toast } from "./dom.js";
import { directorySection } from "./directories.js";
import { pagedList } from "./list.js";
import { go, render, route } from "./router.js";
import { formatAgo, formatDay, formatNumber, formatTime, named, t } from "./strings.js";

const adminRole = "admin";

function stateTag(state) { return tag(named("organizations.state", state), state === "active" ? "good" : "bad"); }

function nameOf(member) { return member.username ?? member.email ?? member.external_id ?? member.id; }

function address(id) { return `/admin/organizations/${encodeURIComponent(id)}`; }

/** The roles of a member; the administrator's first. */
function roleTags(roles) {
  if (!roles.length) return t("organizations.role_none");
  return [...roles].sort((a, b) => Number(b === adminRole) - Number(a === adminRole))
    .map((role, index) => [index > 0 && " ",
      tag(role === adminRole ? t("organizations.role_admin") : role, role === adminRole ? "good" : "")]);
}

/** Inputs for roles: whether the person is an administrator, and the apps' own words. */
function roleInputs(roles) {
  const admin = h("input", { type: "checkbox", name: "admin", checked: roles.includes(adminRole) });
  const others =
    textInput({ name: "roles", value: roles.filter((role) => role !== adminRole).join(" "), autocapitalize: "none" });
  const othersField =
    field({ label: t("organizations.other_roles"), help: t("organizations.other_roles_help"), input: others });
  return {
    fields: [field({ label: t("organizations.as_admin"), help: t("organizations.as_admin_help"), input: admin }),
      othersField], othersField,
    value: () => [...(admin.checked ? [adminRole] : []),
      ...others.value.split(/[\s,]+/).filter((role) => role && role !== adminRole)],
  };
}

/** A form whose errors appear beside its fields. */
function form({ fields, named: byName, action, kind = "primary", send, done }) {
  const message = h("div", { role: "alert" }), submit = h("button", { class: `button button-${kind}` }, action);
  return h("form", { class: "form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      for (const one of Object.values(byName)) one.setError("");
      try {
        await done(await send());
      } catch (error) {
        showFaults(error, byName, message);
      }
    });
  } }, fields, message, h("div", { class: "actions" }, submit));
}

function table(label, headings, rows, none) {
  if (!rows.length) return h("p", { class: "empty" }, none);
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": label },
    h("table", { class: "table" },
      h("thead", null, h("tr", null, headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", null, rows)));
}

function actionsHeading() { return h("span", { class: "visually-hidden" }, t("organizations.actions")); }

// MARK: List

route("/admin/organizations", (params, root, { signal }) => {
  replace(root,
    pageHead(t("organizations.title"), { lead: t("organizations.lead"), actions: may("changeUsers")
      ? [h("a", { class: "button button-primary", href: "/admin/organizations/new" }, t("organizations.new"))] : [] }),
    pagedList({
      signal, empty: t("organizations.none"), caption: t("organizations.list"), rowLink: (one) => address(one.id),
      load: (cursor, { search, signal }) =>
        call("GET", "/v1/organizations", { query: { name: search, after: cursor }, signal }),
      search: { label: t("organizations.search"), help: t("organizations.search_help") },
      columns: [
        { title: t("organizations.name"), value: (one) => one.name },
        { title: t("organizations.external_id"), value: (one) => one.external_id },
        { title: t("organizations.state"), value: (one) => stateTag(one.state) },
        { title: t("organizations.created"), value: (one) => formatDay(one.created_at) },
        { title: t("organizations.id"), kind: "mono", value: (one) => one.id },
      ],
    }));
});

function nameFields(one = {}) {
  return {
    name: field({ label: t("organizations.name"), help: t("organizations.name_help"),
      input: textInput({ name: "name", value: one.name, maxlength: 100, required: true, dir: "auto" }) }),
    external_id: field({ label: t("organizations.external_id"), help: t("organizations.external_id_help"),
      input: textInput({ name: "external_id", value: one.external_id, maxlength: 200 }) }),
  };
}

route("/admin/organizations/new", (params, root) => {
  const fields = nameFields();
  root.classList.add("page-narrow");
  replace(root, pageHead(t("organizations.new"),
    { back: { href: "/admin/organizations", text: t("organizations.title") } }), h("div", { class: "card" }, form({
      fields: Object.values(fields), named: fields, action: t("organizations.create"),
      send: () =>
        call("POST", "/v1/organizations",
          { body: { name: fields.name.input.value,
            ...(fields.external_id.input.value ? { external_id: fields.external_id.input.value } : {}) } }),
      done: async (made) => {
        toast(t("organizations.created_done", made));
        await go(address(made.id));
      },
    })));
  fields.name.input.focus();
});

// MARK: One organization

route("/admin/organizations/:id", async ({ id }, root, { signal }) => {
  const path = at`/v1/organizations/${id}`;
  const [one, invited, tokens, apps] = await Promise.all([
    call("GET", path, { signal }), call("GET", `${path}/invitations`, { signal }),
    call("GET", `${path}/scim-tokens`, { signal }),
    may("readConfiguration") ? orWithout(listAll("/v1/apps", { signal }), []) : [],
  ]);
  const context = { one, path, mayChange: may("changeUsers"), signal };
  replace(root, pageHead(one.name,
    { back: { href: "/admin/organizations", text: t("organizations.title") }, tags: [stateTag(one.state)] }),
    h("div", { class: "stack" }, profileSection(context), memberSection(context),
      context.mayChange && addSection(context), invitationsSection(context, invited.items),
      appsSection(context, apps), directorySection(context, tokens.items),
      context.mayChange && dangerSection(context)));
});

function profileSection({ one, path, mayChange }) {
  const fields = nameFields(one), isActive = one.state === "active";
  const suspend = actionButton(t(isActive ? "organizations.suspend" : "organizations.activate"), async () => {
    if (isActive && !await confirmDialog({ title: t("organizations.suspend_title", one),
        text: t("organizations.suspend_text"), action: t("organizations.suspend"), danger: true }))
      return;
    await call("PATCH", path, { body: { state: isActive ? "suspended" : "active" } });
    toast(t(isActive ? "organizations.suspended" : "organizations.activated", one));
    await render();
  });
  const about = facts([[t("organizations.id"), copyable(one.id, t("organizations.id"))],
    [t("organizations.created"), formatTime(one.created_at)],
    [t("organizations.metadata"),
      Object.keys(one.metadata).length ? h("code", null, JSON.stringify(one.metadata)) : null],
    !mayChange && [t("organizations.external_id"), one.external_id]]);
  return section(t("organizations.profile"), { actions: mayChange ? [suspend] : [] }, about, mayChange && form({
    fields: Object.values(fields), named: fields, action: t("shell.save"),
    send: () =>
      call("PATCH", path, { body: { name: fields.name.input.value, external_id: fields.external_id.input.value } }),
    done: async (changed) => {
      toast(t("organizations.saved", changed));
      await render();
    },
  }));
}

function memberSection({ path, mayChange, signal }) {
  const admins = h("input", { type: "checkbox", name: "administrators", onchange: () => list.reload() });
  const list = pagedList({
    signal, empty: t("organizations.members_none"), caption: t("organizations.members"),
    rowLink: (member) => `/admin/users/${encodeURIComponent(member.id)}`,
    load: (cursor, { search, signal }) =>
      call("GET", `${path}/members`, { query: search
        ? { identifier: search } : { after: cursor, administrators: admins.checked || undefined }, signal }),
    search: { label: t("organizations.member_search"), help: t("organizations.member_search_help") },
    filters: [field({ label: t("organizations.administrators_only"), input: admins })],
    columns: [
      { title: t("organizations.member"), value: nameOf },
      { title: t("organizations.email"), value: (member) => member.email },
      { title: t("organizations.roles"), value: (member) => roleTags(member.roles) },
      { title: t("organizations.joined"), value: (member) => formatDay(member.joined_at) },
      mayChange && { title: t("organizations.actions"), kind: "actions",
        value: (member) => memberActions(path, member, list) },
    ].filter(Boolean),
  });
  return section(t("organizations.members"), {}, list);
}

function memberActions(path, member, list) {
  const name = nameOf(member), base = `${path}/members/${encodeURIComponent(member.id)}`;
  return h("span", { class: "row" }, actionButton(t("organizations.change_roles"), async () => {
    if (await rolesDialog(member, base, name)) await list.reload();
  }, { kind: "quiet", "aria-label": t("organizations.change_roles_named", { name }) }),
  actionButton(t("organizations.remove"), async () => {
    if (!await confirmDialog({ title: t("organizations.remove_title", { name }), text: t("organizations.remove_text"),
        action: t("organizations.remove"), danger: true }))
      return;
    await call("DELETE", base);
    toast(t("organizations.removed", { name }));
    await list.reload();
  }, { kind: "quiet", "aria-label": t("organizations.remove_named", { name }) }));
}

/** Changes the roles of a member in a dialog. Returns whether they changed. */
function rolesDialog(member, base, name) {
  return new Promise((resolve) => {
    const inputs = roleInputs(member.roles), opener = document.activeElement,
      heading = h("h2", { id: "roles-heading", tabindex: "-1" }, t("organizations.roles_of", { name }));
    let isDone = false;
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "roles-heading" }, heading, form({
      fields: inputs.fields, named: { roles: inputs.othersField }, action: t("shell.save"),
      send: () => call("PUT", `${base}/roles`, { body: { roles: inputs.value() } }),
      done: () => {
        isDone = true;
        toast(t("organizations.roles_changed", { name }));
        dialog.close();
      },
    }), h("form", { method: "dialog", class: "actions" },
      h("button", { class: "button button-secondary" }, t("shell.cancel"))));
    dialog.addEventListener("close", () => { dialog.remove(); opener?.focus?.(); resolve(isDone); });
    document.body.append(dialog);
    dialog.showModal();
    heading.focus();
  });
}

function addSection({ path }) {
  const who = field({ label: t("organizations.who"), help: t("organizations.who_help"),
    input: textInput({ name: "user", required: true, maxlength: 254, autocapitalize: "none", dir: "auto" }) });
  const how = select([["add", t("organizations.how_add")], ["invite", t("organizations.how_invite")]], "add",
    { name: "how" }), roles = roleInputs([]);
  return section(t("organizations.add"), { lead: t("organizations.add_lead") }, form({
    fields: [who, field({ label: t("organizations.how"), input: how }), roles.fields],
    named: { user: who, identifier: who, roles: roles.othersField }, action: t("organizations.add_action"),
    send: () => how.value === "add"
      ? call("POST", `${path}/members`, { body: { user: who.input.value.trim(), roles: roles.value() } })
      : call("POST", `${path}/invitations`, { body: { identifier: who.input.value.trim(), roles: roles.value() } }),
    done: async (made) => {
      toast(t(how.value === "add" ? "organizations.added" : "organizations.invited",
        { name: made.identifier ?? nameOf(made) }));
      await render();
    },
  }));
}

function invitationsSection({ path, mayChange }, invited) {
  const rows =
    invited.map((one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, one.identifier), h("td", null,
      roleTags(one.roles)), h("td", { class: "cell-mono" }, one.invited_by), h("td", null, formatAgo(one.expires_at)),
      mayChange && h("td", { class: "cell-actions" }, actionButton(t("organizations.revoke"), async () => {
        if (!await confirmDialog({ title: t("organizations.revoke_title", { name: one.identifier }),
            action: t("organizations.revoke"), danger: true }))
          return;
        await call("DELETE", `${path}/invitations/${encodeURIComponent(one.id)}`);
        toast(t("organizations.revoked", { name: one.identifier }));
        await render();
      }, { kind: "quiet", "aria-label": t("organizations.revoke_named", { name: one.identifier }) }))));
  const headings = [t("organizations.invited_person"), t("organizations.roles"), t("organizations.invited_by"),
    t("organizations.expires")];
  if (mayChange) headings.push(actionsHeading());
  return section(t("organizations.invitations"), {},
    table(t("organizations.invitations"), headings, rows, t("organizations.invitations_none")));
}

function appsSection({ one, path, mayChange }, apps) {
  const names = new Map(apps.map((app) => [app.id, app.name])),
    others = apps.filter((app) => !one.apps.includes(app.id));
  const rows = one.apps.map((id) => h("tr", null, h("th", { scope: "row", dir: "auto" }, names.get(id) ?? id),
    h("td", null, usage(apps.find((app) => app.id === id))),
    mayChange && h("td", { class: "cell-actions" }, actionButton(t("organizations.forbid"), async () => {
      if (!await confirmDialog({ title: t("organizations.forbid_title", { name: names.get(id) ?? id }),
          text: t("organizations.forbid_text"), action: t("organizations.forbid"), danger: true }))
        return;
      await call("DELETE", `${path}/apps/${encodeURIComponent(id)}`);
      await render();
    }, { kind: "quiet", "aria-label": t("organizations.forbid_named", { name: names.get(id) ?? id }) }))));
  const choice = others.length > 0 && select(others.map((app) => [app.id, app.name]), others[0].id, { name: "app" });
  const headings = [t("organizations.app"), t("organizations.app_use")];
  if (mayChange) headings.push(actionsHeading());
  return section(t("organizations.apps"), { lead: t("organizations.apps_lead") },
    table(t("organizations.apps"), headings, rows, t("organizations.apps_none")),
    mayChange && choice && h("form", { class: "list-search", onsubmit: (event) => {
      event.preventDefault();
      busy(event.submitter, async () => {
        try {
          await call("PUT", `${path}/apps/${encodeURIComponent(choice.value)}`);
          await render();
        } catch (error) { toast(errorText(error), "error"); }
      });
    } }, field({ label: t("organizations.app"), input: choice }),
    h("button", { class: "button button-secondary" }, t("organizations.allow"))));
}

/** Whether an app uses organizations. */
function usage(app) {
  const settings = app?.settings?.organizations;
  return settings ? t(`organizations.use.${settings.use ?? "off"}`) : "";
}

function dangerSection({ one, path }) {
  return section(t("organizations.danger"), {}, h("p", null, t("organizations.delete_lead")),
    h("div", { class: "actions" }, actionButton(t("organizations.delete"), async () => {
      const goes = await call("GET", `${path}/deletion`);
      const isSure = await confirmDialog({
        title: t("organizations.delete_title", one), text: t("organizations.delete_text"),
        action: t("organizations.delete"), danger: true, typed: one.id,
        preview: facts(Object.entries(goes)
          .map(([name, count]) => [t(`organizations.goes.${name}`), formatNumber(count)])),
      });
      if (!isSure) return;
      await call("DELETE", path);
      toast(t("organizations.deleted", one));
      await go("/admin/organizations");
    }, { kind: "danger" })));
}

// MARK: On the page of a user

/** The organizations of a user, as a section. */
export function userOrganizations(path, signal) {
  const area = h("div");
  call("GET", `${path}/organizations`, { signal })
    .then(({ items }) => replace(area, table(t("organizations.title"),
      [t("organizations.name"), t("organizations.roles"), t("organizations.state"), t("organizations.joined")],
      items.map(
        (one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, h("a", { href: address(one.id) }, one.name)),
          h("td", null, roleTags(one.roles)), h("td", null, stateTag(one.state)),
          h("td", null, formatDay(one.joined_at)))),
      t("organizations.user_none"))),
      (error) => { if (!signal.aborted) replace(area, alertBox("error", errorText(error))); });
  return section(t("organizations.title"), {}, area);
}

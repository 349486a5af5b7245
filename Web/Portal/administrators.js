// Who the administrators are, what they may do, and who is invited.

import { at, call, listAll, may } from "./api.js";
import { actionButton, busy, confirmDialog, copyable, field, h, pageHead, replace, section, showDialog, showFaults,
  tag, textInput, toast, errorText } from "./dom.js";
import { route, render } from "./router.js";
import { formatAgo, formatDay, formatList, formatTime, named, t } from "./strings.js";

const roles = ["owner", "operator", "reviewer", "auditor"];

route("/admin/administrators", async (params, root, { signal }) => {
  const [all, { items: invited }, { items: codes }] = await Promise.all([
    listAll("/v1/administrators", { signal }), call("GET", "/v1/administrators/invitations", { signal }),
    call("GET", "/v1/administrators/setup-codes", { signal }),
  ]);
  const changes = may("changeAdministrators");
  replace(root, pageHead(t("administrators.title"), { lead: t("administrators.lead") }),
    listSection(all, changes), changes && inviteSection(), invitationsSection(invited, all, changes),
    codes.length > 0 && codesSection(codes, all, changes));
});

/** A table with a name in each row. */
function table(label, headings, rows) {
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": label },
    h("table", { class: "table" },
      h("thead", null, h("tr", null, headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", null, rows)));
}

function listSection(all, changes) {
  const rows = all.map((admin) => h("tr", null,
    h("th", { scope: "row", dir: "auto" }, admin.name, admin.is_caller && [" ", tag(t("administrators.you"))]),
    h("td", null, changes && !admin.is_caller ? roleInput(admin) : named("shell.role", admin.role)),
    h("td", null, admin.methods?.length ? formatList(
      admin.methods.map((method) => named("administrators.method", method))) : t("administrators.no_methods")),
    h("td", null, formatDay(admin.created_at)),
    changes && h("td", { class: "cell-actions" }, actions(admin))));
  const columns = [t("administrators.name"), t("administrators.role"), t("administrators.methods"),
    t("administrators.created")];
  if (changes) columns.push(h("span", { class: "visually-hidden" }, t("administrators.actions")));
  return section(t("administrators.title"), {}, table(t("administrators.list"), columns, rows),
    h("dl", { class: "facts" },
      roles.map((role) => h("div", null, h("dt", null, named("shell.role", role)),
        h("dd", { class: "small" }, t(`administrators.about.${role}`))))));
}

function roleInput(admin) {
  const select = roleSelect(admin.role,
    { "aria-label": t("administrators.role_of", { name: admin.name }), onchange: () => busy(select, async () => {
      const role = select.value, values = { name: admin.name, role: named("shell.role", role) };
      const isSure = await confirmDialog({ title: t("administrators.role_title", values),
        text: t(`administrators.about.${role}`), action: t("administrators.role_change") });
      try {
        if (!isSure) throw null;
        await call("PUT", at`/v1/administrators/${admin.id}/role`, { body: { role } });
        admin.role = role;
        toast(t("administrators.role_changed", values));
      } catch (error) {
        select.value = admin.role;
        if (error) toast(errorText(error), "error");
      }
    }) });
  return select;
}

function roleSelect(value, attributes = {}) {
  return h("select", { class: "input", name: "role", value, ...attributes },
    roles.map((role) => h("option", { value: role }, named("shell.role", role))));
}

function actions(admin) {
  const { name } = admin;
  // Nobody who is signed in renews their own sign-in.
  const renew = !admin.is_caller && actionButton(t("administrators.renew"), async () => {
    if (!await confirmDialog({ title: t("administrators.renew_title", { name }),
        text: t("administrators.renew_text", { name }), action: t("administrators.renew_action"), danger: true }))
      return;
    await showLink(await call("POST", at`/v1/administrators/${admin.id}/setup-code`), name);
    await render();
  }, { kind: "quiet", "aria-label": t("administrators.renew_named", { name }) });
  const remove = !admin.is_caller && actionButton(t("administrators.remove"), async () => {
    if (!await confirmDialog({ title: t("administrators.remove_title", { name }),
        text: t("administrators.remove_text"), action: t("administrators.remove"), danger: true }))
      return;
    await call("DELETE", at`/v1/administrators/${admin.id}`);
    toast(t("administrators.removed", { name }));
    await render();
  }, { kind: "quiet", "aria-label": t("administrators.remove_named", { name }) });
  return [renew, remove];
}

/** Shows a link that is never shown again. */
function showLink({ link, expires_at: expires }, name) {
  return showDialog(t("administrators.link_title"), h("div", { class: "stack" },
    h("p", null, t("administrators.link_text", { name, time: formatTime(expires) })),
    copyable(link, t("administrators.link"))));
}

function inviteSection() {
  const name = textInput({ name: "name", autocomplete: "off", required: true, maxlength: "100", dir: "auto" });
  const nameField =
    field({ label: t("administrators.name"), help: t("administrators.invite_name_help"), input: name });
  const role = roleSelect("operator"), about = h("p", { class: "hint" });
  const describe = () => { about.textContent = t(`administrators.about.${role.value}`); };
  role.addEventListener("change", describe);
  describe();
  const message = h("div", { role: "alert" }),
    submit = h("button", { class: "button button-primary" }, t("administrators.invite_action"));
  const form = h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      nameField.setError("");
      try {
        const made =
          await call("POST", "/v1/administrators/invitations", { body: { name: name.value, role: role.value } });
        await showLink(made, made.name);
        await render();
      } catch (error) {
        showFaults(error, { name: nameField }, message);
      }
    });
  } }, h("div", { class: "form-row" }, nameField, field({ label: t("administrators.role"), input: role })), about,
  message, h("div", { class: "actions" }, submit));
  return section(t("administrators.invite"), { lead: t("administrators.invite_lead") }, form);
}

function invitationsSection(invited, all, changes) {
  const names = new Map(all.map((admin) => [admin.id, admin.name]));
  const rows = invited.map((one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, one.name),
    h("td", null, named("shell.role", one.role)),
    h("td", { dir: "auto" }, names.get(one.invited_by) ?? one.invited_by), h("td", null, formatAgo(one.expires_at)),
    changes && h("td", { class: "cell-actions" }, actionButton(t("administrators.revoke"), async () => {
      if (!await confirmDialog({ title: t("administrators.revoke_title", { name: one.name }),
          text: t("administrators.revoke_text"), action: t("administrators.revoke"), danger: true }))
        return;
      await call("DELETE", at`/v1/administrators/invitations/${one.id}`);
      toast(t("administrators.revoked", { name: one.name }));
      await render();
    }, { kind: "quiet", "aria-label": t("administrators.revoke_named", { name: one.name }) }))));
  const columns = [t("administrators.name"), t("administrators.role"), t("administrators.invited_by"),
    t("administrators.expires")];
  if (changes) columns.push(h("span", { class: "visually-hidden" }, t("administrators.actions")));
  return section(t("administrators.invitations"), {}, rows.length ? table(t("administrators.invitations_list"),
    columns, rows) : h("p", { class: "empty" }, t("administrators.invitations_none")));
}

function codesSection(codes, all, changes) {
  const names = new Map(all.map((admin) => [admin.id, admin.name]));
  const rows =
    codes.map((one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, names.get(one.administrator) ?? one.name),
      h("td", { dir: "auto" }, one.made_by ? names.get(one.made_by)
        ?? one.made_by : t("administrators.made_by_server")), h("td", null, formatAgo(one.expires_at)),
      changes && h("td", { class: "cell-actions" }, actionButton(t("administrators.revoke"), async () => {
        if (!await confirmDialog({ title: t("administrators.revoke_code_title", { name: one.name }),
            text: t("administrators.revoke_text"), action: t("administrators.revoke"), danger: true }))
          return;
        await call("DELETE", at`/v1/administrators/${one.administrator}/setup-code`);
        toast(t("administrators.code_revoked", { name: one.name }));
        await render();
      }, { kind: "quiet", "aria-label": t("administrators.revoke_code_named", { name: one.name }) }))));
  const columns = [t("administrators.name"), t("administrators.made_by"), t("administrators.expires")];
  if (changes) columns.push(h("span", { class: "visually-hidden" }, t("administrators.actions")));
  return section(t("administrators.codes"), { lead: t("administrators.codes_lead") },
    table(t("administrators.codes_list"), columns, rows));
}

// One organization: its members and its invitations.

import { call } from "../api.js";
import { actionButton, busy, confirmDialog, field, h, pageHead, replace, section, showFaults, tag, textInput,
  toast } from "../dom.js";
import { pagedList } from "../list.js";
import { render, route } from "../router.js";
import { formatAgo, formatDay, named, t } from "../strings.js";
import { freshly, nameOf, path, roleInputs, roleTags } from "./frame.js";

route("/organization/:organization", async ({ organization: id }, root, { signal }) => {
  const [organization, invited] = await Promise.all([
    call("GET", path`/organizations/${id}`, { signal }),
    call("GET", path`/organizations/${id}/invitations`, { signal }),
  ]);
  replace(root, pageHead(organization.name, { back: { href: "/organization", text: t("organization.back") } }),
    memberSection(id, signal), inviteSection(id), invitationsSection(id, invited.items));
});

function memberSection(id, signal) {
  const admins = h("input", { type: "checkbox", name: "administrators", onchange: () => list.reload() });
  const list = pagedList({
    signal, empty: t("organization.members_none"), caption: t("organization.members_list"),
    rowLink: (member) => `/organization/${encodeURIComponent(id)}/members/${encodeURIComponent(member.id)}`,
    load: (cursor, { search, signal }) => call("GET", path`/organizations/${id}/members`, {
      query: search ? { identifier: search } : { after: cursor, administrators: admins.checked || undefined }, signal,
    }),
    // A name belongs neither into the address nor into the history of the browser.
    search: { label: t("organization.search"), help: t("organization.search_help") },
    filters: [field({ label: t("organization.administrators_only"), input: admins })],
    columns: [
      { title: t("organization.member"), value: nameOf },
      { title: t("organization.email"), value: (member) => member.email },
      { title: t("organization.roles"), value: (member) => roleTags(member.roles) },
      { title: t("organization.state"), value: (member) => tag(named("organization.account_state", member.state),
        member.state === "active" ? "good" : "bad") },
      { title: t("organization.since"), value: (member) => formatDay(member.joined_at) },
    ],
  });
  return section(t("organization.members"), {}, list);
}

function inviteSection(id) {
  const who = textInput({ name: "identifier", required: true, maxlength: "254", autocapitalize: "none", dir: "auto" });
  const whoField = field({ label: t("organization.invite_who"), help: t("organization.invite_who_help"), input: who });
  const roles = roleInputs([]), rolesField =
    field({ label: t("organization.other_roles"), help: t("organization.other_roles_help"), input: roles.others });
  const message = h("div", { role: "alert" }),
    submit = h("button", { class: "button button-primary" }, t("organization.invite_action"));
  const form = h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      whoField.setError("");
      rolesField.setError("");
      try {
        const made = await freshly(() => call("POST", path`/organizations/${id}/invitations`,
          { body: { identifier: who.value.trim(), roles: roles.value() } }));
        if (!made) return;
        toast(t("organization.invited", { name: made.identifier }));
        await render();
      } catch (error) {
        showFaults(error, { identifier: whoField, roles: rolesField }, message);
      }
    });
  } }, whoField,
  field({ label: t("organization.as_admin"), help: t("organization.as_admin_help"), input: roles.admin }), rolesField,
  message, h("div", { class: "actions" }, submit));
  return section(t("organization.invite"), { lead: t("organization.invite_lead") }, form);
}

function invitationsSection(id, invited) {
  const rows = invited.map((one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, one.identifier),
    h("td", null, roleTags(one.roles)), h("td", null, formatAgo(one.expires_at)),
    h("td", { class: "cell-actions" }, actionButton(t("organization.revoke"), async () => {
      if (!await confirmDialog({ title: t("organization.revoke_title", { name: one.identifier }),
          action: t("organization.revoke"), danger: true }))
        return;
      await call("DELETE", path`/organizations/${id}/invitations/${one.id}`);
      toast(t("organization.revoked", { name: one.identifier }));
      await render();
    }, { kind: "quiet", "aria-label": t("organization.revoke_named", { name: one.identifier }) }))));
  return section(t("organization.invitations"), {}, rows.length
    ? h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": t("organization.invitations_list") },
      h("table", { class: "table" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("organization.invited_person")),
          h("th", { scope: "col" }, t("organization.roles")), h("th", { scope: "col" }, t("organization.expires")),
          h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("organization.actions"))))),
          h("tbody", null, rows)))
    : h("p", { class: "empty" }, t("organization.invitations_none")));
}

// The first page: the user's organizations and invitations.

import { call } from "../api.js";
import { actionButton, confirmDialog, facts, h, pageHead, replace, section, tag, toast } from "../dom.js";
import { go, render, route } from "../router.js";
import { formatAgo, formatDay, t } from "../strings.js";
import { adminRole, path, roleTags, visitor } from "./frame.js";

route("/organization", (params, root) => {
  root.classList.add("page-narrow");
  const { organizations, invitations } = visitor;
  replace(root, pageHead(t("organization.title"), { lead: t("organization.lead") }),
    invitations.map(invitationCard),
    organizations.map(organizationCard),
    !organizations.length && !invitations.length
      && h("div", { class: "card" }, h("p", { class: "empty" }, t("organization.none"))),
    h("p", null, h("a", { href: "/account" }, t("organization.to_account"))));
});

function invitationCard(one) {
  const name = one.organization;
  return section(t("organization.invited_to", { name }), { lead: t("organization.invited_lead", { name }) },
    facts([[t("organization.roles"), roleTags(one.roles)], [t("organization.expires"), formatAgo(one.expires_at)]]),
    h("div", { class: "actions" },
      actionButton(t("organization.accept"), async () => {
        const joined = await call("POST", path`/invitations/${one.id}`);
        toast(t("organization.joined", { name }));
        await (joined.roles.includes(adminRole) ? go(`/organization/${encodeURIComponent(joined.id)}`) : render());
      }, { kind: "primary", "aria-label": t("organization.accept_named", { name }) }),
      actionButton(t("organization.decline"), async () => {
        if (!await confirmDialog(
            { title: t("organization.decline_title", { name }), action: t("organization.decline"), danger: true }))
          return;
        await call("DELETE", path`/invitations/${one.id}`);
        toast(t("organization.declined"));
        await render();
      }, { "aria-label": t("organization.decline_named", { name }) })));
}

function organizationCard(one) {
  const isAdmin = one.roles.includes(adminRole), isActive = one.state === "active";
  const address = `/organization/${encodeURIComponent(one.id)}`;
  return section(one.name,
    { actions: isAdmin && isActive
      ? [h("a", { class: "button button-primary", href: address,
        "aria-label": t("organization.manage_named", { name: one.name }) }, t("organization.manage"))] : [] },
    !isActive && h("p", null, tag(t("organization.suspended"), "bad"), " ", t("organization.suspended_text")),
    facts([[t("organization.roles"), roleTags(one.roles)], [t("organization.since"), formatDay(one.joined_at)]]),
    h("div", { class: "actions" }, actionButton(t("organization.leave"), async () => {
      if (!await confirmDialog({ title: t("organization.leave_title", { name: one.name }),
          text: t("organization.leave_text"), action: t("organization.leave"), danger: true }))
        return;
      await call("DELETE", path`/organizations/${one.id}/membership`);
      toast(t("organization.left", { name: one.name }));
      await render();
    }, { kind: "quiet", "aria-label": t("organization.leave_named", { name: one.name }) })));
}

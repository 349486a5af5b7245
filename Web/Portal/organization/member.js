// One member: roles, sign-in methods, sign-ins, and the end of the membership.

import { call } from "../api.js";
import { actionButton, busy, confirmDialog, facts, field, h, pageHead, replace, section, showFaults, tag,
  toast } from "../dom.js";
import { go, render, route } from "../router.js";
import { formatDay, formatTime, named, t } from "../strings.js";
import { freshly, membership, nameOf, path, roleInputs, visitor } from "./frame.js";

route("/organization/:organization/members/:user", async ({ organization: id, user }, root, { signal }) => {
  const base = path`/organizations/${id}/members/${user}`;
  const { member, authenticators, sign_ins: signIns } = await call("GET", base, { signal });
  const name = nameOf(member), isSelf = member.id === visitor.id;
  replace(root, pageHead(name, {
    back: { href: `/organization/${encodeURIComponent(id)}`, text: membership(id)?.name ?? t("organization.back") },
    tags: [tag(named("organization.account_state", member.state), member.state === "active" ? "good" : "bad"),
      isSelf && tag(t("organization.you"))].filter(Boolean),
  }),
  section(t("organization.member"), {},
    facts([[t("organization.username"), member.username], [t("organization.email"), member.email],
      [t("organization.since"), formatDay(member.joined_at)]])),
  rolesSection(member, base, isSelf), methodsSection(authenticators, base, name), signInsSection(signIns, base, name),
  !isSelf && removeSection(id, base, name));
});

function rolesSection(member, base, isSelf) {
  const inputs = roleInputs(member.roles), others =
    field({ label: t("organization.other_roles"), help: t("organization.other_roles_help"), input: inputs.others });
  const message = h("div", { role: "alert" }),
    submit = h("button", { class: "button button-primary" }, t("shell.save"));
  if (isSelf) for (const input of [inputs.admin, inputs.others, submit]) input.disabled = true;
  const form = h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      others.setError("");
      try {
        if (!await freshly(() => call("PUT", `${base}/roles`, { body: { roles: inputs.value() } }))) return;
        toast(t("organization.roles_changed", { name: nameOf(member) }));
        await render();
      } catch (error) {
        showFaults(error, { roles: others }, message);
      }
    });
  } }, field({ label: t("organization.as_admin"), help: t("organization.as_admin_help"), input: inputs.admin }),
  others, message, h("div", { class: "actions" }, submit));
  return section(t("organization.roles"), { lead: isSelf ? t("organization.own_roles") : undefined }, form);
}

function table(label, headings, rows) {
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": label },
    h("table", { class: "table" },
      h("thead", null, h("tr", null, headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", null, rows)));
}

function methodsSection(authenticators, base, name) {
  const rows = authenticators.map((one) => {
    const type = named("organization.method", one.type), isLocked = one.lock !== "open";
    return h("tr", null, h("th", { scope: "row" }, type),
      h("td", null, tag(named("organization.lock", one.lock), isLocked ? "bad" : "good"),
        one.locked_until ? ` ${t("organization.until", { time: formatTime(one.locked_until) })}` : null),
      h("td", { class: "cell-actions" },
        one.held ? t("organization.held") : isLocked && actionButton(t("organization.unlock"), async () => {
          await call("POST", `${base}/authenticators/${encodeURIComponent(one.id)}/unlock`);
          toast(t("organization.unlocked", { type, name }));
          await render();
        }, { kind: "secondary", "aria-label": t("organization.unlock_named", { type, name }) })));
  });
  return section(t("organization.methods"), {}, rows.length
    ? table(t("organization.methods"), [t("organization.method_type"), t("organization.state"),
      h("span", { class: "visually-hidden" }, t("organization.actions"))], rows)
    : h("p", { class: "empty" }, t("organization.methods_none")));
}

function signInsSection(signIns, base, name) {
  const end = actionButton(t("organization.end_sign_ins"), async () => {
    if (!await confirmDialog({ title: t("organization.end_title", { name }), text: t("organization.end_text"),
        action: t("organization.end_sign_ins"), danger: true }))
      return;
    await call("DELETE", `${base}/sign-ins`);
    toast(t("organization.ended", { name }));
    await render();
  });
  const rows = signIns.map((one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, one.app_name ?? one.app_id),
    h("td", null, formatTime(one.signed_in_at)), h("td", null, formatTime(one.used_at))));
  return section(t("organization.sign_ins"),
    { lead: t("organization.sign_ins_lead"), actions: rows.length ? [end] : [] }, rows.length
    ? table(t("organization.sign_ins"),
      [t("organization.app"), t("organization.signed_in"), t("organization.used")], rows)
    : h("p", { class: "empty" }, t("organization.sign_ins_none")));
}

function removeSection(id, base, name) {
  return section(t("organization.remove"), { lead: t("organization.remove_lead") },
    h("div", { class: "actions" }, actionButton(t("organization.remove"), async () => {
      if (!await confirmDialog({ title: t("organization.remove_title", { name }), text: t("organization.remove_lead"),
          action: t("organization.remove"), danger: true }))
        return;
      await call("DELETE", base);
      toast(t("organization.removed", { name }));
      await go(`/organization/${encodeURIComponent(id)}`);
    }, { kind: "danger" })));
}

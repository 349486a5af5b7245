// Tokens with which the directory of an organization manages its people by SCIM.

import { at, call } from "./api.js";
import { actionButton, busy, confirmDialog, copyable, field, h, replace, section, showDialog, showFaults, textInput,
  toast } from "./dom.js";
import { render } from "./router.js";
import { formatAgo, formatDay, t } from "./strings.js";

/** The directory of an organization, as a section: its tokens, and a form for another one. */
export function directorySection({ one, mayChange }, tokens) {
  const path = at`/v1/organizations/${one.id}/scim-tokens`;
  return section(t("directories.title"), { lead: t("directories.lead") }, tokens.length
    ? tokenTable(path, mayChange, tokens) : h("p", { class: "empty" }, t("directories.none")),
  mayChange && creation(path));
}

function tokenTable(path, mayChange, tokens) {
  const headings = [t("directories.name"), t("directories.domains"), t("directories.created"),
    t("directories.created_by"), t("directories.used")];
  if (mayChange) headings.push(h("span", { class: "visually-hidden" }, t("organizations.actions")));
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": t("directories.title") },
    h("table", { class: "table" },
      h("thead", null, h("tr", null, headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", null, tokens.map((token) => h("tr", null, h("th", { scope: "row", dir: "auto" }, token.name),
        h("td", null, token.domains.length ? token.domains.join(", ") : t("directories.no_domains")),
        h("td", null, formatDay(token.created_at)), h("td", { class: "cell-mono" }, token.created_by),
        h("td", null, token.used_at ? formatAgo(token.used_at) : t("directories.never")),
        mayChange && h("td", { class: "cell-actions" }, revocation(path, token)))))));
}

function revocation(path, token) {
  return actionButton(t("organizations.revoke"), async () => {
    if (!await confirmDialog({ title: t("directories.revoke_title", token), text: t("directories.revoke_text"),
        action: t("organizations.revoke"), danger: true }))
      return;
    await call("DELETE", `${path}/${encodeURIComponent(token.id)}`);
    toast(t("directories.revoked", token));
    await render();
  }, { kind: "quiet", "aria-label": t("directories.revoke_named", token) });
}

function creation(path) {
  const fields = {
    name: field({ label: t("directories.name"), help: t("directories.name_help"),
      input: textInput({ name: "scim_name", required: true, maxlength: 100, dir: "auto" }) }),
    domains: field({ label: t("directories.domains"), help: t("directories.domains_help"),
      input: textInput({ name: "scim_domains", autocapitalize: "none", dir: "auto" }) }),
  };
  const message = h("div", { role: "alert" }),
    submit = h("button", { class: "button button-primary" }, t("directories.create"));
  async function create() {
    replace(message);
    for (const one of Object.values(fields)) one.setError("");
    try {
      const made = await call("POST", path, { body: { name: fields.name.input.value.trim(),
        domains: fields.domains.input.value.split(/[\s,]+/).filter(Boolean) } });
      await showDialog(t("directories.made", made), h("div", { class: "stack" },
        h("p", null, t("directories.made_text")), copyable(made.token, t("directories.token"))));
      await render();
    } catch (error) { showFaults(error, fields, message); }
  }
  return h("form", { class: "form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(submit, create);
  } }, Object.values(fields), message, h("div", { class: "actions" }, submit));
}

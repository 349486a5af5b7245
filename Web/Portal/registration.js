// Initial access tokens, with which programs register apps.

import { at, call, may } from "./api.js";
import { actionButton, confirmDialog, copyable, field, h, busy, pageHead, replace, section, showDialog, showFaults,
  tag,
  textInput, toast } from "./dom.js";
import { pagedList } from "./list.js";
import { route } from "./router.js";
import { formatTime, t } from "./strings.js";

route("/admin/app-registration", (params, root, { signal }) => {
  const mayChange = may("changeConfiguration");
  const fields = {
    name: field({ label: t("registration.name"), help: t("registration.name_help"),
      input: textInput({ required: true, maxlength: 100 }) }),
    uses: field({ label: t("registration.uses"), help: t("registration.uses_help"),
      input: textInput({ type: "number", min: 1, max: 10_000, value: 1 }) }),
    days: field({ label: t("registration.days"), help: t("registration.days_help"),
      input: textInput({ type: "number", min: 1, max: 365, value: 7 }) }),
    requires_pkce: field({ label: t("registration.pkce"), help: t("registration.pkce_help"),
      input: h("input", { type: "checkbox", checked: true }) }),
  };
  const message = h("div"), submit = h("button", { class: "button button-primary" }, t("registration.make"));
  async function make() {
    replace(message);
    for (const one of Object.values(fields)) one.setError("");
    try {
      const made = await call("POST", "/v1/registration-tokens", { body: { name: fields.name.input.value.trim(),
        uses: Number(fields.uses.input.value), days: Number(fields.days.input.value),
        requires_pkce: fields.requires_pkce.input.checked } });
      await showDialog(t("registration.made", { name: made.name }), h("div", { class: "stack" },
        h("p", null, t("registration.made_text")), copyable(made.token, t("registration.token"))));
      submit.form.reset();
      await list.reload();
    } catch (error) { showFaults(error, fields, message); }
  }
  const list = pagedList({
    signal, caption: t("registration.title"), empty: t("registration.none"),
    load: (cursor, asked) =>
      call("GET", "/v1/registration-tokens", { query: { after: cursor }, signal: asked.signal }),
    columns: [
      { title: t("registration.name"), value: (one) => one.name },
      { title: t("registration.uses"), value: (one) => t("registration.used", one) },
      { title: t("registration.expires"), value: (one) => formatTime(one.expires_at) },
      { title: t("registration.state"), value: (one) => one.revoked_at ? tag(t("settings.revoked"), "bad")
        : one.expires_at <= Date.now() || one.used >= one.uses ? tag(t("registration.ended"))
          : tag(t("settings.valid"), "good") },
      ...(mayChange ? [{ title: t("settings.actions"), kind: "actions",
        value: (one) => !one.revoked_at && actionButton(t("settings.revoke"), async () => {
          if (!(await confirmDialog({ title: t("settings.revoke_title", one), text: t("registration.revoke_text"),
              action: t("settings.revoke"), danger: true })))
            return;
          await call("DELETE", at`/v1/registration-tokens/${one.id}`);
          toast(t("registration.revoked"));
          await list.reload();
        }, { "aria-label": t("settings.revoke_named", one), class: "button button-secondary button-small" }) }] : []),
    ],
  });
  replace(root,
    pageHead(t("registration.title"),
      { back: { href: "/admin/apps", text: t("apps.title") }, lead: t("registration.lead") }),
    list,
    mayChange && section(t("registration.new"), {}, h("form", { class: "form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      busy(submit, make);
    } }, message, fields.name, h("div", { class: "form-row" }, fields.uses, fields.days), fields.requires_pkce,
    h("div", { class: "actions" }, submit))));
});

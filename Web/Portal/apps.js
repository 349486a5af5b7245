// Apps: list, new app, settings, secrets, quick start.

import { at, call, may } from "./api.js";
import { actionButton, alertBox, attempt, busy, codeBlock, confirmDialog, copyable, facts, field, h, orWithout,
  pageHead, replace, section, select, serverText, showDialog, showFaults, tag, textInput, toast } from "./dom.js";
import { pagedList } from "./list.js";
import { go, guardUnsaved, route } from "./router.js";
import { formatNumber, formatTime, named, t } from "./strings.js";
import { part, setPart, settingField } from "./settings-form.js";
import { branding } from "./branding.js";
import { quickStart } from "./quick-start.js";

let guideOnce = null;
/** The schema, the defaults, and the thresholds of app settings; they change with the server only. */
export function settingsGuide() {
  guideOnce ??= call("GET", "/v1/app-settings").catch((error) => { guideOnce = null; throw error; });
  return guideOnce;
}
/** The defaults have changed. */
settingsGuide.forget = () => { guideOnce = null; };

// MARK: List

route("/admin/apps", (params, root, { signal }) => {
  replace(root,
    pageHead(t("apps.title"), { lead: t("apps.lead"), actions: [
      h("a", { class: "button button-secondary", href: "/admin/face-groups" }, t("face_groups.title")),
      ...(may("changeConfiguration")
        ? [h("a", { class: "button button-secondary", href: "/admin/app-registration" }, t("registration.title")),
          h("a", { class: "button button-primary", href: "/admin/apps/new" }, t("apps.new"))] : [])] }),
    pagedList({
      signal, empty: t("apps.none"), caption: t("apps.title"),
      rowLink: (app) => `/admin/apps/${encodeURIComponent(app.id)}`,
      load: (cursor, asked) => call("GET", "/v1/apps", { query: { after: cursor }, signal: asked.signal }),
      columns: [
        { title: t("apps.name"), value: (app) => app.name },
        { title: t("apps.id"), kind: "mono", value: (app) => app.id },
        { title: t("apps.type"), value: (app) => t(`apps.type.${app.type}`) },
        { title: t("apps.party"),
          value: (app) => h("span", null, partyTags(app).flatMap((one, index) => index ? [" ", one] : [one])) },
        { title: t("apps.created"), value: (app) => formatTime(app.created_at) },
      ],
    }));
});

/** Who runs an app, and whether a program registered it. */
function partyTags(app) {
  return [tag(t(app.first_party ? "apps.first_party_tag" : "apps.third_party_tag")),
    app.registration_token && tag(t("apps.registered_tag"))].filter(Boolean);
}

// MARK: New app

/** The products that docs/connect describes, and the settings of their apps: products.json. */
async function knownProducts() {
  const answer = await fetch("/admin/assets/products.json");
  return answer.ok ? answer.json() : [];
}

/** The settings of an app of a product at an address. The command line does the same. */
function productSettings(product, url) {
  const place = url.replace(/\/+$/, "");
  return JSON.parse(JSON.stringify(product.settings),
    (_, value) => typeof value === "string" ? value.replaceAll("{url}", place) : value);
}

route("/admin/apps/new", async (params, root) => {
  const products = await orWithout(knownProducts(), []);
  const name = field({ label: t("apps.name"), help: t("apps.name_help"),
    input: textInput({ name: "name", required: true, maxlength: 100 }) });
  const id = field({ label: t("apps.id"), help: t("apps.id_help"),
    input: textInput({ name: "id", maxlength: 64, pattern: "[A-Za-z0-9_.\\-]+" }) });
  const product = field({ label: t("apps.product"), help: t("apps.product_help"),
    input: select([["", t("apps.product_none")], ...products.map((one) => [one.id, one.name])], "",
      { name: "product" }) });
  const url = field({ label: t("apps.product_url"), help: t("apps.product_url_help"),
    input: textInput({ name: "url", type: "url", dir: "ltr" }) });
  const kinds = ["public", "confidential"].map((kind) => {
    const input = h("input", { type: "radio", name: "type", value: kind, checked: kind === "public" });
    return h("label", { class: "choice" }, input, h("span", null, h("strong", null, t(`apps.type.${kind}`)), h("br"),
      h("span", { class: "hint" }, t(`apps.type_${kind}_help`))));
  });
  const type = h("fieldset", null, h("legend", null, t("apps.type")), kinds,
    h("p", { class: "hint" }, t("apps.type_help")));
  const redirect =
    field({ label: t("apps.redirect"), help: t("apps.redirect_help"),
      input: textInput(
        { name: "redirect", type: "url", dir: "ltr", placeholder: "https://shop.example.org/signed-in" }) });
  const own =
    field({ label: t("apps.first_party"), help: t("apps.first_party_help"), input: h("input", { type: "checkbox" }) });
  const sdk = field({ label: t("apps.client"), help: t("apps.client_help"), input: h("input", { type: "checkbox" }) });
  const message = h("div");
  const submit = h("button", { class: "button button-primary" }, t("apps.create"));
  const form = h("form", { class: "form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(submit, create);
  } }, message, name, id, products.length > 0 && product, url, type, redirect, own, sdk,
    h("div", { class: "actions" }, submit));

  const chosen = () => products.find((one) => one.id === product.input.value);
  /** A product decides everything but the name, the ID, and who runs it. */
  function adapt() {
    const one = chosen();
    url.hidden = !one?.url;
    url.input.placeholder = one?.url ?? "";
    for (const part of [type, redirect, sdk]) part.hidden = Boolean(one);
  }
  product.input.addEventListener("change", adapt);
  adapt();

  function wanted() {
    const body = { name: name.input.value.trim(), first_party: own.input.checked }, one = chosen();
    if (id.input.value.trim()) body.id = id.input.value.trim();
    if (one) {
      return { ...body, type: "confidential", client: "other",
        settings: productSettings(one, url.input.value.trim()) };
    }
    if (redirect.input.value.trim())
      body.settings = { sign_in_page: true, redirect_uris: [redirect.input.value.trim()] };
    return { ...body, type: form.elements.type.value, client: sdk.input.checked ? "mien" : "other" };
  }

  async function create() {
    replace(message);
    for (const one of [name, id, url, redirect]) one.setError("");
    if (chosen()?.url && !/^https?:\/\/[^/]/.test(url.input.value.trim())) {
      url.setError(t("apps.product_url_missing", { url: chosen().url }));
      url.input.focus();
      return;
    }
    try {
      const app = await call("POST", "/v1/apps", { body: wanted() });
      if (app.client_secret) await showSecret(app);
      toast(t("apps.created_done"));
      await go(`/admin/apps/${encodeURIComponent(app.id)}`);
    } catch (error) { showErrors(error, { name, id, redirect_uris: chosen() ? url : redirect }, message); }
  }

  replace(root, pageHead(t("apps.new"), { back: { href: "/admin/apps", text: t("apps.title") } }),
    h("div", { class: "card" }, form));
  root.classList.add("page-narrow");
  name.input.focus();
});

/** Shows why an app was refused. The API names its settings after `settings.`, the form without. */
function showErrors(error, fields, message) {
  const named =
    Object.fromEntries(Object.entries(fields).flatMap(([name, one]) => [[name, one], [`settings.${name}`, one]]));
  showFaults(error, named, message);
}

function showSecret(app) {
  return showDialog(t("apps.secret_title", { name: app.name }), h("div", { class: "stack" },
    h("p", null, t("apps.secret_text")),
    facts([[t("apps.id"), copyable(app.id, t("apps.id"))], [t("apps.secret_label"),
      copyable(app.client_secret, t("apps.secret_label"))]])), { close: t("apps.secret_stored") });
}

// MARK: One app

/** The settings by group; those of the schema that are not named here are in the last group. */
const groups = [
  ["sign_in", ["sign_in_page", "sign_in_journey", "device_authorization", "journeys", "organizations.use",
    "organizations.access"]],
  ["addresses", ["redirect_uris", "web_origins", "initiate_login_uri", "post_logout_redirect_uris",
    "backchannel_logout_uri", "frontchannel_logout_uri", "frontchannel_logout_session_required", "logout_scope",
    "resources", "introspection_apps", "client_scopes"]],
  ["face", ["face_threshold", "liveness.mode", "liveness.threshold", "liveness.quality", "liveness.timeout_seconds",
    "liveness.actions", "liveness.action_count", "liveness.accommodation", "liveness.light",
    "liveness.light_accommodation", "duplicate_faces"]],
  ["locks", ["locks"]],
  ["tokens", ["token_seconds", "tokens.access_token_seconds", "tokens.refresh_token_seconds",
    "tokens.expire_after_idling", "tokens.idle_seconds"]],
  ["client", ["profile", "requires_pkce", "requires_dpop", "id_token_signed_response_alg", "access_token_typ",
    "token_endpoint_auth_method", "jwks", "jwks_uri", "require_pushed_authorization_requests",
    "require_signed_request_object"]],
  ["claims", ["userinfo_signed_response_alg", "claims.attributes", "claims.groups", "claims.id_token",
    "claims.unverified_email"]],
  ["biometric",
    ["biometric.enabled", "biometric.mode", "biometric.max_keys", "biometric.attestation", "biometric.apple_apps",
      "biometric.apple_development", "biometric.android_apps", "biometric.android_level",
      "biometric.android_user_authentication"]],
  ["identity", ["identity.required", "identity.accepts_still_faces", "identity.document_live",
    "identity.retention_days", "identity.result_retention_days", "identity.webhook"]],
  ["branding", ["pages.brand", "pages.brand_dark", "pages.logo", "pages.language", "pages.texts", "client_uri",
    "policy_uri", "tos_uri"]],
];

function schemaOf(schema, path) { return path.split(".").reduce((one, key) => one?.properties?.[key], schema); }

route("/admin/apps/:id", async ({ id }, root, { signal }) => {
  const [app, guide] = await Promise.all([call("GET", at`/v1/apps/${id}`, { signal }), settingsGuide()]);
  const mayChange = may("changeConfiguration"), disabled = !mayChange;
  replace(root,
    pageHead(app.name, {
      back: { href: "/admin/apps", text: t("apps.title") },
      tags: partyTags(app).flatMap((one, index) => index ? [" ", one] : [one]),
    }),
    section(t("apps.quick_start"), { lead: t("apps.quick_start_lead") }, quickStart(app)),
    refusalSection(app, signal),
    servicesSection(app),
    settingsSection(app, guide, disabled),
    app.type === "confidential" && app.settings.token_endpoint_auth_method !== "private_key_jwt" && mayChange
      && secretSection(app),
    app.settings.identity?.webhook && mayChange
      && testSection("webhook", app.settings.identity.webhook, at`/v1/apps/${app.id}/webhook/test`),
    app.settings.backchannel_logout_uri && mayChange
      && testSection("logout", app.settings.backchannel_logout_uri, at`/v1/apps/${app.id}/logout/test`),
    mayChange && section(t("apps.danger"), {}, h("p", null, t("apps.delete_text")),
      h("div", { class: "actions" }, actionButton(t("apps.delete"), async () => {
        if (!(await confirmDialog({ title: t("apps.delete_title", { name: app.name }), text: t("apps.delete_text"),
            action: t("apps.delete"), danger: true, typed: app.id })))
          return;
        await call("DELETE", at`/v1/apps/${app.id}`);
        toast(t("apps.deleted"));
        guardUnsaved(null);
        await go("/admin/apps");
      }, { kind: "danger" }))));
});

/** Why requests of the app were refused. */
function refusalSection(app, signal) {
  return section(t("apps.refusals"), { lead: t("apps.refusals_lead") }, pagedList({
    signal, empty: t("apps.refusals_none"), caption: t("apps.refusals"),
    load: async (cursor, asked) =>
      ({ items: (await call("GET", at`/v1/apps/${app.id}/refusals`, { signal: asked.signal })).refusals }),
    columns: [
      { title: t("apps.refusal_reason"), value: (one) => serverText(one.description) },
      { title: t("apps.refusal_error"), kind: "mono", value: (one) => one.error },
      { title: t("apps.refusal_route"), kind: "mono", value: (one) => one.route },
      { title: t("apps.refusal_count"), kind: "number", value: (one) => formatNumber(one.count) },
      { title: t("apps.refusal_last"), value: (one) => formatTime(one.last_at) },
    ],
  }));
}

/** Which apps' tokens a service sees, and which services see the tokens of this app. */
function servicesSection(app) {
  const own = app.settings.introspection_apps ?? [], others = app.introspected_by ?? [];
  if (!own.length && !others.length) return null;
  const links = (ids) => h("span", null, ids.flatMap((id, index) =>
    [index ? " " : "", h("a", { href: `/admin/apps/${encodeURIComponent(id)}` }, h("code", null, id))]));
  return section(t("apps.services"), { lead: t("apps.services_lead") }, facts([
    own.length && [t("apps.services_sees"), links(own)],
    others.length && [t("apps.services_seen_by"), links(others)],
  ].filter(Boolean)));
}

function settingsSection(app, guide, disabled) {
  const name = field({ label: t("apps.name"), help: t("apps.name_help"),
    input: textInput({ value: app.name, maxlength: 100, disabled }) });
  const own = field({ label: t("apps.first_party"), help: t("apps.first_party_help"),
    input: h("input", { type: "checkbox", checked: app.first_party, disabled }) });
  const all = [], fields = { name };
  const make = (path) => {
    const schema = schemaOf(guide.schema, path);
    if (!schema) return null;
    const one = settingField(path, schema, part(app.settings, path), part(guide.defaults, path), { disabled });
    fields[path] = one;
    all.push(one);
    return one;
  };
  const covered = new Set();
  const parts = groups.map(([group, paths], index) => {
    for (const path of paths) covered.add(path.split(".")[0]);
    let content;
    if (group === "locks") content = lockFields(app, guide, disabled, all, fields);
    else if (group === "branding") content = branding(app, paths, make, fields, all, disabled, guide.defaults.pages);
    else content = paths.map(make);
    if (group === "face" && fields.face_threshold)
      content = [thresholdWords(fields.face_threshold, guide), ...content.slice(1)];
    return details(t(`apps.group.${group}`), index < 2, content);
  });
  const others = Object.keys(guide.schema.properties ?? {}).filter((key) => !covered.has(key)).sort();
  if (others.length) parts.push(details(t("apps.group.other"), false, others.map(make)));

  const message = h("div", { tabindex: "-1" });
  const submit = h("button", { class: "button button-primary" }, t("apps.save"));
  let isChanged = false;
  guardUnsaved(() => isChanged);
  const form =
    h("form", { class: "form", novalidate: true, oninput: () => { isChanged = true; }, onsubmit: (event) => {
      event.preventDefault();
      busy(submit, save);
    } }, disabled && alertBox("info", t("apps.read_only")), message, name, own, parts,
    !disabled && h("div", { class: "actions actions-sticky" }, submit));

  async function save() {
    replace(message);
    for (const one of Object.values(fields)) one.setError("");
    // A setting that this form does not know stays as it is.
    const settings = structuredClone(app.settings);
    try {
      for (const one of all) setPart(settings, one.path, one.read());
    } catch { return; }
    try {
      const changed = await call("PUT", at`/v1/apps/${app.id}`,
        { body: { name: name.input.value.trim(), first_party: own.input.checked, settings, revision: app.revision } });
      Object.assign(app, changed);
      isChanged = false;
      toast(t("apps.saved"));
      await go(`/admin/apps/${encodeURIComponent(app.id)}`, { replace: true });
    } catch (error) { showErrors(error, fields, message); }
  }

  return section(t("apps.settings"), { lead: t("apps.settings_lead") }, form);
}

function details(title, isOpen, content) {
  return h("details", { class: "group", open: isOpen }, h("summary", null, h("h3", null, title)),
    h("div", { class: "group-fields" }, content));
}

/** The threshold with what it means in words, from the server's table. */
function thresholdWords(element, guide) {
  const words = h("p", { class: "hint", role: "status" });
  const show = () => {
    const score = element.input.value === "" ? guide.defaults.face_threshold : Number(element.input.value);
    const known = guide.thresholds.filter((one) => one.score <= score).at(-1);
    if (!Number.isFinite(score) || !known) { words.textContent = ""; return; }
    words.textContent = [t("apps.threshold_example", { score, words: known.in_words }), t("apps.threshold_stricter"),
      score < 48 ? t("apps.threshold_weak") : ""].filter(Boolean).join(" ");
  };
  element.input.addEventListener("input", show);
  show();
  element.insertBefore(words, element.querySelector(".field-error"));
  return element;
}

/** The order of the rules for locks and of their settings; what the schema has besides comes last. */
const lockOrder = ["password", "face", "passkey", "native_biometrics", "otp", "email_code", "recovery_code"];
const ruleOrder = ["failed_attempts", "lockout_seconds", "disable_after"];

/** The members of an object: those of `order` first, then the others by name. */
function inOrder(object, order) {
  const place = (name) => order.includes(name) ? order.indexOf(name) : order.length;
  return Object.entries(object).sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1));
}

/** One rule for each kind of authenticator, which differs from the standard if it is turned on. */
function lockFields(app, guide, disabled, all, fields) {
  const schema = guide.schema.properties.locks.properties;
  return inOrder(schema, lockOrder).map(([method, policy]) => {
    const standard = guide.defaults.locks?.[method] ?? {}, own = app.settings.locks?.[method];
    const box = h("input", { type: "checkbox", checked: own !== undefined, disabled });
    const parts = inOrder(policy.properties, ruleOrder).map(([key, one]) => {
      const element = settingField(`locks.${method}.${key}`, one, own?.[key], undefined, { disabled });
      element.querySelector("label").textContent = t(`apps.lock.${key}`);
      if (element.input.tagName === "INPUT" && own === undefined) element.input.placeholder = standard[key] ?? "";
      fields[`locks.${method}.${key}`] = element;
      return [key, element];
    });
    const area = h("div", { class: "form-row", hidden: own === undefined }, parts.map(([, element]) => element));
    box.addEventListener("change", () => { area.hidden = !box.checked; });
    const toggle =
      field({ label: t("apps.lock.own", { method: t(`apps.method.${method}`) }),
        help: t("apps.lock.standard", { attempts: standard.failed_attempts, seconds: standard.lockout_seconds,
          disable: standard.disable_after ?? 50 }), input: box });
    all.push({ path: `locks.${method}`, read: () => {
      if (!box.checked) return undefined;
      const value = {};
      for (const [key, element] of parts) {
        const one = element.read();
        if (one !== undefined) value[key] = one;
        else if (["failed_attempts", "lockout_seconds"].includes(key)) value[key] = standard[key];
      }
      return value;
    } });
    return h("div", { class: "stack" }, toggle, area);
  });
}

function secretSection(app) {
  return section(t("apps.secret"), { lead: t("apps.secret_lead") },
    h("div", { class: "actions" }, actionButton(t("apps.secret_new"), async () => {
      if (!(await confirmDialog({ title: t("apps.secret_confirm"), text: t("apps.secret_confirm_text"),
          action: t("apps.secret_new"), danger: true })))
        return;
      await showSecret(await call("POST", at`/v1/apps/${app.id}/secret`));
    })));
}

/** Sends a test to an address of the app. */
function testSection(kind, url, path) {
  const result = h("div", { role: "status" });
  return section(t(`apps.${kind}`), { lead: t(`apps.${kind}_lead`, { url }) },
    h("div", { class: "actions" }, actionButton(t(`apps.${kind}_test`), async () => {
      replace(result, testResult(await call("POST", path)));
    })), result);
}

/** What a test of a connection found. */
export function testResult(answer) {
  if (answer.is_working)
    return alertBox("success",
      answer.status ? t("apps.test_working", { status: answer.status }) : t("settings.test_answered"));
  const hasMore = answer.reason && answer.reason !== `status ${answer.status}`;
  return alertBox("warning", answer.status
    ? t(hasMore ? "apps.test_failing_status" : "apps.test_status", answer) : t("apps.test_failing", answer));
}

// Signing in, setting up, accepting an invitation, and the own sign-in methods.

import { ApiError, at, call, me, forgetMe, loadMe, onStaleSignIn } from "./api.js";
import { actionButton, alertBox, busy, confirmDialog, copyable, errorText, faultText, field, h, pageHead, replace,
  section, svg, textInput, toast, uniqueID } from "./dom.js";
import { createPasskey, hasPasskeys, isAtAddress, usePasskey, wasCancelled } from "./passkeys.js";
import { go, render, route } from "./router.js";
import { signedIn } from "./shell.js";
import { formatAgo, formatTime, named, t } from "./strings.js";

onStaleSignIn(signInAgain);

route("/admin/sign-in", (params, root) => { drawSignIn(root, signedIn); }, { open: true });
route("/admin/setup", (params, root) => drawOffer("setup", root), { open: true });
route("/admin/invitation", (params, root) => drawOffer("invitation", root), { open: true });
route("/admin/account", (params, root) => drawAccount(root));

// MARK: Signing in

/** Draws the sign-in; `done` runs after it. */
function drawSignIn(root, done) {
  root.classList.add("page-narrow");
  replace(root, pageHead(t("account.sign_in"), { lead: t("account.sign_in_lead") }), signInForm(done));
}

/** The ways to sign in. @param {() => unknown} done Runs after the sign-in. */
function signInForm(done) {
  // Each way has its message beside its button.
  const passkeyMessage = h("div", { role: "alert" }), message = h("div", { role: "alert" });
  const fail = (error, place) => {
    if (!(error instanceof ApiError) && !wasCancelled(error)) console.error(error);
    replace(place, alertBox("error", wasCancelled(error) ? t("account.passkey_cancelled") : errorText(error)));
  };
  const clear = () => { replace(passkeyMessage); replace(message); };
  const passkey =
    h("button", { type: "button", class: "button button-primary", onclick: () => busy(passkey, async () => {
      clear();
      try {
        const options = await call("POST", "/v1/administrator/session/passkey/options");
        await call("POST", "/v1/administrator/session/passkey", { body: { credential: await usePasskey(options) } });
      } catch (error) { return fail(error, passkeyMessage); }
      await done();
    }) }, t("account.with_passkey"));
  const name = textInput({ name: "name", autocomplete: "username", required: true, maxlength: "100", dir: "auto" });
  const password = textInput({ type: "password", name: "password", autocomplete: "current-password", required: true });
  const code = codeInput();
  const submit = h("button", { class: "button button-secondary" }, t("account.sign_in"));
  const form = h("form", { class: "form", onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      clear();
      try {
        await call("POST", "/v1/administrator/session",
          { body: { name: name.value, password: password.value, code: code.value } });
      } catch (error) {
        code.value = "";
        fail(error, message);
        return code.focus();
      }
      await done();
    });
  } }, field({ label: t("account.name"), input: name }), field({ label: t("account.password"), input: password }),
  field({ label: t("account.code"), help: t("account.code_help"), input: code }), message,
  h("div", { class: "actions" }, submit));
  return h("div", { class: "card" }, hasPasskeys && [passkey, passkeyMessage], isAtAddress && passkeyHint(),
    section2(t(hasPasskeys ? "account.or_password" : "account.with_password"), form));
}

/** What to do about an address that has no passkeys. On this machine, `localhost` is the same portal with a name. */
function passkeyHint() {
  if (!/^(127[.]|\[::1\]$)/.test(location.hostname)) return h("p", { class: "hint" }, t("account.passkey_address"));
  const address = new URL(location.pathname, location.href);
  address.hostname = "localhost";
  return h("p", { class: "hint" }, t("account.passkey_address"), " ",
    h("a", { href: address.href }, t("account.passkey_localhost")));
}

function codeInput() {
  return textInput({ name: "code", inputmode: "numeric", autocomplete: "one-time-code", required: true,
    maxlength: "16", pattern: "[\\p{Nd}\\p{Zs}\\p{Pd}.]{6,16}", dir: "ltr" });
}

function section2(title, ...children) {
  const id = uniqueID("part");
  return h("section", { class: "stack", "aria-labelledby": id }, h("h2", { id }, title), children);
}

function signInAgain() {
  return new Promise((resolve) => {
    const heading = uniqueID("again"), opener = document.activeElement, before = me?.id;
    let isDone = false;
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": heading },
      h("h2", { id: heading, tabindex: "-1" }, t("account.again_title")), h("p", null, t("account.again_text")),
      signInForm(async () => {
        // Somebody else may have signed in here.
        isDone = (await loadMe()).id === before;
        dialog.close();
        if (!isDone) await signedIn();
      }),
      h("form", { method: "dialog", class: "actions" },
        h("button", { class: "button button-secondary" }, t("account.cancel"))));
    dialog.addEventListener("close", () => { dialog.remove(); opener?.focus?.(); resolve(isDone); });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("h2").focus();
  });
}

// MARK: Setting up

/** The code of the link, which leaves the address as soon as it is read. */
const codes = new Map();

async function drawOffer(kind, root) {
  const found = location.hash.slice(1);
  if (found) {
    codes.set(kind, found);
    history.replaceState(null, "", location.pathname);
  }
  const code = codes.get(kind);
  root.classList.add("page-narrow");
  const refused = (text) => replace(root, pageHead(t("account.link_title")), alertBox("error", text),
    h("p", null, h("a", { href: "/admin" }, t("account.sign_in"))));
  if (!code) return refused(t("account.link_missing"));
  let options;
  try { options = await call("POST", `/v1/administrator/${kind}/options`, { body: { code } }); } catch (error) {
    if (error instanceof ApiError && error.status === 404) return refused(errorText(error));
    throw error;
  }
  drawChoice(kind, root, code, options);
}

function drawChoice(kind, root, code, options) {
  const message = h("div", { role: "alert" }), offersPasskeys = Boolean(options.passkey) && hasPasskeys;
  const name = textInput({ name: "name", autocomplete: "username", required: true, maxlength: "100", dir: "auto",
    value: kind === "setup" ? "" : options.name });
  const nameField = kind === "setup" && field({ label: t("account.name"), help: t("account.name_help"), input: name });
  const parts = { passkey: passkeyPart(options), password: passwordPart(options.authenticator_app) };
  const choices = h("fieldset", null, h("legend", null, t("account.choose")), ["passkey", "password"].map((way) =>
    h("label", { class: "choice" },
      h("input", { type: "radio", name: "way", value: way, checked: way === (offersPasskeys ? "passkey" : "password"),
        disabled: way === "passkey" && !offersPasskeys, onchange: show }),
      h("span", null, t(`account.choose_${way}`), way === "passkey" && (!options.passkey || isAtAddress)
        && h("span", { class: "hint" }, " ", t("account.passkeys_absent"))))));
  const submit = h("button", { class: "button button-primary" }, t("account.finish"));
  const way = () => choices.querySelector("input:checked").value;
  function show() {
    for (const [key, part] of Object.entries(parts)) {
      part.hidden = key !== way();
      for (const input of part.querySelectorAll("input")) input.disabled = part.hidden;
    }
  }
  const form = h("form", { class: "form card", onsubmit: (event) => {
    event.preventDefault();
    busy(submit, async () => {
      replace(message);
      for (const part of Object.values(parts)) part.clear?.();
      nameField && nameField.setError("");
      try {
        const chosen = kind === "setup" ? { name: name.value } : {};
        await call("POST", `/v1/administrator/${kind}`, { body: { code, ...chosen, ...await parts[way()].read() } });
      } catch (error) {
        if (wasCancelled(error)) return replace(message, alertBox("error", t("account.passkey_cancelled")));
        const faults = error instanceof ApiError ? error.problem?.errors ?? [] : [];
        if (!(error instanceof ApiError)) console.error(error);
        for (const fault of faults) {
          if (fault.field === "name" && nameField)
            nameField.setError(faultText(fault.message));
          else if (!parts[way()].refuse?.(fault))
            message.append(alertBox("error", faultText(fault.message, fault.field)));
        }
        if (!faults.length) replace(message, alertBox("error", errorText(error)));
        // The options of a passkey work once.
        if (way() === "passkey") {
          try {
            options.passkey = (await call("POST", `/v1/administrator/${kind}/options`, { body: { code } })).passkey;
          } catch (next) { message.append(alertBox("error", errorText(next))); }
        }
        return undefined;
      }
      codes.delete(kind);
      return signedIn();
    });
  } }, nameField, choices, Object.values(parts), message, h("div", { class: "actions" }, submit));
  show();
  const lead = kind === "setup" ? t("account.setup_lead") : t("account.invitation_lead",
    { name: options.name, role: named("shell.role", options.role) });
  replace(root, pageHead(t(`account.${kind}_title`), { lead }), form);
}

/** The part of a form that makes a passkey; its `read` makes it. */
function passkeyPart(options) {
  const name = textInput({ name: "passkey_name", autocomplete: "off", maxlength: "100", dir: "auto" });
  const part = h("div", { class: "stack" },
    field({ label: t("account.passkey_name"), help: t("account.passkey_name_help"), input: name }));
  part.read = async () =>
    ({ credential: await createPasskey(options.passkey), ...(name.value ? { passkey_name: name.value } : {}) });
  return part;
}

/** The part of a form with a new authenticator app and, unless `isThere`, a new password. */
function passwordPart(app, { isThere = false } = {}) {
  const password = textInput({ type: "password", name: "password", autocomplete: "new-password", required: true });
  const passwordField = field({ label: t("account.password"), help: t("account.password_help"), input: password });
  const code = codeInput(), codeField = field({ label: t("account.code"), help: t("account.code_help"), input: code });
  const part = h("div", { class: "stack" }, !isThere && passwordField, appPicture(app), codeField);
  part.read = async () => ({ ...(isThere ? {} : { password: password.value }), one_time_code: code.value });
  part.clear = () => { passwordField.setError(""); codeField.setError(""); };
  part.refuse = ({ field: name, message }) => {
    const one = { password: passwordField, one_time_code: codeField }[name];
    one?.setError(faultText(message));
    if (one === codeField) { code.value = ""; code.focus(); }
    return Boolean(one);
  };
  return part;
}

/** The QR code, dark on light in every mode so that cameras read it. */
function appPicture({ secret, qr_code: { size, path } }) {
  const side = size + 8;
  return h("div", { class: "stack" }, h("h2", null, t("account.app_title")),
    svg("svg", { viewBox: `-4 -4 ${side} ${side}`, width: "220", height: "220", role: "img",
      "aria-label": t("account.app_alt"), class: "qr-code" },
      svg("rect", { x: "-4", y: "-4", width: side, height: side, fill: "#ffffff" }),
      svg("path", { d: path, fill: "#000000" })),
    h("div", null, h("p", { class: "label" }, t("account.app_secret")), copyable(secret, t("account.app_secret"))));
}

// MARK: Own methods

async function drawAccount(root) {
  const methods = await call("GET", "/v1/administrator/methods");
  const again = async (text) => { toast(text); await render(); };
  replace(root, pageHead(t("account.title")), passkeysSection(methods, again), passwordSection(methods, again),
    sessionsSection(methods));
}

function passkeysSection({ passkeys }, again) {
  const add = actionButton(t("account.add_passkey"), () => addPasskey(again));
  add.disabled = !hasPasskeys;
  const rows = passkeys.map(
    (one) => h("tr", null, h("th", { scope: "row", dir: "auto" }, one.name), h("td", null, formatTime(one.created_at)),
      h("td", null, one.used_at ? formatAgo(one.used_at) : t("shell.never")),
      h("td", { class: "cell-actions" }, actionButton(t("account.remove"), async () => {
        if (!await confirmDialog({ title: t("account.remove_passkey_title", { name: one.name }),
            text: t("account.remove_passkey_text"), action: t("account.remove"), danger: true }))
          return;
        await call("DELETE", at`/v1/administrator/passkeys/${one.id}`);
        await again(t("account.passkey_removed"));
      }, { kind: "quiet", "aria-label": t("account.remove_named", { name: one.name }) }))));
  return section(t("account.passkeys"), { actions: [add] }, rows.length
    ? h("div", { class: "table-area", tabindex: "0", role: "region", "aria-label": t("account.passkeys_list") },
      h("table", { class: "table" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("account.passkey")),
          h("th", { scope: "col" }, t("account.created")), h("th", { scope: "col" }, t("account.used")),
          h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("account.remove"))))),
          h("tbody", null, rows)))
    : h("p", { class: "empty" }, t("account.passkeys_none")));
}

async function addPasskey(again) {
  const options = await call("POST", "/v1/administrator/passkeys/options");
  const name = textInput({ name: "passkey_name", autocomplete: "off", maxlength: "100", dir: "auto" });
  const added =
    await formDialog(t("account.add_passkey"),
      [field({ label: t("account.passkey_name"), help: t("account.passkey_name_help"), input: name })],
      t("account.create_passkey"), async () => {
        const credential = await createPasskey(options);
        await call("POST", "/v1/administrator/passkeys",
          { body: { credential, ...(name.value ? { name: name.value } : {}) } });
      });
  if (added) await again(t("account.passkey_added"));
}

function passwordSection({ has_password: isThere, authenticator_app_at: since }, again) {
  const actions = isThere
    ? [actionButton(t("account.change_password"), () => changePassword(again)),
      actionButton(t("account.replace_app"), () => setApp(true, again)),
      actionButton(t("account.remove_password"), async () => {
        if (!await confirmDialog({ title: t("account.remove_password_title"), text: t("account.remove_password_text"),
            action: t("account.remove_password"), danger: true }))
          return;
        await call("DELETE", "/v1/administrator/password");
        await again(t("account.password_removed"));
      })]
    : [actionButton(t("account.add_password"), () => setApp(false, again))];
  return section(t("account.password_section"), { actions },
    h("p", null, isThere ? t("account.password_there", { time: formatAgo(since) }) : t("account.password_none")));
}

async function changePassword(again) {
  const password = textInput({ type: "password", name: "password", autocomplete: "new-password", required: true });
  const input = field({ label: t("account.new_password"), help: t("account.password_help"), input: password });
  const changed = await formDialog(t("account.change_password"), [input], t("account.change_password"),
    () => call("PUT", "/v1/administrator/password", { body: { password: password.value } }),
    (fault) => { input.setError(faultText(fault.message)); return true; });
  if (changed) await again(t("account.password_changed"));
}

async function setApp(isThere, again) {
  const app = await call("POST", "/v1/administrator/authenticator-app/options");
  const part = passwordPart(app, { isThere });
  const title = t(isThere ? "account.replace_app" : "account.add_password");
  const changed = await formDialog(title, [part], t("shell.save"), async () => {
    part.clear();
    await call("PUT", "/v1/administrator/authenticator-app", { body: await part.read() });
  }, part.refuse);
  if (changed) await again(t("account.app_changed"));
}

/** A dialog with a form. `save` runs when it is sent; its faults go to `refuse`. Returns whether it was saved. */
function formDialog(title, inputs, action, save, refuse) {
  return new Promise((resolve) => {
    const heading = uniqueID("dialog"), message = h("div", { role: "alert" }), opener = document.activeElement;
    let isSaved = false;
    const submit = h("button", { class: "button button-primary" }, action);
    const cancel = h("button",
      { type: "button", class: "button button-secondary", onclick: () => dialog.close() }, t("shell.cancel"));
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": heading }, h("h2", { id: heading }, title),
      h("form", { class: "form", onsubmit: (event) => {
        event.preventDefault();
        busy(submit, async () => {
          replace(message);
          try { await save(); } catch (error) {
            const faults = error instanceof ApiError ? error.problem?.errors ?? [] : [];
            if (faults.length && refuse && faults.every((fault) => refuse(fault))) return;
            if (!(error instanceof ApiError) && !wasCancelled(error)) console.error(error);
            replace(message,
              alertBox("error", wasCancelled(error) ? t("account.passkey_cancelled") : errorText(error)));
            return;
          }
          isSaved = true;
          dialog.close();
        });
      } }, inputs, message, h("div", { class: "actions" }, submit, cancel)));
    dialog.addEventListener("close", () => { dialog.remove(); opener?.focus?.(); resolve(isSaved); });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input")?.focus();
  });
}

function sessionsSection({ sessions, session }) {
  const everywhere = actionButton(t("account.sign_out_everywhere"), async () => {
    if (!await confirmDialog({ title: t("account.sign_out_title"), text: t("account.sign_out_text"),
        action: t("account.sign_out_everywhere"), danger: true }))
      return;
    await call("DELETE", "/v1/administrator/sessions");
    forgetMe();
    await go("/admin");
  });
  return section(t("account.sessions"), { actions: [everywhere] },
    session && h("p", null, t("account.sessions_count", { count: sessions, time: formatTime(session.signed_in_at) })));
}


// What the sign-in and account pages share. Their forms also work without scripts, except for captures and passkeys.

import { createPasskey, getPasskey } from "./mien.js";
import { captureTexts, data, isPhone, text, workerEncoder } from "./page.js";

/** Marks a form's button as busy when the form is sent, and sends no form twice. */
export function guardForms() {
  const sent = new WeakSet();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (sent.has(form)) return event.preventDefault();
    sent.add(form);
    event.submitter?.setAttribute("aria-busy", "true");
  });
  const release = (form) => {
    sent.delete(form);
    for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
  };
  // The browser shows the page as it was left when the person goes back.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) for (const form of document.forms) release(form); });
}

/** `.password-show` shows and hides the password before it. */
export function bindPasswords() {
  for (const button of document.querySelectorAll(".password-show")) {
    const input = button.parentElement.querySelector("input");
    button.addEventListener("click", () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.textContent = text(isShown ? "button_show" : "button_hide");
    });
    // A password that is shown as text would be saved as one.
    input.form?.addEventListener("submit", () => { input.type = "password"; });
  }
}

/** Sends the hidden form `id`, with the value of its field `name`. */
function submit(id, name, value) {
  const form = document.getElementById(id);
  form.elements.namedItem(name).value = value;
  form.requestSubmit();
}

/** Runs the capture of `page.capture` in the page's <mien-capture>, and sends `#capture-form` with its field `outcome`: `done`, `fail`, or `cancel`. */
export function bindCapture() {
  const session = data.page?.capture, element = document.querySelector("mien-capture");
  if (!session || !element) return;
  element.texts = captureTexts(session);
  const encode = workerEncoder();
  if (encode) element.encode = encode;
  for (const outcome of ["done", "fail", "cancel"]) {
    element.addEventListener(`mien-${outcome}`, () => submit("capture-form", "outcome", outcome), { once: true });
  }
  document.getElementById("use-phone").hidden = isPhone();
  element.setAttribute("csrf", data.csrf ?? "");
  element.setAttribute("capture-id", session.capture);
  element.start();
}

/**
 * `#passkey-start` registers or uses a passkey with the options in `page.passkey`, and sends `#passkey-form` with its
 * field `credential`. Failures appear in `#passkey-error`.
 */
export function bindPasskey() {
  const options = data.page?.passkey?.publicKey ?? data.page?.passkey, button = document.getElementById("passkey-start");
  if (!options || !button) return;
  const error = document.getElementById("passkey-error");
  const fail = (key) => {
    button.removeAttribute("aria-busy");
    error.textContent = text(key);
    error.hidden = false;
  };
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return fail("passkey_unsupported");
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    error.hidden = true;
    try {
      const credential = await (options.user ? createPasskey(options) : getPasskey(options));
      submit("passkey-form", "credential", JSON.stringify(credential));
    } catch (problem) {
      fail(problem.name === "InvalidStateError" ? "passkey_exists" : problem.name === "NotAllowedError" ? "passkey_canceled" : "passkey_failed");
    }
  });
}

/** Waits with the person: sends `#wait-form` after `page.poll.seconds`, unless the page is hidden. */
export async function poll() {
  const seconds = data.page?.poll?.seconds, form = document.getElementById("wait-form");
  if (!seconds || !form) return;
  await new Promise((done) => setTimeout(done, seconds * 1000));
  if (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
  form.requestSubmit();
}

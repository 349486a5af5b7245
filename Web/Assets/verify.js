// The capture page: exchanges the link's code, runs <mien-capture>, and returns to the app.

import "./mien.js";
import { handoff } from "./handoff.js";
import { busy, button, captureTexts, data, isPhone, make, send, text, workerEncoder } from "./page.js";
import { main, paragraph, show, showApp, showError, showExpired, showOffline, showReplaced, showWaiting, state } from "./views.js";

const code = location.hash.slice(1);
// The code is valid once. It leaves the address, so that it is in no history and no screenshot.
if (code) history.replaceState(null, "", location.pathname + location.search);

let session, isEnding = false;

// MARK: Beginning

/** The capture of the link's code; without a code, or with one that this browser has used, the capture of the cookie. */
async function open() {
  showWaiting("capture_loading");
  try {
    session = await exchange();
  } catch (refusal) {
    if (refusal.status === 0) return showOffline(open);
    if (refusal.code === "capture_replaced") return showReplaced();
    if (refusal.status >= 500 || refusal.status === 429) return showError(open);
    return showExpired();
  }
  showApp(session.app);
  if (session.handoff?.state === "confirmed") capture();
  else if (session.handoff?.state === "accepted") devices.awaitComputer();
  else if (session.handoff) devices.compare(session.handoff);
  else if (new URLSearchParams(location.search).has("phone")) devices.offer();
  else capture();
}

async function exchange() {
  if (!code) return send("GET", "/verify/session");
  try {
    return await send("POST", "/verify/session", { code });
  } catch (refusal) {
    if (refusal.status !== 410) throw refusal;
    return send("GET", "/verify/session").catch((second) => { throw second.status === 0 ? second : refusal; });
  }
}

const devices = handoff({
  path: "/verify", finish, goOn: (answer) => {
    session = answer ?? session;
    capture();
  },
});

// MARK: The capture

const encode = workerEncoder();

function capture() {
  const element = make("mien-capture", { "capture-id": session.capture, csrf: data.csrf ?? "" });
  element.texts = captureTexts(session);
  if (encode) element.encode = encode;
  element.append(make("img", { slot: "picture", class: "hero", src: "/web/face.svg", alt: "", width: "128", height: "128" }));
  if (!session.handoff && !isPhone()) {
    const phone = button("capture_use_phone", "quiet", () => busy(phone, devices.offer));
    phone.slot = "alternatives";
    element.append(phone);
  }
  element.addEventListener("mien-done", finish);
  element.addEventListener("mien-cancel", finish);
  element.addEventListener("mien-fail", ({ detail }) => {
    // The other tab or device goes on; this one leaves the capture alone.
    const reason = detail.reasons?.[0];
    if (reason === "capture_replaced") return showReplaced();
    // The capture may go on in another tab, so only the person's own wish ends it.
    if (reason === "capture_elsewhere") return showReplaced(button("button_back_to_app", "secondary", finish));
    if (detail.error?.status === 401) return showExpired();
    finish();
  });
  document.body.classList.add("page-capturing");
  document.title = text("capture_title", { app: session.app.name });
  main.replaceChildren(make("h1", { class: "visually-hidden" }, text("capture_heading")), element);
}

// MARK: Ending

/** Ends the capture on the server, and returns to the app. */
async function finish({ cancel = false } = {}) {
  if (isEnding) return;
  isEnding = true;
  showWaiting(session.has_return ? "capture_returning" : "capture_loading", { app: session.app.name });
  try {
    const { redirect } = await send("POST", "/verify/finish", cancel === true ? { cancel } : {});
    if (redirect) return location.replace(redirect);
    show(state("success"), text("capture_close_title"), paragraph("capture_close_text", { app: session.app.name }));
  } catch (refusal) {
    isEnding = false;
    if (refusal.status === 0) return showOffline(finish);
    if (refusal.status === 410 || refusal.status === 401) return showExpired();
    showError(finish);
  }
}

// Another tab of this browser takes over the camera only where the server says so; a page that the browser
// kept for the back button begins anew.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

open();

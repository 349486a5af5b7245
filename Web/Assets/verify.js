// The capture page: exchanges the link's code, runs <mien-capture>, and returns to the app.

import "./mien.js";
import { busy, button, captureTexts, data, isPhone, make, qrCode, send, text, workerEncoder } from "./page.js";

const main = document.getElementById("main");
const code = location.hash.slice(1);
// The code is valid once. It leaves the address, so that it is in no history and no screenshot.
if (code) history.replaceState(null, "", location.pathname + location.search);

let session, isEnding = false;

/** Shows a card in place of what the page showed. */
function show(picture, title, ...children) {
  document.body.classList.remove("page-capturing");
  const heading = make("h1", { tabindex: "-1" }, title);
  main.replaceChildren(make("section", { class: "card card-center" }, picture, heading, ...children));
  document.title = title;
  heading.focus({ preventScroll: true });
}
const picture = (name) => make("img", { class: "hero", src: `/web/${name}`, alt: "", width: "128", height: "128" });
const state = (kind) => make("div", { class: `state state-${kind}`, "aria-hidden": "true" });
const paragraph = (key, values) => make("p", { class: "muted" }, text(key, values));

function showWaiting(key, values) {
  document.body.classList.remove("page-capturing");
  main.replaceChildren(make("section", { class: "card" }, make("div", { class: "waiting", role: "status" },
    make("span", { class: "spinner" }), make("p", {}, text(key, values)))));
}

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
    return show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));
  }
  document.getElementById("app-name").textContent = session.app.name;
  if (session.app.logo_url) {
    const logo = document.getElementById("app-logo");
    logo.src = session.app.logo_url;
    logo.hidden = false;
  }
  if (session.handoff?.state === "confirmed") capture();
  else if (session.handoff?.state === "accepted") awaitComputer();
  else if (session.handoff) compare(session.handoff);
  else if (new URLSearchParams(location.search).has("phone")) handOff();
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

// MARK: The capture

const encode = workerEncoder();

function capture() {
  const element = make("mien-capture", { "capture-id": session.capture, csrf: data.csrf ?? "" });
  element.texts = captureTexts(session);
  if (encode) element.encode = encode;
  element.append(make("img", { slot: "picture", class: "hero", src: "/web/face.svg", alt: "", width: "128", height: "128" }));
  if (!session.handoff && !isPhone()) {
    const phone = button("capture_use_phone", "quiet", () => busy(phone, handOff));
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
    if (detail.error?.status === 401) return show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));
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
    if (refusal.status === 410 || refusal.status === 401) {
      return show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));
    }
    showError(finish);
  }
}

const showReplaced = (...ways) => show(state("wait"), text("capture_replaced_title"), paragraph("capture_replaced_text"),
  ...(ways.length ? [make("div", { class: "actions" }, ...ways)] : []));

function showError(retry) {
  show(state("error"), text("capture_error_title"), paragraph("capture_error_text"),
    make("div", { class: "actions" }, button("button_retry", "primary", retry)));
}

function showOffline(retry) {
  const again = () => { removeEventListener("online", again); retry(); };
  addEventListener("online", again);
  show(state("wait"), text("capture_offline_title"), paragraph("capture_offline_text"),
    make("div", { class: "actions" }, button("button_retry", "primary", again)));
}

// MARK: Two devices

/** On the computer: shows the code for the phone, and waits for it. */
async function handOff() {
  let offer;
  try { offer = await send("POST", "/verify/handoff", {}); } catch (refusal) {
    return refusal.status === 0 ? showOffline(capture) : showError(capture);
  }
  const status = make("p", { class: "muted", role: "status" }, text("capture_handoff_waiting"));
  show(null, text("capture_handoff_title"), paragraph("capture_handoff_text"),
    make("div", { class: "qr" }, qrCode(offer.qr, text("capture_handoff_code")), make("p", { class: "qr-number" }, offer.number)),
    status, make("div", { class: "actions" }, button("button_back", "secondary", capture)));
  const until = performance.now() + offer.expires_in * 1000;
  let last = "waiting";
  // The view that the person has left, for example with "Back", stops asking.
  while (status.isConnected) {
    await new Promise((done) => setTimeout(done, 1500));
    if (!status.isConnected) return;
    const move = await send("GET", "/verify/handoff").catch(() => ({ state: last })), now = move.state;
    if (now === "ended") return finish();
    if (now === "accepted") return agree(move, status);
    if (now !== last) {
      last = now;
      status.textContent = text(`capture_handoff_${now}`);
    }
    if (now === "waiting" && performance.now() > until) {
      return show(state("wait"), text("capture_handoff_late_title"), paragraph("capture_handoff_late_text"),
        make("div", { class: "actions" }, button("button_retry", "primary", handOff), button("button_back", "secondary", capture)));
    }
  }
}

/** On the computer: asks whether the phone that opened the code is the person's own, which shows the same number. */
function agree(move) {
  const yes = button("capture_compare_yes", "primary", () => busy(yes, async () => {
    try { await send("POST", "/verify/handoff/confirm", { number: move.number }); } catch (refusal) {
      return refusal.status === 0 ? showOffline(() => agree(move)) : showError(capture);
    }
    const status = make("p", { role: "status" }, text("capture_handoff_confirmed"));
    show(state("wait"), text("capture_handoff_title"), status);
    while (status.isConnected) {
      const { state: now } = await send("GET", "/verify/handoff").catch(() => ({}));
      if (now === "ended") return finish();
      await new Promise((done) => setTimeout(done, 1500));
    }
  }));
  show(null, text("capture_agree_title"), make("p", { class: "qr-number" }, move.number), paragraph("capture_agree_text"),
    facts({ browser: move.browser, address: move.address }),
    make("div", { class: "actions" }, yes, button("capture_compare_no", "remove", () => finish({ cancel: true }))));
}

const facts = (all) => make("dl", { class: "facts" }, ...Object.entries(all).filter(([, value]) => value)
  .map(([name, value]) => make("div", {}, make("dt", {}, text(`capture_${name}`)), make("dd", {}, value))));

/** On the phone: waits until the computer has agreed, too. */
async function awaitComputer() {
  const status = make("p", { role: "status" }, text("capture_agree_wait"));
  show(state("wait"), text("capture_handoff_title"), status,
    make("div", { class: "actions" }, button("capture_compare_no", "remove", finish)));
  while (status.isConnected) {
    await new Promise((done) => setTimeout(done, 1500));
    const { state: now } = await send("GET", "/verify/handoff").catch((refusal) => ({ state: refusal.status === 404 ? "ended" : "" }));
    if (!status.isConnected) return;
    if (now === "ended") return show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));
    if (now !== "confirmed") continue;
    // From now on, this phone holds the capture.
    const answer = await send("GET", "/verify/session").catch(() => null);
    if (answer) { session = answer; return capture(); }
  }
}

/** On the phone: asks whether the computer in front of the person shows the same number. */
function compare({ number, app, browser, address }) {
  const confirm = button("capture_compare_yes", "primary", () => busy(confirm, async () => {
    try { await send("POST", "/verify/handoff/confirm", {}); } catch (refusal) {
      return refusal.status === 0 ? showOffline(() => compare(session.handoff)) : show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));
    }
    awaitComputer();
  }));
  show(null, text("capture_compare_title"), make("p", { class: "qr-number" }, number), paragraph("capture_compare_text"),
    facts({ app, browser, address }),
    make("div", { class: "actions" }, confirm, button("capture_compare_no", "remove", finish)));
}

// Another tab of this browser takes over the camera only where the server says so; a page that the browser
// kept for the back button begins anew.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

open();

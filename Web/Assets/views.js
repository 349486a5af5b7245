// The cards that the scripts of the capture and document pages show in the page's <main>.

import { button, make, text } from "./page.js";

export const main = document.getElementById("main");

/** Shows a card in place of what the page showed. */
export function show(picture, title, ...children) {
  document.body.classList.remove("page-capturing");
  const heading = make("h1", { tabindex: "-1" }, title);
  main.replaceChildren(make("section", { class: "card card-center" }, picture, heading, ...children));
  document.title = title;
  heading.focus({ preventScroll: true });
}
export const picture = (name) => make("img", { class: "hero", src: `/web/${name}`, alt: "", width: "128", height: "128" });
export const state = (kind) => make("div", { class: `state state-${kind}`, "aria-hidden": "true" });
export const paragraph = (key, values) => make("p", { class: "muted" }, text(key, values));
export const actions = (...buttons) => make("div", { class: "actions" }, ...buttons);
export const facts = (all) => make("dl", { class: "facts" }, ...all.filter(([, value]) => value)
  .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));

export function showWaiting(key, values) {
  document.body.classList.remove("page-capturing");
  main.replaceChildren(make("section", { class: "card" }, make("div", { class: "waiting", role: "status" },
    make("span", { class: "spinner" }), make("p", {}, text(key, values)))));
}

/** Shows the app, once the script knows it. */
export function showApp({ name, logo_url: address }) {
  document.getElementById("app-name").textContent = name;
  if (!address) return;
  const logo = document.getElementById("app-logo");
  logo.src = address;
  logo.hidden = false;
}

export const showExpired = () => show(state("wait"), text("capture_expired_title"), paragraph("capture_expired_text"));

export const showReplaced = (...ways) => show(state("wait"), text("capture_replaced_title"), paragraph("capture_replaced_text"),
  ...(ways.length ? [actions(...ways)] : []));

export function showError(retry) {
  show(state("error"), text("capture_error_title"), paragraph("capture_error_text"), actions(button("button_retry", "primary", retry)));
}

export function showOffline(retry) {
  const again = () => { removeEventListener("online", again); retry(); };
  addEventListener("online", again);
  show(state("wait"), text("capture_offline_title"), paragraph("capture_offline_text"), actions(button("button_retry", "primary", again)));
}

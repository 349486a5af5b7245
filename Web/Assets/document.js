// The document page: consent, the document's pictures, the person's face, and the way back to the app. The server knows how far the check is;
// the page asks it after each step.

import "./mien.js";
import { CameraTrouble, DocumentCamera, pictureOf } from "./document-camera.js";
import { sides, stepOf } from "./document-guide.js";
import { handoff } from "./handoff.js";
import { busy, button, captureTexts, data, isPhone, make, send, text, workerEncoder } from "./page.js";
import {
  actions, facts, main, paragraph, picture, show, showApp, showError, showExpired, showOffline, showReplaced, showWaiting, state,
} from "./views.js";

const code = location.hash.slice(1);
// The code is valid once. It leaves the address, so that it is in no history and no screenshot.
if (code) history.replaceState(null, "", location.pathname + location.search);

/** `page`: what this page is for; `session`: how far the check is. `photos`: addresses of the pictures of this visit. */
let page, session, camera;
/** Whether the person goes on without tilting the document, and how often that was refused. */
let skipsTilt = false, tilts = 0;
const photos = new Map(), encode = workerEncoder();

// MARK: The server

const call = (method, path, body, options = {}) =>
  send(method, `/v1/verification/${path}`, body, { ...options, headers: { "x-mien-verification": page.session_id, ...options.headers } });

/** Shows what a request without success means. */
function showRefusal(refusal, retry) {
  if (refusal.status === 0) showOffline(retry);
  else if (refusal.code === "capture_replaced") showReplaced();
  else if ([401, 404, 410].includes(refusal.status)) showExpired();
  // The session is at another step than this page, for example because another tab went on.
  else if ([400, 409, 422].includes(refusal.status) && retry !== goOn) goOn();
  else showError(retry);
}

/** Opens the session of the link's code; without a code, or with one that this browser has used, that of the cookie. */
async function open() {
  showWaiting("capture_loading");
  const path = "/verify/document/session";
  try {
    page = await (code ? send("POST", path, { code }).catch((refusal) => {
      if (refusal.status !== 410) throw refusal;
      return send("GET", path).catch((second) => { throw second.status === 0 ? second : refusal; });
    }) : send("GET", path));
  } catch (refusal) { return showRefusal(refusal, open); }
  showApp(page.app);
  if (page.handoff?.state === "accepted") devices.awaitComputer();
  else if (page.handoff && page.handoff.state !== "confirmed") devices.compare(page.handoff);
  else goOn();
}

const devices = handoff({
  path: "/verify/document", goOn: (answer) => { page = answer ?? page; goOn(); },
  finish: ({ cancel } = {}) => (cancel || page.handoff ? stop() : goOn()),
});

/** Asks the server how far the check is, and shows the next step. */
async function goOn() {
  end();
  showWaiting("capture_loading");
  try { session = await call("GET", "session"); } catch (refusal) { return showRefusal(refusal, goOn); }
  const step = nextStep();
  if (session.status === "recapture" && session.recapture && step !== "check") return showRecapture();
  next(step);
}

/** The next step. Nobody has to tilt the document. */
const nextStep = () => stepOf({ ...session, missing_images: session.missing_images.filter((image) => !(skipsTilt && image === "document_tilt")) });

function next(step = nextStep()) {
  if (step === "consent") showConsent();
  else if (step === "document") showDocuments();
  else if (sides.includes(step)) showSide(step);
  else if (step === "document_tilt") showTilt();
  else if (step === "selfie") showSelfie();
  else if (step === "check") showCheck();
  else if (step === "processing") showProcessing();
  else if (step === "complete") showComplete();
  else if (step === "canceled") showCanceled();
  else showExpired();
}

/** Sends a step's answer, and goes on. */
const answer = (element, method, path, body) => busy(element, async () => {
  try { await call(method, path, body); } catch (refusal) { return showRefusal(refusal, () => answer(element, method, path, body)); }
  await goOn();
});

const cancelButton = (kind = "quiet") => button("button_cancel", kind, showCancel);

// MARK: Consent and document

function showConsent() {
  const { version, content, language } = session.consent, own = page.consent_texts?.[content];
  const agree = button("document_consent_agree", "primary", () => answer(agree, "POST", "consent", { version }));
  show(null, text("document_heading"), make("div", { class: "consent", tabindex: "0", lang: own ? data.language : language, dir: "auto" }, own ?? content),
    actions(agree, cancelButton("secondary")));
}

/** The documents that the server reads, with the countries of each. */
const documents = () => session.supported_documents.map(({ document_type: type, countries }) => ({ type, countries }));

/** The name of a country. Organizations have codes of three letters, which stay as they are. */
function countryName(id) {
  return id.length === 2 ? new Intl.DisplayNames([data.language], { type: "region" }).of(id) : id;
}

function showDocuments() {
  const known = documents();
  const countries = [...new Set(known.flatMap((one) => one.countries))].map((id) => [id, countryName(id)])
    .sort((a, b) => a[1].localeCompare(b[1], data.language));
  const likely = session.country ?? navigator.languages.map((tag) => new Intl.Locale(tag).region).find((id) => countries.some((one) => one[0] === id));
  const list = make("select", { class: "input", id: "country", required: true }, make("option", { value: "" }, text("document_choose_country_none")),
    ...countries.map(([id, name]) => make("option", { value: id, selected: id === likely }, name)));
  const types = make("fieldset", { class: "types" }), error = make("p", { class: "field-error", role: "alert" });
  const fill = () => {
    const possible = known.filter((one) => one.countries.includes(list.value)), chosen = types.querySelector(":checked")?.value ?? session.document_type;
    types.hidden = !possible.length;
    types.replaceChildren(make("legend", { class: "label" }, text("document_choose_type")), ...possible.map(({ type }) =>
      make("label", { class: "type" }, make("input", { type: "radio", name: "type", value: type, checked: type === chosen || possible.length === 1 }),
        make("img", { src: `/web/${drawing(type, "document_front")}`, alt: "", width: "48", height: "48" }), make("span", {}, text(`document_type_${type}`)))));
  };
  list.addEventListener("change", fill);
  fill();
  const submit = make("button", { class: "button button-primary" }, text("button_continue"));
  const form = make("form", { class: "form", novalidate: true }, make("div", { class: "field" },
    make("label", { for: "country" }, text("document_choose_country")), list), types, error, actions(submit, cancelButton()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const type = types.querySelector(":checked")?.value;
    skipsTilt = false;
    if (list.value && type) return answer(submit, "POST", "document", { country: list.value, document_type: type });
    error.textContent = text(list.value ? "document_choose_type_missing" : "document_choose_country_missing");
    (list.value ? types.querySelector("input") : list).focus();
  });
  show(null, text("document_choose_title"), form);
  main.firstElementChild.classList.remove("card-center");
}

// MARK: A side of the document

const drawing = (type, side) => (type === "passport" ? "passport.svg" : side === "document_back" ? "card-back.svg" : "card.svg");
const nameOf = (side) => text(`${side}_title_${session.document_type ?? "idCard"}`);

/** "Step 1 of 3", among the pictures and the face. */
function progress(step) {
  const tilted = session.required?.includes("document_live") ? ["document_tilt"] : [];
  const steps = ["document_front", ...tilted, ...(session.document_type === "passport" ? [] : ["document_back"]), "selfie"];
  return make("p", { class: "small muted" }, text("document_step", { step: steps.indexOf(step) + 1, count: steps.length }));
}

/** Ways to a picture without this page's camera. */
function fileWays(side) {
  const chooser = (key, more) => {
    const input = make("input", { type: "file", accept: "image/jpeg,image/png,image/gif", hidden: true, "data-side": side, ...more });
    input.addEventListener("change", () => { if (input.files[0]) useFile(side, input.files[0]); });
    return [button(key, "secondary", () => input.click()), input];
  };
  return [...(isPhone() ? chooser("document_camera_app", { capture: "environment" }) : []), ...chooser("document_file", {})];
}

function phoneWay() {
  if (page.handoff || isPhone()) return null;
  const phone = button("capture_use_phone", "quiet", () => busy(phone, devices.offer));
  return phone;
}

function showSide(side) {
  end();
  const type = session.document_type;
  const start = button("button_camera", "primary", () => busy(start, () => openCamera(side)));
  show(picture(drawing(type, side)), nameOf(side), progress(side),
    paragraph(side === "document_back" ? "document_back_text" : type === "passport" ? "document_front_text_passport" : "document_front_text"),
    actions(start, ...fileWays(side), phoneWay(), button("document_other", "quiet", showDocuments), cancelButton()));
}

async function openCamera(side) {
  end();
  camera = new DocumentCamera({
    encode, preview: (bytes) => call("POST", "preview", bytes, { headers: { "content-type": "image/jpeg" }, seconds: 15 }),
    words: (fault) => (fault === "no_document" ? text(`document_guide_no_document_${session.document_type === "passport" ? "passport" : side}`) : text(`document_guide_${fault}`)),
    onPicture: (photo) => upload(side, photo),
    onEnd: (words, refusal) => (refusal ? showRefusal(refusal, goOn) : showTrouble(side, words)),
  });
  const take = make("button", { type: "button", class: "shutter", "aria-label": text("document_take"), onclick: () => camera.take() });
  const current = camera;
  showStage(nameOf(side), camera.word, camera.view, camera.tip, [button("button_back", "quiet", () => showSide(side)), take, cancelButton()]);
  try { await camera.open(); } catch (error) {
    if (!(error instanceof CameraTrouble)) throw error;
    if (camera === current) showTrouble(side, error.words);
  }
  if (camera !== current) current.close();
}

/** The picture fills the screen: a title, one line of words, the picture, and what to do. */
function showStage(title, word, view, tip, controls) {
  const heading = make("h1", { class: "scan-title", tabindex: "-1" }, title);
  document.body.classList.add("page-capturing");
  main.replaceChildren(make("section", { class: "scan" }, heading, word,
    make("div", { class: "scan-area" }, make("div", { class: "scan-frame" }, view)), tip ?? "", make("div", { class: "scan-controls" }, ...controls)));
  document.title = title;
  heading.focus({ preventScroll: true });
}

function showTrouble(side, words) {
  end();
  const retry = button("button_retry", "primary", () => busy(retry, () => openCamera(side)));
  show(state("error"), text("camera_title"), make("p", { class: "muted" }, words), actions(retry, ...fileWays(side), phoneWay(), cancelButton()));
}

async function useFile(side, file) {
  end();
  showWaiting("document_opening");
  let photo;
  try { photo = await pictureOf(file); } catch {
    return show(state("error"), text("document_again_title"), make("p", { role: "alert" }, text("document_file_bad")), ways(side));
  }
  upload(side, photo);
}

/** What the person can do for another picture. */
function ways(side) {
  const again = button("document_again", "primary", () => busy(again, () => openCamera(side)));
  return actions(again, ...fileWays(side), cancelButton());
}

function keep(side, photo) {
  URL.revokeObjectURL(photos.get(side));
  photos.set(side, URL.createObjectURL(photo));
}
const forget = (side) => { URL.revokeObjectURL(photos.get(side)); photos.delete(side); };
const photoOf = (side, className) => make("img", { class: className, src: photos.get(side), alt: text("document_photo_of", { side: nameOf(side) }) });

async function upload(side, photo) {
  end();
  keep(side, photo);
  const word = make("p", { class: "scan-word scan-busy", role: "status" }, make("span", { class: "spinner" }), text("document_checking"));
  showStage(nameOf(side), word, photoOf(side, "scan-photo"), null, []);
  let verdict;
  try {
    verdict = await call("PUT", `images/${side}`, photo, { headers: { "content-type": photo.type }, seconds: 60 });
  } catch (refusal) {
    if ([413, 415].includes(refusal.status)) return showAgain(side, ["document_file_bad"]);
    return showRefusal(refusal, () => upload(side, photo));
  }
  if (!verdict.accepted) return showAgain(side, wordsFor(verdict.recapture), verdict.recapture?.reasons);
  word.replaceChildren(text("document_good"));
  word.classList.add("scan-done");
  await new Promise((done) => setTimeout(done, 900));
  if (word.isConnected) goOn();
}

// MARK: Tilting the document

const skipButton = () => button("document_tilt_skip", "secondary", () => { skipsTilt = true; next(); });

function showTilt() {
  end();
  const start = button("button_camera", "primary", () => busy(start, openTilt));
  show(picture(drawing(session.document_type, "document_front")), text("document_tilt_title"), progress("document_tilt"), paragraph("document_tilt_text"),
    actions(start, skipButton(), phoneWay(), cancelButton()));
}

async function openTilt() {
  end();
  const meter = make("progress", { class: "scan-progress", max: "1", value: "0", "aria-label": text("document_tilt_title") });
  camera = new DocumentCamera({
    encode, preview: (bytes) => call("POST", "preview", bytes, { headers: { "content-type": "image/jpeg" }, seconds: 15 }),
    words: (fault) => (fault === "no_document" ? text(`document_guide_no_document_${session.document_type === "passport" ? "passport" : "document_front"}`)
      : text(`document_guide_${fault}`)),
    onTilt: sendTilt, onProgress: (share) => { meter.value = share; },
    onEnd: (words, refusal) => (refusal ? showRefusal(refusal, goOn) : showTiltTrouble(make("p", { class: "muted" }, words))),
  });
  const current = camera;
  showStage(text("document_tilt_title"), camera.word, camera.view, make("div", { class: "scan-tips" }, meter, camera.tip),
    [button("button_back", "quiet", showTilt), button("document_tilt_skip", "quiet", () => { end(); skipsTilt = true; next(); }), cancelButton()]);
  try { await camera.open(); } catch (error) {
    if (!(error instanceof CameraTrouble)) throw error;
    if (camera === current) showTiltTrouble(make("p", { class: "muted" }, error.words));
  }
  if (camera !== current) current.close();
}

async function sendTilt(pictures) {
  end();
  showWaiting("document_tilt_checking");
  const form = new FormData();
  pictures.forEach((bytes, k) => form.append(`frame${k + 1}`, new Blob([bytes], { type: "image/jpeg" })));
  let verdict;
  try {
    verdict = await call("PUT", "images/document_tilt", form, { seconds: 60 });
  } catch (refusal) { return showRefusal(refusal, () => sendTilt(pictures)); }
  if (verdict.accepted) return goOn();
  tilts += 1;
  showTiltTrouble(make("div", { role: "alert", class: "stack" }, ...wordsFor(verdict.recapture).map((key) => make("p", {}, text(key)))));
}

function showTiltTrouble(words) {
  end();
  const again = button("button_retry", "primary", () => busy(again, openTilt));
  show(state(tilts ? "wait" : "error"), text("document_tilt_title"), words, actions(again, skipButton(), phoneWay(), cancelButton()));
}

// MARK: Another picture

/** The reason as the names of texts spell it. */
const plain = (reason) => data.page.reasons[reason] ?? reason;

/** Whether the document is another one than the person chose. Another choice helps, not another document. */
const isOtherChoice = ({ hints = [] }) => hints.some((word) => ["other_type", "other_country"].includes(word));

/** The keys of the texts that say why another picture is needed: the fault if it is known, otherwise the reason. */
function wordsFor({ reasons: all = [], hint, hints = [] } = {}) {
  const faults = [hint, ...hints].filter((word) => word && data.texts[`document_fault_${word}`]).map((word) => `document_fault_${word}`);
  const said = ["poor_image_quality", "image_missing", ...(isOtherChoice({ hints }) ? ["document_not_supported"] : [])];
  const rest = all.map(plain).filter((word) => !(faults.length && said.includes(word)))
    .map((word) => (data.texts[`document_reason_${word}`] ? `document_reason_${word}` : "document_reason_poor_image_quality"));
  const keys = [...new Set([...faults, ...rest])];
  return keys.length ? keys : ["document_reason_poor_image_quality"];
}

const isOfDocument = (all = []) => all.some((reason) => ["document_expired", "document_not_supported", "document_damaged"].includes(plain(reason)));

function showAgain(side, keys, all) {
  end();
  const photo = photos.has(side) ? photoOf(side, "photo") : state("error");
  show(photo, text("document_again_title"), make("div", { role: "alert", class: "stack" }, ...keys.map((key) => make("p", {}, text(key)))));
  const list = ways(side);
  if (isOfDocument(all)) list.insertBefore(button("document_other", "secondary", showDocuments), list.children[1]);
  main.firstElementChild.append(list);
}

/** The check was sent, and the server asks for something again. */
function showRecapture() {
  const { image, reasons: all } = session.recapture, isFace = image === "selfie";
  const label = isOtherChoice(session.recapture) ? "document_other_choice" : "document_other";
  const go = isOfDocument(all) && !isFace ? button(label, "primary", showDocuments) : null;
  const again = button(isFace ? "button_continue" : "document_again", go ? "secondary" : "primary", () => next());
  show(state("wait"), text("document_again_title"),
    make("div", { role: "alert", class: "stack" }, ...(isFace ? ["document_reason_selfie"] : wordsFor(session.recapture)).map((key) => make("p", {}, text(key)))),
    actions(go, again, cancelButton()));
}

// MARK: The face

async function showSelfie() {
  end();
  showWaiting("capture_loading");
  let begun;
  try { begun = await call("POST", "selfie", {}); } catch (refusal) { return showRefusal(refusal, goOn); }
  const element = make("mien-capture", { "start-token": begun.start_token });
  element.texts = captureTexts({});
  if (encode) element.encode = encode;
  element.append(make("img", { slot: "picture", class: "hero", src: "/web/face.svg", alt: "", width: "128", height: "128" }));
  element.addEventListener("mien-done", () => goOn());
  element.addEventListener("mien-cancel", showFaceMissing);
  element.addEventListener("mien-fail", showFaceMissing);
  document.body.classList.add("page-capturing");
  document.title = text("document_face_title");
  main.replaceChildren(make("h1", { class: "visually-hidden" }, text("document_face_title")), element);
}

function showFaceMissing() {
  const again = button("button_retry", "primary", () => busy(again, goOn));
  show(picture("face.svg"), text("document_face_title"), paragraph("document_face_missing"), actions(again, cancelButton()));
}

// MARK: Check, wait, end

function showCheck() {
  end();
  const again = (key, way) => make("button", { type: "button", class: "button button-secondary button-small", onclick: way }, text(key));
  const row = (thumb, title, detail, control) => make("li", { class: "list-item" }, thumb,
    make("div", { class: "list-text" }, make("span", { class: "list-title" }, title), make("span", { class: "list-detail" }, detail)),
    control && make("div", { class: "list-actions" }, control));
  const sign = (name) => make("img", { class: "thumb thumb-drawn", src: `/web/${name}`, alt: "" });
  const rows = [], type = session.document_type;
  if (type) {
    const country = countryName(session.country);
    rows.push(row(null, text(`document_type_${type}`), country, again("document_change", showDocuments)));
    for (const side of type === "passport" ? sides.slice(0, 1) : sides) {
      rows.push(row(photos.has(side) ? photoOf(side, "thumb") : sign(drawing(type, side)),
        text(type === "passport" ? "document_side_passport" : side === "document_back" ? "document_side_back" : "document_side_front"), text("document_taken"),
        again("document_retake", () => showSide(side))));
    }
    if (session.required?.includes("document_live")) {
      const isTilted = !session.missing_images.includes("document_tilt");
      rows.push(row(sign(drawing(type, "document_front")), text("document_side_tilt"), text(isTilted ? "document_taken" : "document_tilt_left_out"),
        again(isTilted ? "document_retake" : "button_retry", () => { skipsTilt = false; showTilt(); })));
    }
  }
  if (!session.required || session.required.includes("selfie")) rows.push(row(sign("face.svg"), text("document_face"), text("document_taken")));
  const submit = button("document_send", "primary", () => answer(submit, "POST", "submit", {}));
  show(null, text("document_check_title"), paragraph("document_check_text"), make("ul", { class: "list check-list" }, ...rows), actions(submit, cancelButton()));
}

async function showProcessing() {
  const section = make("div", { class: "waiting" }, make("span", { class: "spinner" }), make("p", { role: "status" }, text("document_processing_text")));
  show(null, text("document_processing_title"), section);
  for (let wait = 1000; section.isConnected; wait = Math.min(5000, wait * 1.3)) {
    await new Promise((done) => setTimeout(done, wait));
    if (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
    if (!section.isConnected) return;
    let now;
    try { now = await call("GET", "session"); } catch (refusal) {
      // A lost connection or a busy server changes nothing: the check goes on there.
      if (refusal.status === 0 || refusal.status === 429 || refusal.status >= 500) continue;
      return showRefusal(refusal, goOn);
    }
    if (now.status !== "processing") return goOn();
  }
}

/** Forgets the session in this browser, and returns to the app. Whether there is a way back. */
async function leave({ cancel = false } = {}) {
  await send("POST", "/verify/document/finish", cancel ? { cancel } : {});
  for (const side of [...photos.keys()]) forget(side);
  const back = !page.handoff && session?.callback_url;
  if (back) location.replace(back);
  return !!back;
}

async function showComplete() {
  const back = session.callback_url && !page.handoff;
  show(state("success"), text("document_done_title"), paragraph("document_done_text", { app: page.app.name }),
    make("p", { class: "muted", role: "status" }, text(back ? "capture_returning" : "capture_close_text", { app: page.app.name })));
  if (back) await new Promise((done) => setTimeout(done, 1500));
  // Nothing is lost if the browser does not forget it: the session has ended.
  await leave().catch(() => back && location.replace(session.callback_url));
}

function showCanceled() {
  const back = session?.callback_url && !page.handoff ? button("button_back_to_app", "primary", () => location.assign(session.callback_url)) : null;
  show(state("wait"), text("document_canceled_title"), paragraph("document_canceled_text"), back && actions(back));
}

function showCancel() {
  end();
  const yes = button("document_cancel_yes", "remove", () => busy(yes, stop));
  show(state("wait"), text("document_cancel_title"), paragraph("document_cancel_text"), actions(button("document_cancel_no", "primary", goOn), yes));
}

async function stop() {
  try { if (!await leave({ cancel: true })) showCanceled(); } catch (refusal) { showRefusal(refusal, stop); }
}

/** Closes the camera of the view that the person leaves. */
function end() {
  camera?.close();
  camera = undefined;
}

// A page that the browser kept for the back button begins anew.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
addEventListener("pagehide", end);

open();

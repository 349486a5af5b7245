// Mien for web pages, in one file so that one request loads it. mien.d.ts documents its exports.

const home = new URL(import.meta.url).origin;
const utf8 = new TextEncoder();
const clock = () => performance.now();
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export const encodeBase64URL = (bytes) =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
export const decodeBase64URL = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
const random = () => encodeBase64URL(crypto.getRandomValues(new Uint8Array(32)));
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));

export class MienError extends Error {
  name = "MienError";
  constructor(code, message, more = {}) { Object.assign(super(message), { code, ...more }); }
}

async function request(url, options, seconds = 20) {
  let response, answer = null;
  try {
    response = await fetch(url, { cache: "no-store", ...options, signal: AbortSignal.timeout(seconds * 1000) });
    const text = await response.text();
    try { answer = text && JSON.parse(text); } catch { /* The status says enough. */ }
  } catch (error) { throw new MienError("network_error", `No response: ${error.message}`); }
  if (response.ok) return answer;
  const { status } = response, code = answer?.code ?? answer?.error ?? (/^50[24]$/.test(status) ? "network_error" : "server_error");
  throw new MienError(code, answer?.detail ?? `The server answered ${status}: ${code}`,
    { status, problem: answer, isBusy: status === 429 || status === 503, retryAfter: Number(response.headers.get("retry-after")) });
}

async function repeat(send) {
  for (let attempt = 1; ; attempt++) {
    try { return await send(); } catch (error) {
      if (attempt === 4 || !(error.isBusy || error.code === "network_error") || error.retryAfter > 5) throw error;
      await sleep(Math.max(error.retryAfter * 1000 || 0, (0.5 + Math.random()) * 200 * 2 ** attempt));
    }
  }
}
const bearer = (token) => ({ authorization: `Bearer ${token}` });
const post = (body, headers) =>
  ({ method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

// MARK: Captures

export const firstLink = (nonce) => sha256(utf8.encode("mien/v1/capture-chain"), nonce);

export const nextLink = (link, number, milliseconds, picture) => sha256(link, integers(0, number, 0, milliseconds), picture);
const integers = (...values) => new Uint8Array(values.flatMap((value) => [value >>> 24, value >>> 16, value >>> 8, value]));
export const encodeFrames = (frames) => new Blob(frames.flatMap(({ number, milliseconds, link, picture }) =>
  [integers(number, milliseconds), link, integers(picture.length), picture]));

export class CaptureSession {
  #url; #headers; #credentials; #link; #next = 1; #sent = []; #zero = 0;

  constructor({ server = home, startToken, captureID, csrf = "" }) {
    this.#url = new URL("/v1/capture", server).href;
    this.#headers = startToken ? bearer(startToken) : { "x-mien-capture": captureID, "x-mien-csrf": csrf };
    this.#credentials = startToken ? "omit" : "same-origin";
  }

  async #send(method, path = "", body, type = "application/json", seconds = 20) {
    const headers = body ? { ...this.#headers, "content-type": type } : this.#headers;
    return this.answer = await request(this.#url + path, { method, headers, body, credentials: this.#credentials }, seconds);
  }

  status() { return repeat(() => this.#send("GET")); }
  cancel() { return repeat(() => this.#send("DELETE")); }
  consent(version) { return repeat(() => this.#send("POST", "/consent", JSON.stringify({ text_version: version }))); }
  omit(actions) { return repeat(() => this.#send("POST", "/accommodation", JSON.stringify({ omitted_actions: actions }))); }
  light(style) { return repeat(() => this.#send("POST", "/light", JSON.stringify({ style }))); }

  async start() {
    const { nonce, elapsed, next_frame: next } = await repeat(() => this.#send("POST", "/start"));
    if (!nonce || !this.isOpen) return this.answer;
    this.#zero = clock() - elapsed;
    if (next > 1) throw new MienError("capture_elsewhere", "It was started elsewhere.");
    this.#link = await firstLink(decodeBase64URL(nonce));
    [this.#next, this.#sent] = [1, []];
    return this.answer;
  }

  get isOpen() { return this.answer?.status === "open"; }
  get isLive() { return (this.answer?.mode ?? "image") !== "image"; }
  get now() { return Math.round(clock() - this.#zero); }

  sendPicture(picture) { return this.#send("POST", "/frames", picture, "image/jpeg"); }

  async sendLive(pictures) {
    let link = this.#link, number = this.#next;
    this.#sent = [];
    for (const picture of pictures) {
      link = await nextLink(link, number, picture.milliseconds, picture.picture);
      this.#sent.push({ ...picture, link, number: number++ });
    }
    const answer = await this.#send("POST", "/frames", encodeFrames(this.#sent), "application/vnd.mien.frames", 8);
    [this.#link, this.#next] = [link, number];
    return answer;
  }

  async recover() {
    const { next_frame: next = this.#next } = await this.#send("GET", "", undefined, "", 5);
    this.#link = this.#sent.find(({ number }) => number === next - 1)?.link ?? this.#link;
    this.#next = next;
    return this.#sent.filter(({ number }) => number >= next);
  }
}

export class LightShow {
  #known = []; #shown; #since = -Infinity;

  note({ light }) {
    for (const color of light?.colors ?? []) if (!(color.begin <= this.#known.at(-1)?.begin)) this.#known.push(color);
  }
  /** Never changes more than three times a second, even if answers are late. */
  color(time) {
    const due = this.#known.findLast(({ begin }) => begin <= time);
    if (due !== this.#shown && time - this.#since >= 334) [this.#shown, this.#since] = [due, time];
    return this.#shown?.color;
  }
}

async function encodeOnPage(video, side, quality) {
  const { videoWidth, videoHeight } = video, scale = Math.min(1, side / Math.max(videoWidth, videoHeight));
  const canvas = encodeOnPage.canvas ??= document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(videoWidth * scale), height: Math.round(videoHeight * scale) });
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
  return blob && new Uint8Array(await blob.arrayBuffer());
}

/** JPEG quality and milliseconds between pictures. */
const rates = [[0.85, 100], [0.75, 110], [0.6, 140], [0.45, 200]];

class Sender {
  #queue = []; #last = 0; #level = 0; #changed = 0; #batch = 8; #cost = 0; #wake = () => {}; #stopped = false; #offline = false;
  roundTrip = 0;

  constructor(session, video, encode, onAnswer, onOffline) {
    Object.assign(this, { session, video, encode, onAnswer, onOffline });
    this.side = navigator.connection?.downlink < 1 ? 480 : 640;
  }

  stop() { this.#stopped = true; this.#wake(); }
  get #limit() { return Math.min(this.#batch, Math.ceil(700 / this.#cost)); }

  async run() {
    if (this.session.isLive) this.#take();
    try {
      while (this.session.isOpen && !this.#stopped) await (this.session.isLive ? this.#sendQueue() : this.#sendPicture());
    } finally { this.stop(); }
    return this.session.answer;
  }

  async #take() {
    for (let shown = -1; !this.#stopped;) {
      await new Promise((done) => { this.video.requestVideoFrameCallback?.(done); setTimeout(done, 40); });
      const { frames_left: left, countdown } = this.session.answer, now = clock(), time = this.video.currentTime;
      // Gaps of half a second would end the session.
      const slowest = [0, 200, 300][Math.min(Math.floor(this.#queue.length / this.#limit), 2)];
      const interval = Math.max(slowest, rates[this.#level][1], countdown / left || 0);
      if (now - this.#last < interval - 8 || time === shown || !this.video.videoWidth) continue;
      this.#last = now - this.#last < 1.5 * interval ? this.#last + interval : now;
      shown = time;
      const milliseconds = this.session.now, picture = await this.encode(this.video, this.side, rates[this.#level][0]);
      if (!picture) continue;
      this.#queue.push({ picture, milliseconds });
      this.#wake();
    }
  }

  async #sendQueue() {
    // The server refuses pictures that are 5 s late.
    const oldest = this.session.now - 4200 + Math.min(this.roundTrip, 2500);
    while (this.#queue[0]?.milliseconds < oldest) this.#queue.shift();
    if (!this.#queue.length) return void await new Promise((done) => { this.#wake = done; });
    const pictures = this.#queue.splice(0, this.#limit), sent = clock();
    try {
      this.#answered(await this.session.sendLive(pictures));
      this.#adapt(clock() - sent, pictures.length);
    } catch (error) {
      if (error.code === "payload_too_large" && this.#batch > 1) this.#batch >>= 1;
      else if (error.isBusy) await sleep(error.retryAfter * 1000 || 300);
      else return this.#recover(error);
      this.#queue.unshift(...pictures);
    }
  }

  async #recover(error) {
    if (!["network_error", "frame_out_of_order", "capture_closed"].includes(error.code)) throw error;
    while (!this.#stopped) {
      if (error.code === "network_error") await this.#wait();
      try {
        this.#queue.unshift(...await this.session.recover());
        return this.#answered(this.session.answer);
      } catch (second) {
        if (second.code !== "network_error") throw second;
        error = second;
      }
    }
  }

  async #sendPicture() {
    try {
      const picture = this.video.videoWidth && await this.encode(this.video, 1280, 0.9);
      if (picture) this.#answered(await this.session.sendPicture(picture));
      await sleep(400);
    } catch (error) {
      if (!error.isBusy && error.code !== "network_error") throw error;
      await this.#wait();
    }
  }

  #answered(answer) {
    if (this.#offline) this.onOffline(this.#offline = false);
    this.onAnswer(answer);
  }

  async #wait() {
    if (!this.#offline) this.onOffline(this.#offline = true);
    if (Date.now() > this.session.answer.expires_at) throw new MienError("expired", "The capture expired.");
    await sleep(300);
  }

  /** Sends less when a picture takes longer than the time to the next. */
  #adapt(milliseconds, count) {
    const spent = milliseconds / count, interval = rates[this.#level][1], now = clock(), since = now - this.#changed;
    this.roundTrip = (this.roundTrip + milliseconds) / (this.roundTrip ? 2 : 1);
    this.#cost = Math.min(spent, (this.#cost + spent) / (this.#cost ? 2 : 1));
    const step = this.#cost > interval * 1.1 && since > milliseconds ? 1 : this.#cost < interval * 0.6 && since > 2500 ? -1 : 0;
    if (rates[this.#level + step] && step) [this.#level, this.#changed] = [this.#level + step, now];
  }
}

// MARK: Documents

const blob = (content, type = "image/jpeg") => (content.type ? content : new Blob([content], { type }));

export class DocumentSession {
  #send;

  constructor({ server = home, startToken }) {
    const options = { headers: bearer(startToken), credentials: "omit" };
    this.#send = (method, path, body, seconds) => request(new URL(`/v1/verification/${path}`, server), { method, body, ...options }, seconds);
  }
  #post(path, body = {}) { return this.#send("POST", path, blob(JSON.stringify(body), "application/json")); }

  status() { return repeat(() => this.#send("GET", "session")); }
  consent(version) { return repeat(() => this.#post("consent", { version })); }
  choose(country, document_type) { return repeat(() => this.#post("document", { country, document_type })); }
  preview(picture) { return this.#send("POST", "preview", blob(picture)); }
  put(image, picture) { return repeat(() => this.#send("PUT", `images/${image}`, blob(picture), 60)); }

  putTilted(pictures) {
    const form = new FormData();
    pictures.forEach((picture, k) => form.append(`frame${k + 1}`, blob(picture)));
    return repeat(() => this.#send("PUT", "images/document_tilt", form, 60));
  }

  async startSelfie() { return (await repeat(() => this.#post("selfie"))).start_token; }

  submit() {
    return repeat(async () => {
      try { return await this.#post("submit"); } catch (error) {
        const state = error.code === "network_error" && await this.status();
        if (!/processing|complete|canceled|expired/.test(state.status)) throw error;
        return state;
      }
    });
  }

  async judged() {
    for (let state; ; await sleep(1000)) if ((state = await this.status()).status !== "processing") return state;
  }
  cancel() { return repeat(() => this.#send("DELETE", "session")); }
}

// MARK: <mien-capture>

export const texts = {
  capture_loading: "One moment…", capture_offline: "No connection. Trying again…",
  capture_ready_title: "Look into the camera", capture_preview: "Your camera",
  capture_ready_text: "Face a light and take off your hat or sunglasses.",
  capture_picture_kept: "A picture of your face is kept with your verification.",
  capture_picture_not_kept: "No pictures are kept.",
  capture_light_text: "The screen changes color, and your face reflects it.",
  capture_light_omit: "Changing colors can harm people with photosensitive epilepsy. If that applies to you, start without.",
  capture_light_cannot: "Changing colors can harm people with photosensitive epilepsy. If that applies to you, cancel.",
  capture_light_gentle: "Start with gentle colors", capture_light_off: "Start without colors",
  capture_cannot: "I can't do some movements", capture_cannot_title: "Which movements can't you do?",
  capture_cannot_text: "You will be asked for others.", capture_cannot_few: "Too few would remain.",
  capture_cannot_now: "I can't do this", capture_cannot_end: "To leave out a movement, cancel and start again.",
  capture_passed_title: "Thanks", capture_failed_title: "It didn't work", camera_title: "The camera is not available",
  camera_denied: "Allow the camera in the browser's settings.",
  camera_missing: "Connect a camera, or use another device.",
  camera_busy: "Close other apps that use the camera.", camera_unsupported: "This page can't use a camera.",
  button_camera: "Start camera", button_continue: "Continue", button_back: "Back", button_cancel: "Cancel", button_retry: "Try again",
  action_turn_left: "Turn your head left", action_turn_right: "Turn your head right", action_open_mouth: "Open your mouth",
  guidance_face_not_found: "Put your face in the oval", guidance_multiple_faces: "One person only",
  guidance_face_too_far: "Come closer", guidance_face_too_close: "Move back a little", guidance_misaligned_face: "Center your face",
  guidance_too_much_movement: "Move more slowly", guidance_obscured_face: "Show your whole face",
};

const signs = {
  turn_left: "M19 12H5m6-6-6 6 6 6", turn_right: "M5 12h14m-6-6 6 6-6 6", look_up: "M12 19V5m-6 6 6-6 6 6",
  look_down: "M12 5v14m-6-6 6 6 6-6", blink: "M4 10c4 5 12 5 16 0M7 13l-2 3m7-2v4m5-5 2 3", open_mouth: "M12 6a5 6 0 1 0 .01 0",
  come_closer: "M9 4H4v5m16 6v5h-5M4 4l6 6m10 10-6-6",
};

const style = `
:host{display:flex;flex-direction:column;position:relative;min-height:30rem;line-height:1.5;color:var(--mien-text,CanvasText);background:var(--s);
--b:var(--mien-brand,#0b6b69);--f:var(--mien-brand-text,#fff);--a:var(--mien-accent,var(--b));--s:var(--mien-surface,Canvas)}
:host([hidden]){display:none}*{box-sizing:border-box;margin:0}:focus-visible{outline:3px solid var(--a);outline-offset:2px}
.stage,video,.oval,.ring,.cue,.top,.end{position:absolute}.sign,.wait,.oval,.cue{border-radius:50%}.view,.sign,.wait,video,.oval,.cue{margin:auto}
h2{font-size:1.5rem;line-height:1.25}h2:focus{outline:0}
.view{display:flex;flex-direction:column;gap:1rem;width:100%;max-width:27rem;padding:1.5rem;text-align:center}
.terms{max-height:40vh;overflow:auto;text-align:start;white-space:pre-line}
button,label{font:inherit;min-height:48px;padding:.5rem 1.25rem;border-radius:12px;cursor:pointer}
button{font-weight:600;border:0;background:none;color:var(--a)}
.main,.cue{background:var(--b);color:var(--f)}.side{border:1px solid #7c8791;color:inherit}
label{display:flex;align-items:center;gap:.75rem;margin:-.3rem 0}input{width:1.4rem;height:1.4rem;accent-color:var(--b)}
svg{fill:none;stroke:currentcolor;stroke-width:2.25;stroke-linejoin:round}path{stroke-linecap:round}
.sign{width:4.5rem;font:700 2.25rem/4.5rem system-ui;background:color-mix(in oklab,var(--a) 12%,var(--s));color:var(--a)}
.wait{width:2.5rem;height:2.5rem;border:4px solid var(--a);border-bottom-color:transparent;animation:turn 1s linear infinite}
.stage,video{width:100%;height:100%}.stage{overflow:hidden;container-type:size}
video{object-fit:cover;transform:scaleX(-1);inset:0;max-width:134cqh;mask:linear-gradient(90deg,#0000,#000 12%,#000 88%,#0000)}
.oval{inset:0;width:min(60cqw,35cqh);aspect-ratio:3/4;box-shadow:0 0 0 200vmax color-mix(in oklab,var(--s) 90%,transparent)}
.ring{inset:-4%;width:108%;height:108%;stroke:color-mix(in oklab,#7c8791 45%,var(--s))}
.ring :last-child{stroke:var(--a);transition:stroke-dasharray .3s}
.cue{width:3.25rem;padding:.7rem;inset:auto 0 -10%;animation:nudge 1s ease-in-out infinite alternate}
.look_up{inset:-10% 0 auto;--y:-8px}.look_down{--y:8px}.turn_left{inset:0 auto 0 -20%;--x:-8px}.turn_right{inset:0 -20% 0 auto;--x:8px}
.top,.end{inset:auto 0 0;padding:1rem;text-align:center}.end p{min-height:1.5em}
.top{bottom:calc(50cqh + min(40cqw,23.4cqh) + 5.5%);font-size:clamp(1.1rem,5cqh,1.6rem);font-weight:650;line-height:1.25}
.lit{position:fixed;inset:0;z-index:2147483647;color:#000;background:var(--s);--s:var(--l);--a:#000}.lit .oval{box-shadow:0 0 0 200vmax var(--l)}
@keyframes turn{to{rotate:1turn}}@keyframes nudge{to{translate:var(--x,0) var(--y,0)}}
@media(prefers-reduced-motion:reduce){.cue{animation:none}.wait{animation-duration:6s}}`;

function make(name, properties = {}, ...children) {
  const element = /svg|path|ellipse/.test(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "onclick") element.onclick = value; else element.setAttribute(key, value);
  }
  element.append(...children.filter(Boolean));
  return element;
}
const stop = (stream) => void stream?.getTracks().forEach((track) => track.stop());
const sign = (character) => make("div", { class: "sign", "aria-hidden": true }, character);

export class MienCapture extends (globalThis.HTMLElement ?? Object) {
  #root; #texts = texts; #stream; #sender; #run = 0; #stage = {}; #restarts = 0;
  encode = encodeOnPage;

  set texts(some) { this.#texts = { ...texts, ...some }; }
  get roundTrip() { return this.#sender?.roundTrip ?? 0; }

  connectedCallback() {
    if (!this.#root) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      this.#root = this.attachShadow({ mode: "open" });
      this.#root.adoptedStyleSheets = [sheet];
    }
    if (this.hasAttribute("start-token") || this.hasAttribute("capture-id")) queueMicrotask(() => this.start());
  }
  disconnectedCallback() { this.#close(); }

  async start() {
    const get = (name) => this.getAttribute(name) ?? undefined;
    this.#close();
    this.session = new CaptureSession({ server: get("server"), startToken: get("start-token"), captureID: get("capture-id"), csrf: get("csrf") });
    this.#ask(() => this.session.status());
  }

  async cancel() {
    this.#close();
    this.#wait();
    this.#send("mien-cancel", await this.session.cancel().catch(() => null));
  }

  #text(key) { return this.#texts[key] ?? key; }
  #word(name, ...prefixes) {
    const key = prefixes.map((prefix) => prefix + name).find((key) => key in this.#texts);
    return key ? this.#texts[key] : name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
  }
  #button(key, kind = "", onclick) { return make("button", { class: kind, onclick }, this.#text(key)); }
  #wait() { this.#show(null, make("div", { class: "wait" }), make("p", { role: "status" }, this.#text("capture_loading"))); }
  #show(title, picture, ...children) {
    const heading = title && make("h2", { tabindex: -1 }, this.#text(title));
    this.#stage = {};
    this.#root.replaceChildren(make("div", { class: "view" }, picture, heading, ...children));
    heading?.focus({ preventScroll: true });
  }

  async #ask(request, next = null) {
    const run = this.#run;
    this.#wait();
    try { await request(); } catch (error) {
      return run === this.#run && (error.code === "not_permitted" && !next ? this.#omit("capture_cannot_few") : this.#fail(error));
    }
    if (run === this.#run) (next ?? (() => this.#next()))();
  }

  #next() {
    const { consent, status } = this.session.answer;
    if (status !== "open") this.#verdict(this.session.answer);
    else if (consent) this.#consent(consent);
    // Required colors need a notice before.
    else if (this.hasAttribute("autostart") && !this.session.answer.light?.required) this.#open();
    else this.#ready();
  }

  #consent({ text_version, title, text, button_text }) {
    const agree = () => this.#ask(() => this.session.consent(text_version));
    this.#show(title, null, make("p", { class: "terms", tabindex: 0 }, this.#text(text)),
      this.#button(button_text, "main", agree), this.#cancelButton("side"));
  }

  #ready() {
    // A session that has begun has its colors; the style was sent before.
    const { light: all } = this.session.answer, light = all?.colors ? null : all, isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const begin = (style) => (light ? this.#ask(() => this.session.light(style), () => this.#open()) : this.#open());
    this.#show("capture_ready_title", make("slot", { name: "picture" }), make("p", {}, `${this.#text("capture_ready_text")} ${this.#text(`capture_picture_${this.session.answer.keeps_picture ? "kept" : "not_kept"}`)}`),
      light && make("p", {}, `${this.#text("capture_light_text")} ${this.#text(`capture_light_${light.omittable ? "omit" : "cannot"}`)}`),
      this.#button("button_camera", "main", () => begin(isCalm ? "gentle" : "vivid")),
      light && !isCalm && this.#button("capture_light_gentle", "side", () => begin("gentle")),
      light?.omittable && this.#button("capture_light_off", "side", () => begin("off")),
      this.session.answer.omittable_actions && this.#button("capture_cannot", "side", () => this.#omit("capture_cannot_text")), ...this.#others());
  }
  #others() { return [make("slot", { name: "alternatives" }), this.#cancelButton()]; }
  #cancelButton(kind) { return this.#button("button_cancel", kind, () => this.cancel()); }

  #omit(text) {
    const boxes = this.session.answer.omittable_actions.map((action) => make("input", { type: "checkbox", value: action }));
    const save = () => this.#ask(() => this.session.omit(boxes.filter((box) => box.checked).map((box) => box.value)));
    this.#show("capture_cannot_title", null, make("p", { role: "status" }, this.#text(text)),
      ...boxes.map((box) => make("label", {}, box, this.#word(box.value, "action_"))),
      this.#button("button_continue", "main", save), this.#button("button_back", "side", () => this.#ready()), ...this.#others());
  }

  async #open() {
    const run = this.#run;
    this.#wait();
    try {
      const video = this.#showStage(), size = { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } };
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "user", ...size } });
      if (run !== this.#run) return stop(stream);
      this.#stream = video.srcObject = stream;
      stream.getVideoTracks()[0].onended = () => { if (run === this.#run) this.#broken("busy"); };
      await video.play();
    } catch (error) {
      const kinds = { NotAllowedError: "denied", NotFoundError: "missing", OverconstrainedError: "missing", TypeError: "unsupported" };
      return run === this.#run && this.#broken(kinds[error.name] ?? "busy");
    }
    try {
      const answer = await this.session.start();
      if (run !== this.#run) return;
      if (!this.session.isOpen || answer.consent) return this.#close(), this.#next();
      this.#sender = new Sender(this.session, this.#stage.video, this.encode, (answer) => run === this.#run && this.#update(answer),
        (isOffline) => { this.#stage.note?.replaceChildren(isOffline ? this.#text("capture_offline") : ""); });
      this.#update(answer);
      const last = await this.#sender.run();
      if (run === this.#run) this.#verdict(last);
    } catch (error) { if (run === this.#run) this.#fail(error); }
  }

  #broken(reason) {
    this.#close();
    this.#show("camera_title", sign("!"), make("p", {}, this.#text(`camera_${reason}`)), ...this.#retry());
  }
  #retry() { return [this.#button("button_retry", "main", () => this.#open()), ...this.#others()]; }

  #showStage() {
    const ellipse = () => make("ellipse", { cx: 50, cy: 66.7, rx: 65.2, ry: 48.5, pathLength: 100, transform: "rotate(-90 50 66.7)" });
    const ring = ellipse(), video = make("video", { playsinline: "", "aria-label": this.#text("capture_preview") });
    video.muted = true;
    const oval = make("div", { class: "oval" }, make("svg", { class: "ring", viewBox: "0 0 100 133.4", "aria-hidden": true }, ellipse(), ring));
    const word = make("p", { "aria-live": "assertive" }, this.#text("capture_loading")), note = make("p", { role: "status" });
    const cannot = () => note.replaceChildren(this.#text("capture_cannot_end"));
    this.#root.replaceChildren(make("div", { class: "stage" }, video, oval, make("div", { class: "top" }, word), make("div", { class: "end" },
      note, this.#button("capture_cannot_now", "", cannot), this.#cancelButton())));
    this.#stage = { video, oval, ring, word, note, show: new LightShow() };
    this.#paint(this.#stage);
    return video;
  }

  /** Fills the screen around the oval with the colors of the session. */
  #paint({ video, show }) {
    if (!video.isConnected) return;
    const color = show.color(this.session.now);
    video.parentNode.classList.toggle("lit", !!color);
    if (color) video.parentNode.style.setProperty("--l", color);
    requestAnimationFrame(() => this.#paint({ video, show }));
  }

  #update(answer) {
    const { guidance = [], action, progress = 0 } = answer, { oval, ring, word, show } = this.#stage, name = guidance[0] ?? action ?? "wait";
    show.note(answer);
    if (word.dataset.name !== name) {
      word.dataset.name = name;
      word.textContent = this.#word(name, "action_", "guidance_");
      oval.querySelector(".cue")?.remove();
      if (signs[name]) oval.append(make("svg", { viewBox: "0 0 24 24", class: `cue ${name}`, "aria-hidden": true }, make("path", { d: signs[name] })));
    }
    ring.setAttribute("stroke-dasharray", `${progress} 100`);
  }

  async #verdict(answer) {
    this.#close();
    const { status, reasons = [] } = answer, run = this.#run;
    if (status === "cancelled") return this.#send("mien-cancel", answer);
    if (status === "passed") {
      this.#show("capture_passed_title", sign("✓"));
      await sleep(1000);
      return run === this.#run && this.#send("mien-done", answer);
    }
    // A server that was lost says nothing about the person: the same capture begins again.
    const isLost = reasons[0] === "interrupted" && this.#restarts++ < 3;
    this.#show("capture_failed_title", sign("!"), make("p", { role: "alert" }, this.#word(reasons[0], "refusal_")),
      ...isLost ? this.#retry() : [this.#button("button_continue", "main", () => { this.#wait(); this.#send("mien-fail", answer); })]);
  }

  #fail(error) { this.#verdict({ status: "failed", reasons: [error.code ?? "other"], error }); }
  #send(name, detail) { this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail })); }

  #close() {
    this.#run++;
    this.#sender?.stop();
    this.#stream = stop(this.#stream);
  }
}
globalThis.customElements?.get("mien-capture") ?? globalThis.customElements?.define("mien-capture", MienCapture);

// MARK: Journeys

export const ClientResponseOptionType = { ClientInput: "client_input", Cancel: "cancel", Fail: "fail", Resend: "resend", Custom: "custom" };
export const IdoJourneyActionType = Object.fromEntries([
  "loginForm", "information", "recordConsent", "waitForTime", "identityVerification", "selfieAcquisition", "emailOTPAuthentication",
  "otpRegistration", "otpAuthentication", "otpTransactionSigning", "otpTransactionApproval", "success", "rejection",
].map((step) => [step[0].toUpperCase() + step.slice(1), step]));

export class Journeys {
  #server = home; #clientId; #answer; #sent;

  init({ serverPath = home, clientId }) {
    [this.#server, this.#clientId] = [new URL(serverPath).origin, clientId];
    return this;
  }

  startJourney(journeyId, { additionalParams, flowId, accessToken } = {}) {
    this.#sent = null;
    const device_token = localStorage.getItem(this.#device) ?? undefined;
    const body = { client_id: this.#clientId, additional_params: additionalParams, flow_id: flowId, device_token };
    return this.#send(`${encodeURIComponent(journeyId)}/start`, post(body, accessToken && bearer(accessToken)));
  }

  async submitClientResponse(option, data) {
    this.#check();
    const options = post({ state: this.#answer.state, option, data });
    // An answer without a response may have arrived, so only the same one may follow.
    if (this.#sent && this.#sent !== options.body) throw new MienError("invalid_state", "Send the same answer.");
    this.#sent = options.body;
    try { return await repeat(() => this.#send("respond", options)); } catch (error) {
      if (error.code !== "network_error") this.#sent = null;
      throw error;
    }
  }

  serializeState() {
    this.#check();
    return encodeBase64URL(utf8.encode(JSON.stringify({ version: 1, server: this.#server, application: this.#clientId, answer: this.#answer })));
  }

  restoreFromSerializedState(state) {
    const { version, server, application, answer } = parse(state);
    if (version !== 1 || server !== this.#server || application !== this.#clientId) throw new MienError("invalid_state", "It belongs to another app.");
    return this.#show(answer);
  }

  #check() { if (!this.#answer?.state) throw new MienError("no_active_journey", "No journey is waiting."); }
  get #device() { return `mien.device.${this.#server}.${this.#clientId}`; }
  async #send(path, options) { return this.#show(await request(`${this.#server}/v1/journeys/${path}`, options)); }

  #show(answer) {
    if (answer.device_token) localStorage.setItem(this.#device, answer.device_token);
    [this.#answer, this.#sent] = [answer, null];
    return { journeyStepId: answer.journey_step_id, data: answer.data, errorData: answer.error_data, token: answer.token,
      clientResponseOptions: new Map(Object.entries(answer.client_response_options)), expiresAt: answer.expires_at };
  }
}
export const ido = new Journeys();

// MARK: Signing in

const parse = (encoded) => JSON.parse(new TextDecoder().decode(decodeBase64URL(encoded)));

export async function signIn({ server = home, clientId, redirectUri, scope = "openid offline_access full-access", ...more }) {
  const [state, nonce, verifier] = [random(), random(), random()];
  sessionStorage.setItem("mien.sign-in", JSON.stringify({ server, clientId, redirectUri, state, nonce, verifier }));
  location.assign(`${server}/oauth2/authorize?` + new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, response_type: "code", scope, state, nonce,
    code_challenge: encodeBase64URL(await sha256(utf8.encode(verifier))), code_challenge_method: "S256", ...more }));
}

export async function finishSignIn(url = location.href) {
  const query = new URL(url).searchParams, saved = JSON.parse(sessionStorage.getItem("mien.sign-in"));
  if (!saved || query.get("state") !== saved.state) return null;
  sessionStorage.removeItem("mien.sign-in");
  if (query.has("error")) throw new MienError(query.get("error"), "Sign-in refused.");
  const session = await new Session(saved).redeem({ grant_type: "authorization_code", code: query.get("code"), redirect_uri: saved.redirectUri, code_verifier: saved.verifier });
  if (session.idClaims?.nonce !== saved.nonce) throw new MienError("invalid_state", "The ID token is wrong.");
  return session;
}

/** A signed-in user. The tokens are only in memory. */
export class Session {
  #server; #client; #tokens = {}; #until = 0; #refreshing;
  constructor({ server = home, clientId }) { [this.#server, this.#client] = [server, clientId]; }

  async redeem(form) {
    const send = () => this.#post("token", form);
    this.#tokens = { ...this.#tokens, ...await (form.repeat_key ? repeat(send) : send()) };
    this.#until = clock() + (this.#tokens.expires_in - 30) * 1000;
    return this;
  }
  #post(path, form) { return request(`${this.#server}/oauth2/${path}`, { method: "POST", body: new URLSearchParams({ client_id: this.#client, ...form }) }); }

  get idClaims() { return this.#tokens.id_token && parse(this.#tokens.id_token.split(".")[1]); }

  async accessToken() {
    if (clock() > this.#until) {
      this.#refreshing ??= this.redeem({ grant_type: "refresh_token", refresh_token: this.#tokens.refresh_token, repeat_key: random() });
      await this.#refreshing.finally(() => { this.#refreshing = null; });
    }
    return this.#tokens.access_token;
  }
  async userInfo() {
    const send = async () => request(`${this.#server}/oauth2/userinfo`, { headers: bearer(await this.accessToken()) });
    try { return await send(); } catch (error) {
      if (error.code !== "invalid_token" || !this.#tokens.refresh_token) throw error;
      this.#until = 0;
      return send();
    }
  }
  async signOut() {
    const { refresh_token: token } = this.#tokens;
    this.#tokens = {};
    if (token) await this.#post("revoke", { token });
  }
}

// MARK: Passkeys

export const createPasskey = async (options) =>
  (await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })).toJSON();

export const getPasskey = async (options) =>
  (await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })).toJSON();

// The camera view of the document page: shows the document's edges, says one thing to do at a time, and takes the picture.

import { Guide, Pace, TiltGuide } from "./document-guide.js";
import { cameraHelp, make, text } from "./page.js";

/** The server's limit for a picture. */
const maxBytes = 5 * 1024 * 1024;
const maxPreviewBytes = 300_000;
/** The longer side of the pictures that are sent: 12 megapixels, which every browser's canvas holds. */
const maxSide = 4096;

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

/** Milliseconds after which people are told that they can take the picture themselves. */
const patience = 12_000;

/** What went wrong with the camera, by the error's name. */
const troubles = { NotAllowedError: "denied", NotFoundError: "missing", OverconstrainedError: "missing", TypeError: "unsupported" };

/** A camera that cannot be used, with words for the person. */
export class CameraTrouble extends Error {
  constructor(error) {
    super(error.message);
    this.kind = troubles[error.name] ?? "busy";
  }
  get words() { return this.kind === "denied" ? cameraHelp() : text(`camera_${this.kind}`); }
}

/** A picture from a file, as a JPEG without the facts that cameras add, such as the place. Throws if the file is no picture. */
export async function pictureOf(file) {
  const bitmap = await createImageBitmap(file);
  try { return await jpeg(bitmap, bitmap.width, bitmap.height); } finally { bitmap.close(); }
}

async function jpeg(source, width, height) {
  const canvas = document.createElement("canvas");
  for (let side = maxSide; ; side *= 0.75) {
    const scale = Math.min(1, side / Math.max(width, height));
    Object.assign(canvas, { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) });
    const pen = canvas.getContext("2d", { alpha: false });
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(source, 0, 0, canvas.width, canvas.height);
    for (const quality of [0.93, 0.85]) {
      const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
      if (!blob) throw new Error("The picture could not be encoded.");
      if (blob.size <= maxBytes) return blob;
    }
  }
}

/** The four corners, drawn over the video. Moves to where the document is, unless people want no motion. */
class Outline {
  #shape = svg("polygon", { class: "scan-shape" });
  #at = null; #goal = null; #frame = 0;
  #isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element = svg("svg", { class: "scan-outline", "aria-hidden": "true" }, this.#shape);

  resize(width, height) {
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    Object.assign(this, { width, height });
  }

  show(corners, isGood) {
    this.#goal = corners && closest(this.#at, corners);
    this.element.classList.toggle("scan-found", !!corners);
    this.element.classList.toggle("scan-good", isGood);
    if (!corners) { this.#at = null; return; }
    if (!this.#at || this.#isCalm) this.#at = this.#goal;
    this.#draw();
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    if (!this.#at || !this.#goal) return;
    let far = 0;
    this.#at = this.#at.map(([x, y], k) => {
      const [gx, gy] = this.#goal[k];
      far = Math.max(far, Math.abs(gx - x), Math.abs(gy - y));
      return [x + (gx - x) * 0.35, y + (gy - y) * 0.35];
    });
    if (far < 0.002) this.#at = this.#goal;
    this.#shape.setAttribute("points", this.#at.map(([x, y]) => `${(x * this.width).toFixed(1)},${(y * this.height).toFixed(1)}`).join(" "));
    if (far >= 0.002) this.#frame = requestAnimationFrame(() => this.#draw());
  }
}

/** The same corners, beginning with the one that lets them move least. */
function closest(before, corners) {
  if (!before) return corners;
  const way = (shift) => corners.reduce((sum, _, k) => {
    const [x, y] = corners[(k + shift) % 4];
    return sum + Math.hypot(x - before[k][0], y - before[k][1]);
  }, 0);
  const best = [0, 1, 2, 3].reduce((a, b) => (way(b) < way(a) ? b : a));
  return corners.map((_, k) => corners[(k + best) % 4]);
}

export class DocumentCamera {
  #stream; #guide = new Guide(); #tilt = null; #pace = new Pace(); #outline = new Outline(); #isOpen = false; #isTaking = false;
  #video = make("video", { playsinline: true, muted: true, "aria-label": text("capture_preview") });
  #word = make("p", { class: "scan-word", role: "status" }, text("capture_loading"));
  #tip = make("p", { class: "scan-tip small muted", role: "status" });
  #view = make("div", { class: "scan-view" }, this.#video, this.#outline.element);

  /**
   * @param preview Sends a JPEG to the server, and returns its answer.
   * @param encode Encodes the video's picture, see `workerEncoder`; undefined where there is no worker.
   * @param onPicture Gets the picture that was taken, a JPEG.
   * @param onTilt Gets the pictures of a tilted document instead, JPEGs as bytes. @param onProgress Gets how far they are, 0…1.
   * @param onEnd Is called if the camera ends by itself, with words for the person.
   * @param words The words for each fault.
   */
  constructor({ preview, encode, onPicture, onTilt, onProgress, onEnd, words }) {
    Object.assign(this, { preview, encode, onPicture, onTilt, onProgress, onEnd, words });
    if (onTilt) this.#tilt = new TiltGuide();
    this.#video.muted = true;
  }

  get word() { return this.#word; }
  get tip() { return this.#tip; }
  get view() { return this.#view; }
  get roundTrip() { return this.#pace.roundTrip; }

  /** Opens the camera. Throws ``CameraTrouble``. */
  async open() {
    try {
      if (!navigator.mediaDevices) throw new TypeError("no camera in an insecure page");
      this.#stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: "environment", width: { ideal: 2560 }, height: { ideal: 1440 } } });
      this.#video.srcObject = this.#stream;
      await this.#video.play();
    } catch (error) {
      this.close();
      throw new CameraTrouble(error);
    }
    this.#isOpen = true;
    this.#stream.getVideoTracks()[0].addEventListener("ended", () => {
      if (this.#isOpen) { this.close(); this.onEnd(text("camera_busy")); }
    });
    this.#fit();
    this.#video.addEventListener("resize", () => this.#fit());
    this.#watch();
  }

  close() {
    this.#isOpen = false;
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = undefined;
  }

  /** Phones turn the picture with the device. */
  #fit() {
    const { videoWidth: width, videoHeight: height } = this.#video;
    if (!width) return;
    this.#view.style.setProperty("--ratio", width / height);
    this.#outline.resize(width, height);
  }

  /** Takes the picture at the camera's full resolution. */
  async take() {
    if (!this.#isOpen || this.#isTaking || !this.#video.videoWidth) return;
    this.#isTaking = true;
    try {
      const { videoWidth, videoHeight } = this.#video, picture = await jpeg(this.#video, videoWidth, videoHeight);
      navigator.vibrate?.(30);
      this.close();
      this.onPicture(picture);
    } finally { this.#isTaking = false; }
  }

  async #watch() {
    const opened = performance.now();
    let failures = 0;
    while (this.#isOpen) {
      const began = performance.now();
      if (began - opened > patience) this.#tip.textContent ||= text(this.#tilt ? "document_tilt_tip" : "document_tip");
      try {
        const seen = await this.#ask();
        if (!this.#isOpen) return;
        if (seen && !this.#isTaking) this.#show(seen, began);
        this.#pace.took(performance.now() - began, performance.now());
        failures = 0;
        await this.#rest(this.#pace.pause);
      } catch (refusal) {
        if (!this.#isOpen) return;
        if ([401, 404, 409, 410].includes(refusal.status)) { this.close(); return this.onEnd(null, refusal); }
        // A busy server drops a preview now and then. Without any, the person takes the picture by hand.
        if (++failures > 2 || refusal.status === 0) {
          this.#outline.show(null, false);
          this.#say(text(refusal.status === 0 ? "capture_offline" : this.#tilt ? "document_tilt_busy" : "document_guide_by_hand"));
        }
        await this.#rest(Math.max(400, refusal.retryAfter * 1000));
      }
    }
  }

  async #ask() {
    const { side, quality } = this.#pace, bytes = await this.#encode(side, quality);
    if (!bytes || !this.#isOpen) return null;
    if (bytes.length > maxPreviewBytes) { this.#pace.tooLarge(performance.now()); return null; }
    // Encoders hand their memory out again.
    return { bytes: this.#tilt ? bytes.slice() : bytes, ratio: this.#video.videoWidth / this.#video.videoHeight, answer: await this.preview(bytes) };
  }

  async #encode(side, quality) {
    if (!this.#video.videoWidth || document.hidden) return null;
    if (this.encode) return this.encode(this.#video, side, quality);
    const { videoWidth, videoHeight } = this.#video, scale = Math.min(1, side / Math.max(videoWidth, videoHeight));
    const canvas = (this.canvas ??= document.createElement("canvas"));
    Object.assign(canvas, { width: Math.round(videoWidth * scale), height: Math.round(videoHeight * scale) });
    canvas.getContext("2d", { alpha: false }).drawImage(this.#video, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
    return blob && new Uint8Array(await blob.arrayBuffer());
  }

  #show({ answer, bytes, ratio }, at) {
    if (this.#tilt) return this.#showTilt(answer, bytes, ratio);
    const { word, isGood, shoot } = this.#guide.take(answer, at);
    this.#outline.show(answer.corners, isGood);
    this.#say(this.words(word), word);
    if (shoot) this.take();
  }

  #showTilt(answer, bytes, ratio) {
    const { word, isGood, pictures } = this.#tilt.take(answer, bytes, ratio);
    this.#outline.show(answer.corners, isGood);
    this.#say(this.words(word), word);
    this.onProgress(this.#tilt.progress);
    if (!pictures) return;
    navigator.vibrate?.(30);
    this.close();
    this.onTilt(pictures);
  }

  /** Screen readers hear a text when it changes. */
  #say(words, name = "") {
    if (this.#word.textContent !== words) this.#word.textContent = words;
    this.#word.dataset.word = name;
  }

  #rest(milliseconds) { return new Promise((done) => setTimeout(done, milliseconds)); }
}

// What the scripts of Mien's own pages share.

const source = document.getElementById("page-data");

/** What the server gave this page: language, direction, texts, csrf, and page. */
export const data = source ? JSON.parse(source.textContent) : { texts: {}, page: {} };

/** Scripts that are written from right to left, and marks that change the direction. */
const rightToLeft = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keeps a name in one piece, and the text around it in order, if one runs from right to left and the other from left to right. */
const isolated = (value) => typeof value === "string" && (data.direction === "rtl" || rightToLeft.test(value)) ? `\u2068${value}\u2069` : value;

/** A text in the page's language, with {placeholders} replaced. Missing texts show their key. */
export function text(key, values = {}) {
  return (data.texts[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => isolated(values[name]) ?? all);
}

/** An error response, or none (`status` 0). `retryAfter` is in seconds. */
export class Refusal extends Error {
  constructor(status, problem, retryAfter = 0) {
    super(problem?.detail ?? `The server answered ${status}.`);
    Object.assign(this, { status, code: problem?.code ?? "network_error", problem, retryAfter });
  }
}

/**
 * Sends a request with this page's cookies and its CSRF token, and returns the JSON of the response.
 *
 * @param body A value that is sent as JSON, or the bytes of a picture, whose type is in `headers`.
 */
export async function send(method, path, body, { headers = {}, seconds = 20 } = {}) {
  const all = { "x-mien-csrf": data.csrf ?? "", ...headers }, isPicture = [Blob, Uint8Array, FormData].some((kind) => body instanceof kind);
  if (body !== undefined && !isPicture) all["content-type"] = "application/json";
  let response, answer = null;
  try {
    response = await fetch(path, {
      method, headers: all, body: body === undefined || isPicture ? body : JSON.stringify(body),
      credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(seconds * 1000),
    });
    const received = await response.text();
    try { answer = received ? JSON.parse(received) : null; } catch { /* The status says enough. */ }
  } catch {
    throw new Refusal(0, null);
  }
  if (!response.ok) throw new Refusal(response.status, answer, Number(response.headers.get("retry-after")) || 0);
  return answer;
}

/** Makes an element: attributes, `onclick`, and children (elements or texts; empty ones are left out). */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (key, kind, onclick, values) =>
  make("button", { type: "button", class: `button button-${kind}`, onclick }, text(key, values));

/** A QR code, from its size in modules and the path of its dark modules. */
export function qrCode({ size, path }, label) {
  const svg = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const code = svg("svg", { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });
  code.append(svg("path", { d: path, fill: "currentColor" }));
  return code;
}

/** Marks a button as busy while `work` runs, so that it does not run twice. */
export async function busy(element, work) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  try { await work(); } finally { element.removeAttribute("aria-busy"); }
}

/** Help for a person who did not allow the camera, for the browser that they use. */
export function cameraHelp(agent = navigator.userAgent) {
  const isPhone = /Android/.test(agent);
  if (/iPhone|iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1)) return text("camera_denied_ios");
  if (/Firefox\//.test(agent)) return text(isPhone ? "camera_denied_firefox_android" : "camera_denied_firefox");
  if (/Chrome\//.test(agent)) return text(isPhone ? "camera_denied_chrome_android" : "camera_denied_chrome");
  if (/Safari\//.test(agent)) return text("camera_denied_safari");
  return text("camera_denied");
}

/** The texts of <mien-capture> in the page's language. The standard consent is translated by its English texts. */
export const captureTexts = (session) => ({ ...data.texts, camera_denied: cameraHelp(), ...session.consent_texts });

/** Whether the person uses a phone, which needs no other one. */
export const isPhone = () => /Android|iPhone|iPad|Mobile/.test(navigator.userAgent);

/** Encodes pictures in a worker, off the page's thread. Returns undefined where there can be none. */
export function workerEncoder() {
  if (!globalThis.OffscreenCanvas || !globalThis.createImageBitmap) return undefined;
  const createScriptURL = (path) => {
    const url = new URL(path, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith("/web/")) throw new TypeError(`${path} is not one of Mien's workers.`);
    return url.href;
  };
  let worker;
  try {
    const policy = globalThis.trustedTypes?.createPolicy("mien", { createScriptURL }) ?? { createScriptURL };
    worker = new Worker(policy.createScriptURL(data.page.worker ?? "/web/capture-worker.js"));
  } catch { return undefined; }

  const waiting = new Map();
  let count = 0;
  const finish = (id, bytes) => { waiting.get(id)?.(bytes && new Uint8Array(bytes)); waiting.delete(id); };
  worker.addEventListener("message", ({ data: { id, bytes } }) => finish(id, bytes));
  worker.addEventListener("error", () => { for (const id of [...waiting.keys()]) finish(id, null); });

  return async (video, side, quality) => {
    const { videoWidth, videoHeight } = video;
    const scale = Math.min(1, side / Math.max(videoWidth, videoHeight)), id = ++count;
    const bitmap = await createImageBitmap(video);
    return new Promise((done) => {
      waiting.set(id, done);
      worker.postMessage({ id, bitmap, width: Math.round(videoWidth * scale), height: Math.round(videoHeight * scale), quality }, [bitmap]);
    });
  };
}

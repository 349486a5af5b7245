// The admin API of this origin. Everything that the portal does goes through `call`.

import { t } from "./strings.js";

/** A refusal of the API, made from its problem+json; `status` 0 if the server could not be reached. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, title?: string, detail?: string, errors?: object[]} | null} problem
   * @param {number} retryAfter Seconds until it is worth trying again; 0 if unknown.
   */
  constructor(status, problem, retryAfter = 0) {
    const message = problem?.detail ?? problem?.title
      ?? t(status ? "shell.answered" : "shell.unreachable", { status: String(status) });
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = problem?.code ?? (status ? "error" : "network_error");
    this.detail = problem?.detail ?? message;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Signs in again in place, for a request that needs a newer sign-in. Resolves to whether the same person did. */
let signInAgain = null, signingIn = null;

/** Sets how `call` signs in again. Pages without a way get the refusal. */
export function onStaleSignIn(work) { signInAgain = work; }

/** Several requests at once ask only once. */
function again() {
  signingIn ??= signInAgain().finally(() => { signingIn = null; });
  return signingIn;
}

/** Milliseconds before an unanswered request is given up. */
const patience = 60_000;

/**
 * Sends a request to the API. If it needs a newer sign-in, asks for one in place and repeats the request.
 *
 * @param {string} method
 * @param {string} path Such as `/v1/apps`. Parts that are not fixed must be encoded: see `at`.
 * @param {object} [options]
 * @param {Record<string, unknown>} [options.query] Values that are undefined, null, or "" are left out.
 * @param {unknown} [options.body] Sent as JSON; a Blob is sent as it is.
 * @param {AbortSignal} [options.signal]
 * @param {boolean} [options.raw] Returns the Response instead of its JSON.
 * @returns {Promise<any>} The JSON of the answer; null if it has none.
 * @throws {ApiError}
 */
export async function call(method, path, options = {}) {
  try { return await send(method, path, options); } catch (error) {
    const isStale = error instanceof ApiError && error.code === "insufficient_user_authentication";
    if (!isStale || !signInAgain || !await again()) throw error;
  }
  return send(method, path, options);
}

async function send(method, path, { query, body, signal, raw = false }) {
  const address = path + search(query), headers = { "mien-portal": "1", accept: "application/json, */*;q=0.5" };
  const isBlob = body instanceof Blob;
  if (body !== undefined && !isBlob) headers["content-type"] = "application/json";
  const time = AbortSignal.timeout(patience);
  let response, text = "";
  try {
    response = await fetch(address, {
      method, headers, body: body === undefined || isBlob ? body : JSON.stringify(body),
      credentials: "same-origin", cache: "no-store", redirect: "error",
      signal: signal ? AbortSignal.any([signal, time]) : time,
    });
    if (raw && response.ok) return response;
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, null);
  }
  let answer = null;
  try { answer = text ? JSON.parse(text) : null; } catch { /* The status says enough. */ }
  if (response.ok) return answer;
  const error = new ApiError(response.status, answer, Number(response.headers.get("retry-after")) || 0);
  // A sign-in that is too old for a change is still a sign-in.
  if (response.status === 401 && error.code !== "insufficient_user_authentication"
      && !path.startsWith("/v1/administrator/session")) {
      window.dispatchEvent(new CustomEvent("mien:signed-out", { detail: error }));
    }
  throw error;
}

/**
 * Reads a whole list, page by page, for choices and names; tables show pages instead: see `pagedList`.
 *
 * @param {string} path
 * @param {{signal?: AbortSignal, atMost?: number}} [options] At most 1,000 items by default, the oldest.
 * @returns {Promise<any[]>}
 */
export async function listAll(path, { signal, atMost = 1000 } = {}) {
  const items = [];
  let after;
  do {
    const page = await call("GET", path, { query: { after }, signal });
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < atMost);
  return items;
}

/** Builds a path from a template: at`/v1/users/${id}` encodes each value. */
export function at(parts, ...values) {
  return parts.reduce((path, part, index) => path + encodeURIComponent(values[index - 1]) + part);
}

/** A query string with its question mark; empty without values. */
export function search(query = {}) {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") all.set(name, String(value));
  }
  // The API takes + for itself, as email addresses have it, so a space is %20.
  return all.size ? `?${String(all).replaceAll("+", "%20")}` : "";
}

/**
 * The signed-in administrator: `{id, name, role, permissions}`; null before `loadMe`.
 *
 * @type {{id: string, name: string, role: string, permissions: string[]} | null}
 */
export let me = null;

/** Reads who is signed in. @throws {ApiError} 401 if nobody is. */
export async function loadMe() {
  me = null;
  me = await call("GET", "/v1/administrator");
  return me;
}

/** Forgets who was signed in, after signing out. */
export function forgetMe() { me = null; }

/** Whether the signed-in administrator's role permits something, such as "changeUsers". The server checks again. */
export function may(permission) { return me?.permissions?.includes(permission) ?? false; }

/** A picture or file of the API, as an address for `<img>` or a download. Revoke it when it is no longer shown. */
export async function blobAddress(path, options) {
  const response = await call("GET", path, { ...options, raw: true });
  return URL.createObjectURL(await response.blob());
}

/** Saves an answer of the API as a file of the browser's user. */
export async function download(path, name, options) {
  const address = await blobAddress(path, options), link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

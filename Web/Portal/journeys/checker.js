// Asks the server about the definition while it is edited: findings, outcomes, and variables.

import { call } from "../api.js";

/** Milliseconds without an edit before the server is asked. */
const rest = 200;

export class Checker {
  #timer = 0;
  #controller = null;
  #waiting = null;

  /**
   * @param {(checked: {definition: unknown, findings: object[], steps: Record<string, object>} | null, error:
   * Error | null) => void} tell
   */
  constructor(tell) { this.tell = tell; }

  /** Asks about a definition soon; an earlier question that is not answered is dropped. */
  ask(definition, { now = false } = {}) {
    this.stop();
    this.#waiting = definition;
    if (now) this.#send(); else this.#timer = setTimeout(() => this.#send(), rest);
  }

  /** Drops the question that is open. */
  stop() {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#waiting = null;
  }

  get isWaiting() { return this.#waiting !== null; }

  async #send() {
    const definition = this.#waiting, controller = this.#controller = new AbortController();
    try {
      const answer = await call("POST", "/v1/journeys/check", { body: { definition }, signal: controller.signal });
      if (controller.signal.aborted) return;
      this.#waiting = null;
      this.tell({ definition, findings: answer.findings, steps: answer.steps }, null);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#waiting = null;
      this.tell(null, error);
    }
  }
}

/** The first types that were read; they never change while the server runs. */
let types = null;

/**
 * The types of steps, by name, and the schemas that their settings refer to.
 *
 * @returns {Promise<{all: Map<string, object>, definitions: object}>}
 */
export async function stepTypes() {
  types ??= call("GET", "/v1/journeys/steps").then(
    (answer) => ({ all: new Map(answer.items.map((type) => [type.type, type])), definitions: answer.definitions }),
    (error) => { types = null; throw error; });
  return types;
}

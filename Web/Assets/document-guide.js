// The decisions of the document page: which step comes next, what to say about a preview, and when to take the picture.
// They use no clock, camera, or network.

/** The pictures of a document, in the order in which they are taken. */
export const sides = ["document_front", "document_back"];

/** The pictures of a session, in the order in which they are taken. */
const images = ["document_front", "document_tilt", "document_back", "selfie"];

/**
 * The step that a session is at: consent, document (choose its country and type), document_front, document_tilt, document_back, selfie, check,
 * processing, complete, canceled, or expired.
 */
export function stepOf({ status, consent, country, document_type: type, missing_images: missing = [], required }) {
  if (["processing", "complete", "canceled", "expired"].includes(status)) return status;
  if (consent) return "consent";
  const wantsDocument = required ? required.includes("document") : missing.some((image) => sides.includes(image));
  if (wantsDocument && !(country && type)) return "document";
  return images.find((image) => missing.includes(image)) ?? "check";
}

/** The greatest distance that a corner moved, as a share of the picture. The server may name the same corners beginning with another one. */
export function drift(before, now) {
  if (before?.length !== now?.length) return Infinity;
  const far = (shift) => Math.max(...now.map(([x, y], k) => {
    const [bx, by] = before[(k + shift) % before.length];
    return Math.hypot(x - bx, y - by);
  }));
  return Math.min(...now.map((_, shift) => far(shift)));
}

/** Judges the previews of one side: says one thing at a time, and takes the picture once the document is good and still. */
export class Guide {
  #last = null; #good = 0; #since = 0; #word = null; #next = null;

  /**
   * @param frames Previews in a row that are good. @param milliseconds How long they are good at least, so that nobody is surprised.
   * @param still The greatest drift between two of them.
   */
  constructor({ frames = 3, milliseconds = 700, still = 0.03 } = {}) { Object.assign(this, { frames, milliseconds, still }); }

  /**
   * @param preview The server's answer: `corners` as shares of the picture or null, `faults`, and `ready`.
   * @param at The time of the preview in milliseconds.
   * @returns `word`, the fault to mention or `hold_still`; `isGood`; `shoot`, true once.
   */
  take({ corners, faults = [], ready }, at) {
    const isGood = ready === true && corners != null;
    const isSame = isGood && this.#good > 0 && drift(this.#last, corners) <= this.still;
    if (!isSame) this.#since = at;
    this.#good = isSame ? this.#good + 1 : isGood ? 1 : 0;
    this.#last = corners ?? null;
    const word = isGood ? "hold_still" : faults[0] ?? (corners ? "hold_still" : "no_document");
    // A fault of a single preview is not mentioned: words that change all the time cannot be followed.
    if (this.#word === null || isGood || word === this.#next) this.#word = word;
    this.#next = word;
    const shoot = this.#good >= this.frames && at - this.#since >= this.milliseconds;
    if (shoot) this.#good = 0;
    return { word: this.#word, isGood, shoot };
  }
}

/** The longer side in pixels and the JPEG quality of previews. The smallest still shows a card that fills two thirds of the picture. */
const levels = [[1280, 0.75], [1280, 0.6], [1280, 0.45], [960, 0.45]];

/** How large previews are and how often they are sent, by how long the last ones took. */
export class Pace {
  #level = 0; #changed = 0;
  roundTrip = 0;

  get side() { return levels[this.#level][0]; }
  get quality() { return levels[this.#level][1]; }
  /** Milliseconds to the next preview: the server and the connection rest for half of the time. */
  get pause() { return Math.min(1500, Math.max(150, this.roundTrip / 2)); }

  /** @param milliseconds How long the last preview took. @param at The time. */
  took(milliseconds, at) {
    this.roundTrip = this.roundTrip ? (this.roundTrip + milliseconds) / 2 : milliseconds;
    if (this.roundTrip > 900 && at - this.#changed > 1500) this.#step(1, at);
    else if (this.roundTrip < 350 && at - this.#changed > 4000) this.#step(-1, at);
  }

  /** A preview was larger than the server accepts. */
  tooLarge(at) { this.#step(1, at); }

  #step(by, at) {
    const level = this.#level + by;
    if (levels[level]) [this.#level, this.#changed] = [level, at];
  }
}

const cross = ([a, b, c], [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];
const unit = (v) => { const length = Math.hypot(...v); return v.map((value) => value / (length || 1)); };

/**
 * The direction that a document faces: of length 1, right, down, and away from the camera. Null without four corners in a proper shape.
 * @param corners As shares of the picture. @param ratio The picture's width divided by its height.
 */
export function facing(corners, ratio) {
  if (corners?.length !== 4) return null;
  // Most phones' main cameras have a focal length of 0.9 of the picture's longer side.
  const [w, h] = ratio >= 1 ? [1 / 0.9, 1 / ratio / 0.9] : [ratio / 0.9, 1 / 0.9], rays = corners.map(([x, y]) => [(x - 0.5) * w, (y - 0.5) * h, 1]);
  // Parallel sides meet at a vanishing point, in the direction of both.
  const direction = (a, b, c, d) => unit(cross(cross(rays[a], rays[b]), cross(rays[d], rays[c])));
  const normal = cross(direction(0, 1, 2, 3), direction(1, 2, 3, 0));
  if (!(Math.hypot(...normal) > 0.2)) return null;
  return unit(normal[2] > 0 ? normal.map((value) => -value) : normal);
}

/** The angle between two directions in degrees. */
export const angleBetween = (a, b) => (Math.atan2(Math.hypot(...cross(a, b)), a.reduce((sum, value, k) => sum + value * b[k], 0)) * 180) / Math.PI;

/** Collects pictures of a document while it is tilted, until they show it from directions that differ enough. */
export class TiltGuide {
  #kept = []; #word = null; #next = null;

  /** @param frames The pictures to collect, at least and at most. @param degrees The angle between two of them. @param step The least angle to all others. */
  constructor({ frames = [6, 8], degrees = 14, step = 1.5 } = {}) { Object.assign(this, { frames, degrees, step }); }

  /** The greatest angle between two pictures, in degrees. */
  get spread() { return Math.max(0, ...this.#kept.flatMap((one, k) => this.#kept.slice(k + 1).map((other) => angleBetween(one.normal, other.normal)))); }

  /** How much has been done, 0…1. */
  get progress() { return (Math.min(1, this.#kept.length / this.frames[0]) + Math.min(1, this.spread / this.degrees)) / 2; }

  /**
   * @param preview The server's answer about a picture. @param bytes The picture. @param ratio Its width divided by its height.
   * @returns `word`, the fault to mention or `tilt`; `isGood`; `pictures`, once there are enough.
   */
  take({ corners, faults = [] }, bytes, ratio) {
    // Reflections are what this is about.
    const fault = faults.find((one) => one !== "glare"), normal = fault ? null : facing(corners, ratio), isGood = normal !== null;
    if (isGood && this.#kept.every((one) => angleBetween(one.normal, normal) >= this.step)) this.#keep({ normal, bytes });
    const word = isGood ? "tilt" : fault ?? "no_document";
    // As in `Guide`: a fault of a single preview is not mentioned.
    if (this.#word === null || isGood || word === this.#next) this.#word = word;
    this.#next = word;
    const isDone = this.#kept.length >= this.frames[0] && this.spread >= this.degrees;
    return { word: this.#word, isGood, pictures: isDone ? this.#kept.map((one) => one.bytes) : null };
  }

  /** In place of the picture whose direction the others show best, if there are too many. */
  #keep(picture) {
    this.#kept.push(picture);
    if (this.#kept.length <= this.frames[1]) return;
    const near = (one) => Math.min(...this.#kept.filter((other) => other !== one).map((other) => angleBetween(one.normal, other.normal)));
    const least = this.#kept.reduce((a, b) => (near(b) < near(a) ? b : a));
    this.#kept.splice(this.#kept.indexOf(least), 1);
  }
}

/**
 * Mien for web pages: `<mien-capture>`, documents, journeys, signing in with OAuth, and passkeys.
 *
 * `import { ido } from "https://login.example.org/mien.js"`. Add your page's origin to the app's `web_origins`.
 * `server` and `serverPath` are origins such as `https://login.example.org`; the default is the origin of this module.
 */

// Errors

/** An error with a stable code. */
export class MienError extends Error {
  /**
   * `network_error` (no response, or a proxy's 502 or 504; the request may have arrived), `no_active_journey`, `invalid_state`, `client_response_not_valid`,
   * `invalid_credentials`, `server_error`, a code of a problem document, or an error of OAuth.
   */
  readonly code: string;
  /** The HTTP status; absent without a response. */
  readonly status?: number;
  /** What the server answered: a problem document, or an error of OAuth. */
  readonly problem?: unknown;
  /** Whether the server was busy (429, 503) and the request can be repeated. */
  readonly isBusy?: boolean;
  /** Seconds to wait before the request is repeated; 0 if the server did not say. */
  readonly retryAfter?: number;
}

// Captures

/** An action of a live capture. Left and right are the person's own. */
export type CaptureAction = "keep_still" | "blink" | "turn_left" | "turn_right" | "look_up" | "look_down" | "open_mouth" | "come_closer";

/** The state of a capture session. docs/openapi.json describes each member. */
export interface CaptureAnswer {
  status: "open" | "passed" | "failed" | "cancelled";
  guidance: string[];
  /** The quality of the last frame, 0 to 100. */
  quality?: number;
  /** The face in pixels of the last frame: x, y, width, height. */
  face?: [number, number, number, number];
  frames_left: number;
  /** Milliseconds since 1970. */
  expires_at: number;
  mode?: "image" | "liveness_passive" | "liveness_active";
  action?: CaptureAction;
  /** 0 to 100. */
  progress?: number;
  /** Milliseconds until a live session times out. */
  countdown?: number;
  /** Milliseconds since a live session started. */
  elapsed?: number;
  next_frame?: number;
  nonce?: string;
  /** Why the session failed; the first reason is for the person. */
  reasons?: string[];
  consent?: { text_version: string; title: string; text: string; button_text: string };
  omittable_actions?: CaptureAction[];
  /** A picture of the face is kept after the capture. */
  keeps_picture?: true;
  /** With `mien-fail`, if no verdict of the server but an error ended the capture. `reasons` then has its code. */
  error?: MienError;
}

/** Returns a picture of the video as JPEG: upright, not mirrored, its longer side at most `side` pixels; null if there is none. */
export type Encode = (video: HTMLVideoElement, side: number, quality: number) => Promise<Uint8Array | null>;

/**
 * `<mien-capture start-token="cap_…">`: a capture from the consent to the verdict, with the camera, the instructions, and help.
 *
 * It ends with exactly one of its events, each with a `CaptureAnswer` as `detail`:
 * `mien-done` (the capture passed), `mien-fail` (it did not, and the person has seen why), and `mien-cancel` (the person canceled;
 * `detail` is null if the server did not answer). The capture proves nothing by itself: answer the journey's step after it.
 *
 * | attribute | |
 * |---|---|
 * | `start-token` | the step's start token |
 * | `server` | the server's origin |
 * | `autostart` | opens the camera without asking the person to start |
 * | `capture-id`, `csrf` | on the server's own pages, in place of the start token |
 *
 * Slots: `picture` above the first text; `alternatives` for your own buttons wherever the person may need another way.
 * CSS properties: `--mien-brand`, `--mien-brand-text`, `--mien-accent`, `--mien-surface`, `--mien-text`. Give it a height of 30rem or more.
 */
export class MienCapture extends HTMLElement {
  /** Replaces some of the texts, for example with another language. Keys as in `texts`; also `action_…`, `guidance_…`, and `refusal_…` with any word of the server. */
  set texts(some: Record<string, string>);
  /** How pictures are encoded; by default on the page. */
  encode: Encode;
  /** The session, once started. */
  session?: CaptureSession;
  /** The smoothed time from sending pictures to the answer, in milliseconds. */
  readonly roundTrip: number;
  /** Begins, or begins again with changed attributes. Called by itself once the element is in the page with a start token. */
  start(): Promise<void>;
  /** Cancels the capture; `mien-cancel` follows. A capture that is canceled after an action was shown counts as a failed attempt. */
  cancel(): Promise<void>;
}

declare global {
  interface HTMLElementTagNameMap { "mien-capture": MienCapture }
  interface HTMLElementEventMap {
    "mien-done": CustomEvent<CaptureAnswer>;
    "mien-fail": CustomEvent<CaptureAnswer>;
    "mien-cancel": CustomEvent<CaptureAnswer | null>;
  }
}

/** The element's texts in English. */
export const texts: Readonly<Record<string, string>>;

/** One capture session, for pages that draw their own screen. */
export class CaptureSession {
  constructor(options: { server?: string; startToken?: string; captureID?: string; csrf?: string });
  /** The server's last answer. */
  answer?: CaptureAnswer;
  readonly isOpen: boolean;
  readonly isLive: boolean;
  /** Milliseconds since a live session started, for the time of a picture. */
  readonly now: number;
  status(): Promise<CaptureAnswer>;
  /** Starts the session and its time. Throws `capture_elsewhere` if another page has sent frames to it. */
  start(): Promise<CaptureAnswer>;
  consent(textVersion: string): Promise<CaptureAnswer>;
  /** Before the start: leaves out actions that the person cannot perform. Throws `not_permitted` if too few remain. */
  omit(actions: CaptureAction[]): Promise<CaptureAnswer>;
  cancel(): Promise<CaptureAnswer>;
  /** Sends one JPEG to a session in the mode `image`. */
  sendPicture(picture: Uint8Array): Promise<CaptureAnswer>;
  /** Sends 1 to 16 pictures, in the order of their times. One request at a time. */
  sendLive(pictures: { picture: Uint8Array; milliseconds: number }[]): Promise<CaptureAnswer>;
  /** After an error of `sendLive`: returns the pictures that did not arrive. */
  recover(): Promise<{ picture: Uint8Array; milliseconds: number }[]>;
}

// Documents

/** How far a session with documents is. docs/openapi.json describes each member. */
export interface DocumentState {
  session_id: string;
  status: "requires_input" | "processing" | "recapture" | "complete" | "canceled" | "expired";
  app_name: string;
  /** Milliseconds since 1970. */
  expires_at: number;
  /** The text to agree to; absent once the person has. */
  consent?: { content: string; language: string; version: string };
  /** The pictures that are missing, in the order in which to take them. */
  missing_images: ("document_front" | "document_tilt" | "document_back" | "selfie")[];
  required: string[];
  /** ISO 3166-1 alpha-2, or an organization's code of three letters, such as `XOM`. */
  country?: string;
  document_type?: string;
  supported_documents: { document_type: string; countries: string[] }[];
  /** The picture that must be taken again, and why. */
  recapture?: { image: string; reasons: string[]; hints?: string[] };
  callback_url?: string;
}

/** What the server sees in a frame of the camera. */
export interface DocumentPreview {
  /** Whether a picture like this one would be good enough. */
  ready: boolean;
  /** What is wrong, the most important first: `no_document`, `cut_off`, `too_dark`. */
  faults: string[];
  /** The document's corners, clockwise, in parts of the picture's width and height; null without a document. */
  corners: [number, number][] | null;
}

/** Whether a picture was good enough to be stored. */
export interface DocumentPicture {
  accepted: boolean;
  missing_images: string[];
  /** Why another one is needed; `hint` is the fault to correct. */
  recapture?: { image?: string; reasons: string[]; hint?: string };
}

/** One session with pictures of a document, and mostly a face, for pages that draw their own screens. Its start token begins with `idv_`. */
export class DocumentSession {
  constructor(options: { server?: string; startToken: string });
  status(): Promise<DocumentState>;
  /** The person has read the text of this version and agrees. */
  consent(version: string): Promise<DocumentState>;
  /** Says which document it will be, one of `supported_documents`. */
  choose(country: string, documentType: string): Promise<DocumentState>;
  /** Where the document is in a JPEG of at most 300 kB, and what is wrong with it. Nothing is stored. Not repeated by itself. */
  preview(picture: Uint8Array | Blob): Promise<DocumentPreview>;
  /** Sends a picture of at most 5 MB: a JPEG, or a `Blob` with the type of another. It is stored only if it is good enough. */
  put(image: "document_front" | "document_back", picture: Uint8Array | Blob): Promise<DocumentPicture>;
  /** Sends four to eight JPEGs of the tilted document, each at most 1280 pixels wide or high, and 300 kB. */
  putTilted(pictures: (Uint8Array | Blob)[]): Promise<DocumentPicture>;
  /** Opens the capture of the face, and returns its start token, for `<mien-capture>` or `CaptureSession`. */
  startSelfie(): Promise<string>;
  /** Begins the judgment. */
  submit(): Promise<DocumentState>;
  /** Waits for the judgment. A result `recapture` asks for a picture again. */
  judged(): Promise<DocumentState>;
  /** Ends the session. What was captured is erased. */
  cancel(): Promise<DocumentState>;
}

// Frames of live captures

/** The link before the first frame of a live capture. `nonce`: 32 bytes. */
export function firstLink(nonce: Uint8Array): Promise<Uint8Array>;
/** The link of a frame, which binds it to all frames before it. */
export function nextLink(link: Uint8Array, number: number, milliseconds: number, picture: Uint8Array): Promise<Uint8Array>;
/** The body of a request with frames. */
export function encodeFrames(frames: { number: number; milliseconds: number; link: Uint8Array; picture: Uint8Array }[]): Blob;

// Journeys

export const ClientResponseOptionType: {
  readonly ClientInput: "client_input"; readonly Cancel: "cancel"; readonly Fail: "fail"; readonly Resend: "resend"; readonly Custom: "custom";
};

/** The steps of journeys, and their ends `Success` and `Rejection`. docs/client-sdk.md lists their data and answers. */
export const IdoJourneyActionType: {
  readonly LoginForm: "loginForm"; readonly Information: "information"; readonly RecordConsent: "recordConsent"; readonly WaitForTime: "waitForTime";
  readonly IdentityVerification: "identityVerification"; readonly SelfieAcquisition: "selfieAcquisition";
  readonly EmailOTPAuthentication: "emailOTPAuthentication"; readonly OtpRegistration: "otpRegistration"; readonly OtpAuthentication: "otpAuthentication";
  readonly OtpTransactionSigning: "otpTransactionSigning"; readonly OtpTransactionApproval: "otpTransactionApproval";
  readonly Success: "success"; readonly Rejection: "rejection";
};

export interface ClientResponseOption {
  type: string;
  /** The text for a button. */
  label: string;
  /** The JSON Schema of the data. */
  schema?: Record<string, unknown>;
}

/** A journey's response: the next step, or how the journey ended. */
export interface IdoServiceResponse {
  /** One of `IdoJourneyActionType`. */
  journeyStepId: string;
  data?: any;
  /** Why the journey was rejected, or why a step failed. */
  errorData?: { cause?: string; reason?: string; code?: string };
  /** The possible answers, by their IDs. */
  clientResponseOptions: Map<string, ClientResponseOption>;
  /** With `Success`: a signed JWT. Send it to your server, or pass it to `Session.redeem`. */
  token?: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Runs one journey at a time. The device's token, which keeps strangers from locking a user out, is kept in `localStorage`. */
export class Journeys {
  init(options: { serverPath?: string; clientId: string }): this;
  /** With `accessToken`, the journey begins with that user signed in. */
  startJourney(journeyId: string, options?: { additionalParams?: Record<string, unknown>; flowId?: string; accessToken?: string }): Promise<IdoServiceResponse>;
  /** Answers the current step. After `network_error` the answer may have arrived: only the same answer is accepted then. */
  submitClientResponse(option: string, data?: Record<string, unknown>): Promise<IdoServiceResponse>;
  /** The journey as text, to continue after the page was left. Protect it like a session. */
  serializeState(): string;
  /** Continues a journey of this app, and returns its current step. */
  restoreFromSerializedState(state: string): IdoServiceResponse;
}

/** The journeys of this page. Call `init` first. */
export const ido: Journeys;

// Signing in

export interface SignInOptions {
  server?: string;
  clientId: string;
  /** One of the app's redirect URIs. */
  redirectUri: string;
  /** `openid offline_access full-access` by default; keep `openid`. */
  scope?: string;
  /** Further parameters: `login_hint`, `prompt`, `max_age`, `acr_values`, `ui_locales`. */
  [parameter: string]: string | undefined;
}

/** Leaves the page for the server's sign-in page (authorization code with PKCE). */
export function signIn(options: SignInOptions): Promise<void>;

/**
 * On the page that `redirectUri` names: finishes a sign-in. Returns null if the address is not the end of one that this browser
 * tab began. Throws a `MienError` with the error of the sign-in page, such as `access_denied`. Remove the query from the address then.
 */
export function finishSignIn(url?: string): Promise<Session | null>;

/** A signed-in user. The tokens are only in memory: after a reload, sign in again; the server knows the browser. */
export class Session {
  constructor(options: { server?: string; clientId: string });
  /**
   * Gets tokens for a grant. After a journey, `await new Session({ clientId }).redeem({ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
   * subject_token_type: "urn:ietf:params:oauth:token-type:jwt", subject_token: response.token })`.
   */
  redeem(form: Record<string, string>): Promise<this>;
  /** The claims of the ID token. Your server must verify a token before it relies on it. */
  readonly idClaims?: Record<string, any>;
  /** A valid access token, renewed if necessary. */
  accessToken(): Promise<string>;
  /** If the server refuses the access token, it is renewed once. */
  userInfo(): Promise<Record<string, any>>;
  /** Ends the sign-in. */
  signOut(): Promise<void>;
}

// Passkeys

/** Registers a passkey with `publicKey` of the server's options; returns the JSON to send back. Throws `NotAllowedError` if the person canceled. */
export function createPasskey(publicKey: PublicKeyCredentialCreationOptionsJSON): Promise<any>;
/** Signs in with a passkey, likewise. */
export function getPasskey(publicKey: PublicKeyCredentialRequestOptionsJSON): Promise<any>;

// Encoding

/** base64url without padding. */
export function encodeBase64URL(bytes: ArrayBuffer | Uint8Array): string;
export function decodeBase64URL(text: string): Uint8Array;

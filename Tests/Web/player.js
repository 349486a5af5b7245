// Makes the calls of a recording of docs/conformance with mien.js, and says what they gave otherwise than recorded.

import * as mien from "/mien.js";

/** The smallest thing that begins and ends like a JPEG. The recording stands for a server that sees a face in it. */
const picture = new Uint8Array([0xff, 0xd8, 0xff, 0xd9]);
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

class Player {
  constructor(address, app) {
    [this.address, this.app] = [address, app];
    this.journeys = this.newJourneys();
    this.session = new mien.Session({ server: address, clientId: app });
  }

  newJourneys() { return new mien.Journeys().init({ serverPath: this.address, clientId: this.app }); }

  answered(answer) {
    this.answer = answer;
    return { step: answer.journeyStepId, options: [...answer.clientResponseOptions.keys()].filter((name) => name !== "later_option").sort(),
      error: answer.errorData?.code, reason: answer.errorData?.reason, token: !!answer.token };
  }

  async start({ journey, flow, signed_in: isSignedIn }) {
    const accessToken = isSignedIn && await this.session.accessToken();
    return this.answered(await this.journeys.startJourney(journey, { flowId: flow, accessToken }));
  }
  async respond({ option, data }) { return this.answered(await this.journeys.submitClientResponse(option, data)); }
  restore() {
    const state = this.journeys.serializeState();
    this.journeys = this.newJourneys();
    return this.answered(this.journeys.restoreFromSerializedState(state));
  }

  // Captures

  get capture_session() {
    const { data } = this.answer, startToken = data.start_token ?? data.payload.start_token;
    return new mien.CaptureSession({ server: this.address, startToken });
  }

  capture({ agrees }) { return this.run(this.capture_session, agrees); }

  async run(session, agrees) {
    const guidance = [];
    let answer = await session.start(), asked;
    if (session.isOpen && answer.consent) {
      asked = answer.consent.text_version;
      if (agrees) {
        await session.consent(asked);
        answer = await session.start();
      } else answer = await session.cancel();
    }
    for (let last = 0; session.isOpen; guidance.push(...answer.guidance)) {
      if (!session.isLive) answer = await session.sendPicture(picture);
      else {
        await sleep(20);
        const now = Math.max(session.now, last + 2);
        answer = await this.sendLive(session, [last + 1, now].map((milliseconds) => ({ picture, milliseconds })));
        last = now;
      }
    }
    return { status: answer.status, reasons: answer.reasons, guidance: [...new Set(guidance)].filter((word) => word !== "later_word"), asked };
  }

  /** Sends pictures, and those again that did not arrive. */
  async sendLive(session, pictures) {
    try { return await session.sendLive(pictures); } catch (error) {
      if (error.code !== "network_error") throw error;
      const missing = await session.recover();
      return missing.length ? this.sendLive(session, missing) : session.answer;
    }
  }

  async omit({ actions }) {
    const session = this.capture_session;
    await session.status();
    await session.omit(actions);
    return { omittable: session.answer.omittable_actions ?? [] };
  }
  async light({ style }) { return { status: (await this.capture_session.light(style)).status }; }
  async cancel_capture() { return { status: (await this.capture_session.cancel()).status }; }

  // Documents

  get document_session() { return new mien.DocumentSession({ server: this.address, startToken: this.answer.data.payload.start_token }); }
  seen(state) {
    this.state = state;
    return { status: state.status, missing: state.missing_images };
  }

  async document() { return this.seen(await this.document_session.status()); }
  async document_consent() { return this.seen(await this.document_session.consent(this.state.consent.version)); }
  async choose({ country, type }) { return this.seen(await this.document_session.choose(country, type)); }
  async preview() { return this.document_session.preview(picture); }
  async picture({ side }) {
    const { accepted, recapture } = await this.document_session.put(side, picture);
    return { accepted, ...recapture };
  }
  async selfie() { return this.run(new mien.CaptureSession({ server: this.address, startToken: await this.document_session.startSelfie() }), true); }
  async submit() { return this.seen(await this.document_session.submit()); }
  async judged() { return this.seen(await this.document_session.judged()); }

  // The session

  async sign_in() {
    await this.session.redeem({ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt", subject_token: this.answer.token });
    return { methods: this.session.idClaims.amr };
  }
  async user() { return { user: (await this.session.userInfo()).sub }; }
  async sign_out() { await this.session.signOut(); return {}; }
}

/** What a call gave, or the error that it threw. */
async function outcome(player, call) {
  try { return await player[call.call.replaceAll(" ", "_")](call); } catch (error) {
    if (!(error instanceof mien.MienError)) throw error;
    const fields = error.problem?.errors?.map(({ field }) => field);
    return { code: error.problem ? undefined : error.code, problem: error.problem ? error.code : undefined, fields, retry_after: error.retryAfter || undefined };
  }
}

/** Returns what was otherwise than recorded, a text each. */
export async function play(recording, address) {
  localStorage.clear();
  const player = new Player(address, recording.names.app), faults = [];
  for (const call of recording.play) {
    const found = await outcome(player, call), text = JSON.stringify;
    // The codes of the SDKs are not those of mien.js, which has the server's.
    const wanted = Object.entries(call.gives).filter(([name]) => name !== "code" || !("problem" in call.gives));
    for (const [name, value] of wanted) {
      if (text(found[name]) !== text(value)) faults.push(`${call.call} ${call.journey ?? call.option ?? ""}: ${name} is ${text(found[name])}, and ${text(value)} was recorded`);
    }
    if (!("code" in call.gives) && (found.code || found.problem)) faults.push(`${call.call}: ${text(found)}`);
    if (faults.length) break;
  }
  return faults;
}

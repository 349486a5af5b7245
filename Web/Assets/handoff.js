// Moves a check from a computer to a phone: the computer shows a code and a number, the phone shows the same number.

import { busy, button, make, qrCode, send, text } from "./page.js";
import { actions, facts, paragraph, show, showError, showExpired, showOffline, state } from "./views.js";

const named = (all) => facts(Object.entries(all).map(([name, value]) => [text(`capture_${name}`), value]));
const pause = () => new Promise((done) => setTimeout(done, 1500));

/**
 * @param path The page's address, for example `/verify`.
 * @param goOn Continues on this device. A phone that both sides have agreed on gets the page's session.
 * @param finish Ends the check on this device, and with `{cancel: true}` on both.
 */
export function handoff({ path, goOn, finish }) {
  /** On the computer: shows the code for the phone, and waits for it. */
  async function offer() {
    let made;
    try { made = await send("POST", `${path}/handoff`, {}); } catch (refusal) {
      return refusal.status === 0 ? showOffline(goOn) : showError(goOn);
    }
    const status = make("p", { class: "muted", role: "status" }, text("capture_handoff_waiting"));
    show(null, text("capture_handoff_title"), paragraph("capture_handoff_text"),
      make("div", { class: "qr" }, qrCode(made.qr, text("capture_handoff_code")), make("p", { class: "qr-number" }, made.number)),
      status, actions(button("button_back", "secondary", () => goOn())));
    const until = performance.now() + made.expires_in * 1000;
    let last = "waiting";
    // The view that the person has left, for example with "Back", stops asking.
    while (status.isConnected) {
      await pause();
      if (!status.isConnected) return;
      const move = await send("GET", `${path}/handoff`).catch(() => ({ state: last })), now = move.state;
      if (now === "ended") return finish();
      if (now === "accepted") return agree(move);
      if (now !== last) {
        last = now;
        status.textContent = text(`capture_handoff_${now}`);
      }
      if (now === "waiting" && performance.now() > until) {
        return show(state("wait"), text("capture_handoff_late_title"), paragraph("capture_handoff_late_text"),
          actions(button("button_retry", "primary", offer), button("button_back", "secondary", () => goOn())));
      }
    }
  }

  /** On the computer: asks whether the phone that opened the code is the person's own, which shows the same number. */
  function agree(move) {
    const yes = button("capture_compare_yes", "primary", () => busy(yes, async () => {
      try { await send("POST", `${path}/handoff/confirm`, { number: move.number }); } catch (refusal) {
        return refusal.status === 0 ? showOffline(() => agree(move)) : showError(goOn);
      }
      const status = make("p", { role: "status" }, text("capture_handoff_confirmed"));
      show(state("wait"), text("capture_handoff_title"), status);
      while (status.isConnected) {
        const { state: now } = await send("GET", `${path}/handoff`).catch(() => ({}));
        if (now === "ended") return finish();
        await pause();
      }
    }));
    show(null, text("capture_agree_title"), make("p", { class: "qr-number" }, move.number), paragraph("capture_agree_text"),
      named({ browser: move.browser, address: move.address }),
      actions(yes, button("capture_compare_no", "remove", () => finish({ cancel: true }))));
  }

  /** On the phone: waits until the computer has agreed, too. */
  async function awaitComputer() {
    const status = make("p", { role: "status" }, text("capture_agree_wait"));
    show(state("wait"), text("capture_handoff_title"), status, actions(button("capture_compare_no", "remove", () => finish())));
    while (status.isConnected) {
      await pause();
      const { state: now } = await send("GET", `${path}/handoff`).catch((refusal) => ({ state: refusal.status === 404 ? "ended" : "" }));
      if (!status.isConnected) return;
      if (now === "ended") return showExpired();
      if (now !== "confirmed") continue;
      // From now on, this phone holds the check.
      const answer = await send("GET", `${path}/session`).catch(() => null);
      if (answer) return goOn(answer);
    }
  }

  /** On the phone: asks whether the computer in front of the person shows the same number. */
  function compare(offered) {
    const { number, app, browser, address } = offered;
    const confirm = button("capture_compare_yes", "primary", () => busy(confirm, async () => {
      try { await send("POST", `${path}/handoff/confirm`, {}); } catch (refusal) {
        return refusal.status === 0 ? showOffline(() => compare(offered)) : showExpired();
      }
      awaitComputer();
    }));
    show(null, text("capture_compare_title"), make("p", { class: "qr-number" }, number), paragraph("capture_compare_text"),
      named({ app, browser, address }),
      actions(confirm, button("capture_compare_no", "remove", () => finish())));
  }

  return { offer, compare, awaitComputer };
}

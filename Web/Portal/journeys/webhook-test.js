// A button that sends a test to the URL of a step `call_webhook`. It shows a status, never the answer's body.

import { call } from "../api.js";
import { testResult } from "../apps.js";
import { actionButton, h, replace } from "../dom.js";
import { t } from "../strings.js";
import { member } from "./value.js";

/** @param {() => unknown} config The settings of the step, as they are when the button is pressed. */
export function webhookTest(config) {
  const result = h("div", { role: "status" });
  return h("div", { class: "field" },
    h("div", { class: "actions" }, actionButton(t("journeys.test_webhook"), async () => {
      const url = member(config(), "url"), seconds = member(config(), "timeout_seconds");
      if (typeof url !== "string" || !url) {
        replace(result, h("p", { class: "field-error" }, t("journeys.test_needs_url")));
        return;
      }
      replace(result,
        testResult(await call("POST", "/v1/journeys/webhook/test",
          { body: { url, ...(Number.isInteger(seconds) ? { timeout_seconds: seconds } : {}) } })));
    })), h("p", { class: "hint" }, t("journeys.test_webhook_help")), result);
}

// Programs that sign in to one app, with the app's own values.

import { call } from "./api.js";
import { codeBlock, h, replace, alertBox } from "./dom.js";
import { t } from "./strings.js";

/** The quick start of an app. The server's address comes from its settings. */
export function quickStart(app) {
  const area = h("div", { class: "stack" });
  call("GET", "/v1/settings").then((page) => {
    const values = Object.fromEntries(page.items.map((one) => [one.key, one.value]));
    const url = values.public_url || `http://${values.host}:${values.port}`;
    draw(area, app, url);
  }, () => draw(area, app, "https://login.example.org"));
  return area;
}

function draw(area, app, url) {
  const redirect = app.settings.redirect_uris?.[0] ?? "https://app.example.org/signed-in";
  const first = redirect.startsWith("http") ? browser(app, url, redirect) : swift(app, url, redirect);
  const begin = app.settings.initiate_login_uri;
  replace(area, h("p", null, t("apps.quick_public_url", { url })),
    begin && h("p", null, h("a", { class: "button button-secondary", target: "_blank", rel: "noopener",
      href: `${begin}${begin.includes("?") ? "&" : "?"}iss=${encodeURIComponent(url)}` }, t("apps.open"))),
    (!app.settings.sign_in_page || !app.settings.redirect_uris?.length)
      && alertBox("info", t("apps.quick_sign_in_off")),
    first, exchange(app, url, redirect));
}

function browser(app, url, redirect) {
  return codeBlock(`// Sends the browser to the sign-in page (OAuth 2.1, PKCE).
const bytes = crypto.getRandomValues(new Uint8Array(32));
const encode = (data) => btoa(String.fromCharCode(...new Uint8Array(data)))
  .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
const verifier = encode(bytes);
sessionStorage.setItem("verifier", verifier);
const challenge = encode(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
const state = crypto.randomUUID();
sessionStorage.setItem("state", state);
location = "${url}/oauth2/authorize?" + new URLSearchParams({
  response_type: "code", client_id: "${app.id}", redirect_uri: "${redirect}",
  scope: "openid", state, code_challenge: challenge, code_challenge_method: "S256",
});`, t("apps.quick_browser"));
}

// A test compiles this code against declarations of Apple's API.
function swift(app, url, redirect) {
  return codeBlock(`import AuthenticationServices
import MienClient

/// Opens the sign-in page (OAuth 2.1, PKCE), and returns who signed in.
@MainActor final class SignIn: NSObject, ASWebAuthenticationPresentationContextProviding {
    func start() async throws -> UserInfo {
        let session = try MienSession(
            MienOptions(serverPath: "${url}", applicationId: "${app.id}"))
        try await session.configure()
        return try await session.authenticate(redirectURI: "${redirect}") { page in
            try await self.open(page)
        }
    }

    private func open(_ page: SignInPage) async throws -> String {
        guard let url = URL(string: page.url) else { throw URLError(.badURL) }
        return try await withCheckedThrowingContinuation { continuation in
            let browser = ASWebAuthenticationSession(
                url: url, callbackURLScheme: page.callbackScheme
            ) { @Sendable callback, error in
                if let callback {
                    continuation.resume(returning: callback.absoluteString)
                } else {
                    continuation.resume(throwing: error ?? CancellationError())
                }
            }
            browser.presentationContextProvider = self
            browser.start()
        }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
        ASPresentationAnchor()
    }
}`, t("apps.quick_swift"));
}

function exchange(app, url, redirect) {
  const proof = app.type === "confidential" ? ` \\\n  -u "${app.id}:$CLIENT_SECRET"` : ` \\\n  -d client_id=${app.id}`;
  return codeBlock(`curl ${url}/oauth2/token${proof} \\
  -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
  -d redirect_uri=${redirect}

# Addresses of everything else
curl ${url}/.well-known/openid-configuration`, t("apps.quick_exchange"));
}

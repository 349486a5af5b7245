internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// Adding passkeys: a page whose script asks the browser for one.
extension AccountPages {
    func addPasskeys(to router: Router<MienRequestContext>) {
        router.get("account/passkey") { request, context in
            try await with(request, context) { user in
                let options = try await api.send(
                    .post, "/v1/webauthn/register/options", .object([:]), as: user.signIn,
                    from: context)
                return pages.renderer.response(
                    WebPage(
                        template: "passkey", title: user.view.texts("account_add_passkey"),
                        values: [
                            "query": .text(user.query), "back": .text(user.address(done: nil)),
                        ], scripts: ["account.js"], data: ["passkey": options],
                        scriptTexts: ["button_", "passkey_"]), for: user.view)
            }
        }
        router.post("account/passkey") { request, context in
            try await change(request, context) { user, form in
                guard let credential = try? JSONText.parse(form["credential"] ?? "") else {
                    throw Problem(.invalidRequest)
                }
                var body: [String: JSONValue] = ["credential": credential]
                if let name = form["name"] { body["name"] = .string(name) }
                _ = try await api.send(
                    .post, "/v1/webauthn/register", .object(body), as: user.signIn, from: context)
                return "account_done_passkey_added"
            }
        }
    }
}

extension WebPages {
    /// The apps whose users the account pages serve: first-party apps with a sign-in page.
    func accountApps() async throws -> [AppRecord] {
        try await store.read { try $0.apps.all() }.filter {
            $0.isFirstParty && $0.settings.hasSignInPage
        }
    }

    /// The app that the account page acts for: the one that the address names, or else that of the
    /// sign-in or of the last step-up, or else the first.
    func accountApp(_ request: Request, session: BrowserSession? = nil) async throws -> AppRecord? {
        let all = try await accountApps()
        if let named = request.uri.queryParameters["client_id"] {
            return all.first { $0.id.text == named }
        }
        return all.first { $0.id == session?.stepUpApp ?? session?.app } ?? all.first
    }
}

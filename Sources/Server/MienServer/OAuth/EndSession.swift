internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The logout endpoint: OpenID Connect RP-Initiated Logout 1.0.
///
/// An app sends the browser here with the ID token of the sign-in that ends. The browser's session,
/// with which its user could enter other apps, ends with it. Without an ID token, the page asks.
package struct EndSession: Sendable {
    private static let maxQueryBytes = 8192

    let store: Store
    let grants: GrantService
    let pages: any SignInPages
    let bodyBytes: Int
    let budget: BodyBudget

    package func add(to router: Router<MienRequestContext>) {
        router.get("oauth2/logout") { request, _ in
            let query = request.uri.query ?? ""
            guard query.utf8.count <= Self.maxQueryBytes else {
                return pages.fault("The address is too long.", to: request)
            }
            return try await answer(request) { try FormBody(query) }
        }
        router.post("oauth2/logout") { request, _ in
            try await answer(request) {
                try await FormBody(request, maxBytes: bodyBytes, budget: budget)
            }
        }
    }

    private func answer(_ request: Request, to form: () async throws -> FormBody) async throws
        -> Response
    {
        do { return try await end(form(), request) } catch let error as OAuthError {
            return pages.fault(error.description, status: error.status, to: request)
        }
    }

    private func end(_ form: FormBody, _ request: Request) async throws -> Response {
        let signIn: IDTokenHint?
        var cookies: [String] = []
        do {
            signIn = try form["id_token_hint"].map { try IDTokenHint($0, grants.issuer) }
        } catch is IDTokenHint.Invalid {
            return pages.fault("The id_token_hint is not an ID token of this server.", to: request)
        }
        guard form["client_id"] == nil || signIn == nil || form["client_id"] == signIn?.app.text
        else {
            return pages.fault("The client_id is not that of the id_token_hint.", to: request)
        }
        if let signIn {
            try await grants.end(signIn.grant, of: signIn.account, app: signIn.app)
            cookies = try await pages.signOut(signIn.account, request)
        }
        var response = try await page(after: signIn, form, request)
        for cookie in cookies {
            response.headers.append(.init(name: .setCookie, value: cookie))
        }
        return response
    }

    private func page(after signIn: IDTokenHint?, _ form: FormBody, _ request: Request) async throws
        -> Response
    {
        // Without an ID token, nothing proves that the app's own user signs out.
        if signIn == nil, let question = try await pages.signOutQuestion(request) {
            return question
        }
        guard let target = form["post_logout_redirect_uri"] else {
            guard signIn != nil else {
                return pages.fault(
                    "The app did not say which sign-in ends. Sign out in the app itself.",
                    to: request)
            }
            return pages.response(MessagePage("signout_done"), to: request)
        }
        let id = signIn?.app ?? form["client_id"].flatMap { AppID($0) }
        guard let id, let app = try await store.read({ try $0.apps.find(id) }),
            app.settings.allowsLogoutRedirect(to: target)
        else {
            return pages.fault(
                (signIn == nil ? "" : "You are signed out. ")
                    + "The app did not register the address to return to (post_logout_redirect_uris).",
                to: request)
        }
        return Self.redirect(to: target, state: form["state"])
    }

    private static func redirect(to target: String, state: String?) -> Response {
        var location = target
        if let state {
            // Everything but unreserved characters is encoded, so no line break reaches the header.
            let value =
                state.addingPercentEncoding(
                    withAllowedCharacters: .init(
                        charactersIn:
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"))
                ?? ""
            location += (target.contains("?") ? "&" : "?") + "state=\(value)"
        }
        return Response(
            status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }
}

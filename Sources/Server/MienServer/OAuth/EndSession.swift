internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The logout endpoint: OpenID Connect RP-Initiated Logout 1.0.
///
/// An app sends the browser here with the ID token of the sign-in that ends. The browser's own
/// sign-in, with which its user could enter other apps, ends with it, and those of the other apps if
/// the app's settings say so. Without an ID token, the page asks.
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
        do {
            signIn = try form["id_token_hint"].map { try IDTokenHint($0, grants.issuer) }
        } catch is IDTokenHint.Invalid {
            return pages.fault("The id_token_hint is not an ID token of this server.", to: request)
        }
        guard form["client_id"] == nil || signIn == nil || form["client_id"] == signIn?.app.text
        else {
            return pages.fault("The client_id is not that of the id_token_hint.", to: request)
        }
        let wish = try await SignOutRequest(form, of: signIn, in: store)
        if wish.isMisdirected {
            // The sign-in ends all the same; only the way back to the app is refused.
            if let app = wish.app { RequestFacts.note(claimed: app.id) }
            RequestFacts.note(
                refusal: .init(
                    error: OAuthError.Code.invalidRequest.rawValue, description: Self.misdirected))
        }
        guard signIn == nil else { return try await pages.signOut(wish, request) }
        // Without an ID token, nothing proves that the app's own user signs out.
        if let question = try await pages.signOutQuestion(wish, request) { return question }
        if let target = wish.target {
            return Response(
                status: .seeOther, headers: [.location: target, .cacheControl: "no-store"])
        }
        return pages.fault(
            wish.isMisdirected
                ? Self.misdirected
                : "The app did not say which sign-in ends. Sign out in the app itself.",
            to: request)
    }

    /// Tells the app's developer why the browser does not return.
    package static let misdirected =
        "The app did not register the address to return to. Add it to its setting post_logout_redirect_uris, and send it with id_token_hint or client_id."
}

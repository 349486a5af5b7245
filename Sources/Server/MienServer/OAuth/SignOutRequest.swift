internal import MienAPI
internal import MienCore
internal import MienStore

/// A request to sign out: OpenID Connect RP-Initiated Logout 1.0 §2.
package struct SignOutRequest: Sendable {
    /// The parameters that a page of this server repeats when it asks the person first.
    static let parameters = ["client_id", "post_logout_redirect_uri", "state"]

    /// The sign-in that the ID token names; `nil` without one.
    let signIn: IDTokenHint?
    /// The app that asks; `nil` if the request does not say.
    let app: AppRecord?
    /// Where the browser goes next, with the state; `nil` for a page of this server.
    let target: String?
    /// Whether the app asked for an address that it did not register.
    let isMisdirected: Bool
    /// The parameters as they came, of ``parameters``.
    let asked: [(name: String, value: String)]

    /// A request that a person made on a page of this server.
    init(_ form: FormBody, in store: Store) async throws {
        try await self.init(form, of: nil, in: store)
    }

    init(_ form: FormBody, of signIn: IDTokenHint?, in store: Store) async throws {
        self.signIn = signIn
        let id = signIn?.app ?? form["client_id"].flatMap { AppID($0) }
        let app =
            try await id.asyncMap { id in try await store.read { try $0.apps.find(id) } } ?? nil
        self.app = app
        let address = form["post_logout_redirect_uri"]
        let isRegistered =
            address.map { app?.settings.allowsLogoutRedirect(to: $0) ?? false } ?? false
        target =
            isRegistered
            ? address.map { address in
                // Everything but unreserved characters is encoded, so no line break reaches the header.
                form["state"].map {
                    "\(address)\(address.contains("?") ? "&" : "?")state=\(PercentEncoding.encode($0))"
                } ?? address
            } : nil
        isMisdirected = address != nil && !isRegistered
        asked = Self.parameters.compactMap { name in form[name].map { (name, $0) } }
    }
}

internal import Crypto
internal import Foundation
internal import MienAPI
internal import MienCore

/// Signing in on the server's page.
extension MienSession {
    /// Signs in on the server's page: builds its URL with PKCE, `state`, `nonce`, and the session's
    /// key, hands it to `presenter`, and exchanges the code that comes back.
    ///
    ///     try await session.authenticate(redirectURI: "com.example.shop://signed-in") { page in
    ///         try await browser.open(page.url, until: page.callbackScheme)
    ///     }
    ///
    /// - Parameter redirectURI: One of the redirect URIs of the app's settings.
    /// - Returns: the user who signed in.
    /// - Throws: ``MienError`` `.oauthError` if the page refused; `.invalidState` if the redirect
    ///   does not belong to this visit or comes from another server; errors of `presenter`.
    @discardableResult
    public func authenticate(
        redirectURI: String, _ options: SignInPageOptions = SignInPageOptions(),
        presenter: SignInPresenter
    ) async throws -> UserInfo {
        let page = try await signInPage(redirectURI: redirectURI, options)
        try await signIn(on: page, redirect: presenter(page))
        return try await userInfo()
    }

    /// Returns a visit to the sign-in page, for apps that receive the redirect elsewhere. Pass the
    /// redirect to ``signIn(on:redirect:)``.
    public func signInPage(
        redirectURI: String, _ options: SignInPageOptions = SignInPageOptions()
    ) async throws -> SignInPage {
        let server = try await server()
        var generator = SystemRandomNumberGenerator()
        let verifier = Base64URL.encode(generator.bytes(32)),
            state = Base64URL.encode(generator.bytes(16)),
            nonce = Base64URL.encode(generator.bytes(16))
        var query = [
            ("client_id", self.options.applicationId), ("redirect_uri", redirectURI),
            ("response_type", "code"), ("scope", options.scopes.joined(separator: " ")),
            ("state", state), ("nonce", nonce),
            ("code_challenge", Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))),
            ("code_challenge_method", "S256"),
        ]
        query += options.resources.map { ("resource", $0) }
        if let hint = options.loginHint { query.append(("login_hint", hint)) }
        if let organization = options.organization {
            query.append(("organization", organization))
        }
        if let thumbprint = try await proofKeyThumbprint() {
            query.append(("dpop_jkt", thumbprint))
        }
        let address = server.authorizationEndpoint ?? connection.address.text + "/oauth2/authorize"
        return SignInPage(
            url: address + (address.contains("?") ? "&" : "?")
                + FormFields(query.map { .init($0, $1) }).text,
            redirectURI: redirectURI, state: state, nonce: nonce, codeVerifier: Sensitive(verifier))
    }

    /// Signs in with the URL that a sign-in page redirected to.
    ///
    /// - Throws: as ``authenticate(redirectURI:_:presenter:)``.
    public func signIn(on page: SignInPage, redirect: String) async throws {
        let answer = try SignInRedirect(redirect, of: page, server: try await server())
        let form = Self.redemption(
            of: answer.code, redirectURI: page.redirectURI, codeVerifier: page.codeVerifier)
        let new = try await request(form, prover: signInProver())
        if let token = new.idToken, Self.claims(token)["nonce"]?.stringValue != page.nonce {
            await revoke(new.refreshToken)
            throw MienError(
                .invalidState, "The ID token belongs to another sign-in. Sign in again.",
                mayHaveArrived: true)
        }
        try await adopt(new)
        try? await forgetOthersKeys()
    }
}

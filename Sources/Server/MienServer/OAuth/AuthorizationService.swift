internal import Crypto
internal import Foundation
internal import Hummingbird
package import MienAPI
package import MienCore
package import MienStore

/// The authorization code grant: an app sends the browser here, the user signs in, and the browser
/// returns to the app with a code (RFC 6749 §4.1, RFC 7636).
package struct AuthorizationService: Sendable {
    static let codeLifetime = Duration.seconds(60)

    let store: Store
    let apps: AppCatalog
    let grants: GrantService
    let keys: ClientKeys
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// A validated authorization request.
    package struct Request: Sendable {
        package let app: AppRecord
        package let redirectURI: String
        package let scope: Scope
        let resources: [String]
        let state: String?
        let mode: AuthorizationAnswer.Mode
        /// Identifies a pushed request.
        let pushed: [UInt8]?
        /// Identifies the sign-in on a device that the request is for.
        let device: [UInt8]?
        let nonce: String?
        let claims: ClaimsRequest
        /// `nil` for an app that may do without PKCE.
        let challenge: String?
        let thumbprint: String?
        package let loginHint: String?
        /// The only user whom the app accepts: `id_token_hint`.
        package let expectedAccount: UserID?
        /// The app's wishes about the page: OpenID Connect Core §3.1.2.1.
        package let prompts: Set<Prompt>
        /// The age that an earlier sign-in may have, in seconds.
        package let maxAge: Int?
        /// The assurance that the app asks for: `1`, `2`.
        package let acrValues: [String]
        /// The preferred languages of the page.
        package let languages: [String]
        /// The organization that the app asks for.
        package let organization: OrganizationWish

        /// The scopes of which the user is asked for permission.
        package var permitted: Scope {
            AuthorizationService.permitted(
                scope, GrantClaims(userInfo: claims.userInfo, idToken: claims.idToken),
                app.settings.claims)
        }
    }

    /// The scopes of which a user is asked for permission: those of the tokens, and those of claims
    /// that are asked for by name.
    static func permitted(_ scope: Scope, _ claims: GrantClaims, _ settings: ClaimSettings)
        -> Scope
    {
        let names = UserClaims.scopes(of: claims.userInfo + claims.idToken, settings)
        return Scope(words: names.union(scope.words))
    }

    package enum Prompt: String, Sendable {
        case none, login, consent, selectAccount = "select_account"
    }

    /// An error in an authorization request, shown to the user or, once the redirect URI is
    /// validated, sent to the app.
    package enum Fault: Error {
        case page(String)
        case answer(AuthorizationAnswer)
    }

    /// Whether the page may show a `login_hint`: text that can be a login name.
    private static func isName(_ hint: String) -> Bool {
        hint.isPrintable && !LoginName.candidates(hint).isEmpty
    }

    /// The data stored with a code.
    private struct Content: Codable {
        let app, account: String
        /// The browser's sign-in.
        let browser: GrantID
        let redirectURI, scope: String
        let resources, methods: [String]
        let nonce, challenge, thumbprint: String?
        let authenticators: [AuthenticatorID]
        let epoch: Int
        let at: Int64
        let isRecovery: Bool
        /// The passkey that signed in directly.
        let passkey: AuthenticatorID?
        /// The ID of the organization, empty for none.
        let organization: String
        let claims: GrantClaims
    }

    /// - Throws: ``Fault``.
    package func request(_ parameters: AuthorizationParameters) async throws -> Request {
        if let device = parameters.device { return try await request(ofDevice: device) }
        let form = try FormBody(parameters.text)
        guard let id = form["client_id"].flatMap({ AppID($0) }), let app = try? await apps.find(id)
        else {
            throw Fault.page("client_id does not name an app of this server.")
        }
        // OpenID Connect Core §3.1.2.1 requires the parameter, OAuth does not.
        let isOpenID = form["scope"]?.split(separator: " ").contains("openid") ?? false
        guard form["redirect_uri"] != nil || (!isOpenID && app.settings.profile == nil) else {
            throw Fault.page("redirect_uri is missing. A request with the scope openid needs it.")
        }
        guard
            let redirect = form["redirect_uri"]
                ?? (app.settings.redirectURIs.count == 1 ? app.settings.redirectURIs[0] : nil),
            app.settings.allowsRedirect(to: redirect)
        else {
            throw Fault.page(
                "redirect_uri does not exactly match a redirect URI of this app. Only the port of http://127.0.0.1, http://[::1], and http://localhost may differ."
            )
        }
        let state = form["state"]
        let mode = form["response_mode"].map { AuthorizationAnswer.Mode(rawValue: $0) } ?? .query
        func refuse(_ code: OAuthError.Code, _ description: String) -> Fault {
            .answer(
                answer(
                    to: redirect, mode ?? .query,
                    [("error", code.rawValue), ("error_description", description)], state))
        }
        guard let mode else {
            let modes = AuthorizationAnswer.Mode.allCases.map(\.rawValue)
            throw refuse(
                .invalidRequest, "response_mode must be \(modes.joined(separator: " or ")).")
        }
        guard parameters.pushed != nil || !app.settings.needsPushedRequests else {
            throw refuse(
                .invalidRequest,
                "This app has to push its requests to /oauth2/par. Its setting require_pushed_authorization_requests is on, or profile is fapi2."
            )
        }
        guard parameters.isSigned || !app.settings.requiresSignedRequests else {
            throw refuse(
                .invalidRequest,
                "This app has to sign its requests. Its setting require_signed_request_object is on."
            )
        }
        for (name, code) in Self.unsupported where form[name] != nil {
            throw refuse(code, "This server does not support the parameter \(name) of this app.")
        }
        guard app.settings.hasSignInPage else {
            throw refuse(
                .unauthorizedClient,
                "This app does not use the sign-in page. Its setting sign_in_page is off.")
        }
        guard form["response_type"] == "code" else {
            throw refuse(.unsupportedResponseType, "response_type must be code.")
        }
        let challenge = form["code_challenge"]
        guard challenge != nil || !app.settings.requiresPKCE else {
            throw refuse(
                .invalidRequest, "Send code_challenge, with code_challenge_method=S256.")
        }
        guard (challenge == nil) == (form["code_challenge_method"] == nil),
            challenge.map({ Base64URL.decode($0)?.count == 32 }) ?? true,
            ["S256", nil].contains(form["code_challenge_method"])
        else {
            throw refuse(
                .invalidRequest,
                "code_challenge must be 43 characters of base64url, with code_challenge_method=S256."
            )
        }
        let words = (form["prompt"] ?? "").split(separator: " ").map(String.init)
        let prompts = words.compactMap { Prompt(rawValue: $0) }
        guard prompts.count == words.count, !prompts.contains(.none) || prompts.count == 1 else {
            throw refuse(
                .invalidRequest,
                "prompt must be none, or a list of login, consent, and select_account.")
        }
        let maxAge = form["max_age"].map { Int($0) ?? -1 }
        guard maxAge.map({ $0 >= 0 }) ?? true else {
            throw refuse(.invalidRequest, "max_age must be a number of seconds.")
        }
        let claims: ClaimsRequest
        do throws(OAuthError) {
            claims =
                try form["claims"].map { text throws(OAuthError) in try ClaimsRequest(text) }
                ?? .empty
        } catch {
            throw refuse(error.code, error.description)
        }
        let hint = form["id_token_hint"].map { try? IDTokenHint($0, grants.issuer) }
        guard hint.map({ $0?.app == app.id }) ?? true else {
            throw refuse(.invalidRequest, "id_token_hint must be an ID token of this app.")
        }
        let subject = claims.subject.map { UserID($0) }
        guard subject.map({ $0 != nil }) ?? true,
            hint == nil || subject == nil || hint??.account == subject
        else {
            throw refuse(
                .loginRequired, "The claim sub must be a user of this server, and id_token_hint's.")
        }
        let organization = form["organization"]
        guard organization == nil || app.settings.organizations.use != .off else {
            throw refuse(
                .invalidRequest,
                "This app does not sign in through organizations. Its setting organizations.use is off."
            )
        }
        guard (organization?.utf8.count ?? 0) <= 800 else {
            throw refuse(.invalidRequest, "organization must have at most 800 bytes.")
        }
        let thumbprint = form["dpop_jkt"]
        guard thumbprint.map({ Base64URL.decode($0)?.count == 32 }) ?? true else {
            throw refuse(.invalidRequest, "dpop_jkt must be the thumbprint of a key.")
        }
        do throws(OAuthError) {
            let (scope, resources) = try grants.checked(
                scope: form["scope"], standard: Scope(words: [Scope.openID]),
                resources: form.all("resource"), app: app)
            return Request(
                app: app, redirectURI: redirect, scope: scope, resources: resources, state: state,
                mode: mode, pushed: parameters.pushed, device: nil,
                nonce: form["nonce"], claims: claims,
                challenge: challenge,
                thumbprint: thumbprint,
                loginHint: form["login_hint"].flatMap { Self.isName($0) ? $0 : nil },
                expectedAccount: hint??.account ?? subject ?? nil,
                prompts: Set(prompts), maxAge: maxAge,
                acrValues: claims.essentialLevels.isEmpty
                    ? (form["acr_values"] ?? "").split(separator: " ").map(String.init)
                    : claims.essentialLevels,
                languages: (form["ui_locales"] ?? "").split(separator: " ").map(String.init),
                organization: OrganizationWish(organization))
        } catch { throw refuse(error.code, error.description) }
    }

    /// Parameters of OpenID Connect that have an error of their own where they are not supported.
    private static let unsupported: [(String, OAuthError.Code)] = [
        ("request", .requestNotSupported), ("request_uri", .requestURINotSupported),
        ("registration", .registrationNotSupported),
    ]

    /// Returns the answer that brings a code to the app, or an error if the app expected another
    /// user or a stronger sign-in.
    ///
    /// - Parameter organization: The organization that the user chose, if any.
    package func redirect(
        of request: Request, for proof: PageProof, through organization: OrganizationID?
    ) async throws -> AuthorizationAnswer {
        guard request.expectedAccount.map({ $0 == proof.account }) ?? true else {
            return redirect(
                of: request, error: .loginRequired,
                "Another user signed in than the one that the app asked for, by id_token_hint or by sub in claims."
            )
        }
        let level = AuthenticationContext.of(proof.methods)
        guard Self.meets(level, request.claims.essentialLevels) else {
            return redirect(
                of: request, error: .unmetRequirements,
                "The sign-in reached acr \(level), which the app does not accept.")
        }
        if let device = request.device {
            return try await approve(device, for: proof, through: organization)
        }
        var generator = SystemRandomNumberGenerator()
        let content = Content(
            app: request.app.id.text, account: proof.account.text, browser: proof.grant,
            redirectURI: request.redirectURI, scope: request.scope.text,
            resources: request.resources, methods: proof.methods,
            nonce: request.nonce, challenge: request.challenge, thumbprint: request.thumbprint,
            authenticators: proof.authenticators, epoch: proof.epoch, at: proof.at.milliseconds,
            isRecovery: proof.isRecovery, passkey: proof.passkey,
            organization: organization?.text ?? "",
            claims: GrantClaims(
                userInfo: request.claims.userInfo, idToken: request.claims.idToken,
                journey: proof.claims))
        let code = generator.bytes(32), hash = store.keys.hash(ofSecret: code)
        let sealed = Sensitive([UInt8](try JSONEncoder().encode(content)))
        let expiresAt = clock.now + Self.codeLifetime, app = request.app.id
        let account = proof.account, pushed = request.pushed
        // A sign-in that was begun with it may take an hour.
        let forgottenAt = clock.now + .seconds(2 * 3600)
        let isFirst = try await store.write {
            if let pushed, try !$0.spent.spend(.request, pushed, until: forgottenAt) {
                return false
            }
            try $0.authorizationCodes.insert(
                hash, content: sealed, of: account, for: app, expiresAt: expiresAt)
            return true
        }
        guard isFirst else {
            return redirect(
                of: request, error: .invalidRequestURI, "The request_uri was already used.")
        }
        return answer(
            to: request.redirectURI, request.mode, [("code", Base64URL.encode(code))],
            request.state)
    }

    /// Whether an assurance is one that is asked for, or a higher one.
    private static func meets(_ level: String, _ essential: [String]) -> Bool {
        guard !essential.isEmpty, !essential.contains(level) else { return true }
        guard let least = essential.compactMap({ Int($0) }).min(), let reached = Int(level) else {
            return false
        }
        return reached >= least
    }

    /// Returns the answer that tells the app why there is no code.
    package func redirect(
        of request: Request, error: OAuthError.Code, _ description: String
    ) -> AuthorizationAnswer {
        var answer = answer(
            to: request.redirectURI, request.mode,
            [("error", error.rawValue), ("error_description", description)], request.state)
        answer.deniedDevice = request.device
        return answer
    }

    // MARK: Answers

    /// Returns the address to which the browser is sent with an answer: the app's, or that of a page
    /// that posts it.
    package func location(of answer: AuthorizationAnswer) async throws -> String {
        if let device = answer.deniedDevice { return try await deny(device).addressWithQuery }
        guard answer.mode == .formPost else { return answer.addressWithQuery }
        var generator = SystemRandomNumberGenerator()
        let id = generator.bytes(16)
        let record = WebRecord(
            .answer, store.keys.hash(ofSecret: id),
            content: Sensitive([UInt8](try JSONEncoder().encode(answer))),
            expiresAt: clock.now + Self.codeLifetime)
        try await store.write(.process) { try $0.web.put(record) }
        return "/oauth2/answer/\(Base64URL.encode(id))"
    }

    /// Returns an answer that a page posts; `nil` if there is none, or it has expired.
    func answer(_ id: String) async throws -> AuthorizationAnswer? {
        guard let id = Base64URL.decode(id), id.count == 16 else { return nil }
        let hash = store.keys.hash(ofSecret: id), now = clock.now
        let record = try await store.read { try $0.web.find(.answer, hash, at: now) }
        return try record?.content.use {
            try JSONDecoder().decode(AuthorizationAnswer.self, from: Data($0))
        }
    }

    func answer(
        to address: String, _ mode: AuthorizationAnswer.Mode, _ parameters: [(String, String)],
        _ state: String?
    ) -> AuthorizationAnswer {
        func value(_ name: String) -> String? { parameters.first { $0.0 == name }?.1 }
        if let error = value("error") {
            RequestFacts.note(
                refusal: .init(error: error, description: value("error_description") ?? ""))
        }
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", publicURL())]
        return AuthorizationAnswer(
            address: address, mode: mode,
            parameters: all.map { .init(name: $0, value: $1) })
    }

    // MARK: Codes

    /// Exchanges the app's code for tokens.
    ///
    /// - Throws: ``OAuthError`` `invalid_grant` if the code is unknown, expired, used, or another
    ///   app's, if the redirect URI, verifier, or key does not match, or if the app would not get
    ///   such a code any longer.
    func redeem(_ form: FormBody, app: AppRecord, thumbprint: String?) async throws -> TokenAnswer {
        let verifier = form["code_verifier"]
        if app.settings.requiresPKCE { _ = try form.required("code_verifier") }
        guard let code = Base64URL.decode(try form.required("code")), code.count == 32 else {
            throw GrantService.refused
        }
        var generator = SystemRandomNumberGenerator()
        let hash = store.keys.hash(ofSecret: code), mark = GrantID.random(using: &generator),
            now = clock.now
        let content: Content
        let use: AuthorizationCodeTable.Use = try await store.write {
            try $0.authorizationCodes.take(hash, for: mark, at: now)
        }
        switch use {
        case .unknown: throw GrantService.refused
        case .reused(let grant):
            if let grant { try await grants.revoke(grant) }
            throw GrantService.refused
        case .fresh(let sealed):
            content = try sealed.use { try JSONDecoder().decode(Content.self, from: Data($0)) }
        }
        guard content.app == app.id.text, app.settings.hasSignInPage,
            app.settings.allowsRedirect(to: content.redirectURI),
            form["redirect_uri"].map({ $0.utf8.elementsEqual(content.redirectURI.utf8) })
                ?? (app.settings.redirectURIs.count == 1),
            Self.fits(verifier, content.challenge),
            content.thumbprint == nil || content.thumbprint == thumbprint,
            let account = UserID(content.account), let scope = Scope(content.scope)
        else { throw GrantService.refused }
        return try await grants.tokens(
            for: SignIn(
                account: account, app: app, methods: content.methods,
                at: Instant(milliseconds: content.at), scope: scope,
                epoch: content.epoch, resources: content.resources,
                authenticator: content.passkey, authenticators: content.authenticators,
                isRecovery: content.isRecovery, nonce: content.nonce,
                thumbprint: thumbprint,
                organization: OrganizationWish(stored: content.organization),
                claims: content.claims, browser: content.browser),
            id: mark
        ) { tables in
            guard try tables.authorizationCodes.isTaken(hash, for: mark) else { return false }
            // The user may have taken the permission back.
            return try Self.isPermitted(scope, content.claims, by: account, for: app, in: tables)
        }
    }

    /// Whether a user lets an app know what a scope and claims tell.
    static func isPermitted(
        _ scope: Scope, _ claims: GrantClaims, by account: UserID, for app: AppRecord,
        in tables: Tables
    ) throws -> Bool {
        guard !app.isFirstParty else { return true }
        let permitted = Self.permitted(scope, claims, app.settings.claims)
        return try tables.permissions.scope(of: account, app: app.id).flatMap { Scope($0) }
            .map { permitted.isSubset(of: $0) } ?? false
    }

    /// Whether a verifier has the hash that the request named. A code of a request without one is
    /// not for a client that believes that it sent one (RFC 9700 §2.1.1).
    private static func fits(_ verifier: String?, _ challenge: String?) -> Bool {
        guard let verifier, let challenge else { return verifier == nil && challenge == nil }
        return (43...128).contains(verifier.utf8.count)
            && Base64URL.encode(SHA256.hash(data: Array(verifier.utf8))) == challenge
    }
}

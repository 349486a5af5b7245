internal import Crypto
internal import Foundation
internal import MienAccess
internal import MienCore
internal import MienJourney
internal import MienStore

/// The authorization-code way: an app sends the browser here, the user signs in, the browser goes
/// back with a code (RFC 6749 §4.1, RFC 7636).
struct AuthorizationService: Sendable {
    static let codeLifetime = Duration.seconds(60)

    let store: Store
    let apps: AppCatalog
    let devices: KnownDeviceService
    let grants: GrantService
    let performer: EffectPerformer
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// What an app asks for, checked.
    struct Request: Sendable {
        let app: AppRecord
        let redirectURI: String
        let scope: Scope
        let resources: [String]
        let state: String?
        let nonce: String?
        let challenge: String
        let thumbprint: String?
        let loginHint: String?
    }

    /// What went wrong with a request: told to the user, or, once it is known where the app is, to
    /// the app.
    enum Fault: Error {
        case page(String)
        case redirect(String)
    }

    /// Kept with a code.
    private struct Content: Codable {
        let app, account: String
        let redirectURI, scope, challenge: String
        let resources, methods: [String]
        let nonce, thumbprint: String?
        let authenticators: [AuthenticatorID]
        let epoch: Int
        let at: Int64
    }

    /// - Throws: ``Fault``.
    func request(_ form: FormBody) async throws -> Request {
        guard let id = form["client_id"].flatMap({ AppID($0) }), let app = try? await apps.find(id)
        else {
            throw Fault.page("client_id is not an app of this server.")
        }
        guard
            let redirect = form["redirect_uri"]
                ?? (app.settings.redirectURIs.count == 1 ? app.settings.redirectURIs[0] : nil),
            app.settings.redirectURIs.contains(where: { $0.utf8.elementsEqual(redirect.utf8) })
        else { throw Fault.page("redirect_uri is not one of this app's, character by character.") }
        let state = form["state"]
        func refuse(_ code: OAuthError.Code, _ description: String) -> Fault {
            .redirect(
                back(
                    to: redirect, [("error", code.rawValue), ("error_description", description)],
                    state))
        }
        guard app.settings.hasSignInPage else {
            throw refuse(
                .unauthorizedClient,
                "this app's users sign in elsewhere: its setting sign_in_page is off")
        }
        guard form["response_type"] == "code" else {
            throw refuse(.unsupportedResponseType, "response_type is code")
        }
        guard (state?.utf8.count ?? 0) <= 1024, (form["nonce"]?.utf8.count ?? 0) <= 512 else {
            throw refuse(.invalidRequest, "state has at most 1,024 bytes, nonce at most 512")
        }
        guard let challenge = form["code_challenge"], Base64URL.decode(challenge)?.count == 32,
            form["code_challenge_method"] == "S256"
        else {
            throw refuse(
                .invalidRequest, "code_challenge is needed, with code_challenge_method=S256")
        }
        if form["prompt"] == "none" {
            throw refuse(.loginRequired, "nobody is signed in here without being asked")
        }
        let thumbprint = form["dpop_jkt"]
        guard thumbprint.map({ Base64URL.decode($0)?.count == 32 }) ?? true else {
            throw refuse(.invalidRequest, "dpop_jkt is a key's thumbprint")
        }
        do throws(OAuthError) {
            let (scope, resources) = try grants.checked(
                scope: form["scope"], standard: Scope(words: [Scope.openID]),
                resources: form.all("resource"), app: app)
            return Request(
                app: app, redirectURI: redirect, scope: scope, resources: resources, state: state,
                nonce: form["nonce"], challenge: challenge,
                thumbprint: thumbprint,
                loginHint: form["login_hint"].flatMap { Self.isName($0) ? $0 : nil })
        } catch { throw refuse(error.code, error.description) }
    }

    /// Where the browser goes after a sign-in.
    struct Next: Sendable {
        let address: String
        /// For the browser to keep, if it was no known device of this user's.
        let deviceToken: String?
    }

    /// Signs in with name and password, through the same gate as everywhere.
    ///
    /// - Parameter deviceToken: what the browser kept from an earlier sign-in, at any app: it is
    ///   the server's own cookie, and a password serves all apps.
    /// Whether the page may show it: text that can be a login name.
    private static func isName(_ hint: String) -> Bool {
        hint.isPrintable && !LoginName.candidates(hint).isEmpty
    }

    /// - Returns: `nil` when the user was not signed in.
    func signIn(_ request: Request, name: String, password: Sensitive<String>, deviceToken: String?)
        async throws -> Next?
    {
        var generator = SystemRandomNumberGenerator()
        let device = try await deviceToken.asyncMap { try await devices.find($0, app: nil) } ?? nil
        let context = EffectContext(
            run: .random(using: &generator), turn: 0, app: request.app,
            device: device.map { .init(id: $0.id, account: $0.account) }, user: nil,
            begun: nil)
        let answer = try await performer.perform(
            .authenticatePassword(user: .identifier(Sensitive(name)), password: password), context)
        guard case .authenticated(let account, let methods, let use?) = answer else { return nil }
        let now = clock.now
        let content = Content(
            app: request.app.id.text, account: account.text, redirectURI: request.redirectURI,
            scope: request.scope.text,
            challenge: request.challenge, resources: request.resources, methods: methods,
            nonce: request.nonce, thumbprint: request.thumbprint,
            authenticators: [use.authenticator], epoch: use.epoch, at: now.milliseconds)
        let code = generator.bytes(32), hash = store.keys.hash(ofSecret: code)
        let sealed = Sensitive([UInt8](try JSONEncoder().encode(content)))
        try await store.write {
            try $0.authorizationCodes.insert(
                hash, content: sealed, expiresAt: now + Self.codeLifetime)
        }
        let isKnown = device?.account == account
        let token =
            isKnown
            ? nil
            : try await devices.make(
                account, request.app.id, epoch: use.epoch, methods: [.password], at: now)
        return Next(
            address: back(
                to: request.redirectURI, [("code", Base64URL.encode(code))], request.state),
            deviceToken: token)
    }

    /// The app brings the code.
    ///
    /// - Throws: ``OAuthError`` `invalid_grant`: unknown, expired, used, another app's, another
    ///   redirect, a wrong verifier or key.
    func redeem(_ form: FormBody, app: AppRecord, thumbprint: String?) async throws -> TokenAnswer {
        let verifier = try form.required("code_verifier")
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
        guard content.app == app.id.text,
            form["redirect_uri"].map({ $0.utf8.elementsEqual(content.redirectURI.utf8) })
                ?? (app.settings.redirectURIs.count == 1),
            (43...128).contains(verifier.utf8.count),
            Base64URL.encode(SHA256.hash(data: Array(verifier.utf8))) == content.challenge,
            content.thumbprint == nil || content.thumbprint == thumbprint,
            let account = UserID(content.account), let scope = Scope(content.scope)
        else { throw GrantService.refused }
        return try await grants.tokens(
            for: SignIn(
                account: account, app: app, methods: content.methods,
                at: Instant(milliseconds: content.at), scope: scope,
                epoch: content.epoch, resources: content.resources,
                authenticators: content.authenticators, nonce: content.nonce,
                thumbprint: thumbprint),
            id: mark
        ) { try $0.authorizationCodes.isTaken(hash, for: mark) }
    }

    private func back(to address: String, _ parameters: [(String, String)], _ state: String?)
        -> String
    {
        let all = parameters + (state.map { [("state", $0)] } ?? []) + [("iss", publicURL())]
        return address + (address.contains("?") ? "&" : "?")
            + all.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    }
}

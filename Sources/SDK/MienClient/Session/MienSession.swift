internal import Foundation
internal import Logging
public import MienCore
public import MienKeys

/// One user's sign-in to one app. Stores its tokens and renews them before they expire.
///
///     let session = try MienSession(options, tokenStorage: TransientTokenStorage())
///     try await session.configure()
///     try await session.signIn(journeyToken: token)               // a completed journey's
///     let token = try await session.accessToken()                 // renewed when it has to be
public actor MienSession {
    public enum State: Sendable, Hashable {
        /// ``configure()`` has not been called.
        case unknown
        case signedOut(Reason)
        case signedIn
    }

    /// The reason why nobody is signed in.
    public enum Reason: Sendable, Hashable {
        case notYet
        case byUser
        /// The server no longer accepts the refresh token: it is too old, was idle for too long,
        /// was revoked, or was used by somebody else. Sign in again.
        case ended
    }

    public private(set) var state: State = .unknown
    nonisolated let options: MienOptions
    nonisolated let connection: Connection
    let storage: any TokenStorage
    let key: DeviceTokenKey
    let now: @Sendable () -> Instant
    /// A clock that nobody sets, for lifetimes.
    private let elapsed: @Sendable () -> Duration
    nonisolated let biometrics: BiometricDevice?
    /// The key that the app passed in to bind tokens to.
    let givenProofKey: (any DeviceSigner)?
    let reauthenticator: Reauthenticator?
    var reauthenticating: Reauthenticating?
    /// Provers by the thumbprint of their keys.
    var provers: [String: DPoPProver] = [:]
    private var knownServer: ServerMetadata?
    private var tokens: SessionTokens?
    private var lifetime: TokenLifetime?
    /// The refresh in progress, which all callers share.
    private var refreshing: Task<SessionTokens, any Error>?
    private var observers: [Int: AsyncStream<State>.Continuation] = [:]
    private var nextObserver = 0

    /// Access tokens are renewed this long before they expire, so that they do not expire during a
    /// request.
    private static let margin = Duration.seconds(30)

    /// - Parameters:
    ///   - biometrics: The device, for biometric login.
    ///   - proofKey: binds tokens to this key instead of one from `tokenStorage`: a key in the
    ///     device's hardware that signs without asking the person,
    ///     since every request needs a signature. Pass the same key each time the app starts.
    ///   - reauthenticator: has the user sign in again when a change needs a fresh sign-in.
    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(
        _ options: MienOptions, tokenStorage: any TokenStorage = StandardStorage.tokens,
        biometrics: BiometricDevice? = nil,
        proofKey: (any DeviceSigner)? = nil, reauthenticator: Reauthenticator? = nil
    ) throws(MienError) {
        try self.init(
            options, tokenStorage: tokenStorage, biometrics: biometrics, proofKey: proofKey,
            reauthenticator: reauthenticator, elapsed: SteadyClock.elapsed
        ) {
            Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        }
    }

    /// - Parameter elapsed: The clock for lifetimes; by default `now`.
    package init(
        _ options: MienOptions, tokenStorage: any TokenStorage, biometrics: BiometricDevice? = nil,
        proofKey: (any DeviceSigner)? = nil,
        reauthenticator: Reauthenticator? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        elapsed: (@Sendable () -> Duration)? = nil,
        now: @escaping @Sendable () -> Instant
    ) throws(MienError) {
        guard !options.applicationId.isEmpty else {
            throw MienError(.invalidInitializationOptions, "applicationId is empty.")
        }
        (self.options, storage, self.now, self.biometrics) = (
            options, tokenStorage, now, biometrics
        )
        self.elapsed = elapsed ?? { .milliseconds(now().milliseconds) }
        (givenProofKey, self.reauthenticator) = (proofKey, reauthenticator)
        connection = try options.connection(sleep: sleep)
        key = DeviceTokenKey(server: connection.address.text, application: options.applicationId)
    }

    /// Reads the stored tokens. Call it once when the app starts.
    public func configure() async throws {
        tokens = try await storage.tokens(for: key)
        lifetime = tokens.map { TokenLifetime(stored: $0) }
        if let thumbprint = tokens?.keyThumbprint,
            try await proofKey(withThumbprint: thumbprint) == nil
        {
            return try await end()
        }
        move(to: tokens == nil ? .signedOut(.notYet) : .signedIn)
    }

    /// Returns a stream of states, which begins with the current one.
    public func states() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(16))
        let id = nextObserver
        nextObserver += 1
        observers[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
        continuation.yield(state)
        return stream
    }

    private func forget(_ observer: Int) { observers[observer] = nil }

    private func move(to next: State) {
        guard next != state else { return }
        state = next
        for observer in observers.values { observer.yield(next) }
    }

    // MARK: Signing in and out

    /// Exchanges a completed journey's single-use token for the tokens of a session.
    public func signIn(journeyToken: Sensitive<String>) async throws {
        try await adopt(request(Self.exchange(journeyToken), prover: signInProver()))
        try? await forgetOthersKeys()
    }

    /// Exchanges the code that the browser brought back from `/oauth2/authorize`.
    ///
    /// Send ``proofKeyThumbprint()`` to `/oauth2/authorize` as `dpop_jkt`, so that a stolen code is
    /// useless without this device's key.
    public func signIn(
        code: Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>
    ) async throws {
        let form = Self.redemption(of: code, redirectURI: redirectURI, codeVerifier: codeVerifier)
        try await adopt(request(form, prover: signInProver()))
        try? await forgetOthersKeys()
    }

    /// Returns the form of a token exchange (RFC 8693).
    static func exchange(_ journeyToken: Sensitive<String>) -> [(String, String)] {
        [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", journeyToken.use { $0 }),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ]
    }

    /// Returns the form that redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5).
    static func redemption(
        of code: Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>
    ) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code.use { $0 }),
            ("redirect_uri", redirectURI),
            ("code_verifier", codeVerifier.use { $0 }),
        ]
    }

    /// Ends the sign-in on this device, and on the server if it can be reached.
    public func signOut() async throws {
        let refreshToken = tokens?.refreshToken
        refreshing?.cancel()
        tokens = nil
        move(to: .signedOut(.byUser))
        try await storage.remove(key)
        await revoke(refreshToken)
    }

    /// Ends a sign-in on the server if it can be reached.
    func revoke(_ refreshToken: Sensitive<String>?) async {
        guard let refreshToken else { return }
        _ = try? await connection.form(
            ["oauth2", "revoke"], client([("token", refreshToken.use { $0 })]))
    }

    /// The id of the signed-in user, from the server's tokens.
    var user: String? { tokens.flatMap(Self.user(of:)) }

    /// The ways in which the user proved their identity, as the server names them in the claim `amr`:
    /// `pwd`, `face`, `otp`, and others. Empty while nobody is signed in.
    ///
    /// They come from the server over this session's own connection. A service that receives a
    /// token from somebody else verifies its signature first.
    public var authenticationMethods: [String] {
        guard let tokens else { return [] }
        let methods = Self.claims(tokens.idToken ?? tokens.accessToken)["amr"]?.arrayValue ?? []
        return methods.compactMap(\.stringValue)
    }

    private static func user(of tokens: SessionTokens) -> String? {
        claims(tokens.idToken ?? tokens.accessToken)["sub"]?.stringValue
    }

    /// Replaces the current sign-in with a new one of the same user and ends the current one.
    ///
    /// - Throws: ``MienError`` `.reauthenticationRequired` if another user signed in or the session
    ///   changed meanwhile. The new sign-in is ended in that case.
    func replace(_ form: [(String, String)], _ needed: ReauthenticationRequest) async throws {
        let new = try await request(form, prover: signInProver()), old = tokens
        guard let expected = needed.loginHint, expected == Self.user(of: new), expected == user
        else {
            await revoke(new.refreshToken)
            throw MienError(
                .reauthenticationRequired,
                "Another user signed in. The session's own user has to sign in.",
                reauthentication: needed,
                isAfterReauthentication: true)
        }
        try await adopt(new)
        await revoke(old?.refreshToken)
    }

    /// Gets tokens that reflect the renewed sign-in. Without a refresh token the current tokens
    /// stay in use, since the server knows their sign-in.
    func renewAfterStepUp() async throws {
        // A refresh that began earlier may not reflect it.
        if let refreshing { _ = try? await refreshing.value }
        if tokens?.refreshToken != nil { try await refresh() }
    }

    func adopt(_ new: SessionTokens) async throws {
        refreshing = nil
        tokens = new
        lifetime = TokenLifetime(received: new, elapsed: elapsed())
        move(to: .signedIn)
        try await storage.store(new, for: key)
        // The user signed out while they were being stored.
        if tokens == nil { try await storage.remove(key) }
    }

    // MARK: Tokens

    /// Returns an access token that stays valid for at least half a minute.
    ///
    /// A token that is bound to a key works only with proofs of that key:
    /// ``authorization(for:url:nonce:)`` returns both for one request.
    ///
    /// - Throws: ``MienError`` `.notInitialized`; `.unauthenticatedUser` if nobody is signed in or
    ///   the sign-in has ended; `.networkError` if the token had to be renewed and no response
    ///   came. The next call then finds out whether the sign-in has ended.
    public func accessToken() async throws -> Sensitive<String> {
        try await currentTokens().accessToken
    }

    func currentTokens() async throws -> SessionTokens {
        guard state != .unknown else { throw MienError(.notInitialized, "Call configure() first.") }
        guard let tokens else {
            throw MienError(.unauthenticatedUser, "Nobody is signed in. Sign in first.")
        }
        let isValid = lifetime?.exceeds(Self.margin, now: now(), elapsed: elapsed()) ?? false
        return isValid ? tokens : try await refresh()
    }

    /// Renews the tokens after the server refused an access token, unless they were renewed
    /// meanwhile.
    ///
    /// - Returns: `nil` without a refresh token: only another sign-in helps.
    func access(after refused: Sensitive<String>) async throws -> Access? {
        guard var current = tokens, current.refreshToken != nil else { return nil }
        if current.accessToken.use({ $0 }) == refused.use({ $0 }) {
            current = try await refresh()
        }
        return try await access(with: current)
    }

    /// Renews the tokens now, or waits for a renewal in progress.
    @discardableResult
    func refresh() async throws -> SessionTokens {
        if let refreshing { return try await refreshing.value }
        guard let old = tokens, let refreshToken = old.refreshToken else {
            try await end()
            throw MienError(.unauthenticatedUser, "The sign-in has ended. Sign in again.")
        }
        let task = Task { try await renewed(refreshToken, old) }
        refreshing = task
        defer { if refreshing == task { refreshing = nil } }
        return try await task.value
    }

    private func renewed(_ refreshToken: Sensitive<String>, _ old: SessionTokens) async throws
        -> SessionTokens
    {
        do {
            // It is unknown whether an earlier response was lost. A refresh token that is used
            // twice ends the sign-in unless it comes with its repeat key.
            let fields = [
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken.use { $0 }),
            ]
            let new = try await request(
                fields + (old.repeatKey.map { [("repeat_key", $0.use { $0 })] } ?? []),
                prover: prover(of: old), isRepeatable: old.repeatKey != nil)
            // The user signed out or in again meanwhile, so these tokens are outdated.
            guard isCurrent(refreshToken) else {
                throw MienError(
                    .unauthenticatedUser, "The sign-in changed while its tokens were being renewed."
                )
            }
            try await adopt(new)
            return new
        } catch let error as MienError where error.oauthError == "invalid_grant" {
            // A sign-in that began meanwhile goes on.
            if isCurrent(refreshToken) { try await end() }
            throw MienError(
                .unauthenticatedUser, "The sign-in has ended. Sign in again.",
                oauthError: error.oauthError)
        }
    }

    private func isCurrent(_ refreshToken: Sensitive<String>) -> Bool {
        tokens?.refreshToken?.use { $0 } == refreshToken.use { $0 }
    }

    func end() async throws {
        tokens = nil
        move(to: .signedOut(.ended))
        try await storage.remove(key)
    }

    /// Returns the user's claims that the granted scopes allow.
    public func userInfo() async throws -> UserInfo {
        let access = try await access()
        let claims: JSONValue = try await connection.json(
            .init(
                method: .get, path: ["oauth2", "userinfo"], access: access))
        guard let sub = claims["sub"]?.stringValue else {
            throw MienError(.serverError, "The response contains no user.")
        }
        return UserInfo(
            sub: sub, preferredUsername: claims["preferred_username"]?.stringValue,
            email: claims["email"]?.stringValue,
            isEmailVerified: claims["email_verified"]?.boolValue ?? false)
    }

    // MARK: Requests

    /// Returns the server's discovery document, which is read once.
    func server() async throws -> ServerMetadata {
        if let knownServer { return knownServer }
        let document: JSONValue = try await connection.json(
            .init(method: .get, path: [".well-known", "openid-configuration"]))
        guard let server = ServerMetadata(document) else {
            throw MienError(.serverError, "The discovery document contains no issuer.")
        }
        knownServer = server
        return server
    }

    /// - Parameter prover: The prover of the key that the tokens will be bound to, or that a
    ///   refresh token is bound to.
    func request(_ fields: [(String, String)], prover: DPoPProver?, isRepeatable: Bool = false)
        async throws -> SessionTokens
    {
        let answer = try await connection.form(
            ["oauth2", "token"], client(fields), prover: prover, isRepeatable: isRepeatable)
        guard let body = (try? JSONText.parse(answer.body))?.objectValue,
            let access = body["access_token"]?.stringValue,
            let seconds = body["expires_in"]?.numberValue, (0...1e9).contains(seconds)
        else {
            throw MienError(.serverError, "The response contains no tokens.", mayHaveArrived: true)
        }
        let isBound = body["token_type"]?.stringValue?.lowercased() == "dpop"
        guard !isBound || prover != nil else {
            throw MienError(
                .serverError, "The tokens are bound to a key that this session does not have.",
                mayHaveArrived: true)
        }
        // The sign-in is valid even if the device token cannot be stored. This device then shares
        // the failure counter of unknown devices.
        if let token = body["device_token"]?.stringValue {
            try? await options.deviceTokens.store(Sensitive(token), for: key)
        }
        let received = now()
        return SessionTokens(
            accessToken: Sensitive(access), issuedAt: received,
            expiresAt: received + .seconds(seconds),
            refreshToken: body["refresh_token"]?.stringValue.map { Sensitive($0) },
            idToken: body["id_token"]?.stringValue.map { Sensitive($0) },
            scope: body["scope"]?.stringValue ?? "", repeatKey: Self.newRepeatKey(),
            keyThumbprint: isBound ? prover?.thumbprint : nil)
    }

    /// Each refresh has its own key, so that keys do not reveal which sign-ins belong to one
    /// client.
    private static func newRepeatKey() -> Sensitive<String> {
        var generator = SystemRandomNumberGenerator()
        return Sensitive(
            Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    nonisolated func client(_ fields: [(String, String)]) -> [(String, String)] {
        [("client_id", options.applicationId)]
            + (options.clientSecret.map { [("client_secret", $0.use { $0 })] } ?? []) + fields
    }
}

/// Claims about the signed-in user.
public struct UserInfo: Sendable, Hashable {
    /// The user's id on this server.
    public let sub: String
    /// The user name; needs the scope `profile`.
    public let preferredUsername: String?
    /// The email address; needs the scope `email`.
    public let email: String?
    /// Whether the server has verified the email address.
    public let isEmailVerified: Bool
}

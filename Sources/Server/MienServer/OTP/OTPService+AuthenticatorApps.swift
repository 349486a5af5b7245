internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// OTP tokens in people's own authenticator apps, which read a QR code. The secret is shown to the
/// person, and counts only after a code of the app has proved that it arrived.
extension OTPService {
    /// How the tokens of authenticator apps are named among a user's tokens.
    static let appSystem = "authenticator app"
    private static let digits = 6

    /// Draws a secret for a sign-in, or returns the one that it waits to confirm: a person may look
    /// at the page again, and another sign-in must not learn the secret.
    ///
    /// - Throws: ``Problem`` as ``offer(kind:digits:to:app:actor:_:)`` does.
    func beginApp(for caller: Caller, standing: SignInStanding) async throws
        -> AuthenticatorAppAnswer
    {
        var generator = SystemRandomNumberGenerator()
        let drawn = OTPSecret.random(for: OTPToken.appHash, using: &generator).bytes
        let now = clock.now, hash = pendingHash(caller), account = caller.account, app = caller.app
        let (secret, issuer) = try await store.write { tables -> ([UInt8], String) in
            try standing.require(in: tables)
            guard let record = try tables.apps.find(app) else { throw Problem.noSuchApp }
            _ = try Self.room(for: account, app, tables)
            if let pending = try tables.web.find(.authenticatorApp, hash, at: now) {
                return (pending.content.use { $0 }, record.name)
            }
            try tables.web.put(
                WebRecord(
                    .authenticatorApp, hash, account: account.id, app: app,
                    content: Sensitive(drawn), expiresAt: now + Self.lifetime))
            return (drawn, record.name)
        }
        let uri = try KeyURI(
            .totp(TOTP(digits: Self.digits, hash: OTPToken.appHash)),
            secret: OTPSecret(bytes: secret), issuer: issuer, account: account.shownName ?? "")
        guard let code = QRCode(uri.text) else { throw Problem(.serverError) }
        return AuthenticatorAppAnswer(
            secret: uri.secret.base32, uri: uri.text,
            qrCode: QRCodeAnswer(size: code.size, path: code.path))
    }

    /// Makes the token of the secret that the sign-in was shown, if the code is right.
    ///
    /// - Throws: ``Problem`` `.invalidCredentials` for a wrong code, which leaves the secret, or if
    ///   there is no secret to confirm.
    func confirmApp(
        _ passcode: Sensitive<String>, name: String, for caller: Caller, standing: SignInStanding
    ) async throws -> OwnOTPToken {
        var generator = SystemRandomNumberGenerator()
        let id = AuthenticatorID.random(using: &generator),
            registration = Identifier<OTPRegistrationKind>.random(using: &generator).text
        let now = clock.now, hash = pendingHash(caller), owner = caller.account.id,
            app = caller.app, notice = notices.draft()
        let code = passcode.use { OneTimeCode(typed: $0) }
        return try await store.write { tables in
            try standing.require(in: tables)
            guard let account = try tables.accounts.find(owner),
                let pending = try tables.web.find(.authenticatorApp, hash, at: now)
            else {
                throw Problem(
                    .invalidCredentials,
                    "There is no secret to confirm, or it has expired. Begin again.")
            }
            let token = try OTPToken(
                kind: .totp, digits: Self.digits,
                secret: pending.content.use { try OTPSecret(bytes: $0) }, hash: OTPToken.appHash)
            guard let code,
                case .code(let step)? = try token.match(
                    code, from: .init(next: 0, awaited: nil), at: now),
                let used = Int64(exactly: step)
            else {
                throw Problem(
                    .invalidCredentials,
                    "The code is wrong. Compare the clock of the device, and send its next code.")
            }
            let others = try Self.room(for: account, app, tables)
            try tables.web.delete(.authenticatorApp, hash)
            let record = AuthenticatorRecord(
                id: id, account: account.id, type: .otp, app: app, content: token.content,
                info: [
                    "kind": .string(OTPKind.totp.rawValue),
                    "digits": .number(Double(Self.digits)), "name": .string(name),
                    "os": .string(Self.appSystem),
                ], createdAt: now)
            try tables.authenticators.insert(record, of: account)
            try tables.otpTokens.insert(id, registration: registration)
            // The code that confirmed the token is no sign-in.
            _ = try tables.otpTokens.advance(id, past: used)
            try tables.audit.append(
                AuditEvent(
                    "otp.registered", actor: "user", account: account.id, app: app,
                    detail: [
                        "authenticator": .string(id.text), "others": .number(Double(others)),
                        "os": .string(Self.appSystem),
                    ]), at: now)
            try notice.store(about: record, of: account, app: app, in: tables, at: now)
            return OwnOTPToken(record)
        }
    }

    /// - Returns: The number of the user's tokens in the app.
    /// - Throws: ``Problem`` `.conflict` if there can be no further one.
    static func room(for account: AccountRecord, _ app: AppID, _ tables: Tables) throws -> Int {
        guard account.state.takesAuthenticators else {
            throw Problem(.conflict, "This user's account is suspended. Make it active first.")
        }
        let tokens = try tables.authenticators.all(.otp, of: account, app: app)
        guard try !isLocked(tokens, tables) else {
            throw Problem(
                .conflict,
                "An administrator has locked an OTP token of this user. Unlock it first.")
        }
        guard tokens.count < maxTokens else {
            throw Problem(
                .conflict,
                "This user has \(maxTokens) OTP tokens in this app. Remove one first.")
        }
        return tokens.count
    }

    private func pendingHash(_ caller: Caller) -> [UInt8] {
        store.keys.hash(
            ofSecret: Array(
                "authenticator-app \(caller.account.id.text) \(caller.app.text) \(caller.grant.id.text)"
                    .utf8))
    }
}

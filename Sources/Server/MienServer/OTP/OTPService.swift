internal import Foundation
internal import Hummingbird
package import MienAPI
package import MienCore
internal import MienKeys
package import MienStore

/// Manages OTP tokens: secrets that devices share with the server, for one user and app each.
///
/// A device gets its OTP token for a registration code that its user received. A code is valid
/// once, for ten minutes, for one user and app.
package struct OTPService: Sendable {
    static let lifetime = Duration.seconds(600)
    /// The maximum number of a user's OTP tokens in one app. Each token makes a guess likelier to be
    /// right, so there are few.
    static let maxTokens = 5

    let store: Store
    let gate: LockGate
    let notices: AuthenticatorNotices
    let clock: ServerClock

    // MARK: Registering

    /// Returns a name for the registration of a token that another product registered.
    static func newRegistrationID() -> String {
        var generator = SystemRandomNumberGenerator()
        return Identifier<OTPRegistrationKind>.random(using: &generator).text
    }

    package struct Offer: Sendable {
        package let id: String
        package let code: Sensitive<String>
        package let expiresAt: Instant
    }

    /// Creates a registration code. It replaces the user's previous code for this app.
    ///
    /// - Throws: ``Problem`` if the user is gone or suspended, or has an OTP token that an
    ///   administrator has locked: a new token must not bypass the lock.
    /// - Parameter standing: The sign-in that requests the code; `nil` for an administrator.
    package func offer(
        kind: OTPKind, digits: Int, to user: UserID, app: AppID, actor: String,
        _ standing: SignInStanding?
    ) async throws -> Offer {
        var generator = SystemRandomNumberGenerator()
        let id = Identifier<OTPRegistrationKind>.random(using: &generator),
            secret = BearerSecret(for: id, using: &generator)
        let now = clock.now, expiry = now + Self.lifetime,
            hash = store.keys.hash(ofSecret: secret.secret)
        try await store.write { tables in
            guard let account = try tables.accounts.find(user) else {
                throw Problem.noSuchUser
            }
            try standing?.require(in: tables)
            guard try tables.apps.find(app) != nil else {
                throw Problem.noSuchApp
            }
            _ = try Self.room(for: account, app, tables)
            try tables.otpRegistrations.put(
                OTPRegistrationRecord(
                    id: id.text, account: user, app: app, kind: kind.rawValue, digits: digits,
                    expiresAt: expiry, madeWith: standing?.authenticators ?? []), hash: hash)
            try tables.audit.append(
                AuditEvent(
                    "otp.offered", actor: actor, account: user, app: app,
                    detail: ["kind": .string(kind.rawValue)]), at: now)
        }
        return Offer(id: id.text, code: secret.text, expiresAt: expiry)
    }

    static func isLocked(_ tokens: [AuthenticatorRecord], _ tables: Tables) throws -> Bool {
        try tokens.contains { try tables.locks.isHeld($0.id) }
    }

    /// Redeems a registration code: gives the sending device an OTP token and uses up the code. The
    /// user's other OTP tokens in this app remain.
    ///
    /// Repeating the request with the same code and key, because the answer was lost, returns the
    /// same token until the code's expiry or the token's first use.
    /// - Throws: ``Problem``, the same for every invalid code.
    func redeem(_ code: String, key: DevicePublicKey, name: String, system: String)
        async throws
        -> OTPTokenAnswer
    {
        guard let (registration, presented) = BearerSecret.parse(code, OTPRegistrationKind.self)
        else { throw Self.refused }
        var generator = SystemRandomNumberGenerator()
        let id = AuthenticatorID.random(using: &generator)
        let now = clock.now, hash = store.keys.hash(ofSecret: presented), notice = notices.draft()
        let taken = try await store.write { tables -> OTPTokenAnswer? in
            guard
                let wanted = try tables.otpRegistrations.take(
                    registration.text, hash: hash, at: now)
            else {
                return try Self.again(registration.text, hash: hash, key, tables, at: now)
            }
            guard let account = try tables.accounts.find(wanted.account),
                account.state.takesAuthenticators
            else { return nil }
            let tokens = try tables.authenticators.all(.otp, of: account, app: wanted.app)
            guard try !Self.isLocked(tokens, tables), tokens.count < Self.maxTokens,
                // The code ends with the authenticators of the sign-in that requested it.
                try SignInStanding(
                    account: account.id, epoch: nil, authenticators: wanted.madeWith
                ).areUsable(in: tables)
            else { return nil }
            guard let kind = OTPKind(rawValue: wanted.kind) else {
                throw StoreError(.corrupt, "A registration has an unknown kind.")
            }
            var generator = SystemRandomNumberGenerator()
            let secret = OTPToken.secret(for: kind, using: &generator)
            let receipt = OTPToken.Receipt(codeHash: hash, key: key, endsAt: wanted.expiresAt)
            let token = try OTPToken(
                kind: kind, digits: wanted.digits, secret: secret, receipt: receipt)
            let record = AuthenticatorRecord(
                id: id, account: account.id, type: .otp, app: wanted.app, content: token.content,
                info: [
                    "kind": .string(kind.rawValue), "digits": .number(Double(wanted.digits)),
                    "name": .string(name), "os": .string(system),
                ],
                createdAt: now)
            try tables.authenticators.insert(record, of: account)
            try tables.otpTokens.insert(id, registration: wanted.id)
            try tables.audit.append(
                AuditEvent(
                    "otp.registered", actor: "device", account: account.id, app: wanted.app,
                    detail: [
                        "authenticator": .string(id.text), "others": .number(Double(tokens.count)),
                    ]),
                at: now)
            try notice.store(about: record, of: account, app: wanted.app, in: tables, at: now)
            return try OTPTokenAnswer(token, id: id, app: wanted.app, key: key)
        }
        // An invalid attempt uses up the code as well.
        guard let taken else { throw Self.refused }
        return taken
    }

    private static func again(
        _ registration: String, hash: [UInt8], _ key: DevicePublicKey, _ tables: Tables,
        at now: Instant
    ) throws -> OTPTokenAnswer? {
        guard let presented = OTPToken.Receipt(codeHash: hash, key: key, endsAt: now),
            let (id, owner) = try tables.otpTokens.owner(ofRegistration: registration),
            try tables.otpTokens.position(of: id) == 0,
            let account = try tables.accounts.find(owner), account.state.takesAuthenticators,
            let record = try tables.authenticators.find(id, of: account), let app = record.app,
            try !Self.isLocked(
                tables.authenticators.all(.otp, of: account, app: app), tables)
        else { return nil }
        let token = try OTPToken(record)
        guard let receipt = token.receipt, receipt.admits(presented, at: now) else { return nil }
        return try OTPTokenAnswer(token, id: id, app: app, key: key)
    }

    static let refused = Problem(
        .invalidCredentials,
        "The registration code is invalid or has expired. Request a new one.")

    /// Returns the OTP token that resulted from a registration, if the user still has it.
    package func token(
        ofRegistration registration: String, of account: AccountRecord, app: AppID
    ) async throws -> AuthenticatorID? {
        try await store.read { tables in
            guard let id = try tables.otpTokens.find(registration: registration),
                let record = try tables.authenticators.find(id, of: account)
            else {
                return nil
            }
            return record.type == .otp && record.app == app ? id : nil
        }
    }

    // MARK: Managing OTP tokens

    func list(of account: AccountRecord, app: AppID) async throws -> [OwnOTPToken] {
        try await store.read { tables in
            try tables.authenticators.all(.otp, of: account, app: app).map(OwnOTPToken.init)
        }
    }

    /// Removes an OTP token. Its failures still count toward the next one.
    ///
    /// - Returns: Whether the user had this token.
    /// - Throws: ``Problem`` `.conflict` if the token is locked.
    func delete(_ id: String, of account: AccountRecord, app: AppID) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            let tokens = try tables.authenticators.all(.otp, of: account, app: app)
            guard let record = tokens.first(where: { $0.id.text == id }) else { return false }
            guard try !tables.locks.isHeld(record.id) else {
                throw Problem.authenticatorLocked("This OTP token")
            }
            _ = try tables.removeAuthenticator(record, at: now)
            try tables.audit.append(
                AuditEvent(
                    "otp.removed", actor: "user", account: account.id, app: app,
                    detail: ["authenticator": .string(id)]), at: now)
            return true
        }
    }
}

/// Identifies a registration. The identifier is not the registration code.
enum OTPRegistrationKind: IdentifierKind { static let prefix = "otc" }

extension Problem {
    static let notP256 = Problem(
        .invalidRequest,
        errors: [.init(field: "public_key", message: "must be a P-256 key as a JWK")])
}

internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// Challenges of dynamic signatures, and what the audit log records about codes that a service had
/// verified.
extension OTPService {
    static let challengeLifetime = Duration.seconds(300)
    private static let purpose = "otp_signature"

    /// A user as a service names them.
    enum NamedUser: Sendable {
        case id(UserID)
        case identifier(Sensitive<String>)

        /// Names the user by what was sent, so that known and unknown users run dry alike.
        func key(_ app: AppID, _ keys: StoreKeys) -> String {
            let name =
                switch self {
                case .id(let id): "id \(id.text)"
                case .identifier(let text):
                    text.use { "name \(LoginName.candidates($0).first?.identifier ?? "")" }
                }
            return Base64URL.encode(keys.hash(ofSecret: Array("otp \(app.text) \(name)".utf8)))
        }
    }

    func account(_ user: NamedUser) async throws -> AccountRecord? {
        let found: AccountRecord? =
            switch user {
            case .id(let id): try await store.read { try $0.accounts.find(id) }
            case .identifier(let text):
                try await store.read { tables in
                    try text.use { try tables.accounts.find(identifier: $0) }
                }
            }
        return found?.state == .active ? found : nil
    }

    /// Draws a challenge for a user's signature, whether or not the user exists.
    func challenge(_ template: SignatureTemplate, for user: NamedUser, app: AppID) async throws -> (
        challenge: DynamicChallenge, expiresAt: Instant
    ) {
        var generator = SystemRandomNumberGenerator()
        let end = clock.now + Self.challengeLifetime
        for _ in 0..<8 {
            let challenge = try DynamicChallenge(for: template, using: &generator)
            let hash = hash(of: challenge.text, user, app)
            do {
                try await store.write(.process) {
                    try $0.challenges.insert(
                        hash, purpose: Self.purpose, binding: app.text, expiresAt: end)
                }
                return (challenge, end)
            } catch let error as StoreError where error.code == .conflict {
                // The user has an open challenge with the same digits.
                continue
            }
        }
        throw Problem(.unavailable, "This user has too many open challenges. Try again later.")
    }

    /// Uses up a challenge.
    func take(_ challenge: DynamicChallenge, of user: NamedUser, app: AppID) async throws -> Bool {
        let hash = hash(of: challenge.text, user, app), now = clock.now
        return try await store.write {
            try $0.challenges.take(hash, purpose: Self.purpose, binding: app.text, at: now)
        }
    }

    private func hash(of challenge: String, _ user: NamedUser, _ app: AppID) -> [UInt8] {
        store.keys.hash(ofSecret: Array("\(user.key(app, store.keys)) \(challenge)".utf8))
    }

    /// Records a verification as durably for unknown users as for others.
    ///
    /// - Parameter actor: Who asked: a service, or the device that has the OTP token.
    func note(
        _ judgment: Judgment, of account: UserID?, app: AppID?, by actor: String = "service"
    ) async throws {
        let now = clock.now
        switch judgment {
        case .accepted:
            let event = AuditEvent("otp.accepted", actor: actor, account: account, app: app)
            try await store.write { try $0.audit.append(event, at: now) }
        case .refused(let locked, let isJudged):
            let event = AuditEvent(
                "otp.refused", actor: actor, account: account, app: app,
                detail: locked ? ["locked": true] : [:])
            try await store.write {
                try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
            }
        }
    }
}

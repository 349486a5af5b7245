internal import Foundation
internal import MienAPI
package import MienCore
package import MienKeys
package import MienStore

/// Manages the keys that users' devices generate and protect with biometrics. Each key is one
/// authenticator.
package struct DeviceKeyService: Sendable {
    /// A key to register.
    package struct NewKey: Sendable {
        let id: String
        let key: DevicePublicKey
        /// The device's own ID, if it sends one. A device has one key per user.
        let device: String?
        let name: String
        let system: String
        let attestation: ProvedAttestation?
        /// As reported by the device. The facts that an attestation proves take precedence.
        var userVerification: KeyUserVerification?
    }

    package enum Refusal: Error {
        /// Another user's key of this app has this ID.
        case keyIDTaken
        /// The user has the maximum number of keys that the app allows.
        case tooMany
        /// An administrator or a journey has locked one of the user's keys. Registering another key
        /// must not get around that.
        case locked
        case userMissing
    }

    /// The result of a registration.
    package struct Registered: Sendable {
        package let id: AuthenticatorID
        /// The keys that this one replaced.
        package let replaced: [AuthenticatorID]
    }

    /// A registered key, as shown to its owner.
    package struct Listed: Codable, Sendable, Hashable {
        let keyID, name, system, algorithm: String
        let createdAt: Int64

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id", name, system = "os", algorithm, createdAt = "created_at"
        }
    }

    let store: Store
    let gate: LockGate
    let notices: AuthenticatorNotices
    let clock: ServerClock
    let metrics: Metrics
    let signatures: SignatureQueue

    /// `^[-\w]{8,64}$`
    package static func isKeyID(_ text: String) -> Bool {
        (8...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    // MARK: Registration

    /// Registers a key.
    ///
    /// Registering the same key again only updates its attestation. Another key of the same device,
    /// or with the ID of the user's old key, replaces the old key and revokes the old key's grants.
    ///
    /// - Throws: ``Refusal``.
    @discardableResult
    package func register(
        _ new: NewKey, of user: UserID, app: AppRecord, actor: String,
        _ standing: SignInStanding, sparing grant: GrantID? = nil
    ) async throws -> Registered {
        let now = clock.now, deviceHash = new.device.map { store.keys.hash(ofDevice: $0) }
        var generator = SystemRandomNumberGenerator()
        let id = AuthenticatorID.random(using: &generator)
        var info: [String: JSONValue] = [
            "key_id": .string(new.id), "name": .string(new.name), "os": .string(new.system),
            "algorithm": .string(new.key.algorithm.rawValue),
        ]
        info["attestation"] = new.attestation.map { .object($0.info) }
        info["user_verification"] = (new.attestation?.userVerification ?? new.userVerification).map
        { .string($0.rawValue) }
        let registered = info
        let content = Array(JSONText.write(new.key.jwk).utf8), notice = notices.draft()
        return try await store.write { tables -> Registered in
            guard let account = try tables.accounts.find(user), account.state.takesAuthenticators
            else { throw Refusal.userMissing }
            try standing.require(in: tables)
            let known = try tables.deviceKeys.find(new.id, app: app.id)
            if let known, known.account != user { throw Refusal.keyIDTaken }
            if let known,
                var old = try tables.authenticators.find(known.authenticator, of: account),
                old.content.use({ $0 == content })
            {
                guard let attestation = new.attestation else {
                    return Registered(id: old.id, replaced: [])
                }
                old.info["attestation"] = .object(attestation.info)
                if let verification = attestation.userVerification {
                    old.info["user_verification"] = .string(verification.rawValue)
                }
                try tables.authenticators.update(old, of: account, at: now)
                let detail: [String: JSONValue] = [
                    "authenticator": .string(old.id.text), "attestation": .object(attestation.info),
                ]
                try tables.audit.append(
                    AuditEvent(
                        "native_biometrics.attested", actor: actor, account: user, app: app.id,
                        detail: detail), at: now)
                return Registered(id: old.id, replaced: [])
            }
            let others = try tables.deviceKeys.all(of: user, app: app.id)
            for other in others where try Self.isLocked(other, tables) { throw Refusal.locked }
            let replaced = others.filter {
                $0.keyID == new.id || ($0.deviceHash != nil && $0.deviceHash == deviceHash)
            }
            guard others.count - replaced.count < app.settings.biometric.maxKeys else {
                throw Refusal.tooMany
            }
            let record = AuthenticatorRecord(
                id: id, account: user, type: .nativeBiometrics, app: app.id, content: content,
                info: registered, createdAt: now)
            for old in replaced {
                if let grant { try tables.grants.replace(old.authenticator, with: id, in: grant) }
                try Self.remove(old, from: tables, at: now)
            }
            try tables.authenticators.insert(record, of: account)
            try tables.deviceKeys.insert(
                DeviceKeyRecord(
                    app: app.id, keyID: new.id, authenticator: id, account: user,
                    deviceHash: deviceHash))
            var detail: [String: JSONValue] = [
                "authenticator": .string(id.text), "replaced": .number(Double(replaced.count)),
            ]
            detail["attestation"] = registered["attestation"]
            try tables.audit.append(
                AuditEvent(
                    "native_biometrics.registered", actor: actor, account: user, app: app.id,
                    detail: detail), at: now)
            try notice.store(about: record, of: account, app: app.id, in: tables, at: now)
            return Registered(id: id, replaced: replaced.map(\.authenticator))
        }
    }

    private static func isLocked(_ key: DeviceKeyRecord, _ tables: Tables) throws -> Bool {
        try tables.locks.isHeld(key.authenticator)
    }

    /// Removes a key and revokes its grants.
    private static func remove(_ key: DeviceKeyRecord, from tables: Tables, at now: Instant) throws
    {
        _ = try tables.grants.revokeAll(by: key.authenticator, at: now)
        _ = try tables.authenticators.delete(key.authenticator, of: key.account)
    }

    // MARK: Verification

    /// The owner of a key, and what the signature proves.
    package struct Owner: Sendable {
        package let account: UserID
        package let authenticator: AuthenticatorID
        package let epoch: Int
        /// `amr`.
        package let methods: [String]
    }

    package enum Verdict: Sendable {
        /// The key made the signature.
        case owner(Owner)
        /// The signature is correct, but the key is temporarily locked. Only the key's holder
        /// learns this.
        case locked
        case refused
    }

    /// Verifies a signature through the lock gate.
    ///
    /// - Parameters:
    ///   - user: The required owner, if known.
    ///   - device: A device that somebody has signed in on. Its guesses are counted separately if
    ///     that was the key's owner.
    ///   - unlock: How the app says the device verified its user, if it says so.
    ///   - isRight: Returns whether the key made the signature.
    package func verify(
        _ keyID: String, of user: UserID? = nil, app: AppRecord, device: KnownDevice? = nil,
        unlock: DeviceKeyUnlock? = nil, actor: String,
        _ isRight: @escaping @Sendable (DevicePublicKey) -> Bool
    ) async throws -> Verdict {
        let found = try await store.read { tables -> (AccountRecord, AuthenticatorRecord)? in
            guard let key = try tables.deviceKeys.find(keyID, app: app.id),
                user == nil || key.account == user,
                let account = try tables.accounts.find(key.account),
                account.state == .active || (account.state == .pending && user != nil),
                let authenticator = try tables.authenticators.find(key.authenticator, of: account)
            else { return nil }
            return (account, authenticator)
        }
        guard let (account, authenticator) = found, let key = Self.key(authenticator) else {
            return try await refuse(nil, app.id, actor, ["reason": "unknown"])
        }
        let known = device?.account == account.id ? device?.id : nil
        let share = known.map { .device($0, of: account.id) } ?? WorkShare.stranger(naming: keyID)
        guard let pass = try await gate.begin(authenticator, device: known) else {
            let refusal = try await refuse(account.id, app.id, actor, ["locked": true])
            return try await signatures.check(with: key, for: share) { isRight(key) }
                ? .locked : refusal
        }
        let isAccepted: Bool
        do { isAccepted = try await signatures.check(with: key, for: share) { isRight(key) } } catch
        {
            try await gate.abandon(pass)
            throw error
        }
        guard isAccepted else {
            return try await refuse(account.id, app.id, actor, isJudged: true, [:])
        }
        try await gate.succeed(pass)
        metrics.count(.authentications, ["type": "native_biometrics", "result": "accepted"])
        return .owner(
            Owner(
                account: account.id, authenticator: authenticator.id, epoch: account.epoch,
                methods: authenticator.deviceKeyMethods(unlockedBy: unlock)))
    }

    /// Returns the same verdict for every refusal. The audit log records the reason.
    ///
    /// - Parameter isJudged: Whether the lock gate counted the signature. If not, anybody can cause
    ///   any number of refusals, so the audit log only counts them.
    private func refuse(
        _ account: UserID?, _ app: AppID, _ actor: String, isJudged: Bool = false,
        _ detail: [String: JSONValue]
    ) async throws -> Verdict {
        metrics.count(.authentications, ["type": "native_biometrics", "result": "refused"])
        let now = clock.now
        let event = AuditEvent(
            "native_biometrics.refused", actor: actor, account: account, app: app, detail: detail)
        try await store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        return .refused
    }

    private static func key(_ record: AuthenticatorRecord) -> DevicePublicKey? {
        record.content.use { bytes in
            (try? JSONText.parse(bytes)).flatMap { try? DevicePublicKey(jwk: $0) }
        }
    }

    // MARK: Management

    func list(of account: AccountRecord, app: AppID) async throws -> [Listed] {
        try await store.read { tables in
            try tables.authenticators.all(of: account).filter {
                $0.type == .nativeBiometrics && $0.app == app
            }.map { record in
                func text(_ name: String) -> String { record.info[name]?.stringValue ?? "" }
                return Listed(
                    keyID: text("key_id"), name: text("name"), system: text("os"),
                    algorithm: text("algorithm"),
                    createdAt: record.createdAt.milliseconds)
            }
        }
    }

    /// - Returns: Whether the user has such a key.
    func rename(_ keyID: String, to name: String, of account: AccountRecord, app: AppID)
        async throws -> Bool
    {
        let now = clock.now
        return try await store.write { tables in
            guard let key = try tables.deviceKeys.find(keyID, app: app), key.account == account.id,
                var record = try tables.authenticators.find(key.authenticator, of: account)
            else { return false }
            record.info["name"] = .string(name)
            try tables.authenticators.update(record, of: account, at: now)
            return true
        }
    }

    /// Removes keys. Their failures still count toward the next key.
    ///
    /// - Parameter keyID: `nil` removes all of the user's keys in this app.
    /// - Returns: The number of removed keys.
    /// - Throws: ``Refusal`` `.locked` if an administrator or a journey has locked one of them. In
    ///   that case nothing is removed.
    @discardableResult
    package func delete(
        _ keyID: String?, of user: UserID, app: AppID, actor: String
    ) async throws -> Int {
        let now = clock.now
        return try await store.write { tables in
            let keys = try tables.deviceKeys.all(of: user, app: app).filter {
                keyID == nil || $0.keyID == keyID
            }
            for key in keys where try Self.isLocked(key, tables) { throw Refusal.locked }
            for key in keys {
                try Self.remove(key, from: tables, at: now)
                try tables.audit.append(
                    AuditEvent(
                        "native_biometrics.removed", actor: actor, account: user, app: app,
                        detail: ["authenticator": .string(key.authenticator.text)]), at: now)
            }
            return keys.count
        }
    }
}

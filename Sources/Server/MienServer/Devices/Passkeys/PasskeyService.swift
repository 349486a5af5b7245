internal import Foundation
internal import MienAPI
internal import MienAttestation
package import MienCore
internal import MienKeys
package import MienStore

/// Passkeys: WebAuthn credentials of browsers, phones, and security keys. Each is one
/// authenticator, for all apps of the server.
///
/// A challenge is used up before the response to it is verified. It is bound to the app and, at
/// registration, also to the user. The authenticator must verify the user each time.
package struct PasskeyService: Sendable {
    /// The maximum number of passkeys per user. Sign-in options for a name always list this many
    /// credential IDs.
    static let maxPasskeys = 10

    let store: Store
    let gate: LockGate
    let challenges: ChallengeService
    let notices: AuthenticatorNotices
    let clock: ServerClock
    let metrics: Metrics
    let settings: RelyingPartySettings
    let publicURL: @Sendable () -> String
    /// Whether `authentication.identities` in the configuration lists passkeys.
    let isEnabled: Bool
    let signatures: SignatureQueue

    package init(
        store: Store, gate: LockGate, challenges: ChallengeService, notices: AuthenticatorNotices,
        clock: ServerClock, metrics: Metrics, relyingParty settings: RelyingPartySettings,
        publicURL: @escaping @Sendable () -> String, isEnabled: Bool, signatures: SignatureQueue
    ) {
        (self.store, self.gate, self.challenges, self.notices, self.clock) = (
            store, gate, challenges, notices, clock
        )
        (self.metrics, self.settings, self.publicURL, self.isEnabled, self.signatures) = (
            metrics, settings, publicURL, isEnabled, signatures
        )
    }

    /// Whether pages offer passkeys: they are enabled, and the server has a name that browsers accept.
    package var areOffered: Bool { (try? ceremony()) != nil }

    private func ceremony() throws(Problem) -> PasskeyCeremony {
        guard isEnabled else {
            throw Problem(
                .notPermitted,
                "Passkeys are not enabled on this server. Add passkey to authentication.identities."
            )
        }
        return PasskeyCeremony(
            relyingParty: try settings.relyingParty(publicURL()), challenges: challenges,
            signatures: signatures)
    }

    // MARK: Registering

    /// Returns the options for `navigator.credentials.create`.
    func registrationOptions(for caller: Caller, attestation: String) async throws -> JSONValue {
        let ceremony = try ceremony(), account = caller.account
        let known = try await store.read { tables in
            try Self.checkUnlocked(account, tables)
            return try Self.passkeys(of: account, tables)
        }
        guard known.count < Self.maxPasskeys else { throw Self.tooMany }
        let name =
            account.profile.use { $0.username ?? $0.email ?? $0.externalID } ?? account.id.text
        let others = known.map { record, passkey -> JSONValue in
            let id = JSONValue.string(Base64URL.encode(passkey.id))
            return ["type": "public-key", "id": id, "transports": record.info["transports"] ?? []]
        }
        return try await ceremony.registrationOptions(
            handle: Self.handle(of: account.id), name: name, known: others,
            residentKey: "preferred", attestation: attestation, for: .passkeyRegistration,
            binding: Self.binding(caller.app, account.id))
    }

    /// - Parameter standing: The sign-in that allows the registration.
    /// - Throws: ``Problem`` `.invalidRequest` that names the invalid part. This is safe because
    ///   the response is the user's own.
    func register(
        _ credential: BrowserCredential, name: String?, for caller: Caller,
        _ standing: SignInStanding
    ) async throws -> OwnPasskey {
        let ceremony = try ceremony(), now = clock.now, account = caller.account
        let new = try await ceremony.register(
            credential, for: .passkeyRegistration, binding: Self.binding(caller.app, account.id),
            share: .signedIn(account.id), at: now)
        var generator = SystemRandomNumberGenerator()
        let record = AuthenticatorRecord(
            id: .random(using: &generator), account: account.id, type: .passkey, app: nil,
            content: Passkey(new).content,
            info: [
                "name": .string(name ?? "Passkey"),
                "algorithm": .string(new.key.algorithm.rawValue),
                "aaguid": .string(Self.uuid(new.aaguid)),
                "transports": .array(credential.transports.map { .string($0) }),
                "attestation": .string(new.proof.words),
                "backup_eligible": .bool(new.isBackupEligible), "backed_up": .bool(new.isBackedUp),
            ], createdAt: now)
        let hash = store.keys.hash(ofCredential: new.id), app = caller.app, proof = new.proof.words,
            notice = notices.draft()
        try await store.write { tables in
            guard let account = try tables.accounts.find(account.id), account.state == .active
            else { throw Problem.userIsGone }
            try standing.require(in: tables)
            try Self.checkUnlocked(account, tables)
            guard try Self.passkeys(of: account, tables).count < Self.maxPasskeys else {
                throw Self.tooMany
            }
            guard try tables.passkeys.find(hash) == nil else {
                throw Problem(.conflict, "This credential is already registered.")
            }
            try tables.authenticators.insert(record, of: account)
            try tables.passkeys.insert(
                PasskeyRecord(credentialHash: hash, authenticator: record.id, account: account.id))
            try tables.audit.append(
                AuditEvent(
                    "passkey.registered", actor: "user", account: account.id, app: app,
                    detail: [
                        "authenticator": .string(record.id.text), "attestation": .string(proof),
                    ]), at: now)
            try notice.store(about: record, of: account, app: app, in: tables, at: now)
        }
        return Self.listed(record)
    }

    // MARK: Signing in

    /// Returns the options for `navigator.credentials.get`.
    ///
    /// - Parameter identifier: Any login name of a user. The options then contain ten credential
    ///   IDs; for an unknown name, all of them are decoys, the same each time. Without a name, the
    ///   browser offers the passkeys that it finds.
    package func signInOptions(for app: AppRecord, identifier: String?) async throws -> JSONValue {
        let ceremony = try ceremony()
        var binding = Self.binding(app.id, nil), allowed: [JSONValue] = []
        if let identifier {
            let found = try await store.read { tables -> (AccountRecord, [[UInt8]])? in
                guard let account = try tables.accounts.find(identifier: identifier),
                    account.state == .active
                else { return nil }
                return (account, try Self.passkeys(of: account, tables).map(\.passkey.id))
            }
            // An unknown name gets a challenge bound to nobody, which no credential can answer.
            binding = "\(binding) \(found?.0.id.text ?? "nobody")"
            allowed = credentialIDs(found?.1 ?? [], of: identifier).map {
                ["type": "public-key", "id": .string($0)]
            }
        }
        return try await ceremony.signInOptions(
            allowing: allowed, for: .passkeySignIn, binding: binding)
    }

    /// Returns the known IDs and decoys, in an order that does not distinguish them.
    private func credentialIDs(_ known: [[UInt8]], of identifier: String) -> [String] {
        // Real IDs have one of these lengths.
        let lengths = [16, 20, 32, 48, 64], keys = store.keys
        let name = LoginName.candidates(identifier).first?.identifier ?? identifier
        let sizes = keys.decoy(of: name, number: 0)
        let made = (0..<(Self.maxPasskeys - known.count)).map { index -> [UInt8] in
            let bytes =
                keys.decoy(of: name, number: 2 * index + 1)
                + keys.decoy(of: name, number: 2 * index + 2)
            return Array(bytes.prefix(lengths[Int(sizes[index]) % lengths.count]))
        }
        return (known + made).map { Base64URL.encode($0) }.sorted()
    }

    /// The user and authenticator of a sign-in.
    package struct Owner: Sendable {
        package let account: UserID
        package let authenticator: AuthenticatorID
        package let epoch: Int
        /// The `amr` values: a key, and `mfa` if the authenticator verified the user (RFC 8176).
        package let methods: [String]
    }

    /// Verifies a sign-in response through the lock gate.
    ///
    /// - Parameter device: A known device. If it belongs to the passkey's owner, its attempts are
    ///   counted separately.
    /// - Throws: ``Problem`` `.invalidCredentials`, the same for every refusal; the audit log
    ///   distinguishes them.
    package func signIn(_ credential: BrowserCredential, app: AppRecord, device: KnownDevice?)
        async throws
        -> Owner
    {
        let ceremony = try ceremony(), hash = store.keys.hash(ofCredential: credential.id)
        let response = try credential.assertion()
        let found = try await store.read {
            tables -> (
                account: AccountRecord, authenticator: AuthenticatorRecord, passkey: Passkey
            )? in
            guard let passkey = try tables.passkeys.find(hash),
                let account = try tables.accounts.find(passkey.account), account.state == .active,
                let record = try tables.authenticators.find(passkey.authenticator, of: account),
                let content = record.content.use({ Passkey($0) })
            else { return nil }
            return (account, record, content)
        }
        let user = found?.account.id
        guard let challenge = credential.challenge, let use = try await take(challenge, app, user)
        else {
            throw try await refuse(user, app.id, ["reason": "challenge"])
        }
        guard let found else {
            try await gate.pretend()
            throw try await refuse(nil, app.id, ["reason": "unknown"])
        }
        let known = device?.account == found.account.id ? device?.id : nil
        guard let pass = try await gate.begin(found.authenticator, device: known) else {
            throw try await refuse(user, app.id, ["locked": true])
        }
        // If the options named no user, the response must name one: WebAuthn §7.2 step 6.
        guard use == .named || response.userHandle != nil else {
            throw try await refuse(user, app.id, isJudged: true, ["reason": "user-handle"])
        }
        let result: WebAuthnAuthentication
        let share =
            known.map { WorkShare.device($0, of: found.account.id) }
            ?? .stranger(naming: found.account.id.text)
        do {
            result = try await ceremony.verify(
                response, with: found.passkey, handle: Self.handle(of: found.account.id),
                challenge: challenge, share: share)
        } catch let error as AttestationError {
            throw try await refuse(
                user, app.id, isJudged: true, ["reason": .string(error.code.rawValue)])
        } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard let received = try? AuthenticatorData(response.authenticatorData).counter,
            try await accept(found.authenticator.id, found.account.id, received, result, app.id)
        else { throw Self.refused }
        try await gate.succeed(pass)
        metrics.count(.authentications, ["type": "passkey", "result": "accepted"])
        return Owner(
            account: found.account.id, authenticator: found.authenticator.id,
            epoch: found.account.epoch,
            methods: [AuthenticatorType.passkey.method] + (result.isUserVerified ? ["mfa"] : []))
    }

    private enum Use { case named, discovered }

    /// Uses up the challenge if it was issued for any user or for this one.
    private func take(_ challenge: [UInt8], _ app: AppRecord, _ user: UserID?) async throws -> Use?
    {
        let token = String(decoding: challenge, as: UTF8.self)
        if try await challenges.take(token, for: .passkeySignIn, binding: Self.binding(app.id, nil))
        {
            return .discovered
        }
        guard let user,
            try await challenges.take(
                token, for: .passkeySignIn, binding: Self.binding(app.id, user))
        else { return nil }
        return .named
    }

    /// Compares the counter with the stored one and stores it. Of two concurrent responses with the
    /// same counter, one is refused.
    ///
    /// - Returns: Whether the counter has increased, or is not used.
    private func accept(
        _ id: AuthenticatorID, _ user: UserID, _ received: UInt32, _ result: WebAuthnAuthentication,
        _ app: AppID
    ) async throws -> Bool {
        let now = clock.now
        let isAccepted = try await store.write { tables -> Bool in
            guard let account = try tables.accounts.find(user), account.state == .active,
                var record = try tables.authenticators.find(id, of: account),
                var passkey = record.content.use({ Passkey($0) })
            else { return false }
            let detail: [String: JSONValue] = ["authenticator": .string(id.text)]
            let counter = SignatureCounter(stored: passkey.counter, received: received)
            if case .possibleClone = counter {
                try tables.audit.append(
                    AuditEvent(
                        "passkey.possible_clone", actor: "app", account: user, app: app,
                        detail: detail), at: now)
                return false
            }
            (passkey.counter, passkey.isBackedUp) = (counter.stored, result.isBackedUp)
            record.content = Sensitive(passkey.content)
            record.info["backed_up"] = .bool(result.isBackedUp)
            record.info["used_at"] = .number(Double(now.milliseconds))
            try tables.authenticators.update(record, of: account, at: now)
            try tables.audit.append(
                AuditEvent(
                    "passkey.accepted", actor: "app", account: user, app: app, detail: detail),
                at: now)
            return true
        }
        if !isAccepted {
            metrics.count(.authentications, ["type": "passkey", "result": "refused"])
        }
        return isAccepted
    }

    /// - Parameter isJudged: Whether the lock gate counted the response. If not, anybody can cause
    ///   any number of these refusals, so the audit log only counts them.
    private func refuse(
        _ user: UserID?, _ app: AppID, isJudged: Bool = false, _ detail: [String: JSONValue]
    ) async throws -> Problem {
        metrics.count(.authentications, ["type": "passkey", "result": "refused"])
        let now = clock.now
        let event = AuditEvent(
            "passkey.refused", actor: "app", account: user, app: app, detail: detail)
        try await store.write {
            try isJudged ? $0.audit.append(event, at: now) : $0.audit.count(event, at: now)
        }
        return Self.refused
    }

    // MARK: Managing passkeys

    func list(of account: AccountRecord) async throws -> [OwnPasskey] {
        try await store.read { try Self.passkeys(of: account, $0).map { Self.listed($0.record) } }
    }

    /// - Returns: Whether the user has this passkey.
    func rename(_ id: String, to name: String, of account: AccountRecord) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard var record = try Self.find(id, of: account, tables) else { return false }
            record.info["name"] = .string(name)
            try tables.authenticators.update(record, of: account, at: now)
            return true
        }
    }

    /// Removes a passkey and ends its sign-ins. Its failures still count toward the user's other
    /// and later passkeys.
    ///
    /// - Returns: Whether the user had this passkey.
    /// - Throws: ``Problem`` `.conflict` if the passkey is locked.
    func delete(_ id: String, of account: AccountRecord, app: AppID) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard let record = try Self.find(id, of: account, tables) else { return false }
            guard try !tables.locks.isHeld(record.id) else {
                throw Problem.authenticatorLocked("This passkey")
            }
            _ = try tables.removeAuthenticator(record, at: now)
            try tables.audit.append(
                AuditEvent(
                    "passkey.removed", actor: "user", account: account.id, app: app,
                    detail: ["authenticator": .string(record.id.text)]),
                at: now)
            return true
        }
    }

    private static func find(_ id: String, of account: AccountRecord, _ tables: Tables) throws
        -> AuthenticatorRecord?
    {
        guard let id = AuthenticatorID(id),
            let record = try tables.authenticators.find(id, of: account), record.type == .passkey
        else { return nil }
        return record
    }

    /// - Throws: ``Problem`` if one of the user's passkeys is deliberately locked: another passkey
    ///   must not bypass the lock.
    private static func checkUnlocked(_ account: AccountRecord, _ tables: Tables) throws {
        for (record, _) in try passkeys(of: account, tables)
        where try tables.locks.isHeld(record.id) {
            throw Problem.authenticatorLocked("One of your passkeys")
        }
    }

    private static func passkeys(of account: AccountRecord, _ tables: Tables) throws -> [(
        record: AuthenticatorRecord, passkey: Passkey
    )] {
        try tables.authenticators.all(of: account).filter { $0.type == .passkey }.compactMap {
            record in
            record.content.use { Passkey($0) }.map { (record, $0) }
        }
    }

    // MARK: Formatting

    private static func listed(_ record: AuthenticatorRecord) -> OwnPasskey {
        func text(_ name: String) -> String { record.info[name]?.stringValue ?? "" }
        return OwnPasskey(
            id: record.id.text, name: text("name"), algorithm: text("algorithm"),
            aaguid: text("aaguid"),
            transports: record.info["transports"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            attestation: text("attestation"),
            isBackupEligible: record.info["backup_eligible"] == true,
            isBackedUp: record.info["backed_up"] == true,
            createdAt: record.createdAt.milliseconds,
            usedAt: record.info["used_at"]?.numberValue.map { Int64($0) })
    }

    /// The user handle given to authenticators. Contains no personal data.
    private static func handle(of user: UserID) -> [UInt8] { Array(user.text.utf8) }

    private static func binding(_ app: AppID, _ user: UserID?) -> String {
        user.map { "\(app.text) \($0.text)" } ?? app.text
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return text
    }

    private static let tooMany = Problem(
        .notPermitted, "A user can have at most \(maxPasskeys) passkeys. Remove one first.")
    private static let refused = Problem(
        .invalidCredentials,
        "The passkey cannot sign in here, or its response is no longer valid. Request new options."
    )
}

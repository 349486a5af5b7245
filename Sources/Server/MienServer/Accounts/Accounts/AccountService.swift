internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienStore

/// Creates, updates, and deletes accounts for the admin API and for journeys.
package struct AccountService: Sendable {
    let store: Store
    let passwords: PasswordService
    let notices: AuthenticatorNotices
    let clock: ServerClock

    /// - Parameter share: The client that hashing the password is queued for.
    /// - Throws: ``Problem`` `.invalidRequest` that names each invalid field, or `.conflict` if a
    ///   name is taken.
    func create(
        _ profile: AccountProfile, password: Sensitive<String>?, isTest: Bool = false,
        actor: String, app: AppID?, for share: WorkShare
    ) async throws -> UserID {
        let names = try names(of: profile)
        _ = try claimedName(of: profile)
        guard !names.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "username",
                        message:
                            "is required unless there is an external ID or a verified email address"
                    )
                ])
        }
        try checkAttributes(profile.attributes)
        let hash = try await password.asyncMap {
            try await self.hash($0, names: names.map(\.normal), for: share)
        }
        let now = clock.now, keys = store.keys
        var generator = SystemRandomNumberGenerator()
        let id = UserID.random(using: &generator),
            authenticatorID = AuthenticatorID.random(using: &generator)
        let account = AccountRecord.new(id, profile, keys: keys, at: now, isTest: isTest)
        do {
            try await store.write { tables in
                try tables.accounts.insert(account, names: names)
                if let hash {
                    try tables.authenticators.insert(
                        AuthenticatorRecord(
                            id: authenticatorID, account: id, type: .password, app: nil,
                            content: Array(hash.utf8), createdAt: now),
                        of: account.record)
                }
                try tables.audit.append(
                    AuditEvent(
                        "user.created", actor: actor, account: id, app: app,
                        detail: isTest ? ["is_test": true] : [:]), at: now)
            }
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(
                .conflict,
                "A user with this external ID, user name, or email address already exists.")
        }
        return id
    }

    /// - Parameter change: The requested values. `nil` leaves a value unchanged.
    func update(_ id: UserID, _ change: UserRequest, actor: String, for share: WorkShare)
        async throws -> AccountRecord
    {
        guard let found = try await store.read({ try $0.accounts.find(id) }) else {
            throw Problem.noSuchUser
        }
        guard found.state != .pending else {
            throw Problem(
                .conflict, "This user's sign-up has not finished. Wait for it, or delete the user.")
        }
        var account = found
        var profile = found.profile.use { $0 }
        if let value = change.externalID { profile.externalID = value.isEmpty ? nil : value }
        if let value = change.username { profile.username = value.isEmpty ? nil : value }
        if change.email != nil || change.emailVerified != nil {
            let address = change.email ?? profile.email ?? profile.claimedEmail,
                isVerified = change.emailVerified ?? true
            guard let address else { throw Self.noAddress }
            profile.setEmail(address.isEmpty ? nil : address, isVerified: isVerified)
        }
        if let value = change.attributes { profile.attributes = value }
        switch change.state {
        case .active: account.state = .active
        case .suspended: account.state = .suspended
        case nil: break
        }
        let names = try names(of: profile)
        _ = try claimedName(of: profile)
        guard !names.isEmpty else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "username",
                        message:
                            "is required unless the user has an external ID or a verified email address"
                    )
                ])
        }
        try checkAttributes(profile.attributes)
        account.profile = Sensitive(profile)
        let hash = try await change.password.map { Sensitive($0) }.asyncMap {
            try await self.hash($0, names: names.map(\.normal), for: share)
        }
        let changed = account, now = clock.now
        var generator = SystemRandomNumberGenerator()
        let authenticatorID = AuthenticatorID.random(using: &generator), notice = notices.draft()
        do {
            try await store.write { tables in
                // The password took time to hash. What changed meanwhile, such as a suspension,
                // must not be undone.
                guard let current = try tables.accounts.find(id), current.isSame(as: found) else {
                    throw StoreError(.stale, "the user changed while the password was hashed")
                }
                try tables.accounts.update(changed, names: names, at: now)
                if change.state != nil { try tables.scimUsers.forgetSuspensions(of: id) }
                if let former = found.mailbox, former != changed.mailbox {
                    try tables.endMailProofs(of: changed, actor: actor, at: now)
                }
                if let hash {
                    let password = try tables.setPassword(
                        hash, of: changed, id: authenticatorID, at: now)
                    // Mail the previous address, so that a change of password and address together
                    // still reaches the owner.
                    try notice.store(about: password, of: found, app: nil, in: tables, at: now)
                }
                // A new password or a suspension ends all existing sign-ins.
                if hash != nil || (changed.state == .suspended && found.state != .suspended) {
                    try tables.accounts.endSignIns(of: id, at: now)
                }
                try tables.audit.append(
                    AuditEvent(
                        "user.changed", actor: actor, account: id,
                        detail: [
                            "password": .bool(hash != nil),
                            "state": .string(changed.state.rawValue),
                            // The names of fields alone: the log has no personal data.
                            "changed": .array(
                                Self.changed(from: found, to: changed).map { .string($0) }),
                        ]), at: now)
            }
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(
                .conflict, "Another user has this external ID, user name, or email address.")
        }
        return changed
    }

    private static func changed(from old: AccountRecord, to new: AccountRecord) -> [String] {
        let (before, after) = (old.profile.use { $0 }, new.profile.use { $0 })
        let fields = [
            ("attributes", before.attributes != after.attributes),
            ("email", before.email != after.email || before.claimedEmail != after.claimedEmail),
            ("external_id", before.externalID != after.externalID),
            ("state", old.state != new.state),
            ("username", before.username != after.username),
        ]
        return fields.filter(\.1).map(\.0)
    }

    private static let noAddress = Problem(
        .invalidRequest,
        errors: [
            .init(field: "email_verified", message: "cannot be set because this user has no email")
        ]
    )

    /// Ends all sign-ins of an account whose credentials somebody else knows, and what apps of others
    /// were allowed to know: it may have been somebody else who allowed it.
    ///
    /// The credentials themselves stay. Change the password and remove authenticators as well.
    /// - Throws: ``Problem`` `.notFound`.
    func markCompromised(_ id: UserID, actor: String) async throws {
        let now = clock.now
        try await store.write { tables in
            guard try tables.accounts.standing(of: id) != nil else {
                throw Problem.noSuchUser
            }
            try tables.accounts.endSignIns(of: id, at: now)
            for permission in try tables.permissions.all(of: id) {
                _ = try tables.withdrawPermission(
                    of: id, app: permission.app, actor: actor, at: now)
            }
            try tables.audit.append(
                AuditEvent("user.compromised", actor: actor, account: id), at: now)
        }
    }

    /// Deletes the account and its data key, so that everything sealed under that key becomes
    /// unreadable.
    func delete(_ id: UserID, actor: String) async throws {
        let now = clock.now
        let isGone = try await store.write { tables in
            try tables.deleteAccount(id, actor: actor, at: now)
        }
        guard isGone else { throw Problem.noSuchUser }
    }

    /// Returns the profile's unverified address, validated like a verified one.
    func claimedName(of profile: AccountProfile) throws -> LoginName? {
        do {
            return try profile.claimedEmail.map { address throws(LoginNameError) in
                try LoginName(address, kind: .email)
            }
        } catch {
            throw Problem(
                .invalidRequest,
                errors: [.init(field: LoginName.Kind.email.rawValue, message: error.description)])
        }
    }

    func names(of profile: AccountProfile) throws -> [LoginName] {
        do { return try profile.names() } catch {
            let field =
                switch error {
                case .empty(let kind), .tooLong(let kind), .character(let kind): kind.rawValue
                case .notAnAddress: LoginName.Kind.email.rawValue
                case .mixedScripts: LoginName.Kind.username.rawValue
                }
            throw Problem(
                .invalidRequest, errors: [.init(field: field, message: error.description)])
        }
    }

    func hash(_ password: Sensitive<String>, names: [String], for share: WorkShare)
        async throws
        -> String
    {
        if let fault = password.use({ passwords.policy.fault(of: $0, names: names) }) {
            throw Problem(
                .invalidRequest, errors: [.init(field: "password", message: fault.description)])
        }
        return try await passwords.hash(password, for: share)
    }

    func checkAttributes(_ attributes: [String: JSONValue]) throws {
        try Self.checkAttributes(attributes)
    }

    static func checkAttributes(_ attributes: [String: JSONValue]) throws(Problem) {
        let value = JSONValue.object(attributes)
        guard JSONText.write(value).utf8.count <= 16 * 1024, value.depth <= 8 else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "attributes",
                        message: "must be at most 16 KB of JSON, nested at most 8 levels deep")
                ])
        }
    }
}

extension AccountRecord {
    /// The mailbox of the verified address.
    var mailbox: Mailbox? { profile.use { $0.email }.map { Mailbox($0) } }
}

extension Tables {
    /// Ends what rests on an address that is no longer the account's: sign-ins by mailed codes, with
    /// the runs and codes that wait, links, and recoveries. A person who reads the former mailbox,
    /// for example because it was taken over, acts for the account no longer.
    func endMailProofs(of account: AccountRecord, actor: String, at now: Instant) throws {
        try mailedLinks.endAll(of: account.id, at: now)
        for recovery in try recoveries.all(of: account.id)
        where recovery.methods.contains(AuthenticatorType.emailCode.method) {
            _ = try recoveries.end(recovery.id, .canceledByEpoch, at: now)
        }
        guard let old = try authenticators.find(.emailCode, of: account, app: nil) else { return }
        let holders = try locks.holders(of: old.id)
        _ = try removeAuthenticator(old.id, of: account, actor: actor, at: now)
        guard !holders.isEmpty else { return }
        // Another address does not lift a lock.
        var generator = SystemRandomNumberGenerator()
        let new = AuthenticatorRecord(
            id: .random(using: &generator), account: account.id, type: .emailCode, app: nil,
            content: [], createdAt: now)
        try authenticators.insert(new, of: account)
        for holder in holders { try locks.hold(new.id, by: holder) }
    }
}

public import MienAccess
public import MienCore

/// A person's account, opened.
public struct AccountRecord: Sendable {
    public let id: UserID
    public var state: AccountState
    public var profile: Sensitive<AccountProfile>
    public let createdAt: Instant
    /// Counts the changes that end everything opened before them: see
    /// ``AccountTable/endSignIns(of:keeping:at:)``.
    public var epoch = 0
    /// When a pending account is removed; `nil` for any other.
    public var expiresAt: Instant?
    /// Opens what is sealed for this person.
    let key: AccountKey

    /// Whether nobody has changed the account between two reads of it.
    public func isSame(as other: AccountRecord) -> Bool {
        id == other.id && state == other.state && epoch == other.epoch
            && expiresAt == other.expiresAt
            && profile.use { mine in other.profile.use { mine == $0 } }
    }

    /// A new account, with a key of its own.
    ///
    /// - Parameter expiresAt: The end of a sign-up, which makes the account pending.
    public static func new(
        _ id: UserID, _ profile: AccountProfile, keys: StoreKeys, at now: Instant,
        pendingUntil expiresAt: Instant? = nil
    ) -> NewAccount {
        let (key, sealed) = keys.newAccountKey(for: id)
        let record = AccountRecord(
            id: id, state: expiresAt == nil ? .active : .pending, profile: Sensitive(profile),
            createdAt: now, expiresAt: expiresAt, key: key)
        return NewAccount(record: record, sealedKey: sealed)
    }
}

public struct NewAccount: Sendable {
    public let record: AccountRecord
    let sealedKey: [UInt8]
}

/// What an account says of its person.
public struct AccountProfile: Sendable, Hashable, Codable {
    /// As typed; ``LoginName`` is what is compared. `email` is verified: a code sent to it was
    /// entered, or an administrator vouches for it.
    public var externalID, username, email: String?
    /// An address nobody has verified. It never names the account, and nothing but its own
    /// sign-up's code is mailed to it.
    public var claimedEmail: String?
    /// While the account is pending.
    public var signUp: SignUp?
    public var attributes: [String: JSONValue]

    public init(
        externalID: String? = nil, username: String? = nil, email: String? = nil,
        claimedEmail: String? = nil, signUp: SignUp? = nil,
        attributes: [String: JSONValue] = [:]
    ) {
        (self.externalID, self.username, self.email) = (externalID, username, email)
        (self.claimedEmail, self.signUp, self.attributes) = (claimedEmail, signUp, attributes)
    }

    /// Replaces the address: attached if somebody vouches for it, else kept as a claim.
    public mutating func setEmail(_ address: String?, isVerified: Bool) {
        (email, claimedEmail) = isVerified ? (address, nil) : (nil, address)
    }

    /// The names an account is found by. A claimed address is not one of them.
    ///
    /// - Throws: ``LoginNameError`` when one of them is none.
    public func names() throws(LoginNameError) -> [LoginName] {
        var names: [LoginName] = []
        if let externalID { names.append(try LoginName(externalID, kind: .externalID)) }
        if let username { names.append(try LoginName(username, kind: .username)) }
        if let email { names.append(try LoginName(email, kind: .email)) }
        return names
    }
}

public struct AccountTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, state, key_sealed, profile_sealed, created_at, expires_at, epoch"

    /// Names held by sign-ups whose time is over are freed first.
    ///
    /// - Throws: ``StoreError`` `.conflict` when somebody has one of the names already, be it as
    ///   another kind of name.
    public func insert(_ account: NewAccount, names: [LoginName]) throws(StoreError) {
        try insertRow(account)
        try setNames(names, of: account.record.id, at: account.record.createdAt)
    }

    /// Inserts an account that holds no names, with the same writes as one that does.
    public func insertNameless(_ account: NewAccount, inPlaceOf names: [LoginName])
        throws(StoreError)
    {
        try insertRow(account)
        for name in names {
            let (random, other) = keys.randomHashes()
            try connection.execute(
                "INSERT INTO account_name (kind, name_hash, account_id, identifier_hash) VALUES (?, ?, ?, ?)",
                .text(name.kind.rawValue),
                .blob(random), .id(account.record.id), .blob(other))
        }
    }

    func insertRow(_ account: NewAccount) throws(StoreError) {
        let record = account.record
        try connection.execute(
            """
            INSERT INTO account (id, state, key_sealed, profile_sealed, created_at, expires_at, updated_at, address_checked)
            VALUES (?, ?, ?, ?, ?, ?, ?, 1)
            """, .id(record.id), .text(record.state.rawValue), .blob(account.sealedKey),
            .blob(sealed(record)), .time(record.createdAt),
            record.expiresAt.map { .time($0) } ?? .null, .time(record.createdAt))
    }

    /// Replaces the profile, the state and the names.
    /// - Throws: ``StoreError`` `.conflict` as above, `.stale` when the account is gone.
    public func update(_ record: AccountRecord, names: [LoginName], at now: Instant)
        throws(StoreError)
    {
        try updateRow(record, at: now)
        try connection.execute("DELETE FROM account_name WHERE account_id = ?", .id(record.id))
        try setNames(names, of: record.id, at: now)
    }

    /// Replaces the profile, the state, and the end; the names stay.
    ///
    /// - Throws: ``StoreError`` `.stale` when the account is gone.
    public func updateRow(_ record: AccountRecord, at now: Instant) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE account SET state = ?, profile_sealed = ?, expires_at = ?, updated_at = ? WHERE id = ?",
            .text(record.state.rawValue),
            .blob(sealed(record)), record.expiresAt.map { .time($0) } ?? .null, .time(now),
            .id(record.id))
        guard changed == 1 else { throw StoreError(.stale, "the account is gone") }
    }

    /// Another account that has this name, or a name that could be mistaken for it.
    public func holder(of name: LoginName, except id: UserID? = nil, at now: Instant)
        throws(StoreError) -> UserID?
    {
        try connection.row(
            """
            SELECT account.id FROM account_name JOIN account ON account.id = account_id
            WHERE ((kind = ? AND name_hash = ?) OR (identifier_hash = ? AND \(Self.otherKinds(than: name))))
              AND account.id <> ? AND (account.state <> ? OR account.expires_at > ?) LIMIT 1
            """, .text(name.kind.rawValue), .blob(hash(name)), .blob(identifierHash(name)),
            .text(LoginName.Kind.externalID.rawValue), .id(id),
            .text(AccountState.pending.rawValue), .time(now)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Removes sign-ups whose time is over, and frees their names.
    ///
    /// - Returns: how many were removed, at most `count`.
    public func sweepPending(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT id FROM account WHERE state = ? AND expires_at <= ? LIMIT ?",
            .text(AccountState.pending.rawValue), .time(now),
            .integer(Int64(count)))
        for row in rows { _ = try delete(try row.identifier(0)) }
        return rows.count
    }

    /// Destroys the person's key first, then the row; everything of theirs goes with it.
    /// - Returns: whether there was such an account.
    public func delete(_ id: UserID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        try connection.execute(
            "UPDATE account SET key_sealed = ?, profile_sealed = ? WHERE id = ?", .blob([]),
            .blob([]), .id(id))
        return try connection.execute("DELETE FROM account WHERE id = ?", .id(id)) == 1
    }

    public func find(_ id: UserID) throws(StoreError) -> AccountRecord? {
        try connection.row("SELECT \(Self.columns) FROM account WHERE id = ?", .id(id)).map {
            row throws(StoreError) in try record(row)
        }
    }

    public func find(_ name: LoginName) throws(StoreError) -> AccountRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM account WHERE id = (SELECT account_id FROM account_name WHERE kind = ? AND name_hash = ?)",
            .text(name.kind.rawValue), .blob(hash(name))
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Whoever `identifier` names, as any kind of name it may be: ``LoginName/candidates(_:)``.
    ///
    /// - Returns: `nil`, too, when it names two people, which names of before uniqueness across
    ///   kinds can: neither answers for the other.
    public func find(identifier: String) throws(StoreError) -> AccountRecord? {
        let names = LoginName.candidates(identifier)
        guard !names.isEmpty else { return nil }
        let isOne = names.map { _ in "kind = ? AND name_hash = ?" }.joined(separator: " OR ")
        let rows = try connection.rows(
            "SELECT DISTINCT account_id FROM account_name WHERE \(isOne)",
            names.flatMap { [.text($0.kind.rawValue), .blob(hash($0))] })
        return rows.count == 1 ? try find(try rows[0].identifier(0) as UserID) : nil
    }

    /// Gives names of before `identifier_hash` theirs.
    ///
    /// - Returns: how many accounts had such; at most `count` are done.
    func completeIdentifiers(atMost count: Int) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT DISTINCT account_id FROM account_name WHERE identifier_hash IS NULL LIMIT ?",
            .integer(Int64(count)))
        for row in rows {
            let id: UserID = try row.identifier(0)
            for name in (try? find(id)?.profile.use { try $0.names() }) ?? [] {
                try connection.execute(
                    "UPDATE account_name SET identifier_hash = ? WHERE account_id = ? AND kind = ?",
                    .blob(identifierHash(name)), .id(id),
                    .text(name.kind.rawValue))
            }
            // Of an account that does not open nothing is known but this, which is nobody's
            // identifier.
            try connection.execute(
                "UPDATE account_name SET identifier_hash = name_hash WHERE account_id = ? AND identifier_hash IS NULL",
                .id(id))
        }
        return rows.count
    }

    /// Detaches addresses that nobody verified from accounts of before addresses were verified.
    ///
    /// An address counts as verified if an administrator created the account, or a code mailed to
    /// it was entered once. Any other becomes a claim: it no longer names the account. Each such
    /// account gets an audit entry.
    ///
    /// - Returns: how many accounts were checked, at most `count`, and how many of them lost their
    ///   address.
    func detachUnverifiedEmails(atMost count: Int, audit: AuditTable, at now: Instant)
        throws(StoreError) -> (checked: Int, detached: Int)
    {
        var detached = 0
        let rows = try connection.rows(
            "SELECT id FROM account WHERE address_checked = 0 LIMIT ?", .integer(Int64(count)))
        for row in rows {
            let id: UserID = try row.identifier(0)
            try connection.execute("UPDATE account SET address_checked = 1 WHERE id = ?", .id(id))
            // One that does not open stays as it is: nothing can be mailed to it either.
            guard var account = try? find(id) else { continue }
            var profile = account.profile.use { $0 }
            guard let email = profile.email else { continue }
            guard
                try connection.row(
                    """
                    SELECT 1 FROM audit WHERE account_id = ? AND ((event = 'user.created' AND actor LIKE 'adm!_%' ESCAPE '!')
                      OR event = 'email_code.accepted') LIMIT 1
                    """, .id(id)) == nil
            else { continue }
            (profile.email, profile.claimedEmail) = (nil, email)
            account.profile = Sensitive(profile)
            try updateRow(account, at: now)
            try connection.execute(
                "DELETE FROM account_name WHERE account_id = ? AND kind = ?", .id(id),
                .text(LoginName.Kind.email.rawValue))
            try audit.append(
                AuditEvent("user.email-detached", actor: "system", account: id), at: now)
            detached += 1
        }
        return (rows.count, detached)
    }

    /// The oldest accounts first, `count` after `last`.
    ///
    /// - Throws: ``StoreError`` `.stale` when `last` is gone, so that nobody takes the rest for
    ///   nothing.
    public func page(after last: UserID?, count: Int) throws(StoreError) -> [AccountRecord] {
        if let last, try connection.row("SELECT 1 FROM account WHERE id = ?", .id(last)) == nil {
            throw StoreError(.stale, "the account the page is to follow is gone")
        }
        return try connection.rows(
            """
            SELECT \(Self.columns) FROM account
            WHERE ? = '' OR (created_at, id) > (SELECT created_at, id FROM account WHERE id = ?) ORDER BY created_at, id LIMIT ?
            """, .id(last), .id(last), .integer(Int64(count))
        ).map { row throws(StoreError) in try record(row) }
    }

    /// The account's epoch, and whether the account is active, without opening the profile.
    public func standing(of id: UserID) throws(StoreError) -> (state: AccountState, epoch: Int)? {
        try connection.row("SELECT state, epoch FROM account WHERE id = ?", .id(id)).map {
            row throws(StoreError) in
            (try row.word(0), Int(try row.integer(1)))
        }
    }

    /// Starts a new epoch of the account: a password changed, the account was suspended, or its
    /// credentials are known to others.
    ///
    /// Ends everything opened earlier: grants, known devices, registration codes of tokens, open
    /// recoveries. What carries its epoch with it, such as journey tokens, waiting runs, and
    /// authorization codes, is refused wherever it is presented.
    /// - Parameter grant: the sign-in that changed the password, which may stay.
    /// - Returns: the new epoch.
    @discardableResult
    public func endSignIns(of id: UserID, keeping grant: GrantID? = nil, at now: Instant)
        throws(StoreError) -> Int
    {
        try connection.execute(
            "UPDATE account SET epoch = epoch + 1, updated_at = ? WHERE id = ?", .time(now), .id(id)
        )
        try connection.execute("DELETE FROM known_device WHERE account_id = ?", .id(id))
        try connection.execute("DELETE FROM otp_registration WHERE account_id = ?", .id(id))
        try RecoveryTable(connection: connection).endAll(of: id, .canceledByEpoch, at: now)
        try connection.execute(
            "UPDATE token_grant SET revoked_at = ? WHERE account_id = ? AND id <> ? AND revoked_at IS NULL",
            .time(now), .id(id), .id(grant))
        guard let standing = try standing(of: id) else {
            throw StoreError(.stale, "the account is gone")
        }
        return standing.epoch
    }

    /// Within a kind the table's key keeps names apart; an external id must not be another kind's
    /// name either.
    private static func otherKinds(than name: LoginName) -> String {
        name.kind == .externalID ? "kind <> ?" : "kind = ?"
    }

    private func setNames(_ names: [LoginName], of id: UserID, at now: Instant) throws(StoreError) {
        for name in names {
            let others = Self.otherKinds(than: name)
            // A sign-up that was never finished holds its name no longer than its journey could
            // last.
            for row in try connection.rows(
                """
                SELECT DISTINCT account.id FROM account_name JOIN account ON account.id = account_id
                WHERE ((kind = ? AND name_hash = ?) OR (identifier_hash = ? AND \(others)))
                  AND account.id <> ? AND account.state = ? AND account.expires_at <= ?
                """, .text(name.kind.rawValue), .blob(hash(name)), .blob(identifierHash(name)),
                .text(LoginName.Kind.externalID.rawValue), .id(id),
                .text(AccountState.pending.rawValue), .time(now))
            { _ = try delete(try row.identifier(0)) }
            guard
                try connection.row(
                    "SELECT 1 FROM account_name WHERE identifier_hash = ? AND account_id <> ? AND \(others)",
                    .blob(identifierHash(name)), .id(id),
                    .text(LoginName.Kind.externalID.rawValue)) == nil
            else {
                throw StoreError(
                    .conflict, "another account has this name, as another kind of name")
            }
            try connection.execute(
                "INSERT INTO account_name (kind, name_hash, account_id, identifier_hash) VALUES (?, ?, ?, ?)",
                .text(name.kind.rawValue),
                .blob(hash(name)), .id(id), .blob(identifierHash(name)))
        }
    }

    private func identifierHash(_ name: LoginName) -> [UInt8] {
        keys.hash(of: "identifier", name.identifier)
    }

    private func hash(_ name: LoginName) -> [UInt8] {
        keys.hash(of: name.kind.rawValue, name.normal)
    }

    private func sealed(_ record: AccountRecord) -> [UInt8] {
        record.profile.use {
            record.key.seal(JSONColumn.bytes($0), .accountProfile, for: record.id.text)
        }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> AccountRecord {
        let id: UserID = try row.identifier(0)
        let key = try keys.accountKey(row.blob(2), for: id)
        let profile = try JSONColumn.value(
            AccountProfile.self, key.open(row.blob(3), .accountProfile, for: id.text))
        return AccountRecord(
            id: id, state: try row.word(1), profile: Sensitive(profile),
            createdAt: try row.instant(4), epoch: Int(try row.integer(6)),
            expiresAt: try row.optionalInstant(5), key: key)
    }
}

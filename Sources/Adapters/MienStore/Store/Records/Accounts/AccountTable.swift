public import MienAPI
public import MienCore

/// A person's account, decrypted.
public struct AccountRecord: Sendable {
    public let id: UserID
    public var state: AccountState
    public var profile: Sensitive<AccountProfile>
    public let createdAt: Instant
    /// The time of the last stored change.
    public var updatedAt: Instant
    /// Counts the changes that end everything opened before them. See
    /// ``AccountTable/endSignIns(of:at:)``.
    public var epoch = 0
    /// The time when a pending account is removed; `nil` for any other account.
    public var expiresAt: Instant?
    /// Whether the account was made to try journeys. Never changes, so that no person's account
    /// becomes one.
    public let isTest: Bool
    /// The key that opens data sealed for this person.
    let key: AccountKey

    /// Whether nobody has changed the account between two reads of it.
    public func isSame(as other: AccountRecord) -> Bool {
        id == other.id && state == other.state && epoch == other.epoch
            && expiresAt == other.expiresAt
            && profile.use { mine in other.profile.use { mine == $0 } }
    }

    /// Creates an account with its own key.
    ///
    /// - Parameters:
    ///   - expiresAt: The end of a sign-up, which makes the account pending.
    ///   - isTest: Whether it is an account to try journeys with.
    ///   - isSuspended: Whether it begins suspended.
    public static func new(
        _ id: UserID, _ profile: AccountProfile, keys: StoreKeys, at now: Instant,
        pendingUntil expiresAt: Instant? = nil, isTest: Bool = false, isSuspended: Bool = false
    ) -> NewAccount {
        let (key, sealed) = keys.newAccountKey(for: id)
        let record = AccountRecord(
            id: id, state: expiresAt != nil ? .pending : isSuspended ? .suspended : .active,
            profile: Sensitive(profile),
            createdAt: now, updatedAt: now, expiresAt: expiresAt, isTest: isTest, key: key)
        return NewAccount(record: record, sealedKey: sealed)
    }
}

public struct NewAccount: Sendable {
    public let record: AccountRecord
    let sealedKey: [UInt8]
}

/// Personal data of an account.
public struct AccountProfile: Sendable, Hashable, Codable {
    /// The names as typed; ``LoginName`` is used for comparison. `email` is verified: a code sent
    /// to it was entered, or an administrator vouches for it.
    public var externalID, username, email: String?
    /// An unverified address. It never names the account, and only the code of the account's own
    /// sign-up is mailed to it.
    public var claimedEmail: String?
    /// The sign-up, while the account is pending.
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

    /// Replaces the address: attaches it if it is verified, otherwise keeps it as a claim.
    public mutating func setEmail(_ address: String?, isVerified: Bool) {
        (email, claimedEmail) = isVerified ? (address, nil) : (nil, address)
    }

    /// Returns the names by which the account can be found. A claimed address is not one of them.
    ///
    /// - Throws: ``LoginNameError`` if a name is invalid.
    public func names() throws(LoginNameError) -> [LoginName] {
        var names: [LoginName] = []
        if let externalID { names.append(try LoginName(externalID, kind: .externalID)) }
        if let username { names.append(try LoginName(username, kind: .username)) }
        if let email { names.append(try LoginName(email, kind: .email)) }
        return names
    }
}

/// The sign-in and the device that survive a change of credentials, because they made it.
public struct KeptSignIn: Sendable, Hashable {
    public let grant: GrantID?
    public let device: DeviceID?

    public init(grant: GrantID? = nil, device: DeviceID? = nil) {
        (self.grant, self.device) = (grant, device)
    }
}

public struct AccountTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, state, key_sealed, profile_sealed, created_at, expires_at, epoch, is_test, updated_at"

    /// Inserts an account. First frees names held by expired sign-ups.
    ///
    /// - Throws: ``StoreError`` `.conflict` if another account has one of the names, even as
    ///   another kind of name.
    public func insert(_ account: NewAccount, names: [LoginName]) throws(StoreError) {
        try insertRow(account)
        try setNames(names, of: account.record.id, at: account.record.createdAt)
    }

    /// Inserts an account without names, with the same writes as an account with names.
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
            INSERT INTO account (id, state, key_sealed, profile_sealed, created_at, expires_at, updated_at, is_test)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .id(record.id), .text(record.state.rawValue),
            .blob(keys.current(account.sealedKey, .accountKey, for: record.id.text)),
            .blob(sealed(record)), .time(record.createdAt),
            record.expiresAt.map { .time($0) } ?? .null, .time(record.createdAt),
            .flag(record.isTest))
    }

    /// Replaces the profile, the state, and the names. Mailed codes end if the account loses a name,
    /// which somebody else may take, or an address, which somebody else may read.
    ///
    /// - Throws: ``StoreError`` `.conflict` as for ``insert(_:names:)``, `.stale` if the account no
    ///   longer exists.
    public func update(_ record: AccountRecord, names: [LoginName], at now: Instant)
        throws(StoreError)
    {
        let before = try nameHashes(of: record.id)
        try updateRow(record, at: now)
        try connection.execute("DELETE FROM account_name WHERE account_id = ?", .id(record.id))
        try setNames(names, of: record.id, at: now)
        if try !before.isSubset(of: nameHashes(of: record.id)) { try endCodes(of: record.id) }
    }

    private func nameHashes(of id: UserID) throws(StoreError) -> Set<[UInt8]> {
        var hashes: Set<[UInt8]> = []
        for row in try connection.rows(
            "SELECT kind, name_hash FROM account_name WHERE account_id = ?", .id(id))
        {
            hashes.insert(Array("\(try row.text(0)) ".utf8) + (try row.blob(1)))
        }
        return hashes
    }

    /// Deletes the codes that were mailed for an account, and those whose mail waits.
    private func endCodes(of id: UserID) throws(StoreError) {
        try OneTimeCodeTable(connection: connection).deleteAll(of: id)
        connection.leaveNoTrace()
        try connection.execute(
            "DELETE FROM outbox WHERE account_id = ? AND kind = ?", .id(id),
            .text(OutboxMessage.Kind.mail.rawValue))
    }

    /// Replaces the profile, the state, and the expiration time. The names stay.
    ///
    /// - Throws: ``StoreError`` `.stale` if the account no longer exists.
    public func updateRow(_ record: AccountRecord, at now: Instant) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE account SET state = ?, profile_sealed = ?, expires_at = ?, updated_at = ? WHERE id = ?",
            .text(record.state.rawValue),
            .blob(sealed(record)), record.expiresAt.map { .time($0) } ?? .null, .time(now),
            .id(record.id))
        guard changed == 1 else { throw StoreError(.stale, "the account no longer exists") }
    }

    /// Returns another account that has this name, or a name that could be mistaken for it.
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

    /// Removes expired sign-ups and frees their names.
    ///
    /// - Returns: the number of removed sign-ups, at most `count`.
    public func sweepPending(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT id FROM account WHERE state = ? AND expires_at <= ? LIMIT ?",
            .text(AccountState.pending.rawValue), .time(now),
            .integer(Int64(count)))
        for row in rows { _ = try delete(try row.identifier(0)) }
        return rows.count
    }

    /// Destroys the person's key first, then the row and everything that belongs to the person.
    ///
    /// - Returns: whether the account existed.
    public func delete(_ id: UserID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        try GalleryTable(connection: connection, keys: keys).noteFaces(of: id)
        try connection.execute(
            "UPDATE account SET key_sealed = ?, profile_sealed = ? WHERE id = ?", .blob([]),
            .blob([]), .id(id))
        // Invitations contain the address of the invited account but belong to organizations, so
        // the database does not delete them with the account.
        try connection.execute(
            """
            DELETE FROM organization_invitation WHERE id IN (
              SELECT i.id FROM organization_invitation i
              JOIN account_name n ON n.kind = i.kind AND n.name_hash = i.name_hash WHERE n.account_id = ?)
            """, .id(id))
        // Delete mail to the person. Notices to apps that sign-ins have ended stay.
        try connection.execute(
            "DELETE FROM outbox WHERE account_id = ? AND kind IN (?, ?)", .id(id),
            .text(OutboxMessage.Kind.mail.rawValue),
            .text(OutboxMessage.Kind.noticeMail.rawValue))
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

    /// Finds the account that `identifier` names, as any possible kind of name:
    /// ``LoginName/candidates(_:)``.
    ///
    /// - Returns: `nil` if nobody has the name, or if two accounts have it as different kinds of names.
    public func find(identifier: String) throws(StoreError) -> AccountRecord? {
        let names = LoginName.candidates(identifier)
        guard !names.isEmpty else { return nil }
        let isOne = names.map { _ in "kind = ? AND name_hash = ?" }.joined(separator: " OR ")
        let rows = try connection.rows(
            "SELECT DISTINCT account_id FROM account_name WHERE \(isOne)",
            names.flatMap { [.text($0.kind.rawValue), .blob(hash($0))] })
        return rows.count == 1 ? try find(try rows[0].identifier(0) as UserID) : nil
    }

    /// Returns the account with an ID or a name. A name that looks like another account's ID does
    /// not stand in for that account.
    public func find(named text: String) throws(StoreError) -> AccountRecord? {
        if let id = UserID(text), let account = try find(id) { return account }
        return try find(identifier: text)
    }

    /// Returns `count` accounts after `last`, oldest first.
    ///
    /// - Parameter group: The group that they have; `nil` for all accounts.
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists, so that the remaining accounts
    ///   do not seem to be empty.
    public func page(after last: UserID?, count: Int, in group: String? = nil) throws(StoreError)
        -> [AccountRecord]
    {
        var list = TimedList(table: "account", time: "created_at")
        if let group {
            list.filter = "id IN (SELECT account_id FROM account_group WHERE name = ?)"
            list.values = [.text(group)]
        }
        return try connection.page(Self.columns, of: list, after: last, count: count)
            .map { row throws(StoreError) in try record(row) }
    }

    /// Returns the account's state and epoch, without decrypting the profile.
    public func standing(of id: UserID) throws(StoreError) -> (state: AccountState, epoch: Int)? {
        try connection.row("SELECT state, epoch FROM account WHERE id = ?", .id(id)).map {
            row throws(StoreError) in
            (try row.word(0), Int(try row.integer(1)))
        }
    }

    /// Starts a new epoch of the account after a password change, a suspension, or a disclosure of
    /// credentials.
    ///
    /// Ends everything opened earlier: grants, known devices, mailed codes, requests for approval,
    /// registration codes of OTP tokens, uploaded pictures, open recoveries. Anything that carries an
    /// epoch, such as journey tokens, waiting runs, verification sessions, and authorization codes,
    /// is rejected when presented.
    ///
    /// - Parameter kept: what survives, because it made the change.
    /// - Returns: the new epoch.
    @discardableResult
    public func endSignIns(
        of id: UserID, keeping kept: KeptSignIn = KeptSignIn(), at now: Instant
    ) throws(StoreError) -> Int {
        let epoch = try endBegunSignIns(of: id, at: now)
        try connection.execute(
            "DELETE FROM known_device WHERE account_id = ? AND id <> ?", .id(id), .id(kept.device))
        try connection.execute("DELETE FROM otp_registration WHERE account_id = ?", .id(id))
        let uploads = try connection.execute(
            "DELETE FROM identity_upload WHERE account_id = ?", .id(id))
        if uploads > 0 { connection.leaveNoTrace() }
        try RecoveryTable(connection: connection).endAll(of: id, .canceledByEpoch, at: now)
        try TokenGrantTable(connection: connection, keys: keys).revokeAll(
            of: id, except: kept.grant, at: now)
        return epoch
    }

    /// Starts a new epoch of the account after all its sign-ins, or all others, were ended.
    ///
    /// Ends the sign-ins that were begun and not completed: mailed codes, requests for approval, the
    /// registration codes that sign-ins asked for, and anything that carries an epoch. Grants, known
    /// devices, and recoveries stay.
    ///
    /// - Returns: the new epoch.
    @discardableResult
    public func endBegunSignIns(of id: UserID, at now: Instant) throws(StoreError) -> Int {
        try connection.execute(
            "UPDATE account SET epoch = epoch + 1, updated_at = ? WHERE id = ?", .time(now), .id(id)
        )
        try TokenGrantTable(connection: connection, keys: keys).endRegistrations(of: id)
        try connection.execute(
            "DELETE FROM approval WHERE account_id = ? AND decision = ''", .id(id))
        try endCodes(of: id)
        guard let standing = try standing(of: id) else {
            throw StoreError(.stale, "the account no longer exists")
        }
        return standing.epoch
    }

    /// Returns the SQL condition for other kinds of names. Within a kind, the table's key keeps
    /// names unique; an external ID must also differ from names of other kinds.
    private static func otherKinds(than name: LoginName) -> String {
        name.kind == .externalID ? "kind <> ?" : "kind = ?"
    }

    private func setNames(_ names: [LoginName], of id: UserID, at now: Instant) throws(StoreError) {
        for name in names {
            let others = Self.otherKinds(than: name)
            // An unfinished sign-up holds its name only as long as its journey can last.
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
                    .conflict, "another account uses this name as another kind of name")
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
            createdAt: try row.instant(4), updatedAt: try row.instant(8),
            epoch: Int(try row.integer(6)),
            expiresAt: try row.optionalInstant(5), isTest: try row.integer(7) != 0, key: key)
    }
}

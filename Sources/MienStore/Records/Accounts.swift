public import MienAccess
public import MienCore

/// A person's account, opened.
public struct AccountRecord: Sendable {
    public let id: UserID
    public var state: AccountState
    public var profile: Sensitive<AccountProfile>
    public let createdAt: Instant
    /// Counts the changes that end everything opened before them: see ``AccountTable/endSignIns(of:keeping:at:)``.
    public var epoch = 0
    /// Opens what is sealed for this person.
    let key: AccountKey

    /// A new account, with a key of its own.
    public static func new(_ id: UserID, _ profile: AccountProfile, keys: StoreKeys, at now: Instant) -> NewAccount {
        let (key, sealed) = keys.newAccountKey(for: id)
        return NewAccount(
            record: AccountRecord(id: id, state: .active, profile: Sensitive(profile), createdAt: now, key: key), sealedKey: sealed)
    }
}

public struct NewAccount: Sendable {
    public let record: AccountRecord
    let sealedKey: [UInt8]
}

/// What an account says of its person.
public struct AccountProfile: Sendable, Hashable, Codable {
    /// As typed; ``LoginName`` is what is compared.
    public var externalID, username, email: String?
    public var attributes: [String: JSONValue]

    public init(externalID: String? = nil, username: String? = nil, email: String? = nil, attributes: [String: JSONValue] = [:]) {
        (self.externalID, self.username, self.email, self.attributes) = (externalID, username, email, attributes)
    }

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
    private static let columns = "id, state, key_sealed, profile_sealed, created_at, epoch"

    /// - Throws: ``StoreError`` `.conflict` when somebody has one of the names already, be it as another kind of name.
    public func insert(_ account: NewAccount, names: [LoginName]) throws(StoreError) {
        try insertRow(account)
        try setNames(names, of: account.record.id)
    }

    func insertRow(_ account: NewAccount) throws(StoreError) {
        let record = account.record
        try connection.execute(
            "INSERT INTO account (id, state, key_sealed, profile_sealed, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)", .id(record.id),
            .text(record.state.rawValue),
            .blob(account.sealedKey), .blob(sealed(record)), .time(record.createdAt), .time(record.createdAt))
    }

    /// Replaces the profile, the state and the names.
    /// - Throws: ``StoreError`` `.conflict` as above, `.stale` when the account is gone.
    public func update(_ record: AccountRecord, names: [LoginName], at now: Instant) throws(StoreError) {
        let changed = try connection.execute(
            "UPDATE account SET state = ?, profile_sealed = ?, updated_at = ? WHERE id = ?", .text(record.state.rawValue), .blob(sealed(record)),
            .time(now), .id(record.id))
        guard changed == 1 else { throw StoreError(.stale, "the account is gone") }
        try connection.execute("DELETE FROM account_name WHERE account_id = ?", .id(record.id))
        try setNames(names, of: record.id)
    }

    /// Destroys the person's key first, then the row; everything of theirs goes with it.
    /// - Returns: whether there was such an account.
    public func delete(_ id: UserID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        try connection.execute("UPDATE account SET key_sealed = ?, profile_sealed = ? WHERE id = ?", .blob([]), .blob([]), .id(id))
        return try connection.execute("DELETE FROM account WHERE id = ?", .id(id)) == 1
    }

    public func find(_ id: UserID) throws(StoreError) -> AccountRecord? {
        try connection.row("SELECT \(Self.columns) FROM account WHERE id = ?", .id(id)).map { row throws(StoreError) in try record(row) }
    }

    public func find(_ name: LoginName) throws(StoreError) -> AccountRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM account WHERE id = (SELECT account_id FROM account_name WHERE kind = ? AND name_hash = ?)",
            .text(name.kind.rawValue), .blob(hash(name))
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Whoever `identifier` names, as any kind of name it may be: ``LoginName/candidates(_:)``.
    ///
    /// - Returns: `nil`, too, when it names two people, which names of before uniqueness across kinds can: neither answers for the other.
    public func find(identifier: String) throws(StoreError) -> AccountRecord? {
        let names = LoginName.candidates(identifier)
        guard !names.isEmpty else { return nil }
        let isOne = names.map { _ in "kind = ? AND name_hash = ?" }.joined(separator: " OR ")
        let rows = try connection.rows(
            "SELECT DISTINCT account_id FROM account_name WHERE \(isOne)", names.flatMap { [.text($0.kind.rawValue), .blob(hash($0))] })
        return rows.count == 1 ? try find(try rows[0].identifier(0) as UserID) : nil
    }

    /// Gives names of before `identifier_hash` theirs.
    ///
    /// - Returns: how many accounts had such; at most `count` are done.
    func completeIdentifiers(atMost count: Int) throws(StoreError) -> Int {
        let rows = try connection.rows(
            "SELECT DISTINCT account_id FROM account_name WHERE identifier_hash IS NULL LIMIT ?", .integer(Int64(count)))
        for row in rows {
            let id: UserID = try row.identifier(0)
            for name in (try? find(id)?.profile.use { try $0.names() }) ?? [] {
                try connection.execute(
                    "UPDATE account_name SET identifier_hash = ? WHERE account_id = ? AND kind = ?", .blob(identifierHash(name)), .id(id),
                    .text(name.kind.rawValue))
            }
            // Of an account that does not open nothing is known but this, which is nobody's identifier.
            try connection.execute("UPDATE account_name SET identifier_hash = name_hash WHERE account_id = ? AND identifier_hash IS NULL", .id(id))
        }
        return rows.count
    }

    /// The oldest accounts first, `count` after `last`.
    ///
    /// - Throws: ``StoreError`` `.stale` when `last` is gone, so that nobody takes the rest for nothing.
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
        try connection.row("SELECT state, epoch FROM account WHERE id = ?", .id(id)).map { row throws(StoreError) in
            (try row.word(0), Int(try row.integer(1)))
        }
    }

    /// Starts a new epoch of the account: a password changed, the account was suspended, or its credentials are known to others.
    ///
    /// Ends everything opened earlier: grants, known devices, registration codes of tokens. What carries its epoch with it, such as journey tokens, waiting
    /// runs, and authorization codes, is refused wherever it is presented.
    /// - Parameter grant: the sign-in that changed the password, which may stay.
    /// - Returns: the new epoch.
    @discardableResult
    public func endSignIns(of id: UserID, keeping grant: GrantID? = nil, at now: Instant) throws(StoreError) -> Int {
        try connection.execute("UPDATE account SET epoch = epoch + 1, updated_at = ? WHERE id = ?", .time(now), .id(id))
        try connection.execute("DELETE FROM known_device WHERE account_id = ?", .id(id))
        try connection.execute("DELETE FROM otp_registration WHERE account_id = ?", .id(id))
        try connection.execute(
            "UPDATE token_grant SET revoked_at = ? WHERE account_id = ? AND id <> ? AND revoked_at IS NULL", .time(now), .id(id), .id(grant))
        guard let standing = try standing(of: id) else { throw StoreError(.stale, "the account is gone") }
        return standing.epoch
    }

    private func setNames(_ names: [LoginName], of id: UserID) throws(StoreError) {
        for name in names {
            // Within a kind the key sees to it.
            let others = name.kind == .externalID ? "kind <> ?" : "kind = ?"
            guard
                try connection.row(
                    "SELECT 1 FROM account_name WHERE identifier_hash = ? AND account_id <> ? AND \(others)", .blob(identifierHash(name)), .id(id),
                    .text(LoginName.Kind.externalID.rawValue)) == nil
            else { throw StoreError(.conflict, "another account has this name, as another kind of name") }
            try connection.execute(
                "INSERT INTO account_name (kind, name_hash, account_id, identifier_hash) VALUES (?, ?, ?, ?)", .text(name.kind.rawValue),
                .blob(hash(name)), .id(id), .blob(identifierHash(name)))
        }
    }

    private func identifierHash(_ name: LoginName) -> [UInt8] { keys.hash(of: "identifier", name.identifier) }

    private func hash(_ name: LoginName) -> [UInt8] { keys.hash(of: name.kind.rawValue, name.normal) }

    private func sealed(_ record: AccountRecord) -> [UInt8] {
        record.profile.use { record.key.seal(JSONColumn.bytes($0), .accountProfile, for: record.id.text) }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> AccountRecord {
        let id: UserID = try row.identifier(0)
        let key = try keys.accountKey(row.blob(2), for: id)
        let profile = try JSONColumn.value(AccountProfile.self, key.open(row.blob(3), .accountProfile, for: id.text))
        return AccountRecord(
            id: id, state: try row.word(1), profile: Sensitive(profile), createdAt: try row.instant(4),
            epoch: Int(try row.integer(5)), key: key)
    }
}

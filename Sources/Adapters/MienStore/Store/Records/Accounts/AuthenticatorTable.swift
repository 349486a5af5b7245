public import MienCore

/// An authenticator of an account.
public struct AuthenticatorRecord: Sendable {
    public let id: AuthenticatorID
    public let account: UserID
    public let type: AuthenticatorType
    /// The app it belongs to; `nil` if it works with all apps.
    public let app: AppID?
    /// The secret content, such as a password's hash or a face's template.
    public var content: Sensitive<[UInt8]>
    /// Data that may be displayed, such as the number of photos or the model pack.
    public var info: [String: JSONValue]
    public let createdAt: Instant
    public var updatedAt: Instant

    public init(
        id: AuthenticatorID, account: UserID, type: AuthenticatorType, app: AppID?,
        content: [UInt8], info: [String: JSONValue] = [:],
        createdAt: Instant
    ) {
        (self.id, self.account, self.type, self.app, self.content) = (
            id, account, type, app, Sensitive(content)
        )
        (self.info, self.createdAt, updatedAt) = (info, createdAt, createdAt)
    }
}

public struct AuthenticatorTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, account_id, type, app_id, content_sealed, info, created_at, updated_at"

    public func insert(_ record: AuthenticatorRecord, of account: AccountRecord) throws(StoreError)
    {
        try connection.execute(
            "INSERT INTO authenticator (\(Self.columns), pack) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.id), .id(account.id),
            .text(record.type.rawValue), .id(record.app), .blob(sealed(record, account)),
            .text(JSONColumn.text(record.info)),
            .time(record.createdAt), .time(record.updatedAt), .text(Self.pack(of: record)))
        try noteFace(record)
    }

    /// Replaces the content in a single statement, so that the authenticator always has exactly one
    /// content.
    ///
    /// - Throws: ``StoreError`` `.stale` if it has changed since it was read, or no longer exists.
    ///   This keeps a rehash of an old password from undoing a password change.
    public func update(_ record: AuthenticatorRecord, of account: AccountRecord, at now: Instant)
        throws(StoreError)
    {
        connection.leaveNoTrace()
        let changed = try connection.execute(
            "UPDATE authenticator SET content_sealed = ?, info = ?, pack = ?, updated_at = ? WHERE id = ? AND account_id = ? AND updated_at = ?",
            .blob(sealed(record, account)), .text(JSONColumn.text(record.info)),
            .text(Self.pack(of: record)), .time(max(now, record.updatedAt + .milliseconds(1))),
            .id(record.id), .id(account.id), .time(record.updatedAt))
        guard changed == 1 else {
            throw StoreError(.stale, "the authenticator has changed since it was read")
        }
        try noteFace(record)
    }

    /// Notes a change of a face for the servers that hold it in memory.
    private func noteFace(_ record: AuthenticatorRecord) throws(StoreError) {
        guard record.type == .face, let app = record.app else { return }
        try galleries.note(record.id, app: app)
    }

    private var galleries: GalleryTable { GalleryTable(connection: connection, keys: keys) }

    /// - Returns: whether the account had the authenticator.
    public func delete(_ id: AuthenticatorID, of account: UserID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        try galleries.noteFace(id, of: account)
        try connection.execute(
            "UPDATE authenticator SET content_sealed = ? WHERE id = ? AND account_id = ?",
            .blob([]), .id(id), .id(account))
        // Deleted with the authenticator, and overwritten before, too.
        try connection.execute(
            "UPDATE kept_face SET content_sealed = ? WHERE authenticator_id IN (SELECT id FROM authenticator WHERE id = ? AND account_id = ?)",
            .blob([]), .id(id), .id(account))
        let isDeleted =
            try connection.execute(
                "DELETE FROM authenticator WHERE id = ? AND account_id = ?", .id(id), .id(account))
            == 1
        // A face that a new one replaced leaves the account's cases as they are.
        if isDeleted {
            try DuplicateCaseTable(connection: connection).deleteFaceless(account)
        }
        return isDeleted
    }

    public func all(of account: AccountRecord) throws(StoreError) -> [AuthenticatorRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM authenticator WHERE account_id = ? ORDER BY created_at, id",
            .id(account.id)
        )
        .map { row throws(StoreError) in try record(row, account) }
    }

    /// - Parameter app: the app, for a type that belongs to one app; `nil` for a type that works
    ///   with all apps.
    public func find(_ type: AuthenticatorType, of account: AccountRecord, app: AppID?)
        throws(StoreError) -> AuthenticatorRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM authenticator WHERE account_id = ? AND type = ? AND app_id = ? ORDER BY created_at DESC LIMIT 1",
            .id(account.id), .text(type.rawValue), .id(app)
        ).map { row throws(StoreError) in try record(row, account) }
    }

    /// Returns all authenticators of a type, oldest first.
    public func all(_ type: AuthenticatorType, of account: AccountRecord, app: AppID?)
        throws(StoreError) -> [AuthenticatorRecord]
    {
        try connection.rows(
            "SELECT \(Self.columns) FROM authenticator WHERE account_id = ? AND type = ? AND app_id = ? ORDER BY created_at, id",
            .id(account.id), .text(type.rawValue), .id(app)
        ).map { row throws(StoreError) in try record(row, account) }
    }

    public func find(_ id: AuthenticatorID, of account: AccountRecord) throws(StoreError)
        -> AuthenticatorRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM authenticator WHERE id = ? AND account_id = ?", .id(id),
            .id(account.id)
        )
        .map { row throws(StoreError) in try record(row, account) }
    }

    public func exists(_ id: AuthenticatorID, of account: UserID) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM authenticator WHERE id = ? AND account_id = ?", .id(id), .id(account))
            != nil
    }

    /// Returns what imported passwords name as their `imported`: the ways in which they are hashed.
    public func importedHashes() throws(StoreError) -> [String] {
        // In one statement, from one to the next through the index: there may be many passwords, and
        // many ways.
        try connection.rows(
            """
            WITH RECURSIVE found (pack) AS (
              SELECT (SELECT pack FROM authenticator WHERE type = ? AND pack > '' ORDER BY type, pack LIMIT 1)
              UNION ALL
              SELECT (SELECT a.pack FROM authenticator a WHERE a.type = ? AND a.pack > found.pack ORDER BY a.type, a.pack LIMIT 1)
              FROM found WHERE found.pack IS NOT NULL)
            SELECT pack FROM found WHERE pack IS NOT NULL
            """, .text(AuthenticatorType.password.rawValue),
            .text(AuthenticatorType.password.rawValue)
        ).map { row throws(StoreError) in try row.text(0) }
    }

    /// Whether there is an imported password that is still hashed as it was imported.
    public func hasImportedHashes() throws(StoreError) -> Bool {
        try connection.row(
            "SELECT pack FROM authenticator WHERE type = ? AND pack > ? ORDER BY type, pack LIMIT 1",
            .text(AuthenticatorType.password.rawValue), .text("")) != nil
    }

    /// Counts an import of hashes, so that all servers learn how long they take. Call this in its
    /// transaction.
    public func noteImportedHashes() throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.importedHashes)
    }

    /// Deletes every face of an app together with the app.
    public func deleteAll(ofApp app: AppID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute("DELETE FROM authenticator WHERE app_id = ?", .id(app))
        try galleries.remove(app)
    }

    private func sealed(_ record: AuthenticatorRecord, _ account: AccountRecord) -> [UInt8] {
        record.content.use {
            account.key.seal(
                $0, .authenticator, for: Self.identity(record.id, record.type, record.app))
        }
    }

    /// Returns the identity to which the content is bound. A template moved to another account,
    /// type, or app cannot be decrypted.
    static func identity(_ id: AuthenticatorID, _ type: AuthenticatorType, _ app: AppID?)
        -> String
    {
        "\(id.text) \(type.rawValue) \(app?.text ?? "")"
    }

    private func record(_ row: SQLRow, _ account: AccountRecord) throws(StoreError)
        -> AuthenticatorRecord
    {
        let id: AuthenticatorID = try row.identifier(0), type: AuthenticatorType = try row.word(2),
            app: AppID? = try row.optionalIdentifier(3)
        var record = AuthenticatorRecord(
            id: id, account: account.id, type: type, app: app,
            content: try account.key.open(
                row.blob(4), .authenticator, for: Self.identity(id, type, app)),
            info: try JSONColumn.value([String: JSONValue].self, row.text(5).utf8),
            createdAt: try row.instant(6))
        record.updatedAt = try row.instant(7)
        return record
    }
}

public import MienCore
public import MienIdentity

/// A verification session: its state, and what it has captured, sealed under a key of its own.
public struct VerificationSessionRecord: Sendable {
    public enum Owner: String, Sendable {
        /// An app that asked for it with its own credentials.
        case relyingParty = "relying_party"
        /// A signed-in user, for an attempt of their own.
        case user
        /// A run of a journey.
        case journey
    }

    public let id: IdentityAttemptID
    public let tokenHash: [UInt8]
    public let app: AppID
    public let owner: Owner
    /// The user whose session it is.
    public let account: UserID?
    /// The run of a journey that it belongs to.
    public let run: InstanceID?
    public var session: VerificationSession
    /// The judgment; `nil` before, and for sessions whose judgment belongs to a user's attempt.
    public var result: AttemptRecord.Result?
    public let createdAt: Instant
    /// The end of the retention of ``content`` and of the pictures.
    public let contentExpiresAt: Instant
    /// When the record is deleted, with its result and the hashes of the pictures.
    public let recordExpiresAt: Instant
    /// JSON: where to return to, and what was read; `nil` once erased.
    public var content: Sensitive<[UInt8]>?
    /// Counts changes; 0 for a new session.
    public let revision: Int

    public init(
        id: IdentityAttemptID, tokenHash: [UInt8], app: AppID, owner: Owner,
        account: UserID? = nil, run: InstanceID? = nil, session: VerificationSession,
        result: AttemptRecord.Result? = nil, createdAt: Instant, contentExpiresAt: Instant,
        recordExpiresAt: Instant? = nil, content: Sensitive<[UInt8]>?, revision: Int = 0
    ) {
        (self.id, self.tokenHash, self.app, self.owner) = (id, tokenHash, app, owner)
        (self.account, self.run, self.session, self.result) = (account, run, session, result)
        (self.createdAt, self.contentExpiresAt) = (createdAt, contentExpiresAt)
        // A record is kept at least as long as its content.
        self.recordExpiresAt = max(recordExpiresAt ?? contentExpiresAt, contentExpiresAt)
        (self.content, self.revision) = (content, revision)
    }
}

/// The verification sessions. Each has a key of its own: expiry, cancellation, the end of the
/// retention, and withdrawal of consent destroy it. The key of a user's session is sealed under the
/// account's, so that deleting the account destroys it, too.
public struct VerificationSessionTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, token_hash, app_id, owner, account_id, run_id, state, status, result, created_at, expires_at, content_expires_at, revision, key_sealed, content_sealed, record_expires_at"

    /// - Parameter account: The user whose session it is.
    /// - Parameter origin: A keyed hash of the address that opened it.
    public func insert(
        _ record: VerificationSessionRecord, of account: AccountRecord? = nil,
        from origin: [UInt8]? = nil
    ) throws(StoreError) {
        precondition(record.account == account?.id, "the session belongs to the account")
        let id = record.id.text
        let key = keys.newRecordKey(of: owner(account), .sessionKey, for: id)
        let content = record.content?.use { key.key.seal($0, .sessionContent, for: id) }
        try connection.execute(
            "INSERT INTO verification_session (\(Self.columns), origin_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)",
            .id(record.id), .blob(record.tokenHash), .id(record.app),
            .text(record.owner.rawValue), record.account.map { .id($0) } ?? .null,
            record.run.map { .id($0) } ?? .null, .text(JSONColumn.text(record.session)),
            .text(record.session.status.rawValue),
            .text(record.result.map { JSONColumn.text($0) } ?? ""), .time(record.createdAt),
            .time(record.session.expiresAt), .time(record.contentExpiresAt), .blob(key.sealed),
            content.map { .blob($0) } ?? .null, .time(record.recordExpiresAt),
            origin.map { .blob($0) } ?? .null)
    }

    /// Finds a session that belongs to no user, or to this one.
    public func find(_ id: IdentityAttemptID, of account: AccountRecord? = nil)
        throws(StoreError) -> VerificationSessionRecord?
    {
        guard
            let row = try connection.row(
                "SELECT \(Self.columns) FROM verification_session WHERE id = ?", .id(id))
        else { return nil }
        let user: UserID? = try row[4] == .null ? nil : row.identifier(4)
        guard user == account?.id else { return nil }
        var content: Sensitive<[UInt8]>?
        if let key = try row.optionalBlob(13), let sealed = try row.optionalBlob(14) {
            content = Sensitive(
                try keys.recordKey(key, of: owner(account), .sessionKey, for: id.text).open(
                    sealed, .sessionContent, for: id.text))
        }
        let result = try row.text(8)
        return VerificationSessionRecord(
            id: id, tokenHash: try row.blob(1), app: try row.identifier(2),
            owner: try row.word(3), account: user,
            run: try row[5] == .null ? nil : row.identifier(5),
            session: try JSONColumn.value(VerificationSession.self, row.text(6).utf8),
            result: result.isEmpty
                ? nil : try JSONColumn.value(AttemptRecord.Result.self, result.utf8),
            createdAt: try row.instant(9), contentExpiresAt: try row.instant(11),
            recordExpiresAt: try row.instant(15), content: content,
            revision: Int(try row.integer(12)))
    }

    /// The user whose session it is; `nil` if it is nobody's, or unknown.
    public func account(of id: IdentityAttemptID) throws(StoreError) -> UserID? {
        let row = try connection.row(
            "SELECT account_id FROM verification_session WHERE id = ?", .id(id))
        guard let row, row[0] != .null else { return nil }
        return try row.identifier(0)
    }

    /// The number of an app's sessions of one kind of owner that wait for input.
    public func open(of app: AppID, owner: VerificationSessionRecord.Owner) throws(StoreError)
        -> Int
    {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM verification_session WHERE owner = ? AND status IN ('requires_input', 'recapture') AND app_id = ?",
                .text(owner.rawValue), .id(app))?.integer(0) ?? 0)
    }

    /// The number of sessions of journeys that wait for input and that an address opened, in all
    /// apps.
    public func open(ofJourneysFrom origin: [UInt8]) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM verification_session WHERE owner = 'journey' AND status IN ('requires_input', 'recapture') AND origin_hash = ?",
                .blob(origin))?.integer(0) ?? 0)
    }

    /// The bytes of pictures in sessions of no account that have not ended.
    public struct StoredBytes: Sendable {
        /// In all sessions of this kind of owner, and in those of one app.
        public let all, app: Int
        /// In sessions of either kind that one address sent pictures to last.
        public let origin: Int
    }

    public func bytes(
        owner: VerificationSessionRecord.Owner, app: AppID, origin: [UInt8]
    ) throws(StoreError) -> StoredBytes {
        func sum(_ condition: String, _ values: SQLValue...) throws(StoreError) -> Int {
            Int(
                try connection.rows(
                    "SELECT CAST(COALESCE(SUM(stored_bytes), 0) AS BIGINT) FROM verification_session WHERE status IN ('requires_input', 'recapture', 'processing') AND \(condition)",
                    values
                ).first?.integer(0) ?? 0)
        }
        return StoredBytes(
            all: try sum("owner = ?", .text(owner.rawValue)),
            app: try sum("owner = ? AND app_id = ?", .text(owner.rawValue), .id(app)),
            origin: try sum(
                "owner IN ('journey', 'relying_party') AND origin_hash = ?", .blob(origin))
        )
    }

    /// Notes that an address sends pictures to a session.
    public func note(origin: [UInt8], of id: IdentityAttemptID) throws(StoreError) {
        try connection.execute(
            "UPDATE verification_session SET origin_hash = ? WHERE id = ?", .blob(origin), .id(id))
    }

    /// Counts the bytes that a session holds. The picture that an app compares with is its own.
    private func countBytes(of id: IdentityAttemptID) throws(StoreError) {
        try connection.execute(
            """
            UPDATE verification_session SET stored_bytes = (SELECT COALESCE(SUM(LENGTH(content_sealed)), 0)
              FROM verification_image WHERE session_id = ? AND role <> 'reference') WHERE id = ?
            """, .id(id), .id(id))
    }

    /// Returns a user's sessions in an app that wait for input.
    public func openSessions(of account: UserID, app: AppID) throws(StoreError)
        -> [IdentityAttemptID]
    {
        try connection.rows(
            "SELECT id FROM verification_session WHERE account_id = ? AND app_id = ? AND status IN ('requires_input', 'recapture') ORDER BY created_at, id",
            .id(account), .id(app)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Stores a changed session.
    ///
    /// - Throws: ``StoreError`` `.stale` if it changed since it was read, or no longer exists.
    public func update(_ record: VerificationSessionRecord, of account: AccountRecord? = nil)
        throws(StoreError)
    {
        let id = record.id.text
        let row = try connection.row(
            "SELECT key_sealed FROM verification_session WHERE id = ?", .id(record.id))
        var sealed: [UInt8]?
        if let row, let key = try row.optionalBlob(0), let content = record.content {
            let key = try keys.recordKey(key, of: owner(account), .sessionKey, for: id)
            sealed = content.use { key.seal($0, .sessionContent, for: id) }
        }
        let changed = try connection.execute(
            "UPDATE verification_session SET state = ?, status = ?, result = ?, content_sealed = ?, revision = revision + 1 WHERE id = ? AND revision = ?",
            .text(JSONColumn.text(record.session)), .text(record.session.status.rawValue),
            .text(record.result.map { JSONColumn.text($0) } ?? ""),
            sealed.map { .blob($0) } ?? .null, .id(record.id), .integer(Int64(record.revision)))
        guard changed == 1 else {
            throw StoreError(.stale, "the session changed since it was read")
        }
    }

    // MARK: Pictures

    /// Stores a picture, in place of an earlier one with the same role.
    ///
    /// - Throws: ``StoreError`` `.stale` if the session's key was destroyed.
    public func put(
        _ image: AttemptImage, in id: IdentityAttemptID, of account: AccountRecord? = nil
    ) throws(StoreError) {
        let row = try connection.row(
            "SELECT key_sealed FROM verification_session WHERE id = ?", .id(id))
        guard let row, let sealedKey = try row.optionalBlob(0) else {
            throw StoreError(.stale, "the session has ended")
        }
        let key = try keys.recordKey(sealedKey, of: owner(account), .sessionKey, for: id.text)
        let sealed = image.content?.use {
            key.seal($0, .sessionImage, for: "\(id.text) \(image.role)")
        }
        try drop([image.role], of: id)
        try connection.execute(
            "INSERT INTO verification_image (session_id, role, sha256, content_sealed) VALUES (?, ?, ?, ?)",
            .id(id), .text(image.role), .blob(image.sha256), sealed.map { .blob($0) } ?? .null)
        try countBytes(of: id)
    }

    /// Returns the pictures of a session by role, decrypted.
    public func images(of id: IdentityAttemptID, of account: AccountRecord? = nil)
        throws(StoreError) -> [AttemptImage]
    {
        try images(of: id, of: account, only: nil)
    }

    private func images(
        of id: IdentityAttemptID, of account: AccountRecord?, only role: String?
    ) throws(StoreError) -> [AttemptImage] {
        var images: [AttemptImage] = []
        for row in try connection.rows(
            """
            SELECT i.role, i.sha256, i.content_sealed, s.key_sealed FROM verification_image i
            JOIN verification_session s ON s.id = i.session_id
            WHERE s.id = ?\(role == nil ? "" : " AND i.role = ?") ORDER BY i.role
            """, [.id(id)] + (role.map { [.text($0)] } ?? []))
        {
            let role = try row.text(0)
            var content: Sensitive<[UInt8]>?
            if let key = try row.optionalBlob(3), let sealed = try row.optionalBlob(2) {
                content = Sensitive(
                    try keys.recordKey(key, of: owner(account), .sessionKey, for: id.text).open(
                        sealed, .sessionImage, for: "\(id.text) \(role)"))
            }
            images.append(AttemptImage(role: role, sha256: try row.blob(1), content: content))
        }
        return images
    }

    /// Returns the pictures of a session by role, without decrypting any.
    public func list(of id: IdentityAttemptID) throws(StoreError) -> [ListedImage] {
        try connection.rows(
            """
            SELECT i.role, i.sha256, i.content_sealed IS NOT NULL AND s.key_sealed IS NOT NULL
            FROM verification_image i
            JOIN verification_session s ON s.id = i.session_id WHERE s.id = ? ORDER BY i.role
            """, .id(id)
        ).map(ListedImage.init)
    }

    /// Returns one picture of a session, decrypted.
    public func image(
        _ role: String, of id: IdentityAttemptID, of account: AccountRecord? = nil
    ) throws(StoreError) -> AttemptImage? {
        try images(of: id, of: account, only: role).first
    }

    /// Removes pictures for good.
    public func drop(_ roles: [String], of id: IdentityAttemptID) throws(StoreError) {
        connection.leaveNoTrace()
        for role in roles {
            try connection.execute(
                "DELETE FROM verification_image WHERE session_id = ? AND role = ?", .id(id),
                .text(role))
        }
        try countBytes(of: id)
    }

    // MARK: Ends

    /// Deletes the records of sessions: those that ended without a judgment once the retention of
    /// their content has ended, all others at ``VerificationSessionRecord/recordExpiresAt``. Reads
    /// nothing of them, so a damaged one goes, too.
    ///
    /// - Returns: the number of deleted sessions, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM verification_session WHERE id IN (SELECT id FROM verification_session WHERE \(Self.isOver) LIMIT ?)",
            .time(now), .time(now), .integer(Int64(count)))
    }

    /// Returns the number of sessions that ``sweep(at:atMost:)`` would delete.
    public func sweepable(at now: Instant) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM verification_session WHERE \(Self.isOver)", .time(now),
                .time(now))?.integer(0) ?? 0)
    }

    private static let isOver =
        "record_expires_at <= ? OR (status IN ('canceled', 'expired') AND content_expires_at <= ?)"

    /// Returns sessions that wait for input although their time is over, by ID.
    ///
    /// - Parameter last: The last one of the page before, which may still be overdue.
    public func overdue(at now: Instant, after last: IdentityAttemptID? = nil, atMost count: Int)
        throws(StoreError) -> [IdentityAttemptID]
    {
        try connection.rows(
            "SELECT id FROM verification_session WHERE status IN ('requires_input', 'recapture') AND expires_at <= ? AND id > ? ORDER BY id LIMIT ?",
            .time(now), .text(last?.text ?? ""), .integer(Int64(count))
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Destroys the key of a session, with its content and pictures. Its state, the results of its
    /// checks, and hashes of the pictures remain.
    ///
    /// - Returns: `false` if that happened before.
    public func erase(_ id: IdentityAttemptID) throws(StoreError) -> Bool {
        try erase(where: "id = ?", [.id(id)]) == 1
    }

    /// Erases the pictures of a session. Their hashes, and the session's content, remain.
    public func erasePictures(of id: IdentityAttemptID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute(
            "UPDATE verification_image SET content_sealed = NULL WHERE session_id = ?", .id(id))
        try countBytes(of: id)
    }

    /// Destroys the keys of a user's sessions in an app.
    public func erase(of account: UserID, app: AppID) throws(StoreError) -> Int {
        try erase(where: "account_id = ? AND app_id = ?", [.id(account), .id(app)])
    }

    /// Destroys the keys of the sessions whose retention has ended.
    ///
    /// - Returns: the number of erased sessions, at most `count`.
    public func purge(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try erase(
            where:
                "id IN (SELECT id FROM verification_session WHERE key_sealed IS NOT NULL AND content_expires_at <= ? ORDER BY content_expires_at, id LIMIT ?)",
            [.time(now), .integer(Int64(count))])
    }

    /// Returns the number of sessions that ``purge(at:atMost:)`` would erase.
    public func purgeable(at now: Instant) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM verification_session WHERE key_sealed IS NOT NULL AND content_expires_at <= ?",
                .time(now))?.integer(0) ?? 0)
    }

    private func erase(where condition: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        try connection.execute(
            "UPDATE verification_image SET content_sealed = NULL WHERE session_id IN (SELECT id FROM verification_session WHERE \(condition))",
            values)
        return try connection.execute(
            "UPDATE verification_session SET key_sealed = NULL, content_sealed = NULL, stored_bytes = 0, revision = revision + 1 WHERE key_sealed IS NOT NULL AND \(condition)",
            values)
    }

    /// The key under which the session's own key is sealed.
    private func owner(_ account: AccountRecord?) -> AccountKey { account?.key ?? keys.ownerless }
}

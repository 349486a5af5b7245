public import MienCore
public import MienIdentity

/// One attempt to verify an identity, for reviewers and evidence.
public struct AttemptRecord: Sendable {
    /// The judgment of an attempt. Contains no personal data.
    public struct Result: Sendable, Hashable, Codable {
        public var checks: IdentityChecks
        public var recommendation: IdentityRecommendation
        public var rulesVersion: String
        /// The names of the sources that answered.
        public var sources: [String]
        public var isSimulated: Bool
        /// The model pack that compared faces.
        public var pack: String?
        /// The pictures or documents to send instead, and why. `nil` if there are none.
        public var recapture: [DocumentRecapture]?

        public init(
            checks: IdentityChecks, recommendation: IdentityRecommendation, rulesVersion: String,
            sources: [String], isSimulated: Bool, pack: String? = nil,
            recapture: [DocumentRecapture] = []
        ) {
            (self.checks, self.recommendation, self.rulesVersion) = (
                checks, recommendation, rulesVersion
            )
            (self.sources, self.isSimulated, self.pack) = (sources, isSimulated, pack)
            self.recapture = recapture.isEmpty ? nil : recapture
        }
    }

    public let id: IdentityAttemptID
    public let account: UserID
    public let app: AppID
    public let kind: VerificationAttempt.Kind
    public let begunAt: Instant
    /// The end of the retention of ``content`` and of the images.
    public let contentExpiresAt: Instant
    /// `nil` until the attempt is judged.
    public var result: Result?
    /// The time the attempt ended, by judgment or by a review.
    public var concludedAt: Instant?
    /// The personal data, as JSON; `nil` once erased.
    public let content: Sensitive<[UInt8]>?

    public init(
        id: IdentityAttemptID, account: UserID, app: AppID, kind: VerificationAttempt.Kind,
        begunAt: Instant, contentExpiresAt: Instant, content: Sensitive<[UInt8]>?,
        result: Result? = nil, concludedAt: Instant? = nil
    ) {
        (self.id, self.account, self.app, self.kind) = (id, account, app, kind)
        (self.begunAt, self.contentExpiresAt, self.content) = (begunAt, contentExpiresAt, content)
        (self.result, self.concludedAt) = (result, concludedAt)
    }
}

/// A picture of an attempt.
public struct AttemptImage: Sendable {
    /// Such as `front`, `back`, `face`.
    public let role: String
    /// SHA-256, kept for evidence after the picture is erased.
    public let sha256: [UInt8]
    /// `nil` once erased.
    public let content: Sensitive<[UInt8]>?

    public init(role: String, sha256: [UInt8], content: Sensitive<[UInt8]>?) {
        (self.role, self.sha256, self.content) = (role, sha256, content)
    }
}

/// A picture by name, which was not decrypted.
public struct ListedImage: Sendable, Hashable {
    public let role: String
    /// SHA-256 of the picture.
    public let sha256: [UInt8]
    /// Whether it can still be read; `false` once erased.
    public let isKept: Bool

    init(_ row: SQLRow) throws(StoreError) {
        (role, sha256) = (try row.text(0), try row.blob(1))
        isKept = try row.integer(2) != 0
    }
}

/// The attempts to verify identities. Each has a key of its own, sealed under the account's: erasing an
/// attempt destroys the key, and deleting the account destroys all of them.
public struct VerificationAttemptTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, account_id, app_id, kind, begun_at, content_expires_at, result, concluded_at, key_sealed, content_sealed"

    /// Stores a new attempt. One that begins in the same millisecond as the user's last one is stored
    /// as a millisecond later, so that attempts keep their order.
    ///
    /// - Throws: ``StoreError`` `.conflict` for a known ID, `.stale` if the account no longer exists.
    public func insert(
        _ record: AttemptRecord, images: [AttemptImage] = [], of account: AccountRecord
    ) throws(StoreError) {
        let last = try connection.row(
            "SELECT MAX(begun_at) FROM identity_attempt WHERE account_id = ?", .id(record.account)
        )?.optionalInstant(0)
        let begunAt = last.map { max(record.begunAt, $0 + .milliseconds(1)) } ?? record.begunAt
        let key = keys.newRecordKey(of: account.key, .identityKey, for: record.id.text)
        let content = record.content?.use {
            key.key.seal($0, .identityContent, for: record.id.text)
        }
        try connection.execute(
            "INSERT INTO identity_attempt (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(record.id), .id(record.account), .id(record.app), .text(record.kind.rawValue),
            .time(begunAt), .time(record.contentExpiresAt),
            .text(record.result.map { JSONColumn.text($0) } ?? ""), .time(record.concludedAt),
            .blob(key.sealed), content.map { .blob($0) } ?? .null)
        for image in images {
            let sealed = image.content?.use {
                key.key.seal($0, .identityImage, for: "\(record.id.text) \(image.role)")
            }
            try connection.execute(
                "INSERT INTO identity_image (attempt_id, role, sha256, content_sealed) VALUES (?, ?, ?, ?)",
                .id(record.id), .text(image.role), .blob(image.sha256),
                sealed.map { .blob($0) } ?? .null)
        }
    }

    public func find(_ id: IdentityAttemptID, of account: AccountRecord) throws(StoreError)
        -> AttemptRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM identity_attempt WHERE id = ? AND account_id = ?",
            .id(id), .id(account.id)
        ).map { row throws(StoreError) in try record(row, account) }
    }

    /// Returns a user's attempts, the oldest first.
    public func all(of account: AccountRecord) throws(StoreError) -> [AttemptRecord] {
        var records: [AttemptRecord] = []
        for row in try connection.rows(
            "SELECT \(Self.columns) FROM identity_attempt WHERE account_id = ? ORDER BY begun_at, id",
            .id(account.id))
        {
            records.append(try record(row, account))
        }
        return records
    }

    /// Returns the pictures of an attempt by role, without decrypting any.
    public func list(of id: IdentityAttemptID, of account: UserID) throws(StoreError)
        -> [ListedImage]
    {
        try connection.rows(
            """
            SELECT i.role, i.sha256, i.content_sealed IS NOT NULL AND a.key_sealed IS NOT NULL
            FROM identity_image i
            JOIN identity_attempt a ON a.id = i.attempt_id WHERE a.id = ? AND a.account_id = ? ORDER BY i.role
            """, .id(id), .id(account)
        ).map(ListedImage.init)
    }

    /// Returns one picture of an attempt, decrypted.
    public func image(_ role: String, of id: IdentityAttemptID, of account: AccountRecord)
        throws(StoreError) -> AttemptImage?
    {
        try images(of: id, of: account, only: role).first
    }

    /// Returns the pictures of an attempt by role, decrypted.
    public func images(of id: IdentityAttemptID, of account: AccountRecord) throws(StoreError)
        -> [AttemptImage]
    {
        try images(of: id, of: account, only: nil)
    }

    private func images(
        of id: IdentityAttemptID, of account: AccountRecord, only role: String?
    ) throws(StoreError) -> [AttemptImage] {
        let rows = try connection.rows(
            """
            SELECT i.role, i.sha256, i.content_sealed, a.key_sealed FROM identity_image i
            JOIN identity_attempt a ON a.id = i.attempt_id
            WHERE a.id = ? AND a.account_id = ?\(role == nil ? "" : " AND i.role = ?") ORDER BY i.role
            """, [.id(id), .id(account.id)] + (role.map { [.text($0)] } ?? []))
        var images: [AttemptImage] = []
        for row in rows {
            let role = try row.text(0)
            var content: Sensitive<[UInt8]>?
            if let key = try row.optionalBlob(3), let sealed = try row.optionalBlob(2) {
                content = Sensitive(
                    try keys.recordKey(key, of: account.key, .identityKey, for: id.text).open(
                        sealed, .identityImage, for: "\(id.text) \(role)"))
            }
            images.append(AttemptImage(role: role, sha256: try row.blob(1), content: content))
        }
        return images
    }

    /// Records the judgment.
    ///
    /// - Parameter content: Replaces the attempt's content, unless that was erased.
    /// - Returns: `false` if the attempt is unknown or was judged before.
    public func judge(
        _ id: IdentityAttemptID, _ result: AttemptRecord.Result,
        content: Sensitive<[UInt8]>? = nil, of account: AccountRecord
    ) throws(StoreError) -> Bool {
        guard
            try connection.execute(
                "UPDATE identity_attempt SET result = ? WHERE id = ? AND result = ''",
                .text(JSONColumn.text(result)), .id(id)) == 1
        else { return false }
        guard let content,
            let key = try connection.row(
                "SELECT key_sealed FROM identity_attempt WHERE id = ? AND account_id = ?", .id(id),
                .id(account.id))?.optionalBlob(0)
        else { return true }
        let record = try keys.recordKey(key, of: account.key, .identityKey, for: id.text)
        let sealed = content.use { record.seal($0, .identityContent, for: id.text) }
        try connection.execute(
            "UPDATE identity_attempt SET content_sealed = ? WHERE id = ?", .blob(sealed), .id(id))
        return true
    }

    /// Records the end of an attempt.
    ///
    /// - Returns: `false` if the attempt is unknown or ended before.
    public func conclude(_ id: IdentityAttemptID, at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE identity_attempt SET concluded_at = ? WHERE id = ? AND concluded_at IS NULL",
            .time(now), .id(id)) == 1
    }

    /// Returns attempts that began before `time`, were never judged, and wait for no worker, because
    /// the server ended meanwhile.
    public func unjudged(begunBefore time: Instant, atMost count: Int) throws(StoreError) -> [(
        id: IdentityAttemptID, account: UserID
    )] {
        var found: [(IdentityAttemptID, UserID)] = []
        for row in try connection.rows(
            "SELECT id, account_id FROM identity_attempt WHERE result = '' AND concluded_at IS NULL AND begun_at < ? AND NOT EXISTS (SELECT 1 FROM identity_job j WHERE j.id = identity_attempt.id) ORDER BY begun_at, id LIMIT ?",
            .time(time), .integer(Int64(count)))
        {
            found.append((try row.identifier(0), try row.identifier(1)))
        }
        return found
    }

    // MARK: Erasure

    /// Destroys the keys of a user's attempts in an app, with their data and pictures: the user
    /// withdrew consent. Results and hashes of the pictures remain, as evidence.
    ///
    /// - Returns: the number of erased attempts.
    public func erase(of account: UserID, app: AppID) throws(StoreError) -> Int {
        try erase(where: "account_id = ? AND app_id = ?", [.id(account), .id(app)])
    }

    /// Destroys the keys of the attempts whose retention has ended.
    ///
    /// - Returns: the number of erased attempts, at most `count`.
    public func purge(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try erase(
            where:
                "id IN (SELECT id FROM identity_attempt WHERE key_sealed IS NOT NULL AND content_expires_at <= ? ORDER BY content_expires_at, id LIMIT ?)",
            [.time(now), .integer(Int64(count))])
    }

    /// Returns the number of attempts that ``purge(at:atMost:)`` would erase.
    public func purgeable(at now: Instant) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM identity_attempt WHERE key_sealed IS NOT NULL AND content_expires_at <= ?",
                .time(now))?.integer(0) ?? 0)
    }

    private func erase(where condition: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        try connection.execute(
            "UPDATE identity_image SET content_sealed = NULL WHERE attempt_id IN (SELECT id FROM identity_attempt WHERE \(condition))",
            values)
        return try connection.execute(
            "UPDATE identity_attempt SET key_sealed = NULL, content_sealed = NULL WHERE key_sealed IS NOT NULL AND \(condition)",
            values)
    }

    private func record(_ row: SQLRow, _ account: AccountRecord) throws(StoreError)
        -> AttemptRecord
    {
        let id: IdentityAttemptID = try row.identifier(0), result = try row.text(6)
        var content: Sensitive<[UInt8]>?
        if let key = try row.optionalBlob(8), let sealed = try row.optionalBlob(9) {
            content = Sensitive(
                try keys.recordKey(key, of: account.key, .identityKey, for: id.text).open(
                    sealed, .identityContent, for: id.text))
        }
        return AttemptRecord(
            id: id, account: try row.identifier(1), app: try row.identifier(2),
            kind: try row.word(3), begunAt: try row.instant(4),
            contentExpiresAt: try row.instant(5), content: content,
            result: result.isEmpty
                ? nil : try JSONColumn.value(AttemptRecord.Result.self, result.utf8),
            concludedAt: try row.optionalInstant(7))
    }
}

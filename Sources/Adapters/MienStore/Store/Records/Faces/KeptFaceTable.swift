public import MienCore

/// A face template that is kept beside a face: from before its last migration to another model
/// pack, or waiting for one.
public struct KeptFaceRecord: Sendable {
    public enum Role: String, Sendable, CaseIterable {
        /// The template that a migration replaced.
        case former
        /// The template that replaces the face's once a run proves a second factor.
        case candidate
    }

    /// The face.
    public let authenticator: AuthenticatorID
    public let role: Role
    /// The model pack that created the template.
    public let pack: PackID
    /// The journey run of a candidate; empty for a former template.
    public let run: String
    /// A `FaceTemplate` in its binary format.
    public let content: Sensitive<[UInt8]>
    public let createdAt: Instant
    public let expiresAt: Instant

    public init(
        authenticator: AuthenticatorID, role: Role, pack: PackID, run: String = "",
        content: Sensitive<[UInt8]>, createdAt: Instant, expiresAt: Instant
    ) {
        (self.authenticator, self.role, self.pack, self.run) = (authenticator, role, pack, run)
        (self.content, self.createdAt, self.expiresAt) = (content, createdAt, expiresAt)
    }
}

/// Templates beside faces, at most one of each role. They are sealed under the account's key and
/// deleted with their face.
public struct KeptFaceTable {
    let connection: any SQLConnection
    private static let columns =
        "authenticator_id, role, pack, run_id, content_sealed, created_at, expires_at"

    /// Stores a template in place of another one of its role.
    public func put(_ record: KeptFaceRecord, of account: AccountRecord) throws(StoreError) {
        try remove(record.role, of: record.authenticator)
        let content = record.content.use {
            account.key.seal($0, .keptFace, for: Self.identity(record.authenticator, record.role))
        }
        try connection.execute(
            "INSERT INTO kept_face (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .id(record.authenticator), .text(record.role.rawValue), .text(record.pack.text),
            .text(record.run), .blob(content), .time(record.createdAt), .time(record.expiresAt))
    }

    public func find(
        _ role: KeptFaceRecord.Role, of face: AuthenticatorID, _ account: AccountRecord,
        at now: Instant
    ) throws(StoreError) -> KeptFaceRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM kept_face WHERE authenticator_id = ? AND role = ? AND expires_at > ?",
            .id(face), .text(role.rawValue), .time(now)
        ).map { row throws(StoreError) in try Self.record(row, account) }
    }

    /// Returns the candidate of a run for a face of this account.
    public func candidate(ofRun run: String, _ account: AccountRecord, at now: Instant)
        throws(StoreError) -> KeptFaceRecord?
    {
        try connection.row(
            """
            SELECT \(Self.columns) FROM kept_face WHERE run_id = ? AND role = ? AND expires_at > ?
            AND authenticator_id IN (SELECT id FROM authenticator WHERE account_id = ?)
            """, .text(run), .text(KeptFaceRecord.Role.candidate.rawValue), .time(now),
            .id(account.id)
        ).map { row throws(StoreError) in try Self.record(row, account) }
    }

    public func hasCandidate(ofRun run: String) throws(StoreError) -> Bool {
        try connection.row("SELECT 1 FROM kept_face WHERE run_id = ?", .text(run)) != nil
    }

    /// The number of templates that migrations replaced and that have not expired.
    public func countFormer(at now: Instant) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(*) FROM kept_face WHERE role = ? AND expires_at > ?",
                .text(KeptFaceRecord.Role.former.rawValue), .time(now)
            )?.integer(0) ?? 0)
    }

    public func remove(_ role: KeptFaceRecord.Role, of face: AuthenticatorID) throws(StoreError) {
        connection.leaveNoTrace()
        try connection.execute(
            "DELETE FROM kept_face WHERE authenticator_id = ? AND role = ?", .id(face),
            .text(role.rawValue))
    }

    /// Erases expired templates.
    ///
    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        let expired = try connection.rows(
            "SELECT authenticator_id, role FROM kept_face WHERE expires_at <= ? LIMIT ?",
            .time(now), .integer(Int64(count)))
        guard !expired.isEmpty else { return 0 }
        connection.leaveNoTrace()
        for row in expired {
            let id: AuthenticatorID = try row.identifier(0)
            try connection.execute(
                "DELETE FROM kept_face WHERE authenticator_id = ? AND role = ?", .id(id),
                .text(row.text(1)))
        }
        return expired.count
    }

    private static func identity(_ id: AuthenticatorID, _ role: KeptFaceRecord.Role) -> String {
        "\(id.text) \(role.rawValue)"
    }

    private static func record(_ row: SQLRow, _ account: AccountRecord) throws(StoreError)
        -> KeptFaceRecord
    {
        let id: AuthenticatorID = try row.identifier(0)
        let role: KeptFaceRecord.Role = try row.word(1)
        guard let pack = try? PackID(row.text(2)) else {
            throw StoreError(.corrupt, "a kept face names no valid model pack")
        }
        return KeptFaceRecord(
            authenticator: id, role: role, pack: pack, run: try row.text(3),
            content: Sensitive(
                try account.key.open(row.blob(4), .keptFace, for: identity(id, role))),
            createdAt: try row.instant(5), expiresAt: try row.instant(6))
    }
}

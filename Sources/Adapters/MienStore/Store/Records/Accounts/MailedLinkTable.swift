public import MienCore

/// A single-use link mailed to an account's owner, for one action. Only a hash of its code is
/// stored.
public struct MailedLinkRecord: Sendable, Hashable {
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// Removes an authenticator. The subject is the authenticator's ID.
        case removeAuthenticator = "remove_authenticator"
        /// Cancels a recovery. The subject is the recovery's ID.
        case cancelRecovery = "cancel_recovery"
    }

    public let purpose: Purpose
    public let subject: String
    public let account: UserID
    public let createdAt: Instant
    public let expiresAt: Instant
    /// The time when the link was used, or when a later link about the same subject replaced it.
    public var endedAt: Instant?

    public init(
        purpose: Purpose, subject: String, account: UserID, createdAt: Instant, expiresAt: Instant
    ) {
        (self.purpose, self.subject, self.account) = (purpose, subject, account)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }
}

public struct MailedLinkTable {
    let connection: any SQLConnection
    private static let columns = "purpose, subject, account_id, created_at, expires_at, ended_at"

    /// Stores a link and ends earlier links about the same subject, because the subject has changed
    /// since they were mailed.
    public func insert(_ record: MailedLinkRecord, hash: [UInt8]) throws(StoreError) {
        try end(record.purpose, record.subject, at: record.createdAt)
        try connection.execute(
            "INSERT INTO mailed_link (code_hash, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .blob(hash), .text(record.purpose.rawValue),
            .text(record.subject), .id(record.account), .time(record.createdAt),
            .time(record.expiresAt), .time(record.endedAt))
    }

    /// Ends every link about a subject.
    public func end(_ purpose: MailedLinkRecord.Purpose, _ subject: String, at now: Instant)
        throws(StoreError)
    {
        try connection.execute(
            "UPDATE mailed_link SET ended_at = ? WHERE purpose = ? AND subject = ? AND ended_at IS NULL",
            .time(now), .text(purpose.rawValue),
            .text(subject))
    }

    /// Ends every link that was mailed to an account's owner.
    public func endAll(of account: UserID, at now: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE mailed_link SET ended_at = ? WHERE account_id = ? AND ended_at IS NULL",
            .time(now), .id(account))
    }

    /// Counts the links of a purpose created for an account after `start`.
    public func count(of account: UserID, _ purpose: MailedLinkRecord.Purpose, after start: Instant)
        throws(StoreError) -> Int
    {
        let row = try connection.row(
            "SELECT COUNT(*) FROM mailed_link WHERE account_id = ? AND purpose = ? AND created_at > ?",
            .id(account), .text(purpose.rawValue),
            .time(start))
        return try row.map { row throws(StoreError) in Int(try row.integer(0)) } ?? 0
    }

    /// - Returns: the link with this code, ended or not; `nil` if no such link exists or it has
    ///   expired.
    public func find(hash: [UInt8], at now: Instant) throws(StoreError) -> MailedLinkRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM mailed_link WHERE code_hash = ? AND expires_at > ?",
            .blob(hash), .time(now)
        )
        .map { row throws(StoreError) in
            var record = MailedLinkRecord(
                purpose: try row.word(0), subject: try row.text(1), account: try row.identifier(2),
                createdAt: try row.instant(3),
                expiresAt: try row.instant(4))
            record.endedAt = try row.optionalInstant(5)
            return record
        }
    }

    /// Uses a link up.
    ///
    /// - Returns: whether this call used it. Of several concurrent calls, one returns `true`.
    public func take(hash: [UInt8], at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE mailed_link SET ended_at = ? WHERE code_hash = ? AND expires_at > ? AND ended_at IS NULL",
            .time(now), .blob(hash), .time(now)
        ) == 1
    }

    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM mailed_link WHERE code_hash IN (SELECT code_hash FROM mailed_link WHERE expires_at <= ? LIMIT ?)",
            .time(now),
            .integer(Int64(count)))
    }
}

public import MienCore

public enum RegistrationTokenKind: IdentifierKind { public static let prefix = "irt" }
public typealias RegistrationTokenID = Identifier<RegistrationTokenKind>

/// An initial access token, with which programs register apps (RFC 7591). The token itself is stored
/// as a hash.
public struct RegistrationTokenRecord: Sendable, Hashable {
    public let id: RegistrationTokenID
    /// The administrators' name for it.
    public let name: String
    /// The number of apps that can be registered with it, and that were.
    public let uses, used: Int
    /// Whether the apps need PKCE, the confidential ones, too.
    public let requiresPKCE: Bool
    public let createdAt: Instant
    public let expiresAt: Instant
    public let revokedAt: Instant?

    public init(
        id: RegistrationTokenID, name: String, uses: Int, used: Int = 0, requiresPKCE: Bool,
        createdAt: Instant, expiresAt: Instant, revokedAt: Instant? = nil
    ) {
        (self.id, self.name, self.uses, self.used) = (id, name, uses, used)
        self.requiresPKCE = requiresPKCE
        (self.createdAt, self.expiresAt, self.revokedAt) = (createdAt, expiresAt, revokedAt)
    }
}

public struct RegistrationTokenTable {
    let connection: any SQLConnection
    private static let columns =
        "id, name, uses, used, requires_pkce, created_at, expires_at, revoked_at"

    public func insert(_ record: RegistrationTokenRecord, hash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "INSERT INTO registration_token (id, name, uses, used, requires_pkce, created_at, expires_at, token_hash) VALUES (?, ?, ?, 0, ?, ?, ?, ?)",
            .id(record.id), .text(record.name), .integer(Int64(record.uses)),
            .flag(record.requiresPKCE), .time(record.createdAt), .time(record.expiresAt),
            .blob(hash))
    }

    /// Returns `count` tokens after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists.
    public func page(after last: RegistrationTokenID? = nil, count: Int) throws(StoreError)
        -> [RegistrationTokenRecord]
    {
        try connection.page(
            Self.columns, of: TimedList(table: "registration_token", time: "created_at"),
            after: last, count: count
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Returns a token that counts.
    public func find(_ id: RegistrationTokenID, hash: [UInt8], at now: Instant) throws(StoreError)
        -> RegistrationTokenRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM registration_token WHERE id = ? AND token_hash = ? AND used < uses AND expires_at > ? AND revoked_at IS NULL",
            .id(id), .blob(hash), .time(now)
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Counts an app.
    ///
    /// - Returns: `false` if the token does not count any longer.
    public func use(_ id: RegistrationTokenID, at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE registration_token SET used = used + 1 WHERE id = ? AND used < uses AND expires_at > ? AND revoked_at IS NULL",
            .id(id), .time(now)) == 1
    }

    /// - Returns: whether this call revoked the token.
    public func revoke(_ id: RegistrationTokenID, at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE registration_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            .time(now), .id(id)) == 1
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> RegistrationTokenRecord {
        RegistrationTokenRecord(
            id: try row.identifier(0), name: try row.text(1), uses: Int(try row.integer(2)),
            used: Int(try row.integer(3)), requiresPKCE: try row.integer(4) == 1,
            createdAt: try row.instant(5), expiresAt: try row.instant(6),
            revokedAt: try row.optionalInstant(7))
    }
}

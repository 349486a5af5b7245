public import MienCore

/// A key that signs tokens.
public struct SigningKeyRecord: Sendable {
    /// The key's `kid`.
    public let id: String
    /// The private key: 32 bytes, P-256.
    public let privateKey: Sensitive<[UInt8]>
    /// The public key: 65 bytes, X9.63.
    public let publicKey: [UInt8]
    public let createdAt: Instant
    /// The time until which the key signs.
    public let retiresAt: Instant
    /// The time until which the public key is published.
    public let expiresAt: Instant

    public init(
        id: String, privateKey: Sensitive<[UInt8]>, publicKey: [UInt8], createdAt: Instant,
        retiresAt: Instant, expiresAt: Instant
    ) {
        (self.id, self.privateKey, self.publicKey) = (id, privateKey, publicKey)
        (self.createdAt, self.retiresAt, self.expiresAt) = (createdAt, retiresAt, expiresAt)
    }
}

public struct SigningKeyTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    public func insert(_ key: SigningKeyRecord) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.signingKeys)
        try connection.execute(
            "INSERT INTO signing_key (id, key_sealed, public_key, created_at, retires_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
            .text(key.id),
            .blob(key.privateKey.use { keys.seal($0, .signingKey, for: key.id) }),
            .blob(key.publicKey), .time(key.createdAt),
            .time(key.retiresAt), .time(key.expiresAt))
    }

    /// Returns the keys that are still published, newest first.
    public func current(at now: Instant) throws(StoreError) -> [SigningKeyRecord] {
        try connection.rows(
            """
            SELECT id, key_sealed, public_key, created_at, retires_at, expires_at FROM signing_key WHERE expires_at > ?
            ORDER BY created_at DESC, id DESC
            """, .time(now)
        ).map { row throws(StoreError) in
            let id = try row.text(0)
            return SigningKeyRecord(
                id: id, privateKey: Sensitive(try keys.open(row.blob(1), .signingKey, for: id)),
                publicKey: try row.blob(2),
                createdAt: try row.instant(3), retiresAt: try row.instant(4),
                expiresAt: try row.instant(5))
        }
    }

    public func sweep(at now: Instant) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute("DELETE FROM signing_key WHERE expires_at <= ?", .time(now))
    }
}

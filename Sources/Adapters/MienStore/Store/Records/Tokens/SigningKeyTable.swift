public import MienAPI
public import MienCore

/// A key that signs tokens.
public struct SigningKeyRecord: Sendable {
    /// The key's `kid`.
    public let id: String
    public let algorithm: IDTokenAlgorithm
    /// The private key: 32 bytes of P-256 for ES256, PKCS#1 in DER for RS256.
    public let privateKey: Sensitive<[UInt8]>
    /// The public key: 65 bytes in X9.63 for ES256, a `SubjectPublicKeyInfo` in DER for RS256.
    public let publicKey: [UInt8]
    public let createdAt: Instant
    /// The time until which the key signs.
    public let retiresAt: Instant
    /// The time until which the public key is published.
    public let expiresAt: Instant

    public init(
        id: String, algorithm: IDTokenAlgorithm = .es256, privateKey: Sensitive<[UInt8]>,
        publicKey: [UInt8], createdAt: Instant, retiresAt: Instant, expiresAt: Instant
    ) {
        (self.id, self.algorithm, self.privateKey) = (id, algorithm, privateKey)
        self.publicKey = publicKey
        (self.createdAt, self.retiresAt, self.expiresAt) = (createdAt, retiresAt, expiresAt)
    }
}

public struct SigningKeyTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns =
        "id, algorithm, key_sealed, public_key, created_at, retires_at, expires_at"

    public func insert(_ key: SigningKeyRecord) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.signingKeys)
        try connection.execute(
            "INSERT INTO signing_key (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .text(key.id), .text(key.algorithm.rawValue),
            .blob(key.privateKey.use { keys.seal($0, .signingKey, for: key.id) }),
            .blob(key.publicKey), .time(key.createdAt),
            .time(key.retiresAt), .time(key.expiresAt))
    }

    /// Returns the keys that are still published, newest first.
    public func current(at now: Instant) throws(StoreError) -> [SigningKeyRecord] {
        try connection.rows(
            """
            SELECT \(Self.columns) FROM signing_key WHERE expires_at > ?
            ORDER BY created_at DESC, id DESC
            """, .time(now)
        ).map { row throws(StoreError) in
            let id = try row.text(0)
            return SigningKeyRecord(
                id: id, algorithm: try row.word(1),
                privateKey: Sensitive(try keys.open(row.blob(2), .signingKey, for: id)),
                publicKey: try row.blob(3), createdAt: try row.instant(4),
                retiresAt: try row.instant(5), expiresAt: try row.instant(6))
        }
    }

    public func sweep(at now: Instant) throws(StoreError) -> Int {
        connection.leaveNoTrace()
        return try connection.execute("DELETE FROM signing_key WHERE expires_at <= ?", .time(now))
    }
}

public import MienCore

public enum ProductKeyKind: IdentifierKind { public static let prefix = "pk" }
public typealias ProductKeyID = Identifier<ProductKeyKind>

/// A product key with which devices are activated. The key itself is stored as a hash.
public struct ProductKeyRecord: Sendable, Hashable {
    public let id: ProductKeyID
    public let product: String
    /// The administrators' name for it.
    public let name: String
    /// Maximum number of devices that can be activated with it.
    public let activations: Int
    /// Number of activated devices.
    public let used: Int
    /// A license's lifetime in days.
    public let days: Int
    public let createdAt: Instant
    public let revokedAt: Instant?

    public init(
        id: ProductKeyID, product: String, name: String, activations: Int, used: Int = 0, days: Int,
        createdAt: Instant, revokedAt: Instant? = nil
    ) {
        (self.id, self.product, self.name, self.activations, self.used) = (
            id, product, name, activations, used
        )
        (self.days, self.createdAt, self.revokedAt) = (days, createdAt, revokedAt)
    }
}

public struct ProductKeyTable {
    let connection: any SQLConnection
    private static let columns =
        "id, product, name, activations, used, days, created_at, revoked_at"

    public func insert(_ record: ProductKeyRecord, hash: [UInt8]) throws(StoreError) {
        try connection.execute(
            "INSERT INTO product_key (id, product, name, activations, used, days, created_at, key_hash) VALUES (?, ?, ?, ?, 0, ?, ?, ?)",
            .id(record.id), .text(record.product), .text(record.name),
            .integer(Int64(record.activations)), .integer(Int64(record.days)),
            .time(record.createdAt), .blob(hash))
    }

    /// Returns `count` product keys after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists.
    public func page(after last: ProductKeyID? = nil, count: Int) throws(StoreError)
        -> [ProductKeyRecord]
    {
        try connection.page(
            Self.columns, of: TimedList(table: "product_key", time: "created_at"), after: last,
            count: count
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// - Returns: `nil` if no such key exists. A revoked key is returned as it is.
    public func find(_ id: ProductKeyID, hash: [UInt8]) throws(StoreError) -> ProductKeyRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM product_key WHERE id = ? AND key_hash = ?", .id(id),
            .blob(hash)
        )
        .map { row throws(StoreError) in try Self.record(row) }
    }

    /// - Returns: whether this call revoked the key; `false` if it does not exist or was already
    ///   revoked.
    public func revoke(_ id: ProductKeyID, at now: Instant) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE product_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", .time(now),
            .id(id)) == 1
    }

    /// Counts a device once.
    ///
    /// - Returns: whether the device may be activated: it already was, or an activation was left.
    public func activate(_ id: ProductKeyID, device: [UInt8], at now: Instant) throws(StoreError)
        -> Bool
    {
        let known = try connection.row(
            "SELECT 1 FROM licence_device WHERE product_key_id = ? AND device_hash = ?", .id(id),
            .blob(device))
        if known != nil { return true }
        guard
            try connection.execute(
                "UPDATE product_key SET used = used + 1 WHERE id = ? AND used < activations",
                .id(id)) == 1
        else { return false }
        try connection.execute(
            "INSERT INTO licence_device (product_key_id, device_hash, created_at) VALUES (?, ?, ?)",
            .id(id), .blob(device), .time(now))
        return true
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> ProductKeyRecord {
        ProductKeyRecord(
            id: try row.identifier(0), product: try row.text(1), name: try row.text(2),
            activations: Int(try row.integer(3)),
            used: Int(try row.integer(4)), days: Int(try row.integer(5)),
            createdAt: try row.instant(6), revokedAt: try row.optionalInstant(7))
    }
}

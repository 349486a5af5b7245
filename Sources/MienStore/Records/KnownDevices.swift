public import MienCore

/// A device an account has signed in on: it proves that with a token, and its wrong guesses are counted apart from strangers'.
public struct KnownDevice: Sendable {
    public let id: DeviceID
    public let account: UserID
    public let app: AppID

    public init(id: DeviceID, account: UserID, app: AppID) { (self.id, self.account, self.app) = (id, account, app) }
}

public struct KnownDeviceTable {
    let connection: any SQLConnection

    /// Of one account in one app; the oldest goes when there are more.
    static let most = 20

    public func insert(_ device: KnownDevice, tokenHash: [UInt8], at now: Instant) throws(StoreError) {
        try connection.execute(
            "INSERT INTO known_device (token_hash, account_id, id, app_id, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?)", .blob(tokenHash),
            .id(device.account), .id(device.id), .id(device.app), .time(now), .time(now))
        try connection.execute(
            """
            DELETE FROM known_device WHERE account_id = ? AND app_id = ? AND id NOT IN (
              SELECT id FROM known_device WHERE account_id = ? AND app_id = ? ORDER BY created_at DESC, id LIMIT ?)
            """, .id(device.account), .id(device.app), .id(device.account), .id(device.app), .integer(Int64(Self.most)))
    }

    public func find(tokenHash: [UInt8]) throws(StoreError) -> KnownDevice? {
        try connection.row("SELECT id, account_id, app_id FROM known_device WHERE token_hash = ?", .blob(tokenHash))
            .map { row throws(StoreError) in KnownDevice(id: try row.identifier(0), account: try row.identifier(1), app: try row.identifier(2)) }
    }

    /// The device, and when the account first signed in on it.
    public func firstSeen(tokenHash: [UInt8]) throws(StoreError) -> (device: KnownDevice, at: Instant)? {
        try connection.row("SELECT id, account_id, app_id, created_at FROM known_device WHERE token_hash = ?", .blob(tokenHash))
            .map { row throws(StoreError) in
                (KnownDevice(id: try row.identifier(0), account: try row.identifier(1), app: try row.identifier(2)), try row.instant(3))
            }
    }

    public func deleteAll(of account: UserID) throws(StoreError) {
        try connection.execute("DELETE FROM known_device WHERE account_id = ?", .id(account))
    }
}

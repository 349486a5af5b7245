public import MienAPI
public import MienCore

/// A device on which an account has signed in, proved by a token. It has its own counters at the
/// lock gate, one for each method that has succeeded on it.
public struct KnownDevice: Sendable {
    public let id: DeviceID
    public let account: UserID
    public let app: AppID

    public init(id: DeviceID, account: UserID, app: AppID) {
        (self.id, self.account, self.app) = (id, account, app)
    }
}

/// A known device as its owner sees it.
public struct OwnedDevice: Sendable {
    public let device: KnownDevice
    /// The name that the owner gave it.
    public let name: Sensitive<String>?
    /// The time when the account first signed in on it, and the last time.
    public let createdAt, usedAt: Instant
}

public struct KnownDeviceTable {
    let connection: any SQLConnection

    /// Maximum number of devices of one account in one app.
    static let maxDevices = 20

    /// Adds a device. If there are too many, removes those on which the fewest methods have
    /// succeeded, then those unused for longest. Someone who knows only a password therefore cannot
    /// displace the devices on which the owner signs in with two factors.
    ///
    /// - Parameter earned: the methods that have succeeded on the device.
    public func insert(
        _ device: KnownDevice, tokenHash: [UInt8], earned: [LockSubject] = [], at now: Instant
    ) throws(StoreError) {
        try connection.execute(
            "INSERT INTO known_device (token_hash, account_id, id, app_id, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?)",
            .blob(tokenHash),
            .id(device.account), .id(device.id), .id(device.app), .time(now), .time(now))
        for subject in earned where subject.account == device.account {
            try LockTable(connection: connection).earn(device.id, subject)
        }
        try connection.execute(
            """
            DELETE FROM known_device WHERE account_id = ? AND app_id = ? AND id <> ? AND id NOT IN (
              SELECT id FROM known_device WHERE account_id = ? AND app_id = ? AND id <> ?
              ORDER BY (SELECT COUNT(*) FROM lock_device WHERE lock_device.device_id = known_device.id) DESC, used_at DESC, id LIMIT ?)
            """, .id(device.account), .id(device.app), .id(device.id), .id(device.account),
            .id(device.app), .id(device.id),
            .integer(Int64(Self.maxDevices - 1)))
    }

    /// Deletes the devices of an app that is deleted.
    public func deleteAll(ofApp app: AppID) throws(StoreError) {
        try connection.execute("DELETE FROM known_device WHERE app_id = ?", .id(app))
    }

    /// Records that the account has signed in on the device again.
    public func touch(_ id: DeviceID, at now: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE known_device SET used_at = ? WHERE id = ?", .time(now), .id(id))
    }

    public func find(tokenHash: [UInt8]) throws(StoreError) -> KnownDevice? {
        try connection.row(
            "SELECT id, account_id, app_id FROM known_device WHERE token_hash = ?", .blob(tokenHash)
        )
        .map { row throws(StoreError) in
            KnownDevice(
                id: try row.identifier(0), account: try row.identifier(1),
                app: try row.identifier(2))
        }
    }

    /// Returns the device and the time when the account first signed in on it.
    public func firstSeen(tokenHash: [UInt8]) throws(StoreError) -> (
        device: KnownDevice, at: Instant
    )? {
        try connection.row(
            "SELECT id, account_id, app_id, created_at FROM known_device WHERE token_hash = ?",
            .blob(tokenHash)
        )
        .map { row throws(StoreError) in
            (
                KnownDevice(
                    id: try row.identifier(0), account: try row.identifier(1),
                    app: try row.identifier(2)), try row.instant(3)
            )
        }
    }

    /// Returns an account's devices, the last used first.
    public func all(of account: AccountRecord) throws(StoreError) -> [OwnedDevice] {
        try connection.rows(
            "SELECT id, app_id, name_sealed, created_at, used_at FROM known_device WHERE account_id = ? ORDER BY used_at DESC, id",
            .id(account.id)
        ).map { row throws(StoreError) in
            let id: DeviceID = try row.identifier(0)
            let name = try row.optionalBlob(2).map { sealed throws(StoreError) in
                Sensitive(
                    String(
                        decoding: try account.key.open(sealed, .knownDeviceName, for: id.text),
                        as: UTF8.self))
            }
            return OwnedDevice(
                device: KnownDevice(id: id, account: account.id, app: try row.identifier(1)),
                name: name, createdAt: try row.instant(3), usedAt: try row.instant(4))
        }
    }

    /// - Returns: whether the account has the device.
    public func rename(_ id: DeviceID, to name: Sensitive<String>, of account: AccountRecord)
        throws(StoreError) -> Bool
    {
        connection.leaveNoTrace()
        let sealed = name.use {
            account.key.seal(Array($0.utf8), .knownDeviceName, for: id.text)
        }
        return try connection.execute(
            "UPDATE known_device SET name_sealed = ? WHERE id = ? AND account_id = ?",
            .blob(sealed), .id(id), .id(account.id)) == 1
    }

    /// - Returns: whether the account had the device.
    public func delete(_ id: DeviceID, of account: UserID) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM known_device WHERE id = ? AND account_id = ?", .id(id), .id(account)) == 1
    }

    public func deleteAll(of account: UserID) throws(StoreError) {
        try connection.execute("DELETE FROM known_device WHERE account_id = ?", .id(account))
    }
}

public import MienCore

/// The owner and device of a device key. The key itself is stored as the content of its
/// authenticator.
public struct DeviceKeyRecord: Sendable, Hashable {
    public let app: AppID
    /// The key's ID, chosen by the client: 8 to 64 of `A-Z a-z 0-9 _ -`.
    public let keyID: String
    public let authenticator: AuthenticatorID
    public let account: UserID
    /// The device's hash; `nil` if the client does not identify its device.
    public let deviceHash: [UInt8]?

    public init(
        app: AppID, keyID: String, authenticator: AuthenticatorID, account: UserID,
        deviceHash: [UInt8]?
    ) {
        (self.app, self.keyID, self.authenticator, self.account, self.deviceHash) = (
            app, keyID, authenticator, account, deviceHash
        )
    }
}

public struct DeviceKeyTable {
    let connection: any SQLConnection
    private static let columns = "app_id, key_id, authenticator_id, account_id, device_hash"

    /// - Throws: ``StoreError`` `.conflict` if the app already has a key with this ID.
    public func insert(_ key: DeviceKeyRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO device_key (\(Self.columns)) VALUES (?, ?, ?, ?, ?)", .id(key.app),
            .text(key.keyID), .id(key.authenticator),
            .id(key.account), key.deviceHash.map { .blob($0) } ?? .null)
    }

    public func find(_ keyID: String, app: AppID) throws(StoreError) -> DeviceKeyRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM device_key WHERE app_id = ? AND key_id = ?", .id(app),
            .text(keyID)
        )
        .map { row throws(StoreError) in try record(row) }
    }

    public func find(_ authenticator: AuthenticatorID) throws(StoreError) -> DeviceKeyRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM device_key WHERE authenticator_id = ?", .id(authenticator)
        )
        .map { row throws(StoreError) in try record(row) }
    }

    public func all(of account: UserID, app: AppID) throws(StoreError) -> [DeviceKeyRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM device_key WHERE account_id = ? AND app_id = ? ORDER BY key_id",
            .id(account), .id(app)
        )
        .map { row throws(StoreError) in try record(row) }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> DeviceKeyRecord {
        DeviceKeyRecord(
            app: try row.identifier(0), keyID: try row.text(1),
            authenticator: try row.identifier(2), account: try row.identifier(3),
            deviceHash: try row.optionalBlob(4))
    }
}

public import MienCore

/// The owner of a passkey's credential ID. The ID itself, the key, and its counter are the content
/// of the authenticator.
public struct PasskeyRecord: Sendable, Hashable {
    /// The hash from ``StoreKeys/hash(ofCredential:)``.
    public let credentialHash: [UInt8]
    public let authenticator: AuthenticatorID
    public let account: UserID

    public init(credentialHash: [UInt8], authenticator: AuthenticatorID, account: UserID) {
        (self.credentialHash, self.authenticator, self.account) = (
            credentialHash, authenticator, account
        )
    }
}

public struct PasskeyTable {
    let connection: any SQLConnection

    /// - Throws: ``StoreError`` `.conflict` if the credential is already registered.
    public func insert(_ passkey: PasskeyRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO passkey (credential_hash, authenticator_id, account_id) VALUES (?, ?, ?)",
            .blob(passkey.credentialHash),
            .id(passkey.authenticator), .id(passkey.account))
    }

    public func find(_ credentialHash: [UInt8]) throws(StoreError) -> PasskeyRecord? {
        try connection.row(
            "SELECT credential_hash, authenticator_id, account_id FROM passkey WHERE credential_hash = ?",
            .blob(credentialHash)
        )
        .map { row throws(StoreError) in try record(row) }
    }

    public func find(_ authenticator: AuthenticatorID) throws(StoreError) -> PasskeyRecord? {
        try connection.row(
            "SELECT credential_hash, authenticator_id, account_id FROM passkey WHERE authenticator_id = ?",
            .id(authenticator)
        )
        .map { row throws(StoreError) in try record(row) }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> PasskeyRecord {
        PasskeyRecord(
            credentialHash: try row.blob(0), authenticator: try row.identifier(1),
            account: try row.identifier(2))
    }
}

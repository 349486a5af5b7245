internal import MienCore
internal import MienVault

/// A column whose records are sealed under the master key itself. Everything else is sealed under
/// keys that such records contain, and need not change when the master key does.
struct SealedColumn: Sendable {
    let table, column: String
    /// The primary key, and what a record's identity is made of.
    let key: [String]
    let purpose: SealPurpose
    /// The rows whose record is sealed under the master key; all others belong to an account.
    let rows: String
    let identity: @Sendable ([SQLValue]) -> String

    /// All of them. A test compares the list with the schema.
    static let all = [
        SealedColumn("account", "key_sealed", .accountKey),
        SealedColumn("web_record", "content_sealed", key: ["kind", "hash"], .webRecord) {
            "\(text($0[0])) \(text($0[1]))"
        },
        SealedColumn("journey_run", "state_sealed", .journeyRun),
        SealedColumn("approval", "content_sealed", .approval),
        SealedColumn("capture", "content_sealed", .capture),
        SealedColumn("capture_trail", "trail_sealed", .captureTrail),
        SealedColumn("signing_key", "key_sealed", .signingKey),
        SealedColumn(
            "token_grant", "claims_sealed", rows: "claims_sealed IS NOT NULL", .grantClaims),
        SealedColumn(
            "verification_session", "key_sealed", rows: "account_id IS NULL", .sessionKey),
        SealedColumn(
            "authorization_code", "content_sealed", key: ["code_hash"], .authorizationCode),
        SealedColumn("registry_person", "content_sealed", key: ["id_hash"], .registryPerson),
        SealedColumn("outbox", "content_sealed", .outbox),
        SealedColumn("admin_method", "content_sealed", .adminMethod),
        SealedColumn("admin_offer", "secret_sealed", .adminOffer),
        SealedColumn("organization_invitation", "content_sealed", .organizationInvitation),
    ]

    init(
        _ table: String, _ column: String, key: [String] = ["id"], rows: String = "1 = 1",
        _ purpose: SealPurpose,
        identity: @escaping @Sendable ([SQLValue]) -> String = { text($0[0]) }
    ) {
        (self.table, self.column, self.key, self.purpose) = (table, column, key, purpose)
        (self.rows, self.identity) = (rows, identity)
    }
}

/// Returns a part of an identity: a text as it is, bytes in base64url.
private func text(_ value: SQLValue) -> String {
    switch value {
    case .text(let text): text
    case .blob(let bytes): Base64URL.encode(bytes)
    case .integer, .real, .null: ""
    }
}

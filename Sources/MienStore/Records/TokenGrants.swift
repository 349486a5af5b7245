public import MienAccess
public import MienCore

/// One sign-in of a user in an app: what its tokens are good for, and where its refresh tokens stand.
public struct TokenGrantRecord: Sendable {
    public let id: GrantID
    public let account: UserID
    public let app: AppID
    /// The device key it was signed in with, if it was.
    public let authenticator: AuthenticatorID?
    /// Random, so that no two grants have the same tokens.
    public let nonce: [UInt8]
    public let scope: Scope
    public let resources: [String]
    /// `amr`.
    public let methods: [String]
    /// RFC 7638, of the key its tokens are bound to.
    public let keyThumbprint: String?
    public let signedInAt: Instant
    public var family: RefreshFamily

    public init(
        id: GrantID, account: UserID, app: AppID, authenticator: AuthenticatorID?, nonce: [UInt8], scope: Scope, resources: [String],
        methods: [String], keyThumbprint: String?, signedInAt: Instant, family: RefreshFamily
    ) {
        (self.id, self.account, self.app, self.authenticator, self.nonce) = (id, account, app, authenticator, nonce)
        (self.scope, self.resources, self.methods, self.keyThumbprint) = (scope, resources, methods, keyThumbprint)
        (self.signedInAt, self.family) = (signedInAt, family)
    }
}

public struct TokenGrantTable {
    let connection: any SQLConnection
    private static let columns = """
        id, account_id, app_id, authenticator_id, nonce, scope, resources, methods, key_thumbprint, signed_in_at, generation, created_at, used_at, \
        idle_ms, expires_at, revoked_at, users_mark
        """

    public func insert(_ grant: TokenGrantRecord) throws(StoreError) {
        let family = grant.family
        try connection.execute(
            "INSERT INTO token_grant (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .id(grant.id), .id(grant.account),
            .id(grant.app), .id(grant.authenticator), .blob(grant.nonce), .text(grant.scope.text), .text(JSONColumn.text(grant.resources)),
            .text(JSONColumn.text(grant.methods)), .text(grant.keyThumbprint ?? ""), .time(grant.signedInAt), .integer(Int64(family.generation)),
            .time(family.createdAt), .time(family.usedAt), family.idle.map { .integer($0.milliseconds) } ?? .null, .time(family.expiresAt),
            .time(family.revokedAt), family.usersMark.map { .blob($0) } ?? .null)
    }

    public func find(_ id: GrantID) throws(StoreError) -> TokenGrantRecord? {
        try connection.row("SELECT \(Self.columns) FROM token_grant WHERE id = ?", .id(id)).map { row throws(StoreError) in try record(row) }
    }

    /// Writes where its refresh tokens stand. Read and written in one transaction, it needs no comparison.
    public func update(_ grant: TokenGrantRecord) throws(StoreError) {
        try connection.execute(
            "UPDATE token_grant SET generation = ?, used_at = ?, revoked_at = ?, users_mark = ? WHERE id = ?",
            .integer(Int64(grant.family.generation)), .time(grant.family.usedAt), .time(grant.family.revokedAt),
            grant.family.usersMark.map { .blob($0) } ?? .null, .id(grant.id))
    }

    /// - Returns: how many were live until now.
    public func revokeAll(of account: UserID, app: AppID? = nil, at now: Instant) throws(StoreError) -> Int {
        guard let app else {
            return try connection.execute(
                "UPDATE token_grant SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL", .time(now), .id(account))
        }
        return try connection.execute(
            "UPDATE token_grant SET revoked_at = ? WHERE account_id = ? AND app_id = ? AND revoked_at IS NULL", .time(now), .id(account), .id(app))
    }

    /// Those that one device key brought.
    ///
    /// - Returns: how many were live until now.
    public func revokeAll(by authenticator: AuthenticatorID, except grant: GrantID? = nil, at now: Instant) throws(StoreError) -> Int {
        try connection.execute(
            "UPDATE token_grant SET revoked_at = ? WHERE authenticator_id = ? AND id <> ? AND revoked_at IS NULL", .time(now), .id(authenticator),
            .id(grant))
    }

    /// - Returns: how many were removed, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM token_grant WHERE id IN (SELECT id FROM token_grant WHERE expires_at <= ? LIMIT ?)", .time(now), .integer(Int64(count)))
    }

    private func record(_ row: SQLRow) throws(StoreError) -> TokenGrantRecord {
        guard let scope = Scope(try row.text(5)) else { throw StoreError(.corrupt, "a grant's scope cannot be understood") }
        let thumbprint = try row.text(8), generation = Int(try row.integer(10))
        guard generation >= 0 else { throw StoreError(.corrupt, "a grant's generation is negative") }
        return TokenGrantRecord(
            id: try row.identifier(0), account: try row.identifier(1), app: try row.identifier(2), authenticator: try row.optionalIdentifier(3),
            nonce: try row.blob(4), scope: scope, resources: try JSONColumn.value([String].self, row.text(6).utf8),
            methods: try JSONColumn.value([String].self, row.text(7).utf8), keyThumbprint: thumbprint.isEmpty ? nil : thumbprint,
            signedInAt: try row.instant(9),
            family: RefreshFamily(
                generation: generation, createdAt: try row.instant(11), expiresAt: try row.instant(14), usedAt: try row.instant(12),
                idle: try row.optionalInteger(13).map { .milliseconds($0) }, revokedAt: try row.optionalInstant(15),
                usersMark: try row.optionalBlob(16)))
    }
}

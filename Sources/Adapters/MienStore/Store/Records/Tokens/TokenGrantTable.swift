public import MienAPI
public import MienCore

/// One sign-in of a user in an app: the scope of its tokens and the state of its refresh tokens. The
/// sign-in of a browser itself has no app and no tokens.
public struct TokenGrantRecord: Sendable {
    public let id: GrantID
    public let account: UserID
    /// `nil` for the sign-in of a browser, which opens apps and the account pages.
    public let app: AppID?
    /// The device key or passkey that signed in directly, without a journey.
    public let authenticator: AuthenticatorID?
    /// The authenticators used in the sign-in. Removing any of them ends it.
    public private(set) var authenticators: [AuthenticatorID]
    /// A random value, so that no two grants have the same tokens.
    public let nonce: [UInt8]
    public let scope: Scope
    public let resources: [String]
    /// The `amr` values.
    public private(set) var methods: [String]
    /// The RFC 7638 thumbprint of the key to which the tokens are bound.
    public let keyThumbprint: String?
    /// The `auth_time`.
    public private(set) var signedInAt: Instant
    /// The newest authentication of this sign-in: the first one, or a later step-up.
    public private(set) var newestProof: SignInProof
    public var family: RefreshFamily
    /// The organization through which the user signed in.
    public let organization: OrganizationID?
    /// The browser that the user signed in with, as a keyed hash of its cookie and the account; `nil`
    /// if no page of this server led to the sign-in.
    public let browserMark: [UInt8]?
    /// Claims that the tokens tell besides those of the scope.
    public let claims: GrantClaims

    public init(
        id: GrantID, account: UserID, app: AppID?, authenticator: AuthenticatorID?, nonce: [UInt8],
        scope: Scope, resources: [String],
        methods: [String], keyThumbprint: String?, signedInAt: Instant, family: RefreshFamily,
        authenticators: [AuthenticatorID] = [],
        newestProof: SignInProof? = nil, organization: OrganizationID? = nil,
        browserMark: [UInt8]? = nil, claims: GrantClaims = GrantClaims()
    ) {
        (self.organization, self.browserMark, self.claims) = (organization, browserMark, claims)
        (self.id, self.account, self.app, self.authenticator, self.nonce) = (
            id, account, app, authenticator, nonce
        )
        (self.scope, self.resources, self.methods, self.keyThumbprint) = (
            scope, resources, methods, keyThumbprint
        )
        (self.signedInAt, self.family) = (signedInAt, family)
        self.authenticators = authenticators
        if let authenticator, !authenticators.contains(authenticator) {
            self.authenticators.append(authenticator)
        }
        self.newestProof = newestProof ?? SignInProof(methods: methods, at: signedInAt)
    }

    /// The proofs that may permit a change of authenticators: the sign-in and the last
    /// authentication.
    public var proofs: [SignInProof] {
        let isRecovery = newestProof.isRecovery && newestProof.at == signedInAt
        return [SignInProof(methods: methods, at: signedInAt, isRecovery: isRecovery), newestProof]
    }

    /// Records another authentication during this sign-in.
    ///
    /// The tokens' `amr` and `auth_time` change only if the new proof is at least as strong.
    /// Otherwise a fresh password would make an old passkey appear fresh.
    public mutating func stepUp(_ proof: SignInProof, with authenticators: [AuthenticatorID]) {
        newestProof = proof
        for authenticator in authenticators where !self.authenticators.contains(authenticator) {
            self.authenticators.append(authenticator)
        }
        if proof.assurance >= SignInProof(methods: methods, at: signedInAt).assurance {
            (methods, signedInAt) = (proof.methods, proof.at)
        }
    }
}

public struct TokenGrantTable {
    let connection: any SQLConnection
    let keys: StoreKeys
    private static let columns = """
        id, account_id, app_id, authenticator_id, nonce, scope, resources, methods, key_thumbprint, signed_in_at, generation, created_at, used_at, \
        idle_ms, expires_at, revoked_at, users_mark, proofs, active_at, organization_id, claims_sealed, browser_mark
        """

    public func insert(_ grant: TokenGrantRecord) throws(StoreError) {
        let family = grant.family
        let claims: SQLValue =
            grant.claims == GrantClaims()
            ? .null
            : .blob(keys.seal(JSONColumn.bytes(grant.claims), .grantClaims, for: grant.id.text))
        try connection.execute(
            "INSERT INTO token_grant (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(grant.id),
            .id(grant.account),
            grant.app.map { .id($0) } ?? .null, .id(grant.authenticator), .blob(grant.nonce),
            .text(grant.scope.text),
            .text(JSONColumn.text(grant.resources)),
            .text(JSONColumn.text(grant.methods)), .text(grant.keyThumbprint ?? ""),
            .time(grant.signedInAt), .integer(Int64(family.generation)),
            .time(family.createdAt), .time(family.usedAt),
            family.idle.map { .integer($0.milliseconds) } ?? .null, .time(family.expiresAt),
            .time(family.revokedAt), family.usersMark.map { .blob($0) } ?? .null,
            .text(JSONColumn.text(grant.newestProof)), .time(family.activeAt),
            .id(grant.organization), claims, grant.browserMark.map { .blob($0) } ?? .null)
        try link(grant)
    }

    /// Stores a step-up: proofs, methods, time, and authenticators.
    public func updateProofs(of grant: TokenGrantRecord) throws(StoreError) {
        try connection.execute(
            "UPDATE token_grant SET methods = ?, signed_in_at = ?, proofs = ? WHERE id = ?",
            .text(JSONColumn.text(grant.methods)),
            .time(grant.signedInAt), .text(JSONColumn.text(grant.newestProof)), .id(grant.id))
        try link(grant)
    }

    private func link(_ grant: TokenGrantRecord) throws(StoreError) {
        for authenticator in grant.authenticators {
            try connection.execute(
                "INSERT INTO grant_authenticator (grant_id, authenticator_id) VALUES (?, ?) ON CONFLICT (grant_id, authenticator_id) DO NOTHING",
                .id(grant.id), .id(authenticator))
        }
    }

    public func find(_ id: GrantID) throws(StoreError) -> TokenGrantRecord? {
        // One query, with a row for each authenticator, because every refresh reads a grant.
        let rows = try connection.rows(
            """
            SELECT \(Self.columns), used FROM token_grant
            LEFT JOIN (SELECT grant_id, authenticator_id AS used FROM grant_authenticator) link ON grant_id = id
            WHERE id = ? ORDER BY used
            """, .id(id))
        guard let first = rows.first else { return nil }
        var authenticators: [AuthenticatorID] = []
        for row in rows {
            if try row.optionalText(22) != nil { authenticators.append(try row.identifier(22)) }
        }
        return try record(first, authenticators)
    }

    /// Stores the state of the refresh tokens. No comparison is needed if the grant is read in the
    /// same transaction.
    public func update(_ grant: TokenGrantRecord) throws(StoreError) {
        if let end = grant.family.revokedAt { try noteEnd(of: "id = ?", .id(grant.id), at: end) }
        try connection.executeLater(
            "UPDATE token_grant SET generation = ?, used_at = ?, active_at = ?, revoked_at = ?, users_mark = ? WHERE id = ?",
            [
                .integer(Int64(grant.family.generation)), .time(grant.family.usedAt),
                .time(grant.family.activeAt), .time(grant.family.revokedAt),
                grant.family.usersMark.map { .blob($0) } ?? .null, .id(grant.id),
            ])
    }

    /// Stores the last activity of a sign-in, unless it ended or was active later.
    public func noteActivity(of grant: GrantID, at now: Instant) throws(StoreError) {
        try connection.execute(
            "UPDATE token_grant SET active_at = ? WHERE id = ? AND revoked_at IS NULL AND (active_at IS NULL OR active_at < ?)",
            .time(now), .id(grant), .time(now))
    }

    /// - Returns: the number of grants that were live.
    public func revokeAll(of account: UserID, app: AppID? = nil, at now: Instant) throws(StoreError)
        -> Int
    {
        guard let app else { return try revoke("account_id = ?", .id(account), at: now) }
        return try revoke("account_id = ? AND app_id = ?", .id(account), .id(app), at: now)
    }

    /// Ends every sign-in of an account except one.
    ///
    /// - Returns: the number of grants that were live.
    @discardableResult
    public func revokeAll(of account: UserID, except kept: GrantID?, at now: Instant)
        throws(StoreError) -> Int
    {
        try endRegistrations(of: account)
        return try revoke("account_id = ? AND id <> ?", .id(account), .id(kept), at: now)
    }

    /// Ends one sign-in of an account.
    ///
    /// - Returns: whether it was live.
    public func revoke(_ id: GrantID, of account: UserID, at now: Instant) throws(StoreError)
        -> Bool
    {
        try endRegistrations(of: account)
        return try revoke("id = ? AND account_id = ?", .id(id), .id(account), at: now) == 1
    }

    /// Deletes the registration codes of OTP tokens that a sign-in of the account asked for. Which
    /// one did is not stored, so the owner who ends a thief's sign-in ends its codes, too.
    func endRegistrations(of account: UserID) throws(StoreError) {
        try connection.execute(
            "DELETE FROM otp_registration WHERE account_id = ? AND made_with <> ''", .id(account))
    }

    /// Ends the sign-ins that a device key made directly. A device has only one at a time.
    ///
    /// - Returns: the number of grants that were live.
    public func revokeSignIns(byDeviceKey key: AuthenticatorID, at now: Instant) throws(StoreError)
        -> Int
    { try revoke("authenticator_id = ?", .id(key), at: now) }

    /// Ends every sign-in that used an authenticator, within a journey or directly.
    ///
    /// - Returns: the number of grants that were live.
    public func revokeAll(by authenticator: AuthenticatorID, at now: Instant) throws(StoreError)
        -> Int
    {
        try revoke(
            "id IN (SELECT grant_id FROM grant_authenticator WHERE authenticator_id = ?)",
            .id(authenticator), at: now)
    }

    /// Ends the sign-ins of an app that used a face which a group of apps shares.
    ///
    /// - Returns: the number of grants that were live.
    public func revokeAll(byFacesOf group: FaceGroupID, in app: AppID, at now: Instant)
        throws(StoreError) -> Int
    {
        try revoke(
            """
            app_id = ? AND id IN (SELECT g.grant_id FROM grant_authenticator g
            JOIN authenticator f ON f.id = g.authenticator_id WHERE f.app_id = ? AND f.type = ?)
            """, .id(app), .id(group.space), .text(AuthenticatorType.face.rawValue), at: now)
    }

    /// Ends the sign-ins through an organization: those of one account, those in one app, or all.
    ///
    /// - Returns: the number of grants that were live.
    @discardableResult
    public func revokeAll(
        through organization: OrganizationID, of account: UserID? = nil, in app: AppID? = nil,
        at now: Instant
    ) throws(StoreError) -> Int {
        // The index of these grants leaves out those of no organization.
        let through = "organization_id = ? AND organization_id <> ''"
        if let account {
            return try revoke(
                "\(through) AND account_id = ?", .id(organization), .id(account), at: now)
        }
        if let app {
            return try revoke("\(through) AND app_id = ?", .id(organization), .id(app), at: now)
        }
        return try revoke(through, .id(organization), at: now)
    }

    private func revoke(_ condition: String, _ values: SQLValue..., at now: Instant)
        throws(StoreError) -> Int
    {
        try noteEnd(of: condition, values, at: now)
        return try connection.execute(
            "UPDATE token_grant SET revoked_at = ? WHERE \(condition) AND revoked_at IS NULL",
            [.time(now)] + values)
    }

    /// Writes a logout notice for each of these grants that is live and whose app hears of logouts.
    /// Call it before they end.
    private func noteEnd(of condition: String, _ values: SQLValue..., at now: Instant)
        throws(StoreError)
    { try noteEnd(of: condition, values, at: now) }

    private func noteEnd(of condition: String, _ values: [SQLValue], at now: Instant)
        throws(StoreError)
    {
        try OutboxTable(connection: connection, keys: keys).insertLogouts(
            ofGrantsWhere: condition, values, at: now)
    }

    /// Returns an account's sign-ins that have not ended, newest first.
    public func live(of account: UserID, at now: Instant) throws(StoreError) -> [TokenGrantRecord] {
        try connection.rows(
            """
            SELECT \(Self.columns) FROM token_grant
            WHERE account_id = ? AND revoked_at IS NULL AND expires_at > ? ORDER BY created_at DESC, id DESC
            """, .id(account), .time(now)
        ).map { row throws(StoreError) in try record(row) }
            .filter { $0.family.status(at: now) == .live }
    }

    /// Returns the sign-ins of an account that began in a browser and that nobody has ended, at most
    /// `count` of them: the browser's own, then those of apps, newest first. An expired one is among
    /// them until it is swept, because its app may not have noticed.
    public func all(of account: UserID, inBrowser mark: [UInt8], atMost count: Int)
        throws(StoreError) -> [TokenGrantRecord]
    {
        try connection.rows(
            """
            SELECT \(Self.columns) FROM token_grant
            WHERE browser_mark = ? AND browser_mark IS NOT NULL AND account_id = ? AND revoked_at IS NULL
            ORDER BY CASE WHEN app_id IS NULL THEN 0 ELSE 1 END, created_at DESC, id DESC LIMIT ?
            """, .blob(mark), .id(account), .integer(Int64(count))
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Returns `count` of an account's sign-ins that have not ended, after `last`, newest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists. An ended one keeps its place
    ///   until it is swept.
    public func page(of account: UserID, after last: GrantID? = nil, count: Int, at now: Instant)
        throws(StoreError) -> [TokenGrantRecord]
    {
        try connection.page(
            Self.columns,
            of: TimedList(
                table: "token_grant", time: "created_at",
                filter: """
                    account_id = ? AND revoked_at IS NULL AND expires_at > ?
                    AND (idle_ms IS NULL OR used_at + idle_ms > ? OR active_at + idle_ms > ?)
                    """,
                values: [.id(account), .time(now), .time(now), .time(now)], isNewestFirst: true),
            after: last, count: count
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Lets one sign-in that used `old` rest on `new`, which replaces it.
    public func replace(
        _ old: AuthenticatorID, with new: AuthenticatorID, in grant: GrantID
    ) throws(StoreError) {
        try connection.execute(
            "UPDATE grant_authenticator SET authenticator_id = ? WHERE grant_id = ? AND authenticator_id = ?",
            .id(new), .id(grant), .id(old))
        try connection.execute(
            "UPDATE token_grant SET authenticator_id = ? WHERE id = ? AND authenticator_id = ?",
            .id(new), .id(grant), .id(old))
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM token_grant WHERE id IN (SELECT id FROM token_grant WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    private func record(_ row: SQLRow) throws(StoreError) -> TokenGrantRecord {
        let authenticators = try connection.rows(
            "SELECT authenticator_id FROM grant_authenticator WHERE grant_id = ? ORDER BY authenticator_id",
            .text(try row.text(0))
        )
        .map { row throws(StoreError) in try row.identifier(0) as AuthenticatorID }
        return try record(row, authenticators)
    }

    private func record(_ row: SQLRow, _ authenticators: [AuthenticatorID]) throws(StoreError)
        -> TokenGrantRecord
    {
        guard let scope = Scope(try row.text(5)) else {
            throw StoreError(.corrupt, "a grant's scope cannot be decoded")
        }
        let thumbprint = try row.text(8), generation = Int(try row.integer(10))
        guard generation >= 0 else {
            throw StoreError(.corrupt, "a grant's generation is negative")
        }
        let proof = try row.text(17), id: GrantID = try row.identifier(0)
        let claims = try row.optionalBlob(20).map { sealed throws(StoreError) in
            try JSONColumn.value(
                GrantClaims.self, keys.open(sealed, .grantClaims, for: id.text))
        }
        return TokenGrantRecord(
            id: id, account: try row.identifier(1),
            app: try row[2] == .null ? nil : row.identifier(2),
            authenticator: try row.optionalIdentifier(3),
            nonce: try row.blob(4), scope: scope,
            resources: try JSONColumn.value([String].self, row.text(6).utf8),
            methods: try JSONColumn.value([String].self, row.text(7).utf8),
            keyThumbprint: thumbprint.isEmpty ? nil : thumbprint,
            signedInAt: try row.instant(9),
            family: RefreshFamily(
                generation: generation, createdAt: try row.instant(11),
                expiresAt: try row.instant(14), usedAt: try row.instant(12),
                idle: try row.optionalInteger(13).map { .milliseconds($0) },
                revokedAt: try row.optionalInstant(15),
                usersMark: try row.optionalBlob(16), activeAt: try row.optionalInstant(18)),
            authenticators: authenticators,
            newestProof: proof == "[]" ? nil : try JSONColumn.value(SignInProof.self, proof.utf8),
            organization: try row.optionalIdentifier(19), browserMark: try row.optionalBlob(21),
            claims: claims ?? GrantClaims())
    }
}

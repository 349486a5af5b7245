public import MienCore

/// A sign-in method of an administrator.
public struct AdminMethodRecord: Sendable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case passkey
        /// An Argon2id hash; valid only with a code of ``totp``.
        case password
        /// The secret of an authenticator app.
        case totp
        /// A secret that no code has confirmed yet.
        case newTOTP = "new_totp"
    }

    public let id: AuthenticatorID
    public let admin: AdminID
    public let kind: Kind
    /// The hash from ``StoreKeys/hash(ofCredential:)`` by which a passkey is found.
    public let credentialHash: [UInt8]?
    /// The name that the administrator gave a passkey; empty for other kinds.
    public let name: String
    public var content: Sensitive<[UInt8]>
    /// The time step of the last code that was accepted.
    public let lastStep: UInt64?
    public let createdAt: Instant
    public let usedAt: Instant?

    public init(
        id: AuthenticatorID, admin: AdminID, kind: Kind, credentialHash: [UInt8]? = nil,
        name: String = "", content: Sensitive<[UInt8]>, lastStep: UInt64? = nil,
        createdAt: Instant, usedAt: Instant? = nil
    ) {
        (self.id, self.admin, self.kind, self.credentialHash) = (id, admin, kind, credentialHash)
        (self.name, self.content, self.lastStep) = (name, content, lastStep)
        (self.createdAt, self.usedAt) = (createdAt, usedAt)
    }
}

/// The sign-in methods of administrators. Their content is sealed.
public struct AdminMethodTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    private static let columns =
        "id, admin_id, kind, credential_hash, name, content_sealed, last_step, created_at, used_at"

    /// - Throws: ``StoreError`` `.conflict` if the credential is already registered, `.stale` if
    ///   there is no such administrator.
    public func insert(_ method: AdminMethodRecord) throws(StoreError) {
        try connection.execute(
            "INSERT INTO admin_method (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(method.id), .id(method.admin), .text(method.kind.rawValue),
            method.credentialHash.map { .blob($0) } ?? .null, .text(method.name),
            .blob(method.content.use { keys.seal($0, .adminMethod, for: method.id.text) }),
            Self.step(method.lastStep), .time(method.createdAt), .time(method.usedAt))
    }

    /// Returns the methods of an administrator, the oldest first.
    public func all(of admin: AdminID) throws(StoreError) -> [AdminMethodRecord] {
        try connection.rows(
            "SELECT \(Self.columns) FROM admin_method WHERE admin_id = ? ORDER BY created_at, id",
            .id(admin)
        ).map { row throws(StoreError) in try record(row) }
    }

    public func find(_ kind: AdminMethodRecord.Kind, of admin: AdminID) throws(StoreError)
        -> AdminMethodRecord?
    {
        try connection.row(
            "SELECT \(Self.columns) FROM admin_method WHERE admin_id = ? AND kind = ? ORDER BY created_at DESC, id",
            .id(admin), .text(kind.rawValue)
        ).map { row throws(StoreError) in try record(row) }
    }

    public func find(credentialHash: [UInt8]) throws(StoreError) -> AdminMethodRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM admin_method WHERE credential_hash = ?",
            .blob(credentialHash)
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Returns the kinds of methods that an administrator has.
    public func kinds(of admin: AdminID) throws(StoreError) -> Set<AdminMethodRecord.Kind> {
        Set(
            try connection.rows(
                "SELECT DISTINCT kind FROM admin_method WHERE admin_id = ?", .id(admin)
            ).map { row throws(StoreError) in try row.word(0) })
    }

    /// Replaces what a method contains and notes its use.
    ///
    /// - Returns: `false` if the method is gone.
    public func update(_ method: AdminMethodRecord, usedAt now: Instant) throws(StoreError) -> Bool
    {
        try connection.execute(
            "UPDATE admin_method SET content_sealed = ?, used_at = ? WHERE id = ?",
            .blob(method.content.use { keys.seal($0, .adminMethod, for: method.id.text) }),
            .time(now), .id(method.id)) == 1
    }

    /// Uses up a time step of an authenticator app.
    ///
    /// - Returns: `false` if this step or a later one was used before, or the method is gone.
    public func advance(_ id: AuthenticatorID, to step: UInt64, at now: Instant)
        throws(StoreError) -> Bool
    {
        try connection.execute(
            "UPDATE admin_method SET last_step = ?, used_at = ? WHERE id = ? AND (last_step IS NULL OR last_step < ?)",
            Self.step(step), .time(now), .id(id), Self.step(step)) == 1
    }

    /// - Returns: `false` if the administrator has no such method.
    public func remove(_ id: AuthenticatorID, of admin: AdminID) throws(StoreError) -> Bool {
        connection.leaveNoTrace()
        return try connection.execute(
            "DELETE FROM admin_method WHERE id = ? AND admin_id = ?", .id(id), .id(admin)) == 1
    }

    public func remove(_ kinds: Set<AdminMethodRecord.Kind>, of admin: AdminID) throws(StoreError) {
        connection.leaveNoTrace()
        for kind in AdminMethodRecord.Kind.allCases where kinds.contains(kind) {
            try connection.execute(
                "DELETE FROM admin_method WHERE admin_id = ? AND kind = ?", .id(admin),
                .text(kind.rawValue))
        }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> AdminMethodRecord {
        let id: AuthenticatorID = try row.identifier(0)
        let content = try keys.open(row.blob(5), .adminMethod, for: id.text)
        return AdminMethodRecord(
            id: id, admin: try row.identifier(1), kind: try row.word(2),
            credentialHash: try row.optionalBlob(3), name: try row.text(4),
            content: Sensitive(content),
            lastStep: try row.optionalInteger(6).map { UInt64(max(0, $0)) },
            createdAt: try row.instant(7), usedAt: try row.optionalInstant(8))
    }

    private static func step(_ step: UInt64?) -> SQLValue {
        step.map { .integer(Int64(clamping: $0)) } ?? .null
    }
}

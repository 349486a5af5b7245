public import MienCore

/// Something that a browser has begun and goes on with by a secret, of which only the hash is
/// stored.
public struct WebRecord: Sendable {
    public enum Kind: String, Sendable {
        /// A browser in which somebody signed in.
        case session
        /// A sign-in in progress.
        case flow
        /// The one-time link to a capture.
        case link
        /// The names that people let a browser remember.
        case browser
        /// A capture that moves to another device.
        case handoff
        /// The one-time link to a verification session.
        case verification
        /// A verification session that begins once somebody uses it.
        case pendingVerification = "pending_verification"
        /// An answer to an app that the browser posts.
        case answer
        /// An authorization request that an app has pushed.
        case pushed
        /// The secret of an authenticator app that waits for its first code.
        case authenticatorApp = "authenticator_app"
        /// A sign-in on a device without a browser, by the device's code.
        case device
        /// The hash of the device's code, by the code that a person types.
        case deviceCode = "device_code"
    }

    public let kind: Kind
    public let hash: [UInt8]
    /// The user it belongs to; it is deleted with the account.
    public let account: UserID?
    /// The app it belongs to; it is deleted with the app.
    public let app: AppID?
    public let content: Sensitive<[UInt8]>
    /// Counts changes, so that of two changes at once only one succeeds.
    public internal(set) var revision = 0
    public let expiresAt: Instant

    public init(
        _ kind: Kind, _ hash: [UInt8], account: UserID? = nil, app: AppID? = nil,
        content: Sensitive<[UInt8]>, expiresAt: Instant
    ) {
        (self.kind, self.hash, self.account, self.app) = (kind, hash, account, app)
        (self.content, self.expiresAt) = (content, expiresAt)
    }
}

/// The state of browsers: sessions, sign-ins in progress, and links.
public struct WebRecordTable {
    let connection: any SQLConnection
    let keys: StoreKeys

    /// Inserts a record, or replaces the one with the same hash.
    public func put(_ record: WebRecord) throws(StoreError) {
        try delete(record.kind, record.hash)
        try connection.execute(
            "INSERT INTO web_record (kind, hash, account_id, app_id, content_sealed, revision, expires_at) VALUES (?, ?, ?, ?, ?, 0, ?)",
            .text(record.kind.rawValue), .blob(record.hash),
            record.account.map { .id($0) } ?? .null, record.app.map { .id($0) } ?? .null,
            .blob(sealed(record)),
            .time(record.expiresAt))
    }

    public func find(_ kind: WebRecord.Kind, _ hash: [UInt8], at now: Instant) throws(StoreError)
        -> WebRecord?
    {
        guard
            let row = try connection.row(
                "SELECT account_id, content_sealed, revision, expires_at, app_id FROM web_record WHERE kind = ? AND hash = ? AND expires_at > ?",
                .text(kind.rawValue), .blob(hash), .time(now))
        else { return nil }
        let content = try keys.open(row.blob(1), .webRecord, for: Self.identity(kind, hash))
        var record = WebRecord(
            kind, hash, account: try row[0] == .null ? nil : row.identifier(0),
            app: try row[4] == .null ? nil : row.identifier(4), content: Sensitive(content),
            expiresAt: try row.instant(3))
        record.revision = Int(try row.integer(2))
        return record
    }

    /// Writes a record that was read with `revision`.
    ///
    /// - Returns: `false` if the record has changed or is gone.
    public func update(_ record: WebRecord, from revision: Int) throws(StoreError) -> Bool {
        try connection.execute(
            "UPDATE web_record SET account_id = ?, content_sealed = ?, revision = revision + 1, expires_at = ? WHERE kind = ? AND hash = ? AND revision = ?",
            record.account.map { .id($0) } ?? .null, .blob(sealed(record)),
            .time(record.expiresAt), .text(record.kind.rawValue), .blob(record.hash),
            .integer(Int64(revision))) == 1
    }

    /// Returns the record and removes it: for secrets that work once.
    public func take(_ kind: WebRecord.Kind, _ hash: [UInt8], at now: Instant) throws(StoreError)
        -> WebRecord?
    {
        guard let record = try find(kind, hash, at: now), try remove(kind, hash) else {
            return nil
        }
        return record
    }

    public func delete(_ kind: WebRecord.Kind, _ hash: [UInt8]) throws(StoreError) {
        _ = try remove(kind, hash)
    }

    /// - Returns: whether there was one.
    private func remove(_ kind: WebRecord.Kind, _ hash: [UInt8]) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM web_record WHERE kind = ? AND hash = ?", .text(kind.rawValue),
            .blob(hash)) == 1
    }

    /// - Returns: the number of removed rows, at most `count`.
    public func sweep(at now: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM web_record WHERE (kind, hash) IN (SELECT kind, hash FROM web_record WHERE expires_at <= ? LIMIT ?)",
            .time(now), .integer(Int64(count)))
    }

    private func sealed(_ record: WebRecord) -> [UInt8] {
        record.content.use {
            keys.seal($0, .webRecord, for: Self.identity(record.kind, record.hash))
        }
    }

    private static func identity(_ kind: WebRecord.Kind, _ hash: [UInt8]) -> String {
        "\(kind.rawValue) \(Base64URL.encode(hash))"
    }
}

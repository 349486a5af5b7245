public import MienAPI
public import MienCore

/// An application whose users sign in on this server.
public struct AppRecord: Sendable {
    public let id: AppID
    public var name: String
    public let type: AppType
    public var party: AppParty
    /// Whether the app is first-party. Only first-party apps manage their users' authenticators.
    public var isFirstParty: Bool { party == .first }
    /// The secret's hash, for a confidential app.
    public var secretHash: [UInt8]?
    public var settings: AppSettings
    public let createdAt: Instant
    /// How a program registered the app; `nil` for an app of an administrator.
    public let registration: AppRegistration?

    public init(
        id: AppID, name: String, type: AppType, party: AppParty = .third,
        secretHash: [UInt8]? = nil, settings: AppSettings, createdAt: Instant,
        registration: AppRegistration? = nil
    ) {
        self.registration = registration
        (self.id, self.name, self.type, self.party) = (id, name, type, party)
        (self.secretHash, self.settings, self.createdAt) = (secretHash, settings, createdAt)
    }
}

/// How a program registered an app: RFC 7591.
public struct AppRegistration: Sendable, Hashable {
    /// The initial access token.
    public let token: RegistrationTokenID
    /// The hash of the token with which the program changes the app.
    public let accessHash: [UInt8]

    public init(token: RegistrationTokenID, accessHash: [UInt8]) {
        (self.token, self.accessHash) = (token, accessHash)
    }
}

public struct AppTable {
    let connection: any SQLConnection
    private static let columns =
        "id, name, type, secret_hash, settings, created_at, party, registration_token_id, registration_hash"

    private func noteChange() throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.apps)
    }

    public func insert(_ app: AppRecord) throws(StoreError) {
        try noteChange()
        try connection.execute(
            "INSERT INTO app (\(Self.columns), updated_at, hears_logouts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .id(app.id), .text(app.name), .text(app.type.rawValue),
            app.secretHash.map { .blob($0) } ?? .null, .text(JSONColumn.text(app.settings)),
            .time(app.createdAt), .text(app.party.rawValue),
            app.registration.map { .id($0.token) } ?? .null,
            app.registration.map { .blob($0.accessHash) } ?? .null,
            .time(app.createdAt), .flag(app.settings.backChannelLogoutURI != nil))
    }

    /// - Returns: whether the app exists.
    public func update(_ app: AppRecord, at now: Instant) throws(StoreError) -> Bool {
        try noteChange()
        return try connection.execute(
            "UPDATE app SET name = ?, secret_hash = ?, settings = ?, party = ?, updated_at = ?, hears_logouts = ? WHERE id = ?",
            .text(app.name),
            app.secretHash.map { .blob($0) } ?? .null, .text(JSONColumn.text(app.settings)),
            .text(app.party.rawValue), .time(now),
            .flag(app.settings.backChannelLogoutURI != nil), .id(app.id)) == 1
    }

    public func delete(_ id: AppID) throws(StoreError) -> Bool {
        // The pictures of the app's verification sessions are deleted with it.
        connection.leaveNoTrace()
        try noteChange()
        return try connection.execute("DELETE FROM app WHERE id = ?", .id(id)) == 1
    }

    public func find(_ id: AppID) throws(StoreError) -> AppRecord? {
        try connection.row("SELECT \(Self.columns) FROM app WHERE id = ?", .id(id)).map {
            row throws(StoreError) in try Self.record(row)
        }
    }

    public func party(of id: AppID) throws(StoreError) -> AppParty? {
        try connection.row("SELECT party FROM app WHERE id = ?", .id(id)).map {
            row throws(StoreError) in try row.word(0)
        }
    }

    public func all() throws(StoreError) -> [AppRecord] {
        try connection.rows("SELECT \(Self.columns) FROM app ORDER BY created_at, id").map {
            row throws(StoreError) in try Self.record(row)
        }
    }

    /// Returns the services that may look at the access tokens of an app.
    public func services(of id: AppID) throws(StoreError) -> [AppID] {
        // Most apps are no service, and their settings need not be read.
        try connection.rows(
            "SELECT \(Self.columns) FROM app WHERE settings LIKE '%\"introspection_apps\":[\"%' ORDER BY id"
        ).map { row throws(StoreError) in try Self.record(row) }
            .filter { $0.settings.introspectionApps.contains(id) }.map(\.id)
    }

    /// Returns `count` apps after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists.
    public func page(after last: AppID?, count: Int) throws(StoreError) -> [AppRecord] {
        try connection.page(
            Self.columns, of: TimedList(table: "app", time: "created_at"), after: last,
            count: count
        ).map { row throws(StoreError) in try Self.record(row) }
    }

    /// Returns the name of an app, without its settings.
    public func name(of id: AppID) throws(StoreError) -> String? {
        try connection.row("SELECT name FROM app WHERE id = ?", .id(id)).map {
            row throws(StoreError) in try row.text(0)
        }
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> AppRecord {
        let token: RegistrationTokenID? = try row.optionalIdentifier(7)
        return AppRecord(
            id: try row.identifier(0), name: try row.text(1), type: try row.word(2),
            party: try row.word(6), secretHash: try row.optionalBlob(3),
            settings: try JSONColumn.value(AppSettings.self, row.text(4).utf8),
            createdAt: try row.instant(5),
            registration: try token.map { token throws(StoreError) in
                AppRegistration(token: token, accessHash: try row.blob(8))
            })
    }
}

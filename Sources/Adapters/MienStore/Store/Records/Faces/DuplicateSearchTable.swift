public import MienCore

/// A registered face that has yet to be compared with the app's others.
public struct DuplicateSearch: Sendable, Hashable {
    public let authenticator: AuthenticatorID
    public let account: UserID
    public let app: AppID

    public init(authenticator: AuthenticatorID, account: UserID, app: AppID) {
        (self.authenticator, self.account, self.app) = (authenticator, account, app)
    }
}

/// A face of an app, as the search compares it.
public struct StoredFace: Sendable {
    public let authenticator: AuthenticatorID
    public let account: UserID
    /// A `FaceTemplate` in its binary format; `nil` if it cannot be decrypted.
    public let template: Sensitive<[UInt8]>?
}

/// The queue of faces that are searched for duplicates. A row is written with the face and deleted
/// after the search, so that no crash loses one, and deleted with the face.
public struct DuplicateSearchTable {
    let connection: any SQLConnection

    public func insert(_ search: DuplicateSearch, at now: Instant) throws(StoreError) {
        try connection.execute(
            "INSERT INTO duplicate_search (authenticator_id, account_id, app_id, queued_at) VALUES (?, ?, ?, ?)",
            .id(search.authenticator), .id(search.account), .id(search.app), .time(now))
    }

    /// Returns the face that waits longest.
    public func next() throws(StoreError) -> DuplicateSearch? {
        try connection.row(
            "SELECT authenticator_id, account_id, app_id FROM duplicate_search ORDER BY queued_at, authenticator_id LIMIT 1"
        ).map { row throws(StoreError) in
            DuplicateSearch(
                authenticator: try row.identifier(0), account: try row.identifier(1),
                app: try row.identifier(2))
        }
    }

    public func count() throws(StoreError) -> Int {
        Int(try connection.row("SELECT COUNT(*) FROM duplicate_search")?.integer(0) ?? 0)
    }

    /// - Returns: whether the face still waited.
    public func delete(_ face: AuthenticatorID) throws(StoreError) -> Bool {
        try connection.execute(
            "DELETE FROM duplicate_search WHERE authenticator_id = ?", .id(face)) == 1
    }
}

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
    let keys: StoreKeys

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

    /// Returns the faces of an app that a model pack made, except an account's own and those of
    /// accounts for tests, by ID.
    ///
    /// - Parameter last: The last face of the page before.
    public func faces(
        of app: AppID, pack: PackID, except account: UserID, after last: AuthenticatorID?,
        atMost count: Int
    ) throws(StoreError) -> [StoredFace] {
        let rows = try connection.rows(
            """
            SELECT f.id, f.account_id, f.content_sealed, a.key_sealed FROM authenticator f
            JOIN account a ON a.id = f.account_id
            WHERE f.type = ? AND f.pack = ? AND f.app_id = ? AND f.account_id <> ? AND a.is_test = 0 AND f.id > ?
            ORDER BY f.id LIMIT ?
            """, .text("face"), .text(pack.text), .id(app), .id(account), .text(last?.text ?? ""),
            .integer(Int64(count)))
        var faces: [StoredFace] = []
        for row in rows {
            let id: AuthenticatorID = try row.identifier(0), owner: UserID = try row.identifier(1)
            let sealed = try row.blob(2), sealedKey = try row.blob(3)
            let identity = AuthenticatorTable.identity(id, .face, app)
            // A damaged face does not hide the others of its page.
            let template = try? keys.accountKey(sealedKey, for: owner).open(
                sealed, .authenticator, for: identity)
            faces.append(
                StoredFace(
                    authenticator: id, account: owner, template: template.map { Sensitive($0) }))
        }
        return faces
    }
}

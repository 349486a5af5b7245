public import MienCore

/// The state of a part of an app's faces: a number that grows with every change of a face, and a
/// random stamp of the last one.
///
/// Two databases that were one may count the same number of different changes, such as a database
/// and its copy of an hour ago. The stamps tell them apart.
public struct GalleryVersion: Sendable, Hashable {
    public let number: Int64
    public let stamp: Int64

    /// The state of a part in which no face was ever changed.
    public static let unchanged = GalleryVersion(number: 0, stamp: 0)
}

extension StoreChannel {
    /// Notifies other servers that a face of an app has changed. The payload is the app's ID.
    public static let faces: StoreChannel = "faces"
}

/// The changes of the faces that servers hold in memory, and those faces.
///
/// Each change of a face increments the version of its part, in the same transaction. So a server that
/// has a part in one version, and reads the changes since, has all faces that were committed before.
public struct GalleryTable {
    /// The number of changes of a part that are kept. A server that knows only an older version
    /// reads all faces of the part again.
    public static let keptChanges: Int64 = 256

    let connection: any SQLConnection
    let keys: StoreKeys

    // MARK: Writing

    /// Notes that a face was inserted, replaced, or removed, and tells the servers.
    func note(_ face: AuthenticatorID, app: AppID) throws(StoreError) {
        let part = Int64(GalleryPart(of: face).number)
        let stamp = Int64.random(in: .min ... .max)
        let version = try connection.row(
            """
            INSERT INTO gallery_part (app_id, part, version, stamp) VALUES (?, ?, 1, ?)
            ON CONFLICT (app_id, part) DO UPDATE SET version = gallery_part.version + 1, stamp = excluded.stamp
            RETURNING version
            """, .id(app), .integer(part), .integer(stamp))?.integer(0)
        guard let version else { throw StoreError(.corrupt, "a part of a gallery has no version") }
        try connection.execute(
            "INSERT INTO gallery_change (app_id, part, version, stamp, authenticator_id) VALUES (?, ?, ?, ?, ?)",
            .id(app), .integer(part), .integer(version), .integer(stamp), .id(face))
        if version > Self.keptChanges {
            try connection.execute(
                "DELETE FROM gallery_change WHERE app_id = ? AND part = ? AND version <= ?",
                .id(app), .integer(part), .integer(version - Self.keptChanges))
        }
        try connection.notify(.faces, app.text)
    }

    /// Notes that an authenticator is about to be removed, if it is a face.
    func noteFace(_ id: AuthenticatorID, of account: UserID) throws(StoreError) {
        let row = try connection.row(
            "SELECT app_id FROM authenticator WHERE id = ? AND account_id = ? AND type = ?",
            .id(id), .id(account), .text(AuthenticatorType.face.rawValue))
        guard let app: AppID = try row?.optionalIdentifier(0) else { return }
        try note(id, app: app)
    }

    /// Notes that all faces of an account are about to be removed.
    func noteFaces(of account: UserID) throws(StoreError) {
        let rows = try connection.rows(
            "SELECT id, app_id FROM authenticator WHERE account_id = ? AND type = ?", .id(account),
            .text(AuthenticatorType.face.rawValue))
        for row in rows {
            guard let app: AppID = try row.optionalIdentifier(1) else { continue }
            try note(try row.identifier(0), app: app)
        }
    }

    /// Forgets the changes of an app that is removed with all its faces.
    func remove(_ app: AppID) throws(StoreError) {
        try connection.execute("DELETE FROM gallery_change WHERE app_id = ?", .id(app))
        try connection.execute("DELETE FROM gallery_part WHERE app_id = ?", .id(app))
        try connection.notify(.faces, app.text)
    }

    // MARK: Versions

    /// Returns the versions of the parts of an app in which a face was ever changed.
    public func versions(of app: AppID) throws(StoreError) -> [GalleryPart: GalleryVersion] {
        var versions: [GalleryPart: GalleryVersion] = [:]
        let rows = try connection.rows(
            "SELECT part, version, stamp FROM gallery_part WHERE app_id = ?", .id(app))
        for row in rows {
            guard let part = GalleryPart(Int(try row.integer(0))) else {
                throw StoreError(.corrupt, "a row names an unknown part of a gallery")
            }
            versions[part] = GalleryVersion(
                number: try row.integer(1), stamp: try row.integer(2))
        }
        return versions
    }

    /// Returns the faces of a part that were inserted, replaced, or removed since `old`.
    ///
    /// - Parameter new: The version of the part now: see ``versions(of:)``.
    /// - Returns: `nil` if the changes are no longer kept, or `old` is no version of this database.
    public func changes(
        of app: AppID, _ part: GalleryPart, since old: GalleryVersion, until new: GalleryVersion
    ) throws(StoreError) -> Set<AuthenticatorID>? {
        if old == new { return [] }
        guard old.number < new.number, new.number - old.number <= Self.keptChanges else {
            return nil
        }
        let rows = try connection.rows(
            """
            SELECT version, stamp, authenticator_id FROM gallery_change
            WHERE app_id = ? AND part = ? AND version >= ? ORDER BY version
            """, .id(app), .integer(Int64(part.number)), .integer(old.number))
        var expected = old.number, faces: Set<AuthenticatorID> = []
        if old == .unchanged { expected += 1 }
        for row in rows {
            guard try row.integer(0) == expected else { return nil }
            if expected == old.number {
                guard try row.integer(1) == old.stamp else { return nil }
            } else {
                faces.insert(try row.identifier(2))
            }
            expected += 1
        }
        return expected == new.number + 1 ? faces : nil
    }

    // MARK: Faces

    private static let columns =
        """
        SELECT f.id, f.account_id, f.content_sealed, a.key_sealed FROM authenticator f
        JOIN account a ON a.id = f.account_id
        WHERE f.type = ? AND f.pack = ? AND f.app_id = ? AND a.is_test = 0
        """

    /// Returns the number of faces of an app that a model pack made, with those of test accounts.
    public func count(of app: AppID, pack: PackID, in span: GalleryPart.Span) throws(StoreError)
        -> Int
    {
        let row = try connection.row(
            "SELECT COUNT(*) FROM authenticator WHERE app_id = ? AND type = ? AND pack = ? AND id > ? AND id <= ?",
            .id(app), .text(AuthenticatorType.face.rawValue), .text(pack.text), .text(span.after),
            .text(span.through))
        return Int(try row?.integer(0) ?? 0)
    }

    /// Returns faces of an app that a model pack made, except those of test accounts, by ID.
    ///
    /// - Parameter last: The last face of the page before.
    public func faces(
        of app: AppID, pack: PackID, in span: GalleryPart.Span, after last: AuthenticatorID?,
        atMost count: Int
    ) throws(StoreError) -> [StoredFace] {
        try faces(
            of: app,
            connection.rows(
                "\(Self.columns) AND f.id > ? AND f.id <= ? ORDER BY f.id LIMIT ?",
                .text(AuthenticatorType.face.rawValue), .text(pack.text), .id(app),
                .text(last?.text ?? span.after), .text(span.through), .integer(Int64(count))))
    }

    /// Returns one face, if it exists, a model pack made it, and its account is none for tests.
    public func face(_ id: AuthenticatorID, of app: AppID, pack: PackID) throws(StoreError)
        -> StoredFace?
    {
        try faces(
            of: app,
            connection.rows(
                "\(Self.columns) AND f.id = ?", .text(AuthenticatorType.face.rawValue),
                .text(pack.text), .id(app), .id(id))
        ).first
    }

    /// Returns the account of a face.
    public func owner(of face: AuthenticatorID) throws(StoreError) -> UserID? {
        try connection.row(
            "SELECT account_id FROM authenticator WHERE id = ? AND type = ?", .id(face),
            .text(AuthenticatorType.face.rawValue)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    /// Returns the app of a face, or the ID of the group that shares it.
    func space(of face: AuthenticatorID, _ account: UserID) throws(StoreError) -> AppID? {
        let row = try connection.row(
            "SELECT app_id FROM authenticator WHERE id = ? AND account_id = ? AND type = ?",
            .id(face), .id(account), .text(AuthenticatorType.face.rawValue))
        return try row?.optionalIdentifier(0)
    }

    /// Returns the faces that an account has in an app.
    public func faces(of account: UserID, in app: AppID) throws(StoreError) -> [AuthenticatorID] {
        try connection.rows(
            "SELECT id FROM authenticator WHERE account_id = ? AND type = ? AND app_id = ?",
            .id(account), .text(AuthenticatorType.face.rawValue), .id(app)
        ).map { row throws(StoreError) in try row.identifier(0) }
    }

    private func faces(of app: AppID, _ rows: [SQLRow]) throws(StoreError) -> [StoredFace] {
        var faces: [StoredFace] = []
        faces.reserveCapacity(rows.count)
        for row in rows {
            let id: AuthenticatorID = try row.identifier(0), owner: UserID = try row.identifier(1)
            let sealed = try row.blob(2), sealedKey = try row.blob(3)
            let identity = AuthenticatorTable.identity(id, .face, app)
            // Skip a damaged face, so that the others of its page are found. A face under a master
            // key that this server has yet to take over is not damaged.
            var template: [UInt8]?
            do throws(StoreError) {
                template = try keys.accountKey(sealedKey, for: owner).open(
                    sealed, .authenticator, for: identity)
            } catch { if error.code == .foreignKey { throw error } }
            faces.append(
                StoredFace(
                    authenticator: id, account: owner, template: template.map { Sensitive($0) }))
        }
        return faces
    }
}

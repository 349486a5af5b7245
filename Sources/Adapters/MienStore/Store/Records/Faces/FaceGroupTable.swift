public import MienAPI
public import MienCore

/// A group of apps that share faces.
public struct FaceGroupRecord: Sendable, Hashable {
    public let id: FaceGroupID
    public var name: String
    /// Grows with every change of the apps.
    public var version: Int
    /// How old a sign-in with the face may be to sign in to another app of the group.
    public var maxAge: Duration
    /// The apps, each with the version of the group since which it counts.
    public var apps: [AppID: Int]
    public let createdAt: Instant

    public init(
        id: FaceGroupID, name: String, version: Int, maxAge: Duration, apps: [AppID: Int],
        createdAt: Instant
    ) {
        (self.id, self.name, self.version, self.maxAge) = (id, name, version, maxAge)
        (self.apps, self.createdAt) = (apps, createdAt)
    }

    /// Replaces the apps. An app that was there stays since the version in which it came, so that
    /// who agreed to it then need not agree again.
    public mutating func replaceApps(with wanted: Set<AppID>) {
        guard wanted != Set(apps.keys) else { return }
        version += 1
        apps = Dictionary(uniqueKeysWithValues: wanted.map { ($0, apps[$0] ?? version) })
    }
}

/// The groups of apps that share faces, and which app uses which shared face.
///
/// A shared face belongs to its group: `authenticator.app_id` is the group's ID, which no app has.
/// An app uses a person's shared face if the person's current consent is to a version of the group
/// in which the app was.
public struct FaceGroupTable {
    let connection: any SQLConnection
    private static let columns = "id, name, version, max_age, created_at"

    // MARK: Groups

    /// - Throws: ``StoreError`` `.conflict` if an app is in another group, `.stale` if there is no
    ///   such app.
    public func insert(_ group: FaceGroupRecord) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.apps)
        try connection.execute(
            "INSERT INTO face_group (\(Self.columns)) VALUES (?, ?, ?, ?, ?)", .id(group.id),
            .text(group.name), .integer(Int64(group.version)),
            .integer(group.maxAge.components.seconds), .time(group.createdAt))
        for (app, since) in group.apps { try add(app, to: group.id, since: since) }
    }

    /// Replaces a group.
    ///
    /// - Throws: as ``insert(_:)``; `.stale` as well if its apps have changed since `old` was read.
    public func update(_ group: FaceGroupRecord, from old: FaceGroupRecord) throws(StoreError) {
        try ChangeVersionTable(connection: connection).grow(.apps)
        let changed = try connection.execute(
            "UPDATE face_group SET name = ?, version = ?, max_age = ? WHERE id = ? AND version = ?",
            .text(group.name), .integer(Int64(group.version)),
            .integer(group.maxAge.components.seconds), .id(group.id),
            .integer(Int64(old.version)))
        guard changed == 1 else {
            throw StoreError(.stale, "the group of apps has changed since it was read")
        }
        for app in old.apps.keys where group.apps[app] == nil {
            try connection.execute(
                "DELETE FROM face_group_app WHERE app_id = ? AND group_id = ?", .id(app),
                .id(group.id))
        }
        for (app, since) in group.apps where old.apps[app] == nil {
            try add(app, to: group.id, since: since)
        }
    }

    private func add(_ app: AppID, to group: FaceGroupID, since: Int) throws(StoreError) {
        try connection.execute(
            "INSERT INTO face_group_app (app_id, group_id, since) VALUES (?, ?, ?)", .id(app),
            .id(group), .integer(Int64(since)))
    }

    /// - Returns: whether the group existed.
    public func delete(_ id: FaceGroupID) throws(StoreError) -> Bool {
        try ChangeVersionTable(connection: connection).grow(.apps)
        return try connection.execute("DELETE FROM face_group WHERE id = ?", .id(id)) == 1
    }

    public func find(_ id: FaceGroupID) throws(StoreError) -> FaceGroupRecord? {
        try connection.row("SELECT \(Self.columns) FROM face_group WHERE id = ?", .id(id)).map {
            row throws(StoreError) in try record(row)
        }
    }

    /// Returns the group that an app is in.
    public func group(of app: AppID) throws(StoreError) -> FaceGroupRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM face_group WHERE id = (SELECT group_id FROM face_group_app WHERE app_id = ?)",
            .id(app)
        ).map { row throws(StoreError) in try record(row) }
    }

    /// Returns `count` groups after `last`, the oldest first.
    ///
    /// - Throws: ``StoreError`` `.stale` if `last` no longer exists.
    public func page(after last: FaceGroupID?, count: Int) throws(StoreError) -> [FaceGroupRecord] {
        try connection.page(
            Self.columns, of: TimedList(table: "face_group", time: "created_at"), after: last,
            count: count
        ).map { row throws(StoreError) in try record(row) }
    }

    private func record(_ row: SQLRow) throws(StoreError) -> FaceGroupRecord {
        let id: FaceGroupID = try row.identifier(0)
        var apps: [AppID: Int] = [:]
        for row in try connection.rows(
            "SELECT app_id, since FROM face_group_app WHERE group_id = ?", .id(id))
        {
            apps[try row.identifier(0)] = Int(try row.integer(1))
        }
        return FaceGroupRecord(
            id: id, name: try row.text(1), version: Int(try row.integer(2)),
            maxAge: .seconds(try row.integer(3)), apps: apps, createdAt: try row.instant(4))
    }

    /// Returns the apps that a text of consent names: those of the group that an app is in.
    public func sharing(of app: AppID) throws(StoreError) -> FaceSharing? {
        guard let group = try group(of: app) else { return nil }
        var names: [String] = []
        for row in try connection.rows(
            "SELECT name FROM app WHERE id IN (SELECT app_id FROM face_group_app WHERE group_id = ?) ORDER BY name, id",
            .id(group.id))
        { names.append(try row.text(0)) }
        return FaceSharing(group: group.id, version: group.version, apps: names)
    }

    // MARK: Who may use a face

    /// Returns the group whose face of an account an app may use: the account's current consent is
    /// to a version in which the app was.
    public func shared(with app: AppID, by account: UserID) throws(StoreError) -> FaceGroupID? {
        guard let group = try group(of: app), let since = group.apps[app],
            let agreed = try agreedVersion(account, group.id), agreed >= since
        else { return nil }
        return group.id
    }

    /// Returns the apps that may use an account's face of a group.
    public func apps(sharing group: FaceGroupID, of account: UserID) throws(StoreError) -> [AppID] {
        guard let group = try find(group), let agreed = try agreedVersion(account, group.id) else {
            return []
        }
        return group.apps.filter { $0.value <= agreed }.keys.sorted()
    }

    private func agreedVersion(_ account: UserID, _ group: FaceGroupID) throws(StoreError) -> Int? {
        let consent = try ConsentTable(connection: connection).current(
            of: account, app: group.space, purpose: FaceSharing.purpose)
        guard let consent else { return nil }
        guard let version = FaceSharing.version(ofText: consent.textVersion) else {
            throw StoreError(.corrupt, "a consent to share a face names no version of its group")
        }
        return version
    }

    // MARK: Uses

    /// Notes that an app uses a shared face.
    public func noteUse(of face: AuthenticatorID, in app: AppID, at now: Instant)
        throws(StoreError)
    {
        try connection.execute(
            "INSERT INTO face_use (authenticator_id, app_id, used_at) VALUES (?, ?, ?) ON CONFLICT (authenticator_id, app_id) DO NOTHING",
            .id(face), .id(app), .time(now))
    }

    public func isUsed(_ face: AuthenticatorID, in app: AppID) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM face_use WHERE authenticator_id = ? AND app_id = ?", .id(face), .id(app))
            != nil
    }

    /// Forgets that an app uses the faces of its group.
    public func forgetUses(in app: AppID) throws(StoreError) {
        try connection.execute("DELETE FROM face_use WHERE app_id = ?", .id(app))
    }

    /// Returns `count` faces of a group after `last`, with their accounts.
    ///
    /// - Parameter isUnused: Whether to return only faces that no app uses.
    public func faces(
        of group: FaceGroupID, isUnused: Bool = false, after last: AuthenticatorID? = nil,
        atMost count: Int
    ) throws(StoreError) -> [(face: AuthenticatorID, account: UserID)] {
        let unused =
            isUnused
            ? "AND NOT EXISTS (SELECT 1 FROM face_use WHERE authenticator_id = authenticator.id)"
            : ""
        return try connection.rows(
            "SELECT id, account_id FROM authenticator WHERE app_id = ? AND type = ? AND id > ? \(unused) ORDER BY id LIMIT ?",
            .id(group.space), .text(AuthenticatorType.face.rawValue), .text(last?.text ?? ""),
            .integer(Int64(count))
        ).map { row throws(StoreError) in (try row.identifier(0), try row.identifier(1)) }
    }

    public func people(sharing group: FaceGroupID) throws(StoreError) -> Int {
        Int(
            try connection.row(
                "SELECT COUNT(DISTINCT account_id) FROM authenticator WHERE app_id = ? AND type = ?",
                .id(group.space), .text(AuthenticatorType.face.rawValue))?.integer(0) ?? 0)
    }
}

// MARK: Faces of an app

extension Tables {
    /// Returns the face with which an account signs in to an app: the newer one of the app's own and
    /// the one that the app's group shares, if the person agreed to share it with the app.
    public func face(of account: AccountRecord, in app: AppID) throws(StoreError)
        -> AuthenticatorRecord?
    {
        let own = try authenticators.find(.face, of: account, app: app)
        guard let group = try faceGroups.shared(with: app, by: account.id),
            let shared = try authenticators.find(.face, of: account, app: group.space)
        else { return own }
        return own.map { $0.createdAt > shared.createdAt ? $0 : shared } ?? shared
    }

    /// Whether an app may rest a sign-in on these authenticators: each shared face among them is
    /// shared with the app.
    public func mayUse(_ used: [AuthenticatorID], of account: UserID, in app: AppID)
        throws(StoreError) -> Bool
    {
        for id in used {
            guard let group = FaceGroupID(space: try galleries.space(of: id, account)) else {
                continue
            }
            guard try faceGroups.shared(with: app, by: account) == group else { return false }
        }
        return true
    }

    /// Returns the group of the shared face that a sign-in rests on, if it does and the app may use
    /// it.
    public func group(ofFaceIn used: [AuthenticatorID], of account: UserID, for app: AppID)
        throws(StoreError) -> FaceGroupRecord?
    {
        for id in used {
            guard let group = FaceGroupID(space: try galleries.space(of: id, account)) else {
                continue
            }
            guard try faceGroups.shared(with: app, by: account) == group else { return nil }
            return try faceGroups.find(group)
        }
        return nil
    }
}

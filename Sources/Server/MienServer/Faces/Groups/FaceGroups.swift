internal import MienAPI
internal import MienCore
internal import MienStore

/// Makes, changes, and ends groups of apps that share faces.
///
/// An app that leaves loses the shared faces at once; those that only it used are erased. An app
/// that comes gets none: people agree to it in a new consent, which names it.
package struct FaceGroups: Sendable {
    /// The most apps of a group: a text of consent names them all.
    static let maxApps = 32
    /// How old a sign-in with the face may be for another app, and the longest such time.
    static let standardMaxAge = 300, longestMaxAge = 12 * 3600

    let store: Store
    let apps: AppCatalog
    let clock: ServerClock

    static let noGroup = Problem(.notFound, "There is no group of apps with this ID.")

    func create(_ wanted: Content, actor: String) async throws -> FaceGroupRecord {
        var generator = SystemRandomNumberGenerator()
        let now = clock.now
        guard wanted.version == nil else {
            throw Problem.field("version", "applies only to changes; a new group has none")
        }
        let group = FaceGroupRecord(
            id: .random(using: &generator), name: wanted.name, version: 1,
            maxAge: .seconds(Int64(wanted.maxAge ?? Self.standardMaxAge)),
            apps: Dictionary(uniqueKeysWithValues: wanted.apps.map { ($0, 1) }), createdAt: now)
        try await write { tables in
            try tables.requireFree(wanted.apps, for: group.id)
            try tables.faceGroups.insert(group)
            try tables.audit.append(
                AuditEvent(
                    "face-group.created", actor: actor,
                    detail: Self.members(group).merging(["group": .string(group.id.text)]) { $1 }),
                at: now)
        }
        return group
    }

    /// - Returns: the group as it is now.
    func change(_ id: FaceGroupID, to wanted: Content, actor: String) async throws
        -> FaceGroupRecord
    {
        let now = clock.now
        return try await write { tables in
            guard let old = try tables.faceGroups.find(id) else { throw Self.noGroup }
            guard wanted.version.map({ $0 == old.version }) ?? true else {
                throw Problem(
                    .conflict,
                    "Somebody has changed the apps of this group since. Look at it as it is now, and make the change again."
                )
            }
            try tables.requireFree(wanted.apps, for: id)
            var group = old, erased = 0
            group.name = wanted.name
            if let maxAge = wanted.maxAge { group.maxAge = .seconds(Int64(maxAge)) }
            group.replaceApps(with: wanted.apps)
            for app in old.apps.keys.sorted() where group.apps[app] == nil {
                erased += try tables.leaveFaceGroup(old, app, actor: actor, at: now)
            }
            try tables.faceGroups.update(group, from: old)
            for app in old.apps.keys.sorted() where group.apps[app] == nil {
                try tables.duplicateCases.deleteFaceless(in: app)
            }
            var detail = AuditChanges.detail(from: Self.members(old), to: Self.members(group))
            detail["group"] = .string(id.text)
            if erased > 0 { detail["faces_erased"] = .number(Double(erased)) }
            try tables.audit.append(
                AuditEvent("face-group.changed", actor: actor, detail: detail), at: now)
            return group
        }
    }

    func delete(_ id: FaceGroupID, actor: String) async throws {
        let now = clock.now
        try await write { tables in
            guard let group = try tables.faceGroups.find(id) else { throw Self.noGroup }
            let erased = try tables.endFaceGroup(group, actor: actor, at: now)
            let detail = Self.members(group).merging([
                "group": .string(id.text), "faces_erased": .number(Double(erased)),
            ]) { $1 }
            try tables.audit.append(
                AuditEvent("face-group.deleted", actor: actor, detail: detail), at: now)
        }
    }

    /// Writes, and drops what this server keeps of apps. The other servers see it by the version of
    /// the apps.
    private func write<Output: Sendable>(
        _ body: @escaping @Sendable (Tables) throws -> Output
    ) async throws -> Output {
        let output = try await store.write(.always, body)
        apps.forgetAll()
        return output
    }

    private static func members(_ group: FaceGroupRecord) -> [String: JSONValue] {
        [
            "name": .string(group.name),
            "app_ids": .array(group.apps.keys.sorted().map { .string($0.text) }),
            "max_age": .number(Double(group.maxAge.components.seconds)),
            "version": .number(Double(group.version)),
        ]
    }

    // MARK: Content

    /// The name, the apps, and the time that an administrator wants.
    struct Content: Sendable {
        let name: String
        let apps: Set<AppID>
        let maxAge: Int?
        /// The version that a change is based on.
        let version: Int?

        init(_ wanted: FaceGroupRequest) throws {
            try Problem.requireLine(wanted.name, "name", max: 100)
            name = wanted.name
            let ids = try wanted.appIDs.map { try AppID($0, field: "app_ids") }
            apps = Set(ids)
            guard apps.count == ids.count, (1...FaceGroups.maxApps).contains(ids.count) else {
                throw Problem.field(
                    "app_ids", "must have 1 to \(FaceGroups.maxApps) apps, each once")
            }
            (maxAge, version) = (wanted.maxAge, wanted.version)
            guard maxAge.map((0...FaceGroups.longestMaxAge).contains) ?? true else {
                throw Problem.field(
                    "max_age", "must be 0 to \(FaceGroups.longestMaxAge) seconds")
            }
        }
    }
}

extension Tables {
    /// - Throws: ``Problem`` unless each app exists and is in no other group.
    fileprivate func requireFree(_ wanted: Set<AppID>, for group: FaceGroupID) throws {
        for app in wanted.sorted() {
            guard try apps.name(of: app) != nil else {
                throw Problem.field("app_ids", "names the app \(app.text), which does not exist")
            }
            let other = try faceGroups.group(of: app)
            guard let other, other.id != group else { continue }
            throw Problem.field(
                "app_ids",
                "names the app \(app.text), which is in the group \(other.id.text); take it out there first"
            )
        }
    }
}

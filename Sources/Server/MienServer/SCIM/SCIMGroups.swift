internal import MienAPI
internal import MienCore
internal import MienStore

/// The groups of an organization's directory: each gives its members a role in the organization.
struct SCIMGroups: Sendable {
    /// The most groups of a directory, the most members of one, and those of the groups that one
    /// answer lists together, unless a single group has more.
    static let maxGroups = 1000, maxMembers = 10_000, maxListed = 20_000

    let store: Store
    let clock: ServerClock

    func create(_ body: JSONValue, by caller: SCIMCaller) async throws -> JSONValue {
        let wanted = try SCIMSchema.group.clean(body, maxMembers: Self.maxMembers), now = clock.now
        var generator = SystemRandomNumberGenerator()
        let name = wanted["displayName"]?.stringValue ?? ""
        let group = SCIMGroupRecord(
            id: .random(using: &generator), organization: caller.organization, name: name,
            role: try Self.role(name), externalID: wanted["externalId"]?.stringValue,
            createdAt: now)
        return try await store.write { tables in
            try caller.require(in: tables)
            guard try tables.scimGroups.count(of: caller.organization) < Self.maxGroups else {
                throw SCIMError(
                    403, nil, "A directory can have \(Self.maxGroups) groups. Delete some first.")
            }
            try Self.refuseTaken { try tables.scimGroups.insert(group) }
            try Self.note("organization.scim-group-created", group, caller, tables, at: now)
            try Self.setMembers(Self.members(wanted), of: group, caller, tables, at: now)
            return try tables.resource(group, caller, hasMembers: true)
        }
    }

    func get(_ id: String, _ projection: SCIMProjection, by caller: SCIMCaller) async throws
        -> JSONValue
    {
        try await store.read { tables in
            try tables.resource(
                tables.group(id, caller), caller, hasMembers: !projection.excludes("members"))
        }
    }

    func list(_ query: SCIMQuery, by caller: SCIMCaller) async throws -> JSONValue {
        let filter = query.filter, organization = caller.organization
        var groups = try await store.read { tables in
            guard let id = filter?.required("id") else {
                return try tables.scimGroups.all(of: organization)
            }
            return try [
                SCIMGroupID(id).flatMap { try tables.scimGroups.find($0, in: organization) }
            ].compactMap(\.self)
        }
        if let filter {
            let hasMembers = filter.mentions("members")
            var found: [SCIMGroupRecord] = [], budget = SCIMSearchBudget()
            // One at a time, because each may have thousands of members.
            for group in groups {
                let resource = try await store.read {
                    try $0.resource(group, caller, hasMembers: hasMembers)
                }
                try budget.take(resource, filter)
                if filter.matches(resource) { found.append(group) }
                await Task.yield()
            }
            groups = found
        }
        let hasMembers = !query.projection.excludes("members")
        var answered: [JSONValue] = [], listed = 0
        for group in query.page(of: groups) {
            let resource = try await store.read {
                try $0.resource(group, caller, hasMembers: hasMembers)
            }
            listed += resource["members"]?.arrayValue?.count ?? 0
            // A client asks for the rest (RFC 7644 §3.4.2.4).
            guard answered.isEmpty || listed <= Self.maxListed else { break }
            answered.append(resource)
        }
        return query.answer(answered, total: groups.count)
    }

    func replace(_ id: String, _ body: JSONValue, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        let wanted = try SCIMSchema.group.clean(body, maxMembers: Self.maxMembers)
        return try await change(id, if: match, by: caller) { _ in wanted }
    }

    func patch(_ id: String, _ patch: SCIMPatch, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        try await change(id, if: match, by: caller) { content in
            try SCIMSchema.group.clean(
                .object(patch.applied(to: content, of: .group)), maxMembers: Self.maxMembers)
        }
    }

    private func change(
        _ id: String, if match: String?, by caller: SCIMCaller,
        _ wanted: @escaping @Sendable ([String: JSONValue]) throws -> [String: JSONValue]
    ) async throws -> JSONValue {
        let now = clock.now
        return try await store.write { tables in
            try caller.require(in: tables)
            var group = try tables.group(id, caller)
            try Self.require(match, group)
            let before = try tables.scimGroups.members(of: group.id)
            var content: [String: JSONValue] = ["displayName": .string(group.name)]
            content["externalId"] = group.externalID.map { .string($0) }
            if !before.isEmpty {
                content["members"] = .array(before.sorted().map { ["value": .string($0.text)] })
            }
            var wanted = try wanted(content)
            let members = try Self.members(wanted)
            wanted["members"] =
                members.isEmpty
                ? nil : .array(members.sorted().map { ["value": .string($0.text)] })
            guard wanted != content else {
                return try tables.resource(group, caller, hasMembers: true)
            }
            let known = try tables.scimGroups.roles(of: caller.organization), former = group.role
            group.name = wanted["displayName"]?.stringValue ?? ""
            group.role = try Self.role(group.name)
            group.externalID = wanted["externalId"]?.stringValue
            let changed = group
            try Self.refuseTaken { try tables.scimGroups.update(changed, at: now) }
            try Self.note("organization.scim-group-changed", group, caller, tables, at: now)
            if former != group.role {
                for user in before {
                    try tables.refreshRoles(of: user, caller, from: known, at: now)
                }
            }
            try Self.setMembers(members, of: group, caller, tables, at: now)
            return try tables.resource(
                tables.group(id, caller), caller, hasMembers: true)
        }
    }

    func delete(_ id: String, if match: String?, by caller: SCIMCaller) async throws {
        let now = clock.now
        try await store.write { tables in
            try caller.require(in: tables)
            let group = try tables.group(id, caller)
            try Self.require(match, group)
            let members = try tables.scimGroups.members(of: group.id),
                known = try tables.scimGroups.roles(of: caller.organization)
            try tables.scimGroups.delete(group.id)
            for user in members {
                try tables.refreshRoles(of: user, caller, from: known, at: now)
            }
            try Self.note("organization.scim-group-deleted", group, caller, tables, at: now)
        }
    }

    private static func refuseTaken(_ body: () throws -> Void) throws {
        do { try body() } catch let error as StoreError where error.code == .conflict {
            throw SCIMError(
                409, .uniqueness, "Another group of this directory has the name, or gives the role."
            )
        }
    }

    /// Requires that a group is as the client has read it.
    private static func require(_ match: String?, _ group: SCIMGroupRecord) throws(SCIMError) {
        guard let match, !SCIMQuery.lists(match, SCIMResource.version(group.updatedAt)) else {
            return
        }
        throw .changed
    }

    private static func note(
        _ event: String, _ group: SCIMGroupRecord, _ caller: SCIMCaller, _ tables: Tables,
        at now: Instant
    ) throws {
        try tables.audit.append(
            .ofOrganization(
                event, caller.organization, by: caller.actor,
                ["group": .string(group.id.text), "role": .string(group.role)]), at: now)
    }

    private static func members(_ content: [String: JSONValue]) throws(SCIMError) -> Set<UserID> {
        var members: Set<UserID> = []
        for item in content["members"]?.arrayValue ?? [] {
            guard let id = item["value"]?.stringValue.flatMap({ UserID($0) }),
                item["type"]?.stringValue.map({ $0 == "User" }) ?? true
            else {
                throw SCIMError(
                    400, .invalidValue,
                    "Each member needs the ID of a person in value; groups have no groups in them.")
            }
            members.insert(id)
        }
        return members
    }

    private static func setMembers(
        _ wanted: Set<UserID>, of group: SCIMGroupRecord, _ caller: SCIMCaller, _ tables: Tables,
        at now: Instant
    ) throws {
        let before = Set(try tables.scimGroups.members(of: group.id))
        let known = try tables.scimGroups.roles(of: caller.organization)
        for user in wanted.subtracting(before).sorted(by: { $0.text < $1.text }) {
            guard try tables.scimUsers.has(user, in: caller.organization) else {
                throw SCIMError(400, .invalidValue, "A member is not a person of this directory.")
            }
            try tables.scimGroups.add(user, to: group.id)
            try tables.refreshRoles(of: user, caller, from: known, at: now)
        }
        for user in before.subtracting(wanted) {
            try tables.scimGroups.remove(user, from: group.id)
            try tables.refreshRoles(of: user, caller, from: known, at: now)
        }
    }

    /// Makes a role of a group's name: “Sales Team” is `sales-team`.
    ///
    /// - Throws: ``SCIMError`` for a name without letters or digits, and for the role that makes
    ///   administrators of the organization.
    static func role(_ name: String) throws(SCIMError) -> String {
        var role = ""
        for byte in name.lowercased().utf8 {
            let isWord =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            if isWord {
                role.append(Character(Unicode.Scalar(byte)))
            } else if role.last != "-",
                !role.isEmpty
            {
                role.append("-")
            }
        }
        while role.last == "-" { role.removeLast() }
        guard !role.isEmpty, MemberRoles([role]) != nil else {
            throw SCIMError(
                400, .invalidValue,
                "displayName must have letters a to z or digits, of which the role is made, at most \(MemberRoles.maxLength)."
            )
        }
        guard role != MemberRoles.admin else {
            throw SCIMError(
                400, .invalidValue,
                "A group whose role is admin would make administrators of the organization. Name it otherwise."
            )
        }
        return role
    }
}

extension Tables {
    fileprivate func group(_ text: String, _ caller: SCIMCaller) throws -> SCIMGroupRecord {
        guard let id = SCIMGroupID(text),
            let group = try scimGroups.find(id, in: caller.organization)
        else { throw SCIMError.noSuchGroup }
        return group
    }

    fileprivate func resource(
        _ group: SCIMGroupRecord, _ caller: SCIMCaller, hasMembers: Bool
    ) throws -> JSONValue {
        SCIMResource.group(
            group, members: hasMembers ? try scimGroups.members(of: group.id) : [],
            base: caller.base)
    }
}

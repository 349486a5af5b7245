internal import MienAPI
internal import MienCore
internal import MienStore

/// The people whom an organization's directory manages.
///
/// An address that the directory may vouch for names the account that has it, which becomes a
/// member; the directory changes nothing of that account. For anybody else, it creates an account,
/// which it may change, suspend, and delete.
struct SCIMUsers: Sendable {
    /// The most people of a directory, and the most through whom a filter searches.
    static let maxUsers = 100_000, maxSearched = 10_000

    let store: Store
    let clock: ServerClock

    /// A person of a directory, and the account.
    struct Person {
        var record: SCIMUserRecord
        var account: AccountRecord
    }

    func create(_ body: JSONValue, by caller: SCIMCaller) async throws -> JSONValue {
        let wanted = try SCIMSchema.user.clean(body), now = clock.now
        return try await store.write { tables in
            try caller.require(in: tables)
            guard try tables.scimUsers.count(of: caller.organization) < Self.maxUsers else {
                throw SCIMError(
                    403, nil, "A directory can have \(Self.maxUsers) people. Delete some first.")
            }
            let name = wanted["userName"]?.stringValue ?? ""
            guard
                try tables.scimUsers.find(userName: name, in: caller.organization) == nil
            else { throw SCIMError.taken }
            var person = try self.person(for: wanted, caller, tables, at: now)
            let isActive = wanted["active"] != false
            person.record.isActive = true
            try tables.scimUsers.insert(person.record, of: person.account)
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-user-created", caller.organization, by: caller.actor,
                    account: person.account.id,
                    ["is_owned": .bool(person.record.isOwned)]), at: now)
            try tables.setActive(true, &person, caller, at: now)
            if !isActive {
                try tables.setActive(false, &person, caller, at: now)
                try tables.scimUsers.update(person.record, of: person.account, at: now)
            }
            return try tables.resource(person.account.id, caller)
        }
    }

    /// Finds the account for a new person, or creates one.
    private func person(
        for wanted: [String: JSONValue], _ caller: SCIMCaller, _ tables: Tables, at now: Instant
    ) throws -> Person {
        func record(_ account: UserID, isOwned: Bool) -> SCIMUserRecord {
            SCIMUserRecord(
                organization: caller.organization, account: account,
                content: wanted.filter { $0.key != "active" }, isOwned: isOwned, isActive: true,
                createdAt: now)
        }
        let profile = try SCIMProfile(wanted, caller)
        if let address = profile.vouched, let found = try tables.accounts.find(address) {
            guard try !tables.scimUsers.has(found.id, in: caller.organization), !found.isTest,
                found.state != .pending
            else { throw SCIMError.taken }
            return Person(record: record(found.id, isOwned: false), account: found)
        }
        var generator = SystemRandomNumberGenerator()
        let account = AccountRecord.new(
            .random(using: &generator), profile.applied(to: AccountProfile()), keys: store.keys,
            at: now)
        let names = try account.record.profile.use { try $0.names() }
        try tables.accounts.insert(account, names: names)
        try tables.audit.append(
            AuditEvent(
                "user.created", actor: caller.actor, account: account.record.id,
                detail: ["organization": .string(caller.organization.text)]), at: now)
        return Person(
            record: record(account.record.id, isOwned: true), account: account.record)
    }

    func get(_ id: String, by caller: SCIMCaller) async throws -> JSONValue {
        try await store.read { tables in
            try tables.resource(Self.user(id), caller)
        }
    }

    func list(_ query: SCIMQuery, by caller: SCIMCaller) async throws -> JSONValue {
        let organization = caller.organization
        return try await store.read { tables in
            guard let filter = query.filter else {
                let ids = try tables.scimUsers.page(
                    of: organization, offset: query.start - 1, count: query.count)
                return query.answer(
                    try ids.map { try tables.resource($0, caller) },
                    total: try tables.scimUsers.count(of: organization))
            }
            let ids: [UserID]
            if let name = filter.equal("userName") {
                ids = try [tables.scimUsers.find(userName: name, in: organization)].compactMap(
                    \.self)
            } else if let external = filter.equal("externalId") {
                ids = try tables.scimUsers.find(externalID: external, in: organization)
            } else if let id = filter.equal("id") {
                let user = UserID(id)
                ids =
                    try user.map { try tables.scimUsers.has($0, in: organization) ? [$0] : [] }
                    ?? []
            } else {
                guard try tables.scimUsers.count(of: organization) <= Self.maxSearched else {
                    throw SCIMError(
                        400, .tooMany,
                        "This directory has more than \(Self.maxSearched) people; filter by userName, externalId, or id with eq."
                    )
                }
                let found = try tables.scimUsers.page(
                    of: organization, offset: 0, count: Self.maxSearched
                ).map { try tables.resource($0, caller) }.filter { filter.matches($0) }
                return query.answer(Array(query.page(of: found)), total: found.count)
            }
            return query.answer(
                try query.page(of: ids).map { try tables.resource($0, caller) }, total: ids.count)
        }
    }

    func replace(_ id: String, _ body: JSONValue, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        let wanted = try SCIMSchema.user.clean(body)
        return try await change(id, if: match, by: caller) { _ in wanted }
    }

    func patch(_ id: String, _ patch: SCIMPatch, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        try await change(id, if: match, by: caller) { person in
            var content = person.record.content.use { $0 }
            content["active"] = .bool(person.record.isActive)
            return try SCIMSchema.user.clean(
                .object(patch.applied(to: content, of: .user)))
        }
    }

    private func change(
        _ id: String, if match: String?, by caller: SCIMCaller,
        _ wanted: @escaping @Sendable (Person) throws -> [String: JSONValue]
    ) async throws -> JSONValue {
        let now = clock.now
        return try await store.write { tables in
            try caller.require(in: tables)
            var person = try tables.person(Self.user(id), caller)
            try Self.require(match, version: person.record.updatedAt)
            let wanted = try wanted(person)
            let content = wanted.filter { $0.key != "active" }
            let isActive = wanted["active"].map { $0 != false } ?? person.record.isActive
            let before = person.record.content.use { $0 }
            guard content != before || isActive != person.record.isActive else {
                return try tables.resource(person.account.id, caller)
            }
            person.record.content = Sensitive(content)
            if content != before, person.record.isOwned {
                try Self.update(&person, content, caller, tables, at: now)
            }
            try tables.setActive(isActive, &person, caller, at: now)
            try tables.scimUsers.update(person.record, of: person.account, at: now)
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-user-changed", caller.organization, by: caller.actor,
                    account: person.account.id, ["active": .bool(isActive)]), at: now)
            return try tables.resource(person.account.id, caller)
        }
    }

    /// Changes an account that the directory owns.
    private static func update(
        _ person: inout Person, _ content: [String: JSONValue], _ caller: SCIMCaller,
        _ tables: Tables, at now: Instant
    ) throws {
        let old = person.account
        let profile = try SCIMProfile(content, caller)
            .applied(to: old.profile.use { $0 })
        person.account.profile = Sensitive(profile)
        guard !person.account.isSame(as: old) else { return }
        try tables.accounts.update(person.account, names: profile.names(), at: now)
        if let former = old.mailbox, former != person.account.mailbox {
            try tables.endMailProofs(of: person.account, actor: caller.actor, at: now)
        }
    }

    func delete(_ id: String, if match: String?, by caller: SCIMCaller) async throws {
        let now = clock.now
        try await store.write { tables in
            try caller.require(in: tables)
            var person = try tables.person(Self.user(id), caller)
            try Self.require(match, version: person.record.updatedAt)
            let user = person.account.id
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-user-deleted", caller.organization, by: caller.actor,
                    account: user, ["is_owned": .bool(person.record.isOwned)]), at: now)
            guard !person.record.isOwned else {
                _ = try tables.deleteAccount(user, actor: caller.actor, at: now)
                return
            }
            try tables.setActive(false, &person, caller, at: now)
            try tables.scimGroups.removeAll(user, in: caller.organization)
            _ = try tables.scimUsers.delete(user, of: caller.organization)
        }
    }

    static func user(_ text: String) throws(SCIMError) -> UserID {
        guard let id = UserID(text) else { throw .noSuchUser }
        return id
    }

    /// Requires that a resource is as the client has read it.
    static func require(_ match: String?, version: Instant) throws(SCIMError) {
        guard let match, match != "*" else { return }
        guard
            match.split(separator: ",").contains(where: {
                $0.filter { $0 != " " } == SCIMResource.version(version)
            })
        else { throw .changed }
    }
}

extension Tables {
    func person(_ id: UserID, _ caller: SCIMCaller) throws -> SCIMUsers.Person {
        guard let account = try accounts.find(id),
            let record = try scimUsers.find(account, in: caller.organization)
        else { throw SCIMError.noSuchUser }
        return SCIMUsers.Person(record: record, account: account)
    }

    /// Lets a person sign in, or not any longer. An account that the directory created is
    /// suspended; of any other, the membership ends.
    func setActive(
        _ isActive: Bool, _ person: inout SCIMUsers.Person, _ caller: SCIMCaller, at now: Instant
    ) throws {
        let user = person.account.id, organization = caller.organization
        let isMember = try organizationMembers.find(user, in: organization) != nil
        if isActive, !isMember {
            _ = try join(user, organization, .none, by: caller.actor, at: now)
            try refreshRoles(of: user, caller, at: now)
        }
        if person.record.isOwned, isActive != person.record.isActive {
            let state: AccountState = isActive ? .active : .suspended
            if person.account.state != state {
                person.account.state = state
                try accounts.updateRow(person.account, at: now)
                if !isActive { try accounts.endSignIns(of: user, at: now) }
                try audit.append(
                    AuditEvent(
                        "user.changed", actor: caller.actor, account: user,
                        detail: [
                            "password": false, "state": .string(state.rawValue),
                            "changed": ["state"],
                        ]), at: now)
            }
        } else if !person.record.isOwned, !isActive, isMember {
            try leave(user, organization, "organization.member-removed", by: caller.actor, at: now)
        }
        person.record.isActive = isActive
    }

    /// Gives a member the roles of the directory's groups, in place of those that they had.
    ///
    /// - Parameter former: Roles of groups that no longer exist.
    func refreshRoles(
        of user: UserID, _ caller: SCIMCaller, removing former: [String] = [], at now: Instant
    ) throws {
        guard let member = try organizationMembers.find(user, in: caller.organization) else {
            return
        }
        let all = try scimGroups.all(of: caller.organization).map(\.role) + former
        let own = try scimGroups.all(of: user, in: caller.organization).map(\.role)
        guard let roles = MemberRoles(member.roles.words.filter { !all.contains($0) } + own) else {
            throw SCIMError(
                400, .invalidValue,
                "A member can have \(MemberRoles.maxCount) roles, and thereby be in as many groups."
            )
        }
        guard roles != member.roles else { return }
        _ = try organizationMembers.change(user, in: caller.organization, to: roles)
        try audit.append(
            .ofOrganization(
                "organization.roles-changed", caller.organization, by: caller.actor, account: user,
                ["roles": roles.json]), at: now)
    }

    func resource(_ id: UserID, _ caller: SCIMCaller) throws -> JSONValue {
        let person = try person(id, caller)
        return SCIMResource.user(
            person.record, groups: try scimGroups.all(of: id, in: caller.organization),
            base: caller.base)
    }
}

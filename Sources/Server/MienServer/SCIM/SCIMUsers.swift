internal import MienAPI
internal import MienCore
internal import MienStore

/// The people whom an organization's directory manages.
///
/// An address that the directory may vouch for names the account that has it, which becomes a
/// member; the directory changes nothing of that account. For anybody else, it creates an account,
/// which it may change, suspend, and delete as long as no other organization has it.
struct SCIMUsers: Sendable {
    /// The most people of a directory, and the most through whom a filter searches.
    static let maxUsers = 100_000, maxSearched = 10_000
    /// The people who are read at once.
    private static let part = 200

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
            try tables.scimUsers.insert(person.record, of: person.account)
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-user-created", caller.organization, by: caller.actor,
                    account: person.account.id,
                    ["is_owned": .bool(person.record.isOwned)]), at: now)
            try tables.setActive(
                wanted["active"] != false, &person, isNew: true, caller, at: now)
            try tables.scimUsers.update(person.record, of: person.account, at: now)
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
                content: wanted.merging(["active": true]) { given, _ in given },
                isOwned: isOwned, isActive: false, createdAt: now)
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
            .random(using: &generator), profile.applied(to: AccountProfile(), from: nil),
            keys: store.keys, at: now)
        let names = try account.record.profile.use { profile in
            try AccountService.checkAttributes(profile.attributes)
            return try profile.names()
        }
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
        guard let filter = query.filter else {
            return try await store.read { tables in
                let ids = try tables.scimUsers.page(
                    of: organization, offset: query.start - 1, count: query.count)
                return query.answer(
                    try ids.map { try tables.resource($0, caller) },
                    total: try tables.scimUsers.count(of: organization))
            }
        }
        let indexed = try await store.read { try Self.candidates(filter, organization, $0) }
        guard let ids = indexed else { return try await search(filter, query, by: caller) }
        return try await store.read { tables in
            let found = try ids.map { try tables.resource($0, caller) }
                .filter { filter.matches($0) }
            return query.answer(Array(query.page(of: found)), total: found.count)
        }
    }

    /// Returns the people whom an index finds for a filter; `nil` if it has to look at everybody.
    private static func candidates(
        _ filter: SCIMFilter, _ organization: OrganizationID, _ tables: Tables
    ) throws -> [UserID]? {
        if let id = filter.required("id") {
            guard let user = UserID(id), try tables.scimUsers.has(user, in: organization) else {
                return []
            }
            return [user]
        }
        if let name = filter.required("userName") {
            return try [tables.scimUsers.find(userName: name, in: organization)].compactMap(\.self)
        }
        return try filter.required("externalId").map {
            try tables.scimUsers.find(externalID: $0, in: organization)
        }
    }

    /// Looks at everybody, some at a time, and keeps only what is answered.
    private func search(_ filter: SCIMFilter, _ query: SCIMQuery, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        let organization = caller.organization
        guard
            try await store.read({ try $0.scimUsers.count(of: organization) }) <= Self.maxSearched
        else {
            throw SCIMError(
                400, .tooMany,
                "This directory has more than \(Self.maxSearched) people; filter by userName, externalId, or id with eq."
            )
        }
        var found: [JSONValue] = [], total = 0, budget = SCIMSearchBudget()
        for offset in stride(from: 0, to: Self.maxSearched, by: Self.part) {
            let people = try await store.read { tables in
                try tables.scimUsers.page(of: organization, offset: offset, count: Self.part)
                    .map { try tables.resource($0, caller) }
            }
            for person in people {
                try budget.take(person, filter)
                guard filter.matches(person) else { continue }
                total += 1
                if total >= query.start, found.count < query.count { found.append(person) }
            }
            // Others use the thread, too.
            await Task.yield()
            if people.count < Self.part { break }
        }
        return query.answer(found, total: total)
    }

    func replace(_ id: String, _ body: JSONValue, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        let wanted = try SCIMSchema.user.clean(body)
        return try await change(id, if: match, by: caller) { content in
            // Without a word about it, somebody who may not sign in still may not.
            wanted.merging(content.filter { $0.key == "active" }) { given, _ in given }
        }
    }

    func patch(_ id: String, _ patch: SCIMPatch, if match: String?, by caller: SCIMCaller)
        async throws -> JSONValue
    {
        try await change(id, if: match, by: caller) { content in
            try SCIMSchema.user.clean(.object(patch.applied(to: content, of: .user)))
        }
    }

    private func change(
        _ id: String, if match: String?, by caller: SCIMCaller,
        _ wanted: @escaping @Sendable ([String: JSONValue]) throws -> [String: JSONValue]
    ) async throws -> JSONValue {
        let now = clock.now
        return try await store.write { tables in
            try caller.require(in: tables)
            var person = try tables.person(Self.user(id), caller)
            try tables.require(match, person, caller)
            let before = person.record.shown
            let content = try wanted(before), isActive = content["active"] != false
            guard content != before else {
                return try tables.resource(person.account.id, caller)
            }
            person.record.content = Sensitive(content)
            if try tables.isOwn(person, caller) {
                try Self.update(&person, from: before, to: content, caller, tables, at: now)
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
        _ person: inout Person, from before: [String: JSONValue],
        to content: [String: JSONValue], _ caller: SCIMCaller, _ tables: Tables, at now: Instant
    ) throws {
        let profile = try SCIMProfile(content, caller).applied(
            to: person.account.profile.use { $0 }, from: SCIMProfile(before, caller))
        try Self.update(&person, to: profile, caller, tables, at: now)
    }

    private static func update(
        _ person: inout Person, to profile: AccountProfile, _ caller: SCIMCaller,
        _ tables: Tables, at now: Instant
    ) throws {
        let old = person.account
        try AccountService.checkAttributes(profile.attributes)
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
            try tables.require(match, person, caller)
            let user = person.account.id, isOwn = try tables.isOwn(person, caller)
            try tables.audit.append(
                .ofOrganization(
                    "organization.scim-user-deleted", caller.organization, by: caller.actor,
                    account: user, ["is_owned": .bool(isOwn)]), at: now)
            guard !isOwn else {
                _ = try tables.deleteAccount(user, actor: caller.actor, at: now)
                return
            }
            if try tables.organizationMembers.find(user, in: caller.organization) != nil {
                try tables.leave(
                    user, caller.organization, "organization.member-removed", by: caller.actor,
                    at: now)
            }
            if person.record.isOwned {
                // Another organization has the person, too. The directory gives the account up.
                if person.record.hasSuspended {
                    try tables.setState(.active, &person, caller, at: now)
                }
                let profile = SCIMProfile.withdrawn(
                    from: person.account.profile.use { $0 }, by: caller.organization,
                    try tables.scimTokens.all(of: caller.organization))
                try Self.update(&person, to: profile, caller, tables, at: now)
            }
            try tables.scimGroups.removeAll(user, in: caller.organization)
            _ = try tables.scimUsers.delete(user, of: caller.organization)
        }
    }

    static func user(_ text: String) throws(SCIMError) -> UserID {
        guard let id = UserID(text) else { throw .noSuchUser }
        return id
    }
}

extension Tables {
    /// Requires that a person is as the client has read them.
    func require(_ match: String?, _ person: SCIMUsers.Person, _ caller: SCIMCaller) throws {
        guard let match else { return }
        let groups = try scimGroups.all(of: person.account.id, in: caller.organization)
        guard SCIMQuery.lists(match, SCIMResource.version(person.record.updatedAt, groups)) else {
            throw SCIMError.changed
        }
    }

    /// Whether the directory may change the account: it created it, and no other organization has
    /// the person as a member.
    func isOwn(_ person: SCIMUsers.Person, _ caller: SCIMCaller) throws -> Bool {
        guard person.record.isOwned else { return false }
        let user = person.account.id
        let isMember = try organizationMembers.find(user, in: caller.organization) != nil
        return try organizationMembers.count(of: user) == (isMember ? 1 : 0)
    }

    func person(_ id: UserID, _ caller: SCIMCaller) throws -> SCIMUsers.Person {
        guard let account = try accounts.find(id),
            let record = try scimUsers.find(account, in: caller.organization)
        else { throw SCIMError.noSuchUser }
        return SCIMUsers.Person(record: record, account: account)
    }

    /// Lets a person sign in through the organization, or not any longer. An account that is the
    /// directory's own is suspended; of any other, the membership ends.
    func setActive(
        _ isActive: Bool, _ person: inout SCIMUsers.Person, isNew: Bool = false,
        _ caller: SCIMCaller, at now: Instant
    ) throws {
        let user = person.account.id, organization = caller.organization
        guard isActive != person.record.isActive || isNew else { return }
        let isMember = try organizationMembers.find(user, in: organization) != nil,
            isOwn = try isOwn(person, caller)
        if isActive {
            if person.record.hasSuspended { try setState(.active, &person, caller, at: now) }
            person.record.hasSuspended = false
        } else if isOwn, person.account.state == .active {
            try setState(.suspended, &person, caller, at: now)
            person.record.hasSuspended = true
        }
        if isActive || isOwn {
            if !isMember, isActive || isNew {
                _ = try join(user, organization, .none, by: caller.actor, at: now)
                try refreshRoles(
                    of: user, caller, from: scimGroups.roles(of: organization), at: now)
            }
        } else if isMember {
            try leave(user, organization, "organization.member-removed", by: caller.actor, at: now)
        }
        person.record.isActive = isActive
    }

    /// Activates or suspends an account, which ends its sign-ins at once.
    fileprivate func setState(
        _ state: AccountState, _ person: inout SCIMUsers.Person, _ caller: SCIMCaller,
        at now: Instant
    ) throws {
        guard person.account.state != state else { return }
        person.account.state = state
        try accounts.updateRow(person.account, at: now)
        if state == .suspended {
            try accounts.endSignIns(of: person.account.id, at: now)
        }
        try audit.append(
            AuditEvent(
                "user.changed", actor: caller.actor, account: person.account.id,
                detail: [
                    "password": false, "state": .string(state.rawValue), "changed": ["state"],
                ]), at: now)
    }

    /// Gives a member the roles of the directory's groups, in place of those that they had.
    ///
    /// - Parameter known: The roles that groups of the directory give, or gave before the change.
    func refreshRoles(
        of user: UserID, _ caller: SCIMCaller, from known: Set<String>, at now: Instant
    ) throws {
        guard let member = try organizationMembers.find(user, in: caller.organization) else {
            return
        }
        let own = try scimGroups.all(of: user, in: caller.organization).map(\.role)
        guard
            let roles = MemberRoles(member.roles.words.filter { !known.contains($0) } + own)
        else {
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

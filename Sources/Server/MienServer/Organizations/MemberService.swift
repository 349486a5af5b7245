internal import MienAPI
internal import MienCore
package import MienStore

/// The members of organizations: for administrators of the server, and for those of an organization,
/// who see and change only their own.
package struct MemberService: Sendable {
    /// The most organizations that an account may be a member of.
    static let maxOrganizations = 100

    let store: Store
    let apps: AppCatalog
    let mail: MailService
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    /// Invitations that one organization's administrators send.
    let invitations: RateLimit

    package init(
        store: Store, apps: AppCatalog, mail: MailService, clock: ServerClock,
        publicURL: @escaping @Sendable () -> String
    ) {
        self.apps = apps
        invitations = RateLimit(
            "invitations", .init(burst: 30, perMinute: 1), store: store, clock: clock)
        (self.store, self.mail, self.clock, self.publicURL) = (store, mail, clock, publicURL)
    }

    /// A member and the account.
    package struct Member: Sendable {
        package let member: OrganizationMember
        package let account: AccountRecord
    }

    // MARK: Reading

    /// Reads something about an organization.
    func read<Output: Sendable>(
        _ id: OrganizationID, _ actor: OrganizationActor,
        _ body: @escaping @Sendable (OrganizationRecord, Tables) throws -> Output
    ) async throws -> Output {
        try await store.read { tables in
            try actor.check(id, tables)
            guard let record = try tables.organizations.find(id) else {
                throw Problem.noSuchOrganization
            }
            return try body(record, tables)
        }
    }

    /// Changes something in an organization.
    func write<Output: Sendable>(
        _ id: OrganizationID, _ actor: OrganizationActor,
        _ body: @escaping @Sendable (OrganizationRecord, Tables, Instant) throws -> Output
    ) async throws -> Output {
        let now = clock.now
        return try await store.write { tables in
            try actor.check(id, tables)
            guard let record = try tables.organizations.find(id) else {
                throw Problem.noSuchOrganization
            }
            return try body(record, tables, now)
        }
    }

    /// - Throws: ``StoreError`` `.stale` if `last` is no longer a member.
    func page(
        of id: OrganizationID, areAdmins: Bool, after last: UserID?, count: Int,
        by actor: OrganizationActor
    ) async throws -> [Member] {
        try await read(id, actor) { _, tables in
            try tables.organizationMembers.page(
                of: id, areAdmins: areAdmins, after: last, count: count
            ).compactMap { member in
                try tables.accounts.find(member.account).map {
                    Member(member: member, account: $0)
                }
            }
        }
    }

    /// Returns the member that has an ID or a login name.
    ///
    /// An account that is no member is not found, whether it exists or not. Administrators of the
    /// organization cannot look for external IDs, which they do not see.
    func find(_ text: String, in id: OrganizationID, by actor: OrganizationActor) async throws
        -> Member?
    {
        let isForOperator = actor.account == nil
        return try await read(id, actor) { _, tables in
            guard
                let account = try isForOperator
                    ? tables.accounts.find(named: text) : tables.accounts.find(shown: text),
                let member = try tables.organizationMembers.find(account.id, in: id)
            else { return nil }
            return Member(member: member, account: account)
        }
    }

    /// - Throws: ``Problem`` `.notFound`.
    func member(_ user: UserID, in id: OrganizationID, by actor: OrganizationActor) async throws
        -> Member
    {
        try await read(id, actor) { _, tables in try tables.member(user, in: id) }
    }

    // MARK: Members

    /// Makes an account a member. Only for administrators of the server: those of an organization
    /// invite, so that nobody is managed by an organization that they did not join.
    func add(
        _ text: String, with roles: MemberRoles, to id: OrganizationID,
        by actor: OrganizationActor
    ) async throws -> Member {
        try await write(id, actor) { _, tables, now in
            guard let account = try tables.accounts.find(named: text) else {
                throw Problem.field(
                    "user", "is nobody's ID, user name, verified address, or external ID")
            }
            guard account.state != .pending else {
                throw Problem(.conflict, "This user's sign-up has not finished.")
            }
            return Member(
                member: try tables.join(account.id, id, roles, by: actor.id, at: now),
                account: account)
        }
    }

    func change(
        _ user: UserID, to roles: MemberRoles, in id: OrganizationID, by actor: OrganizationActor
    ) async throws -> Member {
        try await write(id, actor) { _, tables, now in
            guard user != actor.account else {
                throw Problem(
                    .conflict, "You cannot change your own roles; another administrator can.")
            }
            guard try tables.organizationMembers.change(user, in: id, to: roles) else {
                throw Problem.noSuchMember
            }
            if !roles.isAdmin { try tables.organizationInvitations.removeAll(by: user, of: id) }
            try tables.audit.append(
                .ofOrganization(
                    "organization.roles-changed", id, by: actor.id, account: user,
                    ["roles": roles.json]), at: now)
            return try tables.member(user, in: id)
        }
    }

    /// Removes a member, and ends the sign-ins through the organization. The account stays.
    func remove(_ user: UserID, from id: OrganizationID, by actor: OrganizationActor)
        async throws
    {
        try await write(id, actor) { _, tables, now in
            guard user != actor.account else {
                throw Problem(.conflict, "You cannot remove yourself; another administrator can.")
            }
            try tables.leave(user, id, "organization.member-removed", by: actor.id, at: now)
        }
    }
}

extension AccountTable {
    /// Returns the account with an ID, user name, or verified address.
    fileprivate func find(shown text: String) throws -> AccountRecord? {
        if let id = UserID(text), let account = try find(id) { return account }
        guard let name = try? MemberService.name(text) else { return nil }
        return try find(name)
    }
}

extension Tables {
    func member(_ user: UserID, in id: OrganizationID) throws -> MemberService.Member {
        guard let member = try organizationMembers.find(user, in: id),
            let account = try accounts.find(user)
        else { throw Problem.noSuchMember }
        return MemberService.Member(member: member, account: account)
    }

    /// Makes an account a member.
    func join(
        _ user: UserID, _ id: OrganizationID, _ roles: MemberRoles, by actor: String,
        at now: Instant
    ) throws -> OrganizationMember {
        guard try organizationMembers.find(user, in: id) == nil else {
            throw Problem(.conflict, "This user is a member of the organization already.")
        }
        guard try organizationMembers.count(of: user) < MemberService.maxOrganizations else {
            throw Problem(
                .conflict,
                "A user can be a member of \(MemberService.maxOrganizations) organizations.")
        }
        let member = OrganizationMember(
            organization: id, account: user, roles: roles, createdAt: now)
        try organizationMembers.insert(member)
        try organizationInvitations.removeAll(for: user, to: id)
        try audit.append(
            .ofOrganization(
                "organization.member-added", id, by: actor, account: user,
                ["roles": roles.json]), at: now)
        return member
    }

    /// Ends a membership and the sign-ins through the organization.
    func leave(
        _ user: UserID, _ id: OrganizationID, _ event: String, by actor: String, at now: Instant
    ) throws {
        guard try organizationMembers.remove(user, from: id) else { throw Problem.noSuchMember }
        try organizationInvitations.removeAll(by: user, of: id)
        try organizationInvitations.removeAll(for: user, to: id)
        let ended = try grants.revokeAll(through: id, of: user, at: now)
        try audit.append(
            .ofOrganization(
                event, id, by: actor, account: user,
                ["sign_ins_ended": .number(Double(ended))]), at: now)
    }
}

extension MemberRoles {
    var json: JSONValue { .array(words.map { .string($0) }) }

    /// Reads the roles of a request.
    ///
    /// - Throws: ``Problem`` that names the field.
    init(request words: [String]?) throws {
        guard let roles = MemberRoles(words ?? []) else {
            throw Problem.field(
                "roles",
                "must be at most \(Self.maxCount) words of 1 to \(Self.maxLength) characters of a-z, 0-9, “_”, “-”, and “.”"
            )
        }
        self = roles
    }
}

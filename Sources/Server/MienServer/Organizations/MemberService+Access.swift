internal import MienAPI
internal import MienCore
internal import MienStore

/// The access of members: sign-in methods and sign-ins, for administrators of organizations.
extension MemberService {
    /// How often the authenticators of one member may be unlocked in a day. More would let a
    /// dishonest administrator guess a member's password without end.
    static let maxUnlocks = 5
    private static let day = Duration.seconds(86_400)

    /// Returns a member as the organization's administrators see one: with the sign-in methods that work in its
    /// apps, and the sign-ins through it.
    func detail(_ user: UserID, in id: OrganizationID, by actor: OrganizationActor) async throws
        -> MemberDetailAnswer
    {
        let now = clock.now
        let (found, records, signIns) = try await read(id, actor) {
            _, tables -> (
                Member, [(AuthenticatorRecord, AuthenticatorLock)], [UserSignInAnswer]
            ) in
            let found = try tables.member(user, in: id)
            let names = try Dictionary(
                tables.apps.all().map { ($0.id, $0.name) },
                uniquingKeysWith: { first, _ in first })
            return (
                found,
                try tables.usableAuthenticators(of: found.account, in: id).map {
                    ($0, try tables.locks.lock(of: $0, device: nil))
                },
                try tables.grants.live(of: user, at: now).filter { $0.organization == id }.map {
                    UserSignInAnswer(
                        id: $0.id.text, appID: $0.app?.text, appName: $0.app.flatMap { names[$0] },
                        methods: $0.methods, signedInAt: $0.signedInAt.milliseconds,
                        usedAt: $0.family.activeAt.milliseconds,
                        expiresAt: $0.family.expiresAt.milliseconds)
                }
            )
        }
        var authenticators: [MemberAuthenticatorAnswer] = []
        for (record, lock) in records {
            let policy = try await apps.lockPolicy(for: record.type, app: record.app)
            let (state, until) = Self.wire(
                lock.statusOfUnknownDevices(under: policy, at: now))
            authenticators.append(
                MemberAuthenticatorAnswer(
                    id: record.id.text, type: .known(record.type), lock: .known(state),
                    lockedUntil: until, isHeld: lock.holders.contains(.administrator)))
        }
        return MemberDetailAnswer(
            member: OrganizationAnswers.member(found, isForOperator: false),
            authenticators: authenticators, signIns: signIns)
    }

    private static func wire(_ status: LockCounter.Status) -> (lock: LockState, until: Int64?) {
        switch status {
        case .open: (.open, nil)
        case .locked(let end): (.locked, end.milliseconds)
        case .disabled: (.disabled, nil)
        }
    }

    /// Unlocks a member's authenticator, unless an administrator of the server locked it.
    func unlock(
        _ authenticator: AuthenticatorID, of user: UserID, in id: OrganizationID,
        by actor: OrganizationActor
    ) async throws {
        try await write(id, actor) { _, tables, now in
            let found = try tables.member(user, in: id)
            guard
                let record = try tables.usableAuthenticators(of: found.account, in: id).first(
                    where: {
                        $0.id == authenticator
                    })
            else { throw Problem(.notFound, "This member has no such sign-in method.") }
            guard
                try tables.audit.page(
                    AuditSearch(account: user, event: Self.unlocked, from: now - Self.day),
                    after: nil, count: Self.maxUnlocks
                ).count < Self.maxUnlocks
            else {
                throw Problem(
                    .tooManyRequests,
                    "This member was unlocked \(Self.maxUnlocks) times within a day. Ask an administrator of the server."
                )
            }
            guard try tables.locks.release(record, by: .journey) else {
                throw Problem(
                    .notPermitted,
                    "An administrator of the server locked this sign-in method, and can unlock it.")
            }
            try tables.audit.append(
                .ofOrganization(
                    Self.unlocked, id, by: actor.id, account: user, app: record.app,
                    [
                        "authenticator": .string(record.id.text),
                        "type": .string(record.type.rawValue),
                    ]), at: now)
        }
    }

    private static let unlocked = "organization.member-unlocked"

    /// Ends a member's sign-ins through the organization.
    func endSignIns(of user: UserID, in id: OrganizationID, by actor: OrganizationActor)
        async throws
    {
        try await write(id, actor) { _, tables, now in
            _ = try tables.member(user, in: id)
            let ended = try tables.grants.revokeAll(through: id, of: user, at: now)
            try tables.audit.append(
                .ofOrganization(
                    "organization.sign-ins-ended", id, by: actor.id, account: user,
                    ["sign_ins_ended": .number(Double(ended))]), at: now)
        }
    }
}

extension Tables {
    /// The authenticators of a member that work in apps which the organization may use.
    fileprivate func usableAuthenticators(of account: AccountRecord, in id: OrganizationID) throws
        -> [AuthenticatorRecord]
    {
        let all = try authenticators.all(of: account)
        let named = Set(all.compactMap(\.app))
        let usable = try named.filter { app in
            guard let settings = try apps.find(app)?.settings.organizations else { return false }
            switch settings.use {
            case .off: return false
            case .allow, .require:
                return try settings.access == .all || organizations.allows(app, for: id)
            }
        }
        return all.filter { record in record.app.map(usable.contains) ?? true }
    }
}

internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

extension UserAdminRoutes {
    /// The most groups that a list names.
    private static let maxListed = 1000

    func addGroups(to router: RouterGroup<MienRequestContext>) {
        router.get("groups") { _, _ in
            let groups = try await store.read { try $0.groups.all(atMost: Self.maxListed) }
            return JSONBody.response(
                GroupsAnswer(groups: groups.map { .init(name: $0.name, users: $0.users) }))
        }
        router.get("users/:user/groups") { _, context in
            let id = try await records.user(context).id
            let names = try await store.read { try $0.groups.names(of: id) }
            return JSONBody.response(UserGroups(groups: names.words))
        }
        router.put("users/:user/groups") { request, context in
            let id = try await records.user(context).id
            let wanted = try await body.read(
                UserGroups.self, UserGroups.CodingKeys.self, from: request)
            guard let names = GroupNames(wanted.groups) else {
                throw Problem.field(
                    "groups",
                    "must be at most \(GroupNames.maxCount) names of 1 to \(GroupNames.maxLength) printable ASCII characters without commas, quotes, and backslashes"
                )
            }
            let actor = context.actor, now = clock.now
            try await store.write { tables in
                guard try tables.accounts.standing(of: id) != nil else { throw Problem.userIsGone }
                let before = try tables.groups.names(of: id)
                guard before != names else { return }
                try tables.groups.replace(with: names, of: id, at: now)
                try tables.audit.append(
                    AuditEvent(
                        "user.groups-changed", actor: actor, account: id,
                        detail: AuditChanges.detail(
                            from: Self.members(before), to: Self.members(names))), at: now)
            }
            return JSONBody.response(UserGroups(groups: names.words))
        }
    }

    private static func members(_ names: GroupNames) -> [String: JSONValue] {
        ["groups": .array(names.words.map { .string($0) })]
    }
}

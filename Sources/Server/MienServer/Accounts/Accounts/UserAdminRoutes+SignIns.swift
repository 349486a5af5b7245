internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

extension UserAdminRoutes {
    /// Adds the routes for a user's sign-ins.
    func addSignIns(to router: RouterGroup<MienRequestContext>) {
        router.get("users/:user/sign-ins") { request, context in
            let id = try await records.user(context).id, now = clock.now
            let page = try AdminPage<GrantKind>(request)
            let found = try await page.read(from: store) { tables, after, count in
                var names: [AppID: String] = [:]
                return try tables.grants.page(of: id, after: after, count: count, at: now).map {
                    if let app = $0.app, names[app] == nil {
                        names[app] = try tables.apps.name(of: app)
                    }
                    return (grant: $0, app: $0.app.flatMap { app in names[app] })
                }
            }
            return JSONBody.response(
                page.answer(found, id: { $0.grant.id }) { grant, app in
                    UserSignInAnswer(
                        id: grant.id.text, appID: grant.app?.text, appName: app,
                        methods: grant.methods, signedInAt: grant.signedInAt.milliseconds,
                        usedAt: grant.family.activeAt.milliseconds,
                        expiresAt: grant.family.expiresAt.milliseconds)
                })
        }
        router.delete("users/:user/sign-ins") { _, context in
            let id = try await records.user(context).id, now = clock.now, actor = context.actor
            try await store.write { tables in
                let all = try tables.grants.live(of: id, at: now)
                for grant in all {
                    try Self.end(grant.id, of: id, tables, by: actor, at: now)
                }
                try tables.accounts.endBegunSignIns(of: id, at: now)
                try tables.withdrawUnusedPermissions(
                    of: id, apps: all.compactMap(\.app), actor: actor, at: now)
            }
            return Response(status: .noContent)
        }
        router.delete("users/:user/sign-ins/:signin") { _, context in
            let id = try await records.user(context).id, now = clock.now, actor = context.actor
            let wanted = try GrantID(context.parameters.require("signin"), field: "signin")
            let isEnded = try await store.write { tables -> Bool in
                guard let grant = try tables.grants.find(wanted),
                    try Self.end(wanted, of: id, tables, by: actor, at: now)
                else { return false }
                try tables.withdrawUnusedPermissions(
                    of: id, apps: [grant.app].compactMap { $0 }, actor: actor, at: now)
                return true
            }
            guard isEnded else {
                throw Problem(.notFound, "This user has no sign-in with this ID.")
            }
            return Response(status: .noContent)
        }
    }

    /// - Returns: Whether the user had the sign-in.
    @discardableResult
    private static func end(
        _ grant: GrantID, of user: UserID, _ tables: Tables, by actor: String, at now: Instant
    ) throws -> Bool {
        guard try tables.grants.revoke(grant, of: user, at: now) else { return false }
        try tables.audit.append(
            AuditEvent(
                "tokens.revoked", actor: actor, account: user,
                detail: ["grant": .string(grant.text)]), at: now)
        return true
    }
}

package import Hummingbird
internal import MienAPI
internal import MienCore
package import MienServerCore
package import MienStore

/// The routes of the admin API for administrators.
package struct AdministratorRoutes {
    let store: Store
    let clock: ServerClock
    let body: JSONBody

    package init(store: Store, clock: ServerClock, body: JSONBody) {
        (self.store, self.clock, self.body) = (store, clock, body)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("administrators") { _, context in
            let admins = try await store.read { try $0.admins.all() }
            return JSONBody.response(
                Page(items: admins.map { Self.answer($0, to: context) }))
        }
        router.post("administrators") { request, context in
            let wanted = try await body.read(
                AdministratorRequest.self, AdministratorRequest.CodingKeys.self, from: request)
            try Problem.requireLine(wanted.name, "name", max: AdministratorRequest.maxName)
            let admin = NewAdmin(named: wanted.name, store.keys, at: clock.now)
            let (record, hash) = (admin.record, admin.hash)
            let event = AuditEvent(
                "administrator.created", actor: context.actor,
                detail: ["admin": .string(record.id.text)])
            try await store.write { tables in
                try tables.admins.insert(record, tokenHash: hash)
                try tables.audit.append(event, at: record.createdAt)
            }
            return JSONBody.response(
                Self.answer(record, to: context, credential: admin.credential.use { $0 }),
                status: .created)
        }
        router.delete("administrators/:administrator") { _, context in
            let id = try AdminID(
                context.parameters.require("administrator"), field: "administrator")
            // So that one always remains.
            guard id != context.administrator else {
                throw Problem(
                    .conflict, "You cannot remove yourself; another administrator can.")
            }
            let now = clock.now
            let event = AuditEvent(
                "administrator.removed", actor: context.actor, detail: ["admin": .string(id.text)])
            let caller = context.administrator
            let isDone: Bool? = try await store.write { tables in
                // Two administrators who remove each other at the same moment would leave none.
                guard try tables.admins.all().contains(where: { $0.id == caller }) else {
                    return nil
                }
                guard try tables.admins.remove(id) else { return false }
                try tables.audit.append(event, at: now)
                return true
            }
            guard let isDone else {
                throw Problem(.invalidCredentials, "Another administrator has removed you.")
            }
            guard isDone else { throw Problem(.notFound, "There is no such administrator.") }
            return Response(status: .noContent)
        }
    }

    private static func answer(
        _ admin: AdminRecord, to context: MienRequestContext, credential: String? = nil
    ) -> AdministratorAnswer {
        AdministratorAnswer(
            id: admin.id.text, name: admin.name, createdAt: admin.createdAt.milliseconds,
            isCaller: admin.id == context.administrator, credential: credential)
    }
}

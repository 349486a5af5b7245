package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for administrators.
package struct AdministratorRoutes {
    let store: Store
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("administrator") { _, context in
            guard let id = context.administrator,
                let caller = try await store.read({ try $0.admins.find(id) })
            else {
                throw Problem(.invalidCredentials, "Another administrator has removed you.")
            }
            var answer = Self.answer(caller, to: context)
            answer.permissions = caller.role.permissions.map(\.rawValue).sorted()
            return JSONBody.response(answer)
        }
        router.get("administrators") { request, context in
            let page = try AdminPage<AdminKind>(request)
            let found = try await page.read(from: store) { tables, after, count in
                try tables.admins.page(after: after, count: count).map {
                    (record: $0, kinds: try tables.adminMethods.kinds(of: $0.id))
                }
            }
            return JSONBody.response(
                page.answer(found, id: { $0.record.id }) { record, kinds in
                    var answer = Self.answer(record, to: context)
                    answer.methods = Self.methods(kinds)
                    return answer
                })
        }
        router.post("administrators") { request, context in try await create(request, context) }
        router.put("administrators/:administrator/role") { request, context in
            try await changeRole(request, context)
        }
        router.delete("administrators/:administrator") { _, context in
            try await remove(context)
        }
    }

    private func create(_ request: Request, _ context: MienRequestContext) async throws -> Response
    {
        let wanted = try await body.read(
            AdministratorRequest.self, AdministratorRequest.CodingKeys.self, from: request)
        try Problem.requireLine(wanted.name, "name", max: AdministratorRequest.maxName)
        let admin = NewAdmin(named: wanted.name, as: wanted.role, store.keys, at: clock.now)
        let (record, hash) = (admin.record, admin.hash)
        try await change(
            record.id, "administrator.created", role: record.role, by: context
        ) { tables in
            try tables.admins.insert(record, tokenHash: hash)
            return true
        }
        return JSONBody.response(
            Self.answer(record, to: context, credential: admin.credential.use { $0 }),
            status: .created)
    }

    private func changeRole(_ request: Request, _ context: MienRequestContext) async throws
        -> Response
    {
        let id = try other(context, "You cannot change your own role; another owner can.")
        let role = try await body.read(
            AdministratorRoleRequest.self, AdministratorRoleRequest.CodingKeys.self, from: request
        ).role
        try await change(id, "administrator.changed", role: role, by: context) { tables in
            guard try tables.admins.change(id, to: role) else { return false }
            // Delete the offers that this administrator made. Otherwise they would become valid
            // again if the administrator became an owner again.
            if !role.permissions.contains(.changeAdministrators) {
                try tables.adminOffers.removeAll(by: id)
            }
            return true
        }
        guard let changed = try await store.read({ try $0.admins.find(id) }) else {
            throw Problem.noSuchAdministrator
        }
        return JSONBody.response(Self.answer(changed, to: context))
    }

    private func remove(_ context: MienRequestContext) async throws -> Response {
        let id = try other(context, "You cannot remove yourself; another owner can.")
        try await change(id, "administrator.removed", by: context) { try $0.admins.remove(id) }
        return Response(status: .noContent)
    }

    /// Returns the administrator that the address names.
    ///
    /// - Throws: `conflict` for the caller, so that an owner always remains.
    private func other(_ context: MienRequestContext, _ refusal: String) throws -> AdminID {
        let id = try AdminID(context.parameters.require("administrator"), field: "administrator")
        guard id != context.administrator else { throw Problem(.conflict, refusal) }
        return id
    }

    /// Changes the administrators and records who did.
    ///
    /// - Parameter body: Returns `false` if there is no such administrator.
    private func change(
        _ id: AdminID, _ event: String, role: AdminRole? = nil, by context: MienRequestContext,
        _ body: @escaping @Sendable (Tables) throws -> Bool
    ) async throws {
        let now = clock.now
        let caller = context.administrator
        var detail: [String: JSONValue] = ["admin": .string(id.text)]
        detail["role"] = role.map { .string($0.rawValue) }
        let entry = AuditEvent(event, actor: context.actor, detail: detail)
        let isDone: Bool? = try await store.write { tables in
            // Two owners who remove each other at the same moment would leave none.
            guard
                try caller.flatMap({ try tables.admins.find($0) })?.role == .owner
            else { return nil }
            guard try body(tables) else { return false }
            try tables.audit.append(entry, at: now)
            return true
        }
        guard let isDone else {
            throw Problem(
                .invalidCredentials, "Another owner has removed you or changed your role.")
        }
        guard isDone else { throw Problem.noSuchAdministrator }
    }

    private static func methods(_ kinds: Set<AdminMethodRecord.Kind>) -> [String] {
        [(AdminMethodRecord.Kind.passkey, "passkey"), (.password, "password")].filter {
            kinds.contains($0.0)
        }.map { $0.1 }
    }

    private static func answer(
        _ admin: AdminRecord, to context: MienRequestContext, credential: String? = nil
    ) -> AdministratorAnswer {
        AdministratorAnswer(
            id: admin.id.text, name: admin.name, role: .known(admin.role),
            createdAt: admin.createdAt.milliseconds,
            isCaller: admin.id == context.administrator, credential: credential)
    }
}

extension Problem {
    fileprivate static let noSuchAdministrator = Problem(
        .notFound, "There is no such administrator.")
}

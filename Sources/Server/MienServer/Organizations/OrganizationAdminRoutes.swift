package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for organizations and their members.
package struct OrganizationAdminRoutes {
    let organizations: OrganizationService
    let members: MemberService
    let records: AdminRecords
    let body: JSONBody

    private var clock: ServerClock { organizations.clock }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations") { request, _ in try await list(request) }
        router.post("organizations") { request, context in
            let record = try await organizations.create(
                try await wanted(request), by: context.actor)
            return JSONBody.response(
                OrganizationAnswers.organization(record, apps: []), status: .created)
        }
        router.get("organizations/:organization") { _, context in
            try await answer(Self.id(context))
        }
        router.patch("organizations/:organization") { request, context in
            let id = try Self.id(context)
            _ = try await organizations.update(
                id, try await wanted(request), by: context.actor)
            return try await answer(id)
        }
        router.get("organizations/:organization/deletion") { _, context in
            let id = try Self.id(context), now = clock.now
            let contents = try await members.read(id, Self.actor(context)) { _, tables in
                try tables.organizations.contents(of: id, at: now)
            }
            return JSONBody.response(
                OrganizationDeletionAnswer(
                    members: contents.members, invitations: contents.invitations,
                    apps: contents.apps, signIns: contents.signIns))
        }
        router.delete("organizations/:organization") { _, context in
            try await organizations.delete(Self.id(context), by: context.actor)
            return Response(status: .noContent)
        }
        router.put("organizations/:organization/apps/:app") { _, context in
            try await set(context, isAllowed: true)
        }
        router.delete("organizations/:organization/apps/:app") { _, context in
            try await set(context, isAllowed: false)
        }
        router.get("users/:user/organizations") { _, context in
            let user = try await records.user(context).id
            let found = try await members.store.read { try $0.organizationMembers.all(of: user) }
            return JSONBody.response(
                Page(
                    items: found.map {
                        OrganizationAnswers.organization($0.organization, of: $0.member)
                    }))
        }
        addMembers(to: router)
        addInvitations(to: router)
    }

    private func addMembers(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations/:organization/members") { request, context in
            JSONBody.response(
                try await MemberPage(request).answer(
                    members, in: Self.id(context), by: Self.actor(context)))
        }
        router.post("organizations/:organization/members") { request, context in
            let id = try Self.id(context)
            let wanted = try await body.read(
                OrganizationMemberRequest.self, OrganizationMemberRequest.CodingKeys.self,
                from: request)
            let roles = try MemberRoles(request: wanted.roles)
            let added = try await members.add(
                wanted.user, with: roles, to: id, by: Self.actor(context))
            return JSONBody.response(OrganizationAnswers.member(added), status: .created)
        }
        router.put("organizations/:organization/members/:user/roles") { request, context in
            let id = try Self.id(context), user = try Self.user(context)
            let wanted = try await body.read(
                OrganizationRolesRequest.self, OrganizationRolesRequest.CodingKeys.self,
                from: request)
            return JSONBody.response(
                OrganizationAnswers.member(
                    try await members.change(
                        user, to: MemberRoles(request: wanted.roles), in: id,
                        by: Self.actor(context))))
        }
        router.delete("organizations/:organization/members/:user") { _, context in
            try await members.remove(
                Self.user(context), from: Self.id(context), by: Self.actor(context))
            return Response(status: .noContent)
        }
    }

    private func addInvitations(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations/:organization/invitations") { _, context in
            let open = try await members.openInvitations(
                of: Self.id(context), by: Self.actor(context))
            return JSONBody.response(Page(items: open.map(OrganizationAnswers.invitation)))
        }
        router.post("organizations/:organization/invitations") { request, context in
            let id = try Self.id(context)
            let wanted = try await body.read(
                OrganizationInvitationRequest.self, OrganizationInvitationRequest.CodingKeys.self,
                from: request)
            let roles = try MemberRoles(request: wanted.roles)
            return JSONBody.response(
                OrganizationAnswers.invitation(
                    try await members.invite(
                        wanted.identifier, with: roles, to: id, by: Self.actor(context))),
                status: .created)
        }
        router.delete("organizations/:organization/invitations/:invitation") { _, context in
            try await members.revoke(
                Self.invitation(context), of: Self.id(context), by: Self.actor(context))
            return Response(status: .noContent)
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let after = try query["after"].map { try OrganizationID(String($0), field: "after") }
        let found: [(OrganizationRecord, [AppID])]
        if let externalID = query["external_id"].map({ String($0) }) {
            found = try await members.store.read { tables in
                try tables.organizations.find(externalID: externalID).map {
                    [($0, try tables.organizations.apps(of: $0.id))]
                } ?? []
            }
            return JSONBody.response(
                Page(items: found.map { OrganizationAnswers.organization($0.0, apps: $0.1) }))
        }
        let beginning = try query["name"].map { text in
            guard let name = OrganizationName(String(text)) else {
                throw Problem.field("name", "must be one line of 1 to 100 characters")
            }
            return name
        }
        found = try await members.store.read { tables in
            try tables.organizations.page(
                beginning: beginning, after: after, count: AdminRecords.pageSize
            ).map { ($0, try tables.organizations.apps(of: $0.id)) }
        }
        return JSONBody.response(
            Page(
                items: found.map { OrganizationAnswers.organization($0.0, apps: $0.1) },
                next: found.count == AdminRecords.pageSize ? found.last?.0.id.text : nil))
    }

    private func wanted(_ request: Request) async throws -> OrganizationRequest {
        try await body.read(
            OrganizationRequest.self, OrganizationRequest.CodingKeys.self, from: request)
    }

    private func answer(_ id: OrganizationID) async throws -> Response {
        let found = try await members.store.read { tables in
            try tables.organizations.find(id).map { ($0, try tables.organizations.apps(of: id)) }
        }
        guard let (record, apps) = found else { throw Problem.noSuchOrganization }
        return JSONBody.response(OrganizationAnswers.organization(record, apps: apps))
    }

    private func set(_ context: MienRequestContext, isAllowed: Bool) async throws -> Response {
        let app = try AppID(context.parameters.require("app"), field: "app")
        try await organizations.set(
            app, isAllowed: isAllowed, for: Self.id(context), by: context.actor)
        return Response(status: .noContent)
    }

    private static func actor(_ context: MienRequestContext) -> OrganizationActor {
        OrganizationActor(id: context.actor)
    }

    private static func id(_ context: MienRequestContext) throws -> OrganizationID {
        try OrganizationID(context.parameters.require("organization"), field: "organization")
    }

    private static func user(_ context: MienRequestContext) throws -> UserID {
        try UserID(context.parameters.require("user"), field: "user")
    }

    private static func invitation(_ context: MienRequestContext) throws
        -> OrganizationInvitationID
    {
        try OrganizationInvitationID(
            context.parameters.require("invitation"), field: "invitation")
    }
}

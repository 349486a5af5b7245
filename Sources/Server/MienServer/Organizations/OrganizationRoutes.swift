internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the pages at `/organization` of the public listener, for users and for
/// administrators of organizations.
///
/// They accept requests of the server's own pages only, with the session of a browser. Each request
/// is checked in the transaction that serves it, against the organization that its address names.
package struct OrganizationRoutes {
    let members: MemberService
    let sessions: OrganizationSessions
    let body: JSONBody

    private var clock: ServerClock { members.clock }

    package func add(to router: RouterGroup<MienRequestContext>) {
        addOwn(to: router)
        addMembers(to: router)
        addAccess(to: router)
        addInvitations(to: router)
    }

    private func addOwn(to router: RouterGroup<MienRequestContext>) {
        router.get("me") { request, _ in
            JSONBody.response(try await members.visitor(try await sessions.require(request)))
        }
        router.delete("session") { request, _ in
            _ = try await sessions.require(request)
            var response = Response(status: .noContent)
            for cookie in try await sessions.end(request) {
                response.headers.append(.init(name: .setCookie, value: cookie))
            }
            return response
        }
        router.post("invitations/:invitation") { request, context in
            let caller = try await sessions.require(request)
            return JSONBody.response(
                try await members.accept(Self.invitation(context), by: caller))
        }
        router.delete("invitations/:invitation") { request, context in
            let caller = try await sessions.require(request)
            try await members.decline(Self.invitation(context), by: caller)
            return Response(status: .noContent)
        }
        router.delete("organizations/:organization/membership") { request, context in
            let caller = try await sessions.require(request)
            try await members.leave(Self.id(context), by: caller)
            return Response(status: .noContent)
        }
    }

    private func addMembers(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations/:organization") { request, context in
            let caller = try await sessions.require(request), id = try Self.id(context)
            let answer = try await members.read(id, caller.administrator) { record, tables in
                OrganizationAnswers.organization(
                    record, of: try tables.member(caller.account.id, in: id).member)
            }
            return JSONBody.response(answer)
        }
        router.get("organizations/:organization/members") { request, context in
            let caller = try await sessions.require(request)
            return JSONBody.response(
                try await MemberPage(request, isForOperator: false).answer(
                    members, in: Self.id(context), by: caller.administrator))
        }
        router.get("organizations/:organization/members/:user") { request, context in
            let caller = try await sessions.require(request)
            return JSONBody.response(
                try await members.detail(
                    Self.user(context), in: Self.id(context), by: caller.administrator))
        }
        router.put("organizations/:organization/members/:user/roles") { request, context in
            let caller = try await sessions.require(request)
            let id = try Self.id(context), user = try Self.user(context)
            let wanted = try await body.read(
                OrganizationRolesRequest.self, OrganizationRolesRequest.CodingKeys.self,
                from: request)
            let roles = try MemberRoles(request: wanted.roles)
            // Refuse callers who do not administer the organization before asking for a fresh
            // sign-in.
            try await members.read(id, caller.administrator) { _, _ in }
            try caller.requireFresh(at: clock.now)
            return JSONBody.response(
                OrganizationAnswers.member(
                    try await members.change(user, to: roles, in: id, by: caller.administrator),
                    isForOperator: false))
        }
        router.delete("organizations/:organization/members/:user") { request, context in
            let caller = try await sessions.require(request)
            try await members.remove(
                Self.user(context), from: Self.id(context), by: caller.administrator)
            return Response(status: .noContent)
        }
    }

    private func addAccess(to router: RouterGroup<MienRequestContext>) {
        router.post(
            "organizations/:organization/members/:user/authenticators/:authenticator/unlock"
        ) { request, context in
            let caller = try await sessions.require(request)
            let authenticator = try AuthenticatorID(
                context.parameters.require("authenticator"), field: "authenticator")
            try await members.unlock(
                authenticator, of: Self.user(context), in: Self.id(context),
                by: caller.administrator)
            return Response(status: .noContent)
        }
        router.delete("organizations/:organization/members/:user/sign-ins") { request, context in
            let caller = try await sessions.require(request)
            try await members.endSignIns(
                of: Self.user(context), in: Self.id(context), by: caller.administrator)
            return Response(status: .noContent)
        }
    }

    private func addInvitations(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations/:organization/invitations") { request, context in
            let caller = try await sessions.require(request)
            let open = try await members.openInvitations(
                of: Self.id(context), by: caller.administrator)
            return JSONBody.response(Page(items: open.map(OrganizationAnswers.invitation)))
        }
        router.post("organizations/:organization/invitations") { request, context in
            let caller = try await sessions.require(request), id = try Self.id(context)
            let wanted = try await body.read(
                OrganizationInvitationRequest.self, OrganizationInvitationRequest.CodingKeys.self,
                from: request)
            let roles = try MemberRoles(request: wanted.roles)
            try await members.read(id, caller.administrator) { _, _ in }
            try caller.requireFresh(at: clock.now)
            return JSONBody.response(
                OrganizationAnswers.invitation(
                    try await members.invite(
                        wanted.identifier, with: roles, to: id, by: caller.administrator)),
                status: .created)
        }
        router.delete("organizations/:organization/invitations/:invitation") { request, context in
            let caller = try await sessions.require(request)
            try await members.revoke(
                Self.invitation(context), of: Self.id(context), by: caller.administrator)
            return Response(status: .noContent)
        }
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

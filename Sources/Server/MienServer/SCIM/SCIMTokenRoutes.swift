internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for the tokens of organizations' directories.
struct SCIMTokenRoutes {
    let tokens: SCIMTokens
    let body: JSONBody

    func add(to router: RouterGroup<MienRequestContext>) {
        router.get("organizations/:organization/scim-tokens") { _, context in
            JSONBody.response(
                Page(items: try await tokens.all(of: Self.id(context)).map { Self.answer($0) }))
        }
        router.post("organizations/:organization/scim-tokens") { request, context in
            let wanted = try await body.read(
                SCIMTokenRequest.self, SCIMTokenRequest.CodingKeys.self, from: request)
            let made = try await tokens.create(
                wanted, for: Self.id(context), by: context.actor)
            return JSONBody.response(
                Self.answer(made.record, token: made.token.use { $0 }), status: .created)
        }
        router.delete("organizations/:organization/scim-tokens/:scimtoken") { _, context in
            let token = try SCIMTokenID(context.parameters.require("scimtoken"), field: "scimtoken")
            try await tokens.revoke(token, of: Self.id(context), by: context.actor)
            return Response(status: .noContent)
        }
    }

    private static func id(_ context: MienRequestContext) throws -> OrganizationID {
        try OrganizationID(context.parameters.require("organization"), field: "organization")
    }

    private static func answer(_ record: SCIMTokenRecord, token: String? = nil) -> SCIMTokenAnswer {
        SCIMTokenAnswer(
            id: record.id.text, name: record.name, domains: record.domains,
            createdBy: record.author, createdAt: record.createdAt.milliseconds,
            usedAt: record.usedAt?.milliseconds, token: token)
    }
}

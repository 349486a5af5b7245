internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// SCIM 2.0 (RFC 7643, RFC 7644), with which an organization's directory creates, changes, and
/// suspends people: docs/scim.md.
struct SCIMRoutes {
    /// The maximum size of a body: a group with thousands of members.
    static let maxBytes = 1024 * 1024

    let tokens: SCIMTokens
    let users: SCIMUsers
    let groups: SCIMGroups
    let budget: BodyBudget
    let publicURL: @Sendable () -> String

    func add(to router: RouterGroup<MienRequestContext>) {
        addUsers(to: router)
        addGroups(to: router)
        addDescription(to: router)
    }

    private func addUsers(to router: RouterGroup<MienRequestContext>) {
        let users = users
        router.get("Users") { request, _ in
            try await answer(request) { caller in
                let query = try SCIMQuery(request)
                return try await SCIMAnswer.response(users.list(query, by: caller))
            }
        }
        router.post("Users/.search") { request, _ in
            try await answer(request) { caller in
                let query = try SCIMQuery(await json(request))
                return try await SCIMAnswer.response(users.list(query, by: caller))
            }
        }
        router.post("Users") { request, _ in
            try await answer(request) { caller in
                try await SCIMAnswer.response(
                    users.create(json(request), by: caller), request, status: .created)
            }
        }
        router.get("Users/:scimuser") { request, context in
            let id = try context.parameters.require("scimuser")
            return try await answer(request) { caller in
                try await SCIMAnswer.response(users.get(id, by: caller), request)
            }
        }
        router.put("Users/:scimuser") { request, context in
            let id = try context.parameters.require("scimuser")
            return try await answer(request) { caller in
                try await SCIMAnswer.response(
                    users.replace(id, json(request), if: request.headers[.ifMatch], by: caller),
                    request)
            }
        }
        router.patch("Users/:scimuser") { request, context in
            let id = try context.parameters.require("scimuser")
            return try await answer(request) { caller in
                let patch = try SCIMPatch(await json(request))
                return try await SCIMAnswer.response(
                    users.patch(id, patch, if: request.headers[.ifMatch], by: caller), request)
            }
        }
        router.delete("Users/:scimuser") { request, context in
            let id = try context.parameters.require("scimuser")
            return try await answer(request) { caller in
                try await users.delete(id, if: request.headers[.ifMatch], by: caller)
                return Response(status: .noContent)
            }
        }
    }

    private func addGroups(to router: RouterGroup<MienRequestContext>) {
        let groups = groups
        router.get("Groups") { request, _ in
            try await answer(request) { caller in
                let query = try SCIMQuery(request)
                return try await SCIMAnswer.response(groups.list(query, by: caller))
            }
        }
        router.post("Groups/.search") { request, _ in
            try await answer(request) { caller in
                let query = try SCIMQuery(await json(request))
                return try await SCIMAnswer.response(groups.list(query, by: caller))
            }
        }
        router.post("Groups") { request, _ in
            try await answer(request) { caller in
                try await SCIMAnswer.response(
                    groups.create(json(request), by: caller), request, status: .created)
            }
        }
        router.get("Groups/:scimgroup") { request, context in
            let id = try context.parameters.require("scimgroup")
            return try await answer(request) { caller in
                try await SCIMAnswer.response(
                    groups.get(id, SCIMProjection(request), by: caller), request)
            }
        }
        router.put("Groups/:scimgroup") { request, context in
            let id = try context.parameters.require("scimgroup")
            return try await answer(request) { caller in
                try await SCIMAnswer.response(
                    groups.replace(id, json(request), if: request.headers[.ifMatch], by: caller),
                    request)
            }
        }
        router.patch("Groups/:scimgroup") { request, context in
            let id = try context.parameters.require("scimgroup")
            return try await answer(request) { caller in
                let patch = try SCIMPatch(await json(request))
                return try await SCIMAnswer.response(
                    groups.patch(id, patch, if: request.headers[.ifMatch], by: caller), request)
            }
        }
        router.delete("Groups/:scimgroup") { request, context in
            let id = try context.parameters.require("scimgroup")
            return try await answer(request) { caller in
                try await groups.delete(id, if: request.headers[.ifMatch], by: caller)
                return Response(status: .noContent)
            }
        }
    }

    private func addDescription(to router: RouterGroup<MienRequestContext>) {
        router.get("ServiceProviderConfig") { request, _ in
            try await answer(request) {
                SCIMAnswer.response(SCIMDescription.service(base: $0.base))
            }
        }
        router.get("ResourceTypes") { request, _ in
            try await answer(request) { caller in
                SCIMAnswer.response(
                    try Self.list(
                        SCIMDescription.resourceTypes(base: caller.base), request))
            }
        }
        router.get("ResourceTypes/:resourcetype") { request, context in
            let id = try context.parameters.require("resourcetype")
            return try await answer(request) { caller in
                try Self.one(id, of: SCIMDescription.resourceTypes(base: caller.base))
            }
        }
        router.get("Schemas") { request, _ in
            try await answer(request) { caller in
                SCIMAnswer.response(
                    try Self.list(SCIMSchema.all.map { $0.json(base: caller.base) }, request))
            }
        }
        router.get("Schemas/:schema") { request, context in
            let id = try context.parameters.require("schema")
            return try await answer(request) { caller in
                try Self.one(id, of: SCIMSchema.all.map { $0.json(base: caller.base) })
            }
        }
        router.post(".search") { request, _ in
            try await answer(request) { caller in
                let query = try SCIMQuery(await json(request))
                return try await SCIMAnswer.response(searchAll(query, by: caller))
            }
        }
        router.get("Me") { request, _ in
            try await answer(request) { _ in
                throw SCIMError(501, nil, "A token belongs to a directory, not to a person.")
            }
        }
        router.post("Bulk") { request, _ in
            try await answer(request) { _ in
                throw SCIMError(501, nil, "Bulk requests are not supported. Send each on its own.")
            }
        }
    }

    private static func list(_ items: [JSONValue], _ request: Request) throws(SCIMError)
        -> JSONValue
    {
        guard request.uri.queryParameters["filter"] == nil else {
            throw SCIMError(403, nil, "What describes the service cannot be filtered.")
        }
        return [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": .number(Double(items.count)), "startIndex": 1,
            "itemsPerPage": .number(Double(items.count)), "Resources": .array(items),
        ]
    }

    private static func one(_ id: String, of items: [JSONValue]) throws(SCIMError) -> Response {
        guard let found = items.first(where: { $0["id"]?.stringValue == id }) else {
            throw SCIMError(404, nil, "There is no such description.")
        }
        return SCIMAnswer.response(found)
    }

    /// Finds people and groups, the people first (RFC 7644 §3.4.3).
    private func searchAll(_ query: SCIMQuery, by caller: SCIMCaller) async throws -> JSONValue {
        let people = try await users.list(query, by: caller),
            found = people["Resources"]?.arrayValue ?? []
        let total = Int(people["totalResults"]?.numberValue ?? 0)
        let rest = try await groups.list(
            query.part(
                from: max(1, query.start - total), count: query.count - found.count), by: caller)
        let more = rest["Resources"]?.arrayValue ?? []
        return query.list(
            found + more, total: total + Int(rest["totalResults"]?.numberValue ?? 0))
    }

    // MARK: Requests

    private func answer(
        _ request: Request, _ body: (SCIMCaller) async throws -> Response
    ) async throws -> Response {
        try await body(tokens.caller(request.bearer, base: publicURL() + SCIMErrorMiddleware.path))
    }

    private func json(_ request: Request) async throws -> JSONValue {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
            .filter { $0 != " " }
        guard type == SCIMAnswer.contentType || type == "application/json" else {
            throw SCIMError(415, nil, "Send content-type: \(SCIMAnswer.contentType).")
        }
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let bytes = try await JSONBody.collect(request, upTo: Self.maxBytes, share)
        do throws(JSONTextError) {
            return try JSONText.parse(
                bytes, limits: .init(maxBytes: Self.maxBytes, maxDepth: 12))
        } catch {
            throw SCIMError(
                400, .invalidSyntax,
                "The body is not acceptable JSON: line \(error.line), column \(error.column): \(error.reason)"
            )
        }
    }
}

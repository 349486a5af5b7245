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
                return try await Self.response(users.list(query, by: caller))
            }
        }
        router.post("Users") { request, _ in
            try await answer(request) { caller in
                try await Self.response(
                    users.create(json(request), by: caller), request, status: .created)
            }
        }
        router.get("Users/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try await Self.response(users.get(id, by: caller), request)
            }
        }
        router.put("Users/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try await Self.response(
                    users.replace(id, json(request), if: request.headers[.ifMatch], by: caller),
                    request)
            }
        }
        router.patch("Users/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                let patch = try SCIMPatch(await json(request))
                return try await Self.response(
                    users.patch(id, patch, if: request.headers[.ifMatch], by: caller), request)
            }
        }
        router.delete("Users/:id") { request, context in
            let id = try context.parameters.require("id")
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
                return try await Self.response(groups.list(query, by: caller))
            }
        }
        router.post("Groups") { request, _ in
            try await answer(request) { caller in
                try await Self.response(
                    groups.create(json(request), by: caller), request, status: .created)
            }
        }
        router.get("Groups/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try await Self.response(
                    groups.get(id, SCIMProjection(request), by: caller), request)
            }
        }
        router.put("Groups/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try await Self.response(
                    groups.replace(id, json(request), if: request.headers[.ifMatch], by: caller),
                    request)
            }
        }
        router.patch("Groups/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                let patch = try SCIMPatch(await json(request))
                return try await Self.response(
                    groups.patch(id, patch, if: request.headers[.ifMatch], by: caller), request)
            }
        }
        router.delete("Groups/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try await groups.delete(id, if: request.headers[.ifMatch], by: caller)
                return Response(status: .noContent)
            }
        }
    }

    private func addDescription(to router: RouterGroup<MienRequestContext>) {
        router.get("ServiceProviderConfig") { request, _ in
            try await answer(request) { Self.response(SCIMDescription.service(base: $0.base)) }
        }
        router.get("ResourceTypes") { request, _ in
            try await answer(request) { caller in
                Self.response(
                    try Self.list(
                        SCIMDescription.resourceTypes(base: caller.base), request))
            }
        }
        router.get("ResourceTypes/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try Self.one(id, of: SCIMDescription.resourceTypes(base: caller.base))
            }
        }
        router.get("Schemas") { request, _ in
            try await answer(request) { caller in
                Self.response(
                    try Self.list(SCIMSchema.all.map { $0.json(base: caller.base) }, request))
            }
        }
        router.get("Schemas/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request) { caller in
                try Self.one(id, of: SCIMSchema.all.map { $0.json(base: caller.base) })
            }
        }
        router.get("Me") { request, _ in
            try await answer(request) { _ in
                throw SCIMError(501, nil, "A token belongs to a directory, not to a person.")
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
        return response(found)
    }

    // MARK: Requests and answers

    private func answer(
        _ request: Request, _ body: (SCIMCaller) async throws -> Response
    ) async throws -> Response {
        do {
            return try await body(
                tokens.caller(request.bearer, base: "\(publicURL())/scim/v2"))
        } catch let error as SCIMError {
            return Self.response(error)
        } catch let error as Problem where (400..<500).contains(error.status) {
            return Self.response(SCIMError(error.status, nil, error.detail))
        } catch let error as LoginNameError {
            return Self.response(
                SCIMError(400, .invalidValue, "The name or address \(error.description)."))
        } catch let error as StoreError where error.code == .conflict {
            return Self.response(.taken)
        } catch let error as StoreError where error.code == .stale {
            return Self.response(.changed)
        }
    }

    private func json(_ request: Request) async throws -> JSONValue {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/scim+json" || type == "application/json" else {
            throw SCIMError(415, nil, "Send content-type: application/scim+json.")
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

    private static func response(_ error: SCIMError) -> Response {
        var members: [String: JSONValue] = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "status": .string(String(error.status)), "detail": .string(error.detail),
        ]
        members["scimType"] = error.kind.map { .string($0.rawValue) }
        var response = response(.object(members), status: .init(code: error.status))
        if error.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    /// A resource, or less of it.
    private static func response(
        _ resource: JSONValue, _ request: Request, status: HTTPResponse.Status = .ok
    ) -> Response {
        let version = resource["meta"]?["version"]?.stringValue
        if status == .ok, request.method == .get, let version,
            request.headers[.ifNoneMatch] == version
        {
            return Response(status: .notModified, headers: [.eTag: version])
        }
        var response = response(SCIMProjection(request).of(resource), status: status)
        response.headers[.eTag] = version
        if status == .created {
            response.headers[.location] = resource["meta"]?["location"]?.stringValue
        }
        return response
    }

    private static func response(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response
    {
        var response = JSONBody.response(json: Array(JSONText.write(value).utf8), status: status)
        response.headers[.contentType] = "application/scim+json"
        return response
    }
}

internal import HTTPTypes
package import Hummingbird
package import MienAPI

/// The query parameters of each route.
package enum QueryParameters {
    /// The parameters by the route's template. Routes that are not listed have none.
    package static let known: [String: [String]] = [
        "/organization/api/v1/organizations/{organization}/members": [
            "administrators", "after", "identifier",
        ],
        "/v1/administrators": ["after"],
        "/v1/administrators/{administrator}/setup-code": ["keep_credential"],
        "/v1/apps": ["after"],
        "/v1/audit": ["administrator", "after", "event", "from", "order", "until", "user"],
        "/v1/audit/segment": ["after"],
        "/v1/face-groups": ["after"],
        "/v1/faces/duplicates": ["after"],
        "/v1/journeys/{journey}/versions/{version}": ["if_updated_at", "incomplete"],
        "/v1/journeys/{journey}/versions/{version}/retire": ["force"],
        "/v1/me/activity": ["after"],
        "/v1/organizations": ["after", "external_id", "name"],
        "/v1/organizations/{organization}/members": ["administrators", "after", "identifier"],
        "/v1/product-keys": ["after"],
        "/v1/registration-tokens": ["after"],
        "/v1/registry/people": ["encoding", "imported_before"],
        "/v1/users": ["after", "group", "identifier"],
        "/v1/users/import": ["dry_run", "otp_app", "update"],
        "/v1/users/{user}/sign-ins": ["after"],
        "/v1/verifications/cases": ["after"],
    ]

    /// Prefixes of routes that ignore unknown parameters: OAuth and OpenID Connect require it
    /// (RFC 6749 §3.1 and §3.2), and people open pages by links to which programs add parameters.
    package static let ignoring = [
        "/oauth2/", "/.well-known/", "/scim/", "/notices", "/signin", "/signout", "/device",
        "/verify",
        "/account",
        "/web/", "/admin", "/organization",
        "/mien.js", "/mien.d.ts", "/capture-worker.js",
    ]

    /// Routes of scripts beside pages that ignore unknown parameters.
    private static let strict = "/organization/api/"

    /// Whether a route ignores unknown parameters.
    package static func areIgnored(at route: String) -> Bool {
        !route.hasPrefix(strict) && ignoring.contains { route.hasPrefix($0) }
    }

    /// Returns the parameters that are allowed at a route, or `nil` if it ignores unknown ones.
    static func allowed(at route: String) -> [String]? {
        areIgnored(at: route) ? nil : known[route] ?? []
    }
}

extension Request {
    /// Returns a query parameter that is `true` or `false`; without it, `false`.
    ///
    /// - Throws: ``Problem`` that names the parameter.
    package func flag(_ name: String) throws(Problem) -> Bool {
        switch uri.queryParameters[name[...]] {
        case nil, "false": return false
        case "true": return true
        default:
            throw Problem(
                .invalidRequest,
                errors: [.init(field: name, message: "must be true or false")])
        }
    }
}

/// Rejects query parameters that a route does not have: a misspelled one would silently have no
/// effect.
package struct QueryMiddleware: RouterMiddleware {
    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.query?.isEmpty == false, let route = context.endpointPath,
            let allowed = QueryParameters.allowed(at: route)
        else { return try await next(request, context) }
        let names = Set(request.uri.queryParameters.map { String($0.key) })
        let unknown = names.subtracting(allowed).sorted()
        guard unknown.isEmpty else {
            let words =
                allowed.isEmpty
                ? "this address has none" : "allowed are \(allowed.joined(separator: ", "))"
            throw Problem(
                .invalidRequest,
                errors: unknown.prefix(JSONBody.maxReported).map {
                    .init(
                        field: JSONBody.shown($0),
                        message: "is an unknown query parameter; \(words)"
                    )
                })
        }
        return try await next(request, context)
    }
}

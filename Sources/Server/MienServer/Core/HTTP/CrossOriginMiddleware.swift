internal import HTTPTypes
package import Hummingbird
internal import MienCore

/// Lets pages of the origins that apps list (`web_origins`) read responses: CORS, as the Fetch
/// standard defines it.
///
/// An origin is compared character by character; `*` is never sent. Responses never allow
/// credentials, so a browser attaches no cookie, and a page can use only tokens that it holds.
package struct CrossOriginMiddleware: RouterMiddleware {
    /// Whether an app lists the origin; without an app, whether any does.
    let isListed: @Sendable (_ origin: String, AppID?) async throws -> Bool

    /// Routes for people, not for scripts: they use cookies, or have forms.
    private static let pages = [
        "/oauth2/authorize", "/oauth2/answer", "/notices", "/signin", "/signout", "/verify",
        "/account", "/web",
        "/organization",
    ]

    private static let exposed = "retry-after, www-authenticate, x-request-id"

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let path = request.uri.path
        guard !Self.pages.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else {
            return response
        }
        // Caches must not serve one origin the response to another.
        response.headers.append(.init(name: .vary, value: "Origin"))
        // If the request's app is known, only that app's list of origins counts.
        guard let origin = Self.origin(request),
            (try? await isListed(origin, context.facts.app)) == true
        else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.exposed
        return response
    }

    static func origin(_ request: Request) -> String? {
        let origins = request.headers[values: .origin]
        guard origins.count == 1, let origin = origins.first, origin.utf8.count <= 300 else {
            return nil
        }
        return origin
    }
}

/// Answers the question that a browser asks before a page's request (preflight). Whether the page
/// may send it is up to ``CrossOriginMiddleware``, which runs outside of this.
package struct PreflightMiddleware: RouterMiddleware {
    let table: RouteTable

    private static let headers = "authorization, content-type, dpop, x-request-id"
    /// How long a browser may keep the answer, in seconds.
    private static let seconds = "600"

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let methods = table.methods(at: request.uri.path)
        guard request.method == .options, !methods.isEmpty,
            CrossOriginMiddleware.origin(request) != nil,
            request.headers[.accessControlRequestMethod] != nil
        else { return try await next(request, context) }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: methods.joined(separator: ", "),
                .accessControlAllowHeaders: Self.headers, .accessControlMaxAge: Self.seconds,
            ])
    }
}

internal import HTTPTypes
package import Hummingbird
internal import MienAPI

/// The server's addresses, as docs/openapi.json writes them, and the methods of each.
package struct RouteTable: Sendable {
    private let methods: [String: Set<String>]

    package init(_ routes: [Router<MienRequestContext>.RouteDescription]) {
        methods = Dictionary(routes.map { ($0.path.description, [$0.method.rawValue]) }) {
            $0.union($1)
        }
    }

    /// Sorted lines such as `GET /v1/apps/{app}`.
    var lines: [String] {
        methods.flatMap { path, methods in methods.map { "\($0) \(path)" } }.sorted()
    }

    /// Returns the methods of an address, or none for an unknown address. `HEAD` is included
    /// wherever `GET` is.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        let found = methods.filter { Self.matches(parts, $0.key.split(separator: "/")) }.reduce(
            into: Set<String>()
        ) { $0.formUnion($1.value) }
        return (found.contains("GET") ? found.union(["HEAD"]) : found).sorted()
    }

    private static func matches(_ parts: [Substring], _ pattern: [Substring]) -> Bool {
        parts.count == pattern.count
            && zip(parts, pattern).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
    }
}

/// Rejects a request whose address supports only other methods, and names those methods.
package struct MethodMiddleware: RouterMiddleware {
    let table: RouteTable

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let methods = table.methods(at: request.uri.path)
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else {
            return try await next(request, context)
        }
        let allowed = methods.joined(separator: ", ")
        var response = ProblemMiddleware.response(
            Problem(.methodNotAllowed, "This address supports \(allowed)."))
        response.headers[.allow] = allowed
        return response
    }
}

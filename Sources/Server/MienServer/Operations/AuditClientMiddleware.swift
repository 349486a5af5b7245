package import Hummingbird
internal import MienStore

/// Adds the client's address to the entries that a request makes in the audit log.
package struct AuditClientMiddleware: RouterMiddleware {
    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        guard !context.client.text.isEmpty else { return try await next(request, context) }
        return try await AuditClient.$address.withValue(context.client.text) {
            try await next(request, context)
        }
    }
}

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienStore

/// Finds out once where a request comes from, for everything behind it: limits, queues, and the
/// audit log if it is to note it.
struct ClientMiddleware: RouterMiddleware {
    let trustsProxy: Bool
    let isAudited: Bool

    func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if trustsProxy, let noted = Self.noted(request) { context.client = noted }
        let origin = RequestOrigin(address: context.client.key, channel: context.channel)
        return try await RequestOrigin.$current.withValue(origin) { [context] in
            guard isAudited, !context.client.text.isEmpty else {
                return try await next(request, context)
            }
            return try await AuditClient.$address.withValue(context.client.text) {
                try await next(request, context)
            }
        }
    }

    /// The last address a trusted proxy noted; what a client wrote before it is not believed.
    private static func noted(_ request: Request) -> ClientAddress? {
        request.headers[.forwardedFor]?.split(separator: ",").last.flatMap {
            ClientAddress($0.trimmingCharacters(in: .whitespaces))
        }
    }
}

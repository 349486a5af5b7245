internal import Foundation
internal import HTTPTypes
package import Hummingbird

/// Determines the origin of a request once, for the limits and queues behind it.
package struct ClientMiddleware: RouterMiddleware {
    let trustsProxy: Bool

    package init(trustsProxy: Bool) {
        self.trustsProxy = trustsProxy
    }

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if trustsProxy, let noted = Self.noted(request) { context.client = noted }
        let origin = RequestOrigin(
            address: context.client.key, channel: context.channel, facts: context.facts)
        return try await RequestOrigin.$current.withValue(origin) { [context] in
            try await next(request, context)
        }
    }

    /// Returns the last address in the header, which the trusted proxy added. Earlier addresses
    /// come from the client and are not trusted.
    private static func noted(_ request: Request) -> ClientAddress? {
        request.headers[.forwardedFor]?.split(separator: ",").last.flatMap {
            ClientAddress($0.trimmingCharacters(in: .whitespaces))
        }
    }
}

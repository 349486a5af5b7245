internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import MienAPI
internal import MienCore

/// Requests an address may make a minute.
struct RateLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter
    let clock: ServerClock
    let trustsProxy: Bool

    func handle(
        _ request: Request, context: MienRequestContext, next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let address = Self.address(request, context, trustsProxy: trustsProxy)
        if let wait = limiter.take(address, at: clock.now) { return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait) }
        return try await next(request, context)
    }

    /// The last address a trusted proxy noted; what a client wrote before it is not believed.
    static func address(_ request: Request, _ context: MienRequestContext, trustsProxy: Bool) -> String {
        guard trustsProxy, let noted = request.headers[.forwardedFor]?.split(separator: ",").last else { return context.address }
        return String(noted.trimmingCharacters(in: .whitespaces).prefix(64))
    }
}

package import Hummingbird
internal import MienAPI

/// Limits the requests that an address may make per minute.
package struct RateLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter
    let clock: ServerClock

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        if let wait = try await limiter.take(context.client.key, at: clock.now) {
            return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
        }
        return try await next(request, context)
    }
}

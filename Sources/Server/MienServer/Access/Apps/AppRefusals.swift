package import Hummingbird
internal import Logging
internal import MienAPI
package import MienCore
package import MienStore
internal import Synchronization

/// Keeps why requests of apps are refused, for administrators. Anybody can send such requests, so
/// each reason is written at most every ten seconds, with how often it was met, and all of them
/// together at most ten times a second.
package final class AppRefusals: Sendable {
    private static let rate = TokenBucket.Rate(burst: 20, perMinute: 600)
    private static let pause = Duration.seconds(10)
    /// The number of reasons in memory.
    private static let maxKnown = 2000

    private struct Reason: Hashable {
        let app: AppID
        let route: String
        let refusal: RequestFacts.Refusal
    }

    private struct Known {
        /// The refusals that are not written.
        var count = 0
        var writtenAt: Instant?
    }

    private struct State {
        var known: [Reason: Known] = [:]
        var bucket: TokenBucket
    }

    private let store: Store
    private let clock: ServerClock
    private let state: Mutex<State>

    package init(store: Store, clock: ServerClock) {
        (self.store, self.clock) = (store, clock)
        state = Mutex(State(bucket: TokenBucket(Self.rate, at: clock.now)))
    }

    package func note(_ refusal: RequestFacts.Refusal, of app: AppID, at route: String)
        async throws
    {
        let now = clock.now, reason = Reason(app: app, route: route, refusal: refusal)
        guard let count = due(reason, at: now) else { return }
        let record = AppRefusalRecord(
            route: route, error: refusal.error, description: refusal.description, count: count,
            firstAt: now, lastAt: now)
        try await store.write(.process) { try $0.refusals.add(record, of: app) }
    }

    /// Counts a refusal.
    ///
    /// - Returns: The refusals to write now; `nil` for none.
    private func due(_ reason: Reason, at now: Instant) -> Int? {
        state.withLock { state in
            if state.known.count >= Self.maxKnown, state.known[reason] == nil {
                state.known = state.known.filter { $0.value.count > 0 }
                if state.known.count >= Self.maxKnown { state.known = [:] }
            }
            var known = state.known[reason] ?? Known()
            known.count += 1
            let isDue = known.writtenAt.map { now >= $0 + Self.pause || now < $0 } ?? true
            guard isDue, state.bucket.take(Self.rate, at: now) == nil else {
                state.known[reason] = known
                return nil
            }
            state.known[reason] = Known(writtenAt: now)
            return known.count
        }
    }
}

/// Keeps why a request of an app was refused, after the response is made.
package struct AppRefusalMiddleware: RouterMiddleware {
    let refusals: AppRefusals
    let metrics: Metrics

    package init(refusals: AppRefusals, metrics: Metrics) {
        (self.refusals, self.metrics) = (refusals, metrics)
    }

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        guard let refusal = context.facts.refusal else { return response }
        metrics.count(.oauthRefusals, ["error": refusal.error])
        guard let app = context.facts.claimedApp, let route = context.endpointPath else {
            return response
        }
        do { try await refusals.note(refusal, of: app, at: route) } catch {
            context.logger.warning(
                "a refused request could not be kept",
                metadata: ["error.type": "\(type(of: error))"])
        }
        return response
    }
}

package import Hummingbird
internal import MienAPI
internal import MienCore

/// The routes for apps to start journeys and to respond to their steps.
package struct JourneyRoutes {
    let journeys: JourneyService
    let grants: GrantService
    let starts: RateLimiter
    let clock: ServerClock
    let body: JSONBody

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("journeys/respond") { request, _ in
            try await JSONBody.response(
                json: journeys.respond(
                    body.read(RespondRequest.self, RespondRequest.CodingKeys.self, from: request)))
        }
        router.post("journeys/:journey/start") { request, context in
            if let wait = try await starts.take(context.client.key, at: clock.now) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            let start = try await body.read(
                StartJourneyRequest.self, StartJourneyRequest.CodingKeys.self, from: request)
            let caller =
                request.headers[.authorization] == nil
                ? nil : try await grants.caller(of: request, needed: .signIn)
            return try await JSONBody.response(
                json: journeys.start(context.parameters.require("journey"), start, caller: caller))
        }
    }
}

package import Hummingbird
internal import MienAPI
internal import MienCore

/// The routes of the admin API that try a journey on this server, with test accounts.
package struct JourneyTrialRoutes {
    let trials: JourneyTrials
    let body: JSONBody
    /// Limits the trials of one administrator: a trial can send mails and call webhooks.
    let starts: RateLimit

    package init(trials: JourneyTrials, clock: ServerClock, body: JSONBody) {
        (self.trials, self.body) = (trials, body)
        starts = RateLimit(
            "journey-trials", .init(burst: 30, perMinute: 30), store: trials.store, clock: clock)
    }

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.post("journeys/:journey/versions/:version/trial") { request, context in
            let admin = try Self.administrator(context)
            let (id, version) = try JourneyAdminRoutes.journey(context)
            if let wait = try await starts.take(admin.text) {
                return ProblemMiddleware.response(Problem(.tooManyRequests), retryAfter: wait)
            }
            let wanted = try await body.read(
                StartJourneyTrialRequest.self, StartJourneyTrialRequest.CodingKeys.self,
                from: request)
            return JSONBody.response(
                try await trials.start(id, version, wanted, by: admin))
        }
        router.post("journeys/trial/answer") { request, context in
            let admin = try Self.administrator(context)
            let wanted = try await body.read(
                AnswerJourneyTrialRequest.self, AnswerJourneyTrialRequest.CodingKeys.self,
                from: request)
            return JSONBody.response(try await trials.answer(wanted, by: admin))
        }
    }

    /// `AdminOnly` has checked who it is.
    private static func administrator(_ context: MienRequestContext) throws -> AdminID {
        guard let administrator = context.administrator else { throw Problem(.invalidCredentials) }
        return administrator
    }
}

/// Answers at whole steps of time, so that what takes a millisecond longer for a user than for
/// nobody does not show.
///
/// Equal work comes first; this levels what is left of it: an account that has to be opened, a mail
/// that is written at the same time.
enum EvenPace {
    /// Longer than the work takes as a rule, so that nearly all answers wait for the same step.
    static let step = Duration.milliseconds(25)

    /// Does `body`, and ends after a whole number of steps, with an error, too. Cancelled, it ends
    /// at once.
    static func keep<Output: Sendable>(_ body: () async throws -> Output) async throws -> Output {
        let clock = ContinuousClock(), begun = clock.now
        let result: Result<Output, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        let steps = ((clock.now - begun) / step).rounded(.up)
        try? await clock.sleep(until: begun + step * steps)
        return try result.get()
    }
}

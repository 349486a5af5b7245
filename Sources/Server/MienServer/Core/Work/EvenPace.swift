/// Ends operations only at multiples of a time step, to hide that a known user may take a
/// millisecond longer than an unknown one.
///
/// The server does equal work in both cases first. This hides the remaining differences, such as
/// opening an account or writing an email at the same time.
package enum EvenPace {
    /// Longer than the work usually takes, so that nearly all operations end at the same step.
    static let step = Duration.milliseconds(25)

    /// The step of sign-ups, which hash a password first.
    package static let signUpStep = Duration.milliseconds(100)

    /// Runs `body` and returns or throws after a whole number of steps. Ends at once if canceled.
    ///
    /// - Parameter isPaced: Whether a result waits for the step. By default, all do.
    package static func keep<Output: Sendable>(
        step: Duration = step, where isPaced: (Output) -> Bool = { _ in true },
        _ body: () async throws -> Output
    ) async throws -> Output {
        let clock = ContinuousClock(), begun = clock.now
        let result: Result<Output, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        if case .success(let output) = result, !isPaced(output) { return output }
        let steps = ((clock.now - begun) / step).rounded(.up)
        try? await clock.sleep(until: begun + step * steps)
        return try result.get()
    }
}

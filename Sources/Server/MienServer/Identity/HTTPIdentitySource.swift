internal import MienCore
package import MienIdentity

/// A service with an API of its own, asked over HTTP: signed requests, one at a time for each
/// person, without redirects. See docs/identity-verification.md.
package struct HTTPIdentitySource: IdentityDataSource {
    /// The maximum size and nesting depth of a response.
    package static let maxAnswer = 64 * 1024, maxDepth = 16

    package let isSimulated = false
    let mapping: HTTPSourceMapping
    let url: String
    let timeout: Duration
    let caller: WebhookCaller
    let clock: ServerClock
    private let breaker: Locked<CircuitBreaker>

    package var name: String { mapping.name }

    /// - Parameter timeout: The limit of a whole request, including the last byte of the response.
    package init(
        mapping: HTTPSourceMapping, url: String, timeout: Duration, caller: WebhookCaller,
        breaker: CircuitBreaker = CircuitBreaker(), clock: ServerClock
    ) {
        (self.mapping, self.url, self.timeout) = (mapping, url, timeout)
        (self.caller, self.clock, self.breaker) = (caller, clock, Locked(breaker))
    }

    package func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
        guard breaker.withLock({ $0.begin(at: clock.now) }) else { throw .paused }
        do throws(IdentitySourceError) {
            let answer = try await ask(query)
            breaker.withLock { $0.succeed() }
            return answer
        } catch {
            // Do not count the failure if the client hung up: it is not the service's.
            if !Task.isCancelled { breaker.withLock { $0.fail(at: clock.now) } }
            throw error
        }
    }

    private func ask(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
        let body = JSONText.write(.object(mapping.request(query)))
        switch await caller.exchange(
            body, id: query.attempt.text, with: url, upTo: Self.maxAnswer, within: timeout)
        {
        case .answered(200..<300, let bytes):
            guard
                let document = try? JSONText.parse(
                    bytes, limits: .init(maxBytes: Self.maxAnswer, maxDepth: Self.maxDepth))
            else { throw .invalidAnswer(nil) }
            return try mapping.answer(document)
        case .answered(let status, _): throw .status(status)
        case .notAllowed: throw .notAllowed
        case .tooLarge: throw .tooLarge
        case .timedOut: throw .timedOut
        case .failed: throw .unavailable
        }
    }
}

internal import MienCore

/// How long an access token may be used. People set clocks back and forward, so a token that this
/// process received is measured with a clock that nobody sets; one from an earlier process has only
/// the times that were stored with it.
enum TokenLifetime: Sendable, Equatable {
    /// Received by this process: the end on the steady clock.
    case received(endsAt: Duration)
    /// Read from storage: the device's time when it was received, and when it expires.
    case stored(issuedAt: Instant?, expiresAt: Instant)

    /// The lifetime of tokens that have just been received.
    init(received tokens: SessionTokens, elapsed: Duration) {
        let lifetime = tokens.issuedAt.map { tokens.expiresAt - $0 } ?? .zero
        self = .received(endsAt: elapsed + lifetime)
    }

    init(stored tokens: SessionTokens) {
        self = .stored(issuedAt: tokens.issuedAt, expiresAt: tokens.expiresAt)
    }

    /// Whether the token is valid for more than `margin`, as far as the clocks can tell. A stored token
    /// from the future is not: the clock was set back, so nobody knows how old it is.
    func exceeds(_ margin: Duration, now: Instant, elapsed: Duration) -> Bool {
        switch self {
        case .received(let endsAt): elapsed + margin < endsAt
        case .stored(let issuedAt, let expiresAt):
            issuedAt.map { $0 <= now } ?? true && now + margin < expiresAt
        }
    }
}

public import MienCore

/// The verifier's state for a time-based OTP token (RFC 6238 §5.2). Each code is accepted once, and
/// no code older than the last accepted one.
public struct TOTPVerifier: Sendable, Hashable {
    /// The number of steps before and after the current one.
    public static let skews = 0...10

    public private(set) var lastStep: UInt64?
    public let skew: Int

    /// - Parameter skew: how many steps the token's clock may differ in either direction.
    public init(lastStep: UInt64? = nil, skew: Int = 1) throws(OTPError) {
        guard Self.skews.contains(skew) else {
            throw OTPError(
                .window,
                "the skew must be \(Self.skews.lowerBound) to \(Self.skews.upperBound) steps, not \(skew)"
            )
        }
        (self.lastStep, self.skew) = (lastStep, skew)
    }

    public mutating func verify(
        _ code: OneTimeCode, _ totp: TOTP, with secret: OTPSecret, at time: Instant
    ) -> CodeVerdict {
        guard let now = totp.step(at: time) else { return .refused }
        var search = CodeSearch()
        for step in Self.window(around: now, skew: skew) {
            let expected = totp.code(atStep: step, with: secret)
            // Check steps that are too old as well, so that a replay takes as long as a wrong code.
            if isNew(step) {
                search.look(at: step, for: code, expected: expected)
            } else {
                _ = code.matches(expected)
            }
        }
        guard let step = search.found else { return .refused }
        lastStep = step
        return .accepted(at: step)
    }

    private func isNew(_ step: UInt64) -> Bool { lastStep.map { step > $0 } ?? true }

    static func window(around step: UInt64, skew: Int) -> ClosedRange<UInt64> {
        let reach = UInt64(skew)
        return (step < reach ? 0 : step - reach)...(step > .max - reach ? .max : step + reach)
    }
}

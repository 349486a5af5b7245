public import MienCore

/// A verifier's memory of a token with a clock: RFC 6238 §5.2. A code is taken once, and none is
/// taken that is older than the last one.
public struct TOTPVerifier: Sendable, Hashable {
    /// Steps before and after the present one.
    public static let skews = 0...10

    public private(set) var lastStep: UInt64?
    public let skew: Int

    /// - Parameter skew: how many steps the token's clock may be off, either way.
    public init(lastStep: UInt64? = nil, skew: Int = 1) throws(OTPError) {
        guard Self.skews.contains(skew) else {
            throw OTPError(
                .window,
                "a verifier looks \(Self.skews.lowerBound) to \(Self.skews.upperBound) steps to either side, not \(skew)"
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
            // Looked at even when it is too old, so that replay takes as long as a wrong code.
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

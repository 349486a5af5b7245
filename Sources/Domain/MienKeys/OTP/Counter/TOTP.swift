public import MienCore

/// Time-based codes (RFC 6238). The caller provides the time.
public struct TOTP: Sendable, Hashable {
    /// At most a day. With longer steps, a code would live as long as a password.
    public static let stepLengths = 1...86_400

    public let hotp: HOTP
    public let stepSeconds: Int
    /// The start of counting (T0) in seconds since 1970.
    public let epoch: Int64

    public init(digits: Int = 6, hash: OTPHash = .sha1, stepSeconds: Int = 30, epoch: Int64 = 0)
        throws(OTPError)
    {
        guard Self.stepLengths.contains(stepSeconds) else {
            throw OTPError(
                .time,
                "a time step must have \(Self.stepLengths.lowerBound) to \(Self.stepLengths.upperBound) seconds, not \(stepSeconds)"
            )
        }
        guard epoch >= 0 else {
            throw OTPError(.time, "the epoch must not be before 1970, not \(epoch)")
        }
        hotp = try HOTP(digits: digits, hash: hash)
        (self.stepSeconds, self.epoch) = (stepSeconds, epoch)
    }

    /// - Returns: `nil` before ``epoch``.
    public func step(at time: Instant) -> UInt64? {
        guard time.milliseconds >= 0, time.seconds >= epoch else { return nil }
        return UInt64((time.seconds - epoch) / Int64(stepSeconds))
    }

    public func code(at time: Instant, with secret: OTPSecret) throws(OTPError) -> OneTimeCode {
        guard let step = step(at: time) else {
            throw OTPError(.time, "the time is before the epoch, \(epoch) s")
        }
        return code(atStep: step, with: secret)
    }

    public func code(atStep step: UInt64, with secret: OTPSecret) -> OneTimeCode {
        hotp.code(at: step, with: secret)
    }

    /// The remaining seconds in which the code of `time` is the current one: 1 … ``stepSeconds``;
    /// `nil` before ``epoch``.
    public func secondsLeft(at time: Instant) -> Int? {
        step(at: time).map { _ in stepSeconds - Int((time.seconds - epoch) % Int64(stepSeconds)) }
    }
}

internal import MienCore

/// The verifier's state for a challenge-response OTP token. Pure, like ``HOTPVerifier``: if the
/// suite has a counter, it never goes back.
///
/// The caller must accept only one answer to each question. For a suite without a counter, this is
/// the only protection against replay.
public struct OCRAVerifier: Sendable, Hashable {
    public let ocra: OCRA
    public private(set) var counter: HOTPVerifier
    public let skew: Int

    /// - Parameter skew: accepted time steps in either direction, if the suite uses time.
    public init(_ ocra: OCRA, counter: HOTPVerifier? = nil, skew: Int = 1) throws(OTPError) {
        guard TOTPVerifier.skews.contains(skew) else {
            throw OTPError(
                .window,
                "the skew must be \(TOTPVerifier.skews.lowerBound) to \(TOTPVerifier.skews.upperBound) steps, not \(skew)"
            )
        }
        (self.ocra, self.skew) = (ocra, skew)
        if let counter { self.counter = counter } else { self.counter = try HOTPVerifier() }
    }

    /// - Parameters:
    ///   - input: everything except the counter.
    ///   - input.time: the verifier's time.
    /// - Throws: if `input` does not match the suite. Nothing is used up in that case.
    public mutating func verify(
        _ response: OneTimeCode, to input: OCRAInput, with secret: OTPSecret
    ) throws(OTPError) -> CodeVerdict {
        guard input.counter == nil else {
            throw OTPError(.input, "the input must not contain a counter; the verifier provides it")
        }
        var steps: [UInt64?] = [nil]
        if let time = input.time {
            steps = Array(TOTPVerifier.window(around: try ocra.timeStep(at: time), skew: skew))
        }
        guard ocra.suite.hasCounter else {
            var search = CodeSearch()
            for step in steps {
                search.look(
                    at: step ?? 0, for: response,
                    expected: try ocra.response(to: input, counter: nil, step: step, with: secret))
            }
            return search.found.map { .accepted(at: $0) } ?? .refused
        }
        var moved: (HOTPVerifier, CodeVerdict)?
        for step in steps {
            var counter = self.counter
            let verdict = try counter.verify(response) { counter throws(OTPError) in
                try ocra.response(to: input, counter: counter, step: step, with: secret)
            }
            if verdict.isAccepted, moved == nil { moved = (counter, verdict) }
        }
        guard let (counter, verdict) = moved else { return .refused }
        self.counter = counter
        return verdict
    }
}

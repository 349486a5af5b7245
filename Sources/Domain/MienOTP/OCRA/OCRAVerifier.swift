internal import MienCore

/// A verifier's memory of a challenge-response token. Pure, as ``HOTPVerifier``: the counter, where
/// the suite has one, never goes back.
///
/// A question is good for one answer: whoever asks sees to that. Without a counter in the suite it
/// is the only thing against replay.
public struct OCRAVerifier: Sendable, Hashable {
    public let ocra: OCRA
    public private(set) var counter: HOTPVerifier
    public let skew: Int

    /// - Parameter skew: time steps to either side, where the suite has time.
    public init(_ ocra: OCRA, counter: HOTPVerifier? = nil, skew: Int = 1) throws(OTPError) {
        guard TOTPVerifier.skews.contains(skew) else {
            throw OTPError(
                .window,
                "a verifier looks \(TOTPVerifier.skews.lowerBound) to \(TOTPVerifier.skews.upperBound) steps to either side, not \(skew)"
            )
        }
        (self.ocra, self.skew) = (ocra, skew)
        if let counter { self.counter = counter } else { self.counter = try HOTPVerifier() }
    }

    /// - Parameters:
    ///   - input: all but the counter.
    ///   - input.time: the verifier's.
    /// - Throws: when `input` is not what the suite asks for. Nothing is used up then.
    public mutating func verify(
        _ response: OneTimeCode, to input: OCRAInput, with secret: OTPSecret
    ) throws(OTPError) -> CodeVerdict {
        guard input.counter == nil else {
            throw OTPError(.input, "the counter is the verifier's to know")
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

public import MienCore

/// The inputs of an OCRA response: the question, and what else the suite requires.
public struct OCRAInput: Sendable {
    public let question: OCRAQuestion
    public let counter: UInt64?
    public let pin: Sensitive<String>?
    public let session: [UInt8]?
    public let time: Instant?

    public init(
        question: OCRAQuestion, counter: UInt64? = nil, pin: Sensitive<String>? = nil,
        session: [UInt8]? = nil, time: Instant? = nil
    ) {
        (self.question, self.counter, self.pin, self.session, self.time) = (
            question, counter, pin, session, time
        )
    }
}

/// The OATH challenge-response algorithm: RFC 6287.
public struct OCRA: Sendable, Hashable {
    public let suite: OCRASuite

    public init(_ suite: OCRASuite) { self.suite = suite }

    /// Returns the response to `input.question`, or its signature.
    ///
    /// - Throws: if an input that the suite requires is missing, or an input is present that the
    ///   suite does not use. A PIN that is ignored would give false security.
    public func response(to input: OCRAInput, with secret: OTPSecret) throws(OTPError)
        -> OneTimeCode
    {
        let step = try input.time.map { time throws(OTPError) in try timeStep(at: time) }
        return try response(to: input, counter: input.counter, step: step, with: secret)
    }

    /// Returns the number of time steps since 1970.
    public func timeStep(at time: Instant) throws(OTPError) -> UInt64 {
        guard let step = suite.timeStep else { throw surplus("a time") }
        guard time.milliseconds >= 0 else { throw OTPError(.time, "the time is before 1970") }
        return UInt64(time.seconds / Int64(step.seconds))
    }

    func response(to input: OCRAInput, counter: UInt64?, step: UInt64?, with secret: OTPSecret)
        throws(OTPError) -> OneTimeCode
    {
        let message =
            try Array(suite.text.utf8) + [0] + counterBytes(counter) + questionBytes(input.question)
            + pinBytes(input.pin)
            + sessionBytes(input.session) + stepBytes(step)
        let hmac = suite.hash.hmac(message, key: secret.bytes)
        return suite.digits.map { .truncated(hmac, digits: $0) }
            ?? OneTimeCode(Hex.encode(hmac).lowercased())
    }

    private func counterBytes(_ counter: UInt64?) throws(OTPError) -> [UInt8] {
        guard (counter != nil) == suite.hasCounter else {
            throw counter == nil ? missing("a counter") : surplus("a counter")
        }
        return counter?.bigEndianBytes ?? []
    }

    private func questionBytes(_ question: OCRAQuestion) throws(OTPError) -> [UInt8] {
        guard question.format == suite.questionFormat,
            question.text.utf8.count <= 2 * suite.questionLength
        else {
            throw OTPError(.question, "the question was created for a suite other than \(suite)")
        }
        return question.bytes
    }

    private func pinBytes(_ pin: Sensitive<String>?) throws(OTPError) -> [UInt8] {
        guard (pin != nil) == (suite.pinHash != nil) else {
            throw pin == nil ? missing("a PIN") : surplus("a PIN")
        }
        guard let pin, let hash = suite.pinHash else { return [] }
        return pin.use { hash.digest(Array($0.utf8)) }
    }

    /// Pads with leading zeros, as the standard's reference program does; its text does not specify
    /// it.
    private func sessionBytes(_ session: [UInt8]?) throws(OTPError) -> [UInt8] {
        guard (session != nil) == (suite.sessionLength != nil) else {
            throw session == nil ? missing("session data") : surplus("session data")
        }
        guard let session, let length = suite.sessionLength else { return [] }
        guard session.count <= length else {
            throw OTPError(
                .input,
                "session data for \(suite) must have at most \(length) bytes, not \(session.count)")
        }
        return [UInt8](repeating: 0, count: length - session.count) + session
    }

    private func stepBytes(_ step: UInt64?) throws(OTPError) -> [UInt8] {
        guard (step != nil) == (suite.timeStep != nil) else {
            throw step == nil ? missing("a time") : surplus("a time")
        }
        return step?.bigEndianBytes ?? []
    }

    private func missing(_ what: String) -> OTPError {
        OTPError(.input, "\(suite) requires \(what)")
    }
    private func surplus(_ what: String) -> OTPError {
        OTPError(.input, "\(suite) does not use \(what)")
    }
}

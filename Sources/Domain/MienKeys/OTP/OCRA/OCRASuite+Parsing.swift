internal import MienCore

extension OCRASuite {
    /// - Parameter text: a suite such as `OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1`. Inputs are in the
    ///   order C, Q, P, S, T. Q, P, S, and T alone mean QN08, PSHA1, S064, and T1M, the standard's
    ///   defaults.
    public init(_ text: String) throws(OTPError) {
        guard text.utf8.count <= 64 else {
            throw Self.wrong("a suite must have at most 64 characters, not \(text.utf8.count)")
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw Self.wrong(
                "a suite must have three parts separated by colons, such as OCRA-1:HOTP-SHA1-6:QN08, not \(parts.count)"
            )
        }
        guard parts[0] == "OCRA-1" else {
            throw Self.wrong("“\(Self.shown(parts[0]))” is not a supported version; use OCRA-1")
        }
        (hash, digits) = try Self.function(parts[1])
        var inputs = Inputs(parts[2])
        hasCounter = inputs.take { $0 == "C" } != nil
        (questionFormat, questionLength) = try Self.question(
            inputs.take { $0.hasPrefix("Q") }, in: parts[2])
        pinHash = try inputs.take { $0.hasPrefix("P") }.map(Self.pin)
        sessionLength = try inputs.take { $0.hasPrefix("S") }.map(Self.session)
        timeStep = try inputs.take { $0.hasPrefix("T") }.map(Self.time)
        if let left = inputs.next {
            throw Self.wrong(
                "“\(Self.shown(left))” is not allowed there: inputs are C, Q, P, S, and T, each at most once, in this order"
            )
        }
        self.text = text
    }

    /// Parses the inputs in their fixed order.
    private struct Inputs {
        private var rest: ArraySlice<Substring>

        init(_ text: Substring) {
            rest = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        }

        var next: Substring? { rest.first }

        mutating func take(_ fits: (Substring) -> Bool) -> Substring? {
            guard let next, fits(next) else { return nil }
            return rest.removeFirst()
        }
    }

    private static func function(_ text: Substring) throws(OTPError) -> (OTPHash, digits: Int?) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HOTP" else {
            throw wrong(
                "“\(shown(text))” is not a function; write HOTP-, a hash, and the number of digits, such as HOTP-SHA256-8"
            )
        }
        let hash = try hashFunction(parts[1])
        if parts[2] == "0" { return (hash, nil) }
        guard let digits = number(parts[2], digits: 1...2), digitCounts.contains(digits),
            parts[2].first != "0"
        else {
            throw wrong(
                "“\(shown(parts[2]))” digits are not supported; use 4 to 10, or 0 for the whole HMAC"
            )
        }
        return (hash, digits)
    }

    private static func question(_ input: Substring?, in all: Substring) throws(OTPError) -> (
        QuestionFormat, Int
    ) {
        guard let input else {
            throw wrong(
                "“\(shown(all))” has no question: QN, QA, or QH and its length, such as QN08, must come first or after C-"
            )
        }
        if input == "Q" { return (.numeric, 8) }
        guard let format = QuestionFormat(rawValue: String(input.dropFirst().prefix(1))) else {
            throw wrong(
                "“\(shown(input))”: a question must be QN (numeric), QA (alphanumeric), or QH (hexadecimal)"
            )
        }
        // The standard's own example writes QH8.
        guard let length = number(input.dropFirst(2), digits: 1...2),
            questionLengths.contains(length)
        else {
            throw wrong("“\(shown(input))”: the length of a question must be 04 to 64 characters")
        }
        return (format, length)
    }

    private static func pin(_ input: Substring) throws(OTPError) -> OTPHash {
        input == "P" ? .sha1 : try hashFunction(input.dropFirst())
    }

    private static func session(_ input: Substring) throws(OTPError) -> Int {
        if input == "S" { return 64 }
        guard let length = number(input.dropFirst(), digits: 3...3), sessionLengths.contains(length)
        else {
            throw wrong(
                "“\(shown(input))”: session data must have 001 to 999 bytes, written with three digits, such as S064"
            )
        }
        return length
    }

    private static func time(_ input: Substring) throws(OTPError) -> TimeStep {
        if input == "T" { return TimeStep(count: 1, unit: .minutes) }
        guard let unit = TimeUnit(rawValue: String(input.dropFirst().suffix(1))) else {
            throw wrong(
                "“\(shown(input))”: a time step must end in S (seconds), M (minutes), or H (hours)")
        }
        let count = input.dropFirst().dropLast()
        guard let number = number(count, digits: 1...2), count.first != "0",
            unit.counts.contains(number)
        else {
            throw wrong(
                "“\(shown(input))”: a time step in \(unit) must be \(unit.counts.lowerBound) to \(unit.counts.upperBound)"
            )
        }
        return TimeStep(count: number, unit: unit)
    }

    private static func hashFunction(_ text: Substring) throws(OTPError) -> OTPHash {
        guard let hash = OTPHash(rawValue: String(text)) else {
            throw wrong("“\(shown(text))” is not SHA1, SHA256, or SHA512")
        }
        return hash
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// Makes text printable, because suites may be untrusted.
    private static func shown(_ text: Substring) -> String { String(text).printable }

    private static func wrong(_ reason: String) -> OTPError { OTPError(.suite, reason) }
}

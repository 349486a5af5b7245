internal import MienCore
internal import MienKeys

/// Reads any text as an OCRA suite, and the text after it as the suite's inputs. Seeds:
/// Fuzz/Seeds/OCRA. Their generator describes the layout.
///
/// Must hold: the result is an error with a documented code, or a suite within the limits that
/// prints as it was written, and a response with the suite's number of digits that the verifier
/// accepts.
func fuzzOCRA(_ bytes: [UInt8]) {
    // Also reads the whole input, because a single line would hide the effect of line breaks.
    _ = suite(String(decoding: bytes, as: UTF8.self))
    var rest = bytes[...]
    guard let suite = suite(line(of: &rest)) else { return }
    let question = line(of: &rest), other = line(of: &rest)
    do {
        let asked = try OCRAQuestion(question, then: other.isEmpty ? nil : other, for: suite)
        precondition((1...(2 * suite.questionLength)).contains(asked.text.utf8.count))
        respond(Given(asked, for: suite, &rest), under: suite)
    } catch {
        precondition(error.code == .question && !error.reason.isEmpty)
    }
}

private let secret = try! OTPSecret(bytes: Array("12345678901234567890".utf8))

private func suite(_ text: String) -> OCRASuite? {
    let suite: OCRASuite
    do { suite = try OCRASuite(text) } catch {
        precondition(error.code == .suite && error.reason.isPrintable)
        return nil
    }
    // Compares bytes, not characters, because the text is part of the computation.
    precondition(
        suite.description.utf8.elementsEqual(text.utf8) && text.utf8.allSatisfy { $0 < 128 })
    guard let again = try? OCRASuite(suite.description) else {
        preconditionFailure("the suite cannot be read a second time")
    }
    precondition(again == suite && isSpelled(suite), "the text differs from the meaning")
    precondition(suite.digits.map { OCRASuite.digitCounts.contains($0) } ?? true)
    precondition(OCRASuite.questionLengths.contains(suite.questionLength))
    precondition(suite.sessionLength.map { OCRASuite.sessionLengths.contains($0) } ?? true)
    precondition(suite.timeStep.map { $0.unit.counts.contains($0.count) } ?? true)
    return suite
}

/// Whether the text is a valid spelling of the suite. Most parts have one spelling; the standard's
/// defaults have two.
private func isSpelled(_ suite: OCRASuite) -> Bool {
    let question = "Q" + suite.questionFormat.rawValue, length = suite.questionLength
    var inputs = [
        [question + padded(length, 2), question + "\(length)"]
            + (question == "QN" && length == 8 ? ["Q"] : [])
    ]
    if suite.hasCounter { inputs.insert(["C"], at: 0) }
    if let hash = suite.pinHash {
        inputs.append(["P" + hash.rawValue] + (hash == .sha1 ? ["P"] : []))
    }
    if let length = suite.sessionLength {
        inputs.append(["S" + padded(length, 3)] + (length == 64 ? ["S"] : []))
    }
    if let step = suite.timeStep {
        inputs.append(["T\(step.count)\(step.unit.rawValue)"] + (step.seconds == 60 ? ["T"] : []))
    }
    let head = "OCRA-1:HOTP-\(suite.hash.rawValue)-\(suite.digits ?? 0):"
    guard suite.text.hasPrefix(head) else { return false }
    let written = suite.text.dropFirst(head.count).split(
        separator: "-", omittingEmptySubsequences: false)
    return written.count == inputs.count
        && zip(written, inputs).allSatisfy { $1.contains(String($0)) }
}

private func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// Inputs from the remaining bytes, and whether they are those that the suite requires.
private struct Given {
    let input: OCRAInput
    let isAsAsked: Bool
    let isTimeGood: Bool

    /// The first byte says which inputs are present although the suite does not require them, or
    /// missing although it does: 1 the counter, 2 the PIN, 4 session data, 8 the time. Then follow
    /// 8 bytes each of counter and milliseconds, and one line with the PIN. The rest is session
    /// data.
    init(_ question: OCRAQuestion, for suite: OCRASuite, _ bytes: inout ArraySlice<UInt8>) {
        let against = bytes.popFirst() ?? 0
        let counter = number(of: &bytes), milliseconds = Int64(bitPattern: number(of: &bytes)),
            pin = line(of: &bytes)
        func given<T>(_ value: T, asked: Bool, _ bit: UInt8) -> T? {
            asked != (against & bit != 0) ? value : nil
        }
        input = OCRAInput(
            question: question, counter: given(counter, asked: suite.hasCounter, 1),
            pin: given(Sensitive(pin), asked: suite.pinHash != nil, 2),
            session: given(Array(bytes), asked: suite.sessionLength != nil, 4),
            time: given(Instant(milliseconds: milliseconds), asked: suite.timeStep != nil, 8))
        isTimeGood = input.time == nil || milliseconds >= 0
        isAsAsked = against & 15 == 0 && bytes.count <= suite.sessionLength ?? .max && isTimeGood
    }
}

private func respond(_ given: Given, under suite: OCRASuite) {
    let ocra = OCRA(suite)
    do {
        let code = try ocra.response(to: given.input, with: secret)
        precondition(given.isAsAsked, "accepted against the suite")
        check(code, of: suite)
        verify(code, given.input, ocra)
    } catch {
        precondition(!given.isAsAsked, "refused, although the suite requires these inputs")
        precondition(error.code == .input || error.code == .time && !given.isTimeGood)
    }
}

private func check(_ code: OneTimeCode, of suite: OCRASuite) {
    let text = code.text.utf8,
        digits = Array((suite.digits == nil ? "0123456789abcdef" : "0123456789").utf8)
    precondition(
        text.count == suite.digits ?? 2 * suite.hash.byteCount
            && text.allSatisfy { digits.contains($0) })
    guard let typed = OneTimeCode(typed: code.text) else {
        preconditionFailure("the code cannot be typed")
    }
    precondition(typed.matches(code))
}

private func verify(_ code: OneTimeCode, _ input: OCRAInput, _ ocra: OCRA) {
    let counter = input.counter ?? 0
    let asked = OCRAInput(
        question: input.question, pin: input.pin, session: input.session, time: input.time)
    guard let memory = try? HOTPVerifier(nextCounter: counter, lookAhead: 2),
        var verifier = try? OCRAVerifier(ocra, counter: memory)
    else {
        preconditionFailure("the suite has no verifier")
    }
    guard let verdict = try? verifier.verify(code, to: asked, with: secret) else {
        preconditionFailure("the response cannot be verified")
    }
    // The maximum counter has no successor and is never used.
    precondition(verdict.isAccepted == (counter < .max))
    precondition(
        verifier.counter.nextCounter > counter || !ocra.suite.hasCounter || counter == .max,
        "a code is accepted twice")
}

/// Returns the text up to the line feed, without it, or up to the end.
private func line(of bytes: inout ArraySlice<UInt8>) -> String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    bytes = bytes.dropFirst(line.count + 1)
    return String(decoding: line, as: UTF8.self)
}

/// Reads a big-endian number. Missing bytes count as zero.
private func number(of bytes: inout ArraySlice<UInt8>) -> UInt64 {
    defer { bytes = bytes.dropFirst(8) }
    return (0..<8).reduce(0) {
        $0 << 8 | UInt64($1 < bytes.count ? bytes[bytes.startIndex + $1] : 0)
    }
}

import MienCore
import MienJourney

/// Reads any text, up to the first NUL, as a journey's expression and as a text with embedded
/// expressions. The variables include a client's data: the JSON after the NUL.
///
/// Must hold: the result is an error with a position, or a value within the limits, and is the same
/// each time.
func fuzzExpression(_ bytes: [UInt8]) {
    let source = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    var variables: [String: JSONValue] = [
        "a": 1, "n": -0.5, "yes": true, "none": nil, "s": "text, café", "list": [1, [2], "c"],
        "map": ["k": nil, "key": "value"],
        "marks": .string("a" + String(repeating: "\u{301}\u{316}", count: 15)),
        "big": .string(String(repeating: "ab", count: 8_000)),
    ]
    if let sent = try? JSONText.parse(
        Array(bytes.dropFirst(source.utf8.count + 1)), limits: .init(maxBytes: 8192, maxDepth: 8))
    {
        variables["data"] = sent
    }
    if let expression = try? JourneyExpression(source) {
        let first = Result { () throws(ExpressionError) in try expression.value(in: variables) }
        precondition(
            first == Result { () throws(ExpressionError) in try expression.value(in: variables) })
        switch first {
        case .success(let value):
            precondition(
                value.depth <= 64
                    && JSONText.write(value).utf8.count <= 8 * JourneyExpression.maxTextBytes)
        case .failure(let error): precondition(error.column >= 1 && !error.reason.isEmpty)
        }
    }
    if let template = try? ExpressionTemplate(source), let text = try? template.text(in: variables)
    {
        precondition(text.utf8.count <= JourneyExpression.maxTextBytes)
    }
}

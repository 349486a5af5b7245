import MienCore
import MienJourney

/// Reads any bytes as a journey, as a recorded test, and as an expression. Seeds:
/// Examples/Journeys.
///
/// Must hold: the result is an error, or a definition that can be linted, drawn, and written, and
/// that is the same when read again.
func fuzzJourney(_ bytes: [UInt8]) {
    if let definition = try? JourneyDefinition.parse(bytes) {
        _ = JourneyLinter.lint(definition)
        _ = JourneyGraph.mermaid(definition)
        guard let again = try? JourneyDefinition(definition.source) else {
            preconditionFailure("the definition cannot be read a second time")
        }
        precondition(again == definition)
    }
    if let test = try? RecordedTest.parse(bytes), case .inline(let source) = test.journey,
        let definition = try? JourneyDefinition(source)
    {
        _ = JourneySimulator.run(definition, test)
    }
    if let expression = try? JourneyExpression(String(decoding: bytes, as: UTF8.self)) {
        _ = try? expression.value(in: ["a": 1, "s": "text", "list": [1, [2]], "map": ["k": nil]])
    }
}

import Foundation
import MienCore

/// Reads any bytes as JSON.
///
/// Must hold: the result is an error with a position, or a value within the limits that is the same
/// when written and read again, and that Foundation's parser also reads.
func fuzzJSON(_ bytes: [UInt8]) {
    do throws(JSONTextError) {
        let value = try JSONText.parse(bytes)
        precondition(value.depth <= JSONText.Limits().maxDepth)
        for pretty in [false, true] {
            let text = JSONText.write(value, pretty: pretty)
            precondition((try? JSONText.parse(text)) == value, "written and read again: \(text)")
        }
        precondition(foundation(bytes) == value, "two readers see different values")
    } catch {
        precondition(error.line >= 1 && error.column >= 1 && !error.reason.isEmpty)
    }
}

/// Returns what Foundation reads, through its own writer.
private func foundation(_ bytes: [UInt8]) -> JSONValue? {
    guard
        let read = try? JSONSerialization.jsonObject(
            with: Data(bytes), options: .fragmentsAllowed),
        let written = try? JSONSerialization.data(withJSONObject: read, options: .fragmentsAllowed)
    else { return nil }
    return try? JSONText.parse(Array(written))
}

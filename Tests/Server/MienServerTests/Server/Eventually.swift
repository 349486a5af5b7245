import MienTesting
import Testing

/// Waits for up to two minutes until `condition` holds, and records an issue if it does not.
///
/// - Parameter state: What the test finds instead, for the message.
func eventually(
    _ condition: () async throws -> Bool, or state: () async throws -> String = { "" },
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    if try await Patience.holds(within: .seconds(120), condition) { return }
    let found = try await state()
    Issue.record("the condition does not come to hold: \(found)", sourceLocation: sourceLocation)
}

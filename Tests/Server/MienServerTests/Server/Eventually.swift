import Testing

/// Waits for up to a minute until `condition` holds, and records an issue if it does not.
func eventually(
    _ condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for _ in 0..<3000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("the condition does not come to hold", sourceLocation: sourceLocation)
}

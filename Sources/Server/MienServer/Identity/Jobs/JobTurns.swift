internal import MienCore

/// The order in which workers do jobs: apps take turns, so that the jobs of one app delay another's by one
/// job and not by all of them.
struct JobTurns: Sendable {
    /// The apps that waited last time. The next turn is that of the first.
    private var ring: [AppID] = []

    /// Takes the next turn.
    ///
    /// - Parameter waiting: Each app with a job that is due. An app that did not wait before takes
    ///   its first turn after all others.
    /// - Returns: `nil` if none waits.
    mutating func next(of waiting: [AppID]) -> AppID? {
        let present = Set(waiting)
        ring.removeAll { !present.contains($0) }
        let known = Set(ring)
        ring += waiting.filter { !known.contains($0) }
        guard !ring.isEmpty else { return nil }
        let app = ring.removeFirst()
        ring.append(app)
        return app
    }
}

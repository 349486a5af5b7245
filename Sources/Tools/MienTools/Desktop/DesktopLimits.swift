/// Counts the attempts of the last minute, so that no program lets the camera look all the time.
/// ``FaceAuthService`` counts failed ones durably.
package struct DesktopLimits: Sendable {
    /// Attempts of one person.
    package static let perMinute = 6
    /// People remembered; beyond that, the one whose attempts are oldest is forgotten.
    static let maxPeople = 64

    private var begun: [String: [Duration]] = [:]

    package init() {}

    /// Counts an attempt.
    ///
    /// - Parameter now: Since any fixed moment.
    /// - Returns: whether it may proceed. If not, nothing was counted.
    package mutating func begin(_ user: String, at now: Duration) -> Bool {
        var attempts = (begun[user] ?? []).filter { now - $0 < .seconds(60) }
        guard attempts.count < Self.perMinute else { return false }
        attempts.append(now)
        begun[user] = attempts
        if begun.count > Self.maxPeople,
            let oldest = begun.min(by: { ($0.value.last ?? .zero) < ($1.value.last ?? .zero) })
        {
            begun[oldest.key] = nil
        }
        return true
    }
}

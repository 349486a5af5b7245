package import MienCore
package import MienIdentity
internal import MienServerCore
internal import MienStore

/// The sessions of journeys.
extension VerificationSessions {
    /// The result of a session for the run that opened it.
    package enum RunResult: Sendable {
        case unfinished
        /// It was canceled, has expired, or its selfie failed.
        case refused
        case judged(Judged)

        package struct Judged: Sendable {
            package let recommendation: IdentityRecommendation
            package let checks: IdentityChecks
            package let document: SessionDocument?
        }
    }

    /// Returns the result. Waits a short time for a judgment under way.
    ///
    /// - Returns: `nil` if the run has no such session.
    package func result(of id: IdentityAttemptID, run: InstanceID, app: AppID) async throws
        -> RunResult?
    {
        let begun = ContinuousClock.now
        while true {
            let found = try await store.read { try Self.find(id, $0) }
            guard let found, found.record.run == run, found.app.id == app else { return nil }
            let record = try await refreshed(found).record
            switch record.session.status {
            case .complete:
                return .judged(
                    RunResult.Judged(
                        recommendation: record.session.recommendation ?? .deny,
                        checks: record.result?.checks ?? IdentityChecks(),
                        document: record.session.document))
            case .canceled, .expired: return .refused
            case .requiresInput, .recapture: return .unfinished
            case .processing:
                guard ContinuousClock.now - begun < identities.jobs.patience else {
                    return .unfinished
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}

package import MienCore
package import MienIdentity
internal import MienStore

/// The sessions of journeys.
extension VerificationSessions {
    /// The result of a session for the run that opened it.
    package enum RunResult: Sendable {
        /// It waits; the link, which was not used, leads to its page.
        case unfinished(Reason, link: String? = nil)
        /// It was canceled, has expired, or its selfie failed.
        case refused
        case judged(Judged)

        package enum Reason: Sendable {
            case requiresInput, recapture, processing
            /// A reviewer decides, or has asked for another session.
            case inReview, askedAgain
        }

        package struct Judged: Sendable {
            package let recommendation: IdentityRecommendation
            package let checks: IdentityChecks
            package let document: SessionDocument?
        }
    }

    /// Returns the result. Waits a short time for a judgment under way.
    ///
    /// - Parameter link: The link that the client has, and the start token that it leads to.
    /// - Returns: `nil` if the run has no such session.
    package func result(
        of id: IdentityAttemptID, run: InstanceID, app: AppID,
        link: (address: String, startToken: String)? = nil
    ) async throws -> RunResult? {
        let begun = ContinuousClock.now
        while true {
            let (found, waits) = try await store.read { tables -> (Found?, Bool) in
                (try Self.find(id, tables), try isPending(id, tables))
            }
            // The client's link was not used, or the session would have begun.
            if found == nil, waits { return .unfinished(.requiresInput, link: link?.address) }
            guard let found, found.record.run == run, found.app.id == app else { return nil }
            let record = try await refreshed(found).record
            switch record.session.status {
            case .complete:
                let recommendation: IdentityRecommendation
                // Read after the status: a case opens together with the end of its session.
                let review = try await store.read { try $0.reviewCases.find(attempt: id)?.review }
                switch (review, review?.decision) {
                case (nil, _): recommendation = record.session.recommendation ?? .deny
                case (_, nil): return .unfinished(.inReview)
                case (_, .accept): recommendation = .allow
                case (_, .reject): recommendation = .deny
                case (_, .askAgain): return .unfinished(.askedAgain)
                }
                return .judged(
                    RunResult.Judged(
                        recommendation: recommendation,
                        checks: record.result?.checks ?? IdentityChecks(),
                        document: record.session.document))
            case .canceled, .expired: return .refused
            case .requiresInput:
                return .unfinished(.requiresInput, link: try await unused(link, to: record))
            case .recapture:
                return .unfinished(.recapture, link: try await unused(link, to: record))
            case .processing:
                guard ContinuousClock.now - begun < identities.jobs.patience else {
                    return .unfinished(.processing)
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Returns the client's link, or another one if that was used.
    private func unused(
        _ link: (address: String, startToken: String)?, to record: VerificationSessionRecord
    ) async throws -> String? {
        guard let link else { return nil }
        let code = link.address.split(separator: "#").last.map(String.init) ?? ""
        let now = clock.now
        if try await store.read({ try links.isUnused(code, in: $0, at: now) }) {
            return link.address
        }
        let fresh = try links.fresh(
            record.id, link.startToken, of: nil, until: record.session.expiresAt)
        try await store.write { try $0.web.put(fresh.record) }
        return links.address(of: fresh.code)
    }
}

internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// Shows reviewers probable duplicates and takes their decisions. Every view is in the audit log, without
/// the accounts, because users can read what it says about theirs.
package struct DuplicateReviews: Sendable {
    let store: Store
    let clock: ServerClock
    let metrics: Metrics

    private static let noCase = Problem(.notFound, "There is no case with this ID.")

    /// Returns open cases after `last`, the oldest first, and records that the reviewer saw the
    /// first `count`. A result beyond the limit shows that more follow.
    func queue(for reviewer: AdminID, after last: DuplicateCaseID? = nil, atMost count: Int)
        async throws -> [DuplicateCaseRecord]
    {
        let now = clock.now
        return try await store.write { tables in
            let cases = try tables.duplicateCases.queue(after: last, atMost: count + 1)
            for record in cases.prefix(count) {
                try tables.note("viewed", record, by: reviewer, at: now)
            }
            return cases
        }
    }

    func detail(of id: DuplicateCaseID, for reviewer: AdminID) async throws -> DuplicateCaseDetail {
        let now = clock.now
        return try await store.write { tables in
            guard let record = try tables.duplicateCases.find(id) else { throw Self.noCase }
            let accounts = try [record.account, record.other].map { id in
                guard let account = try tables.accounts.find(id),
                    let face = try tables.face(of: account, in: record.app)
                else { throw Self.noCase }
                return DuplicateAccountAnswer(
                    user: id.text, state: .known(account.state),
                    createdAt: account.createdAt.milliseconds,
                    faceRegisteredAt: face.createdAt.milliseconds,
                    verificationMethod: .known(try tables.verifications.find(id).state.achieved))
            }
            try tables.note("viewed", record, by: reviewer, ["detail": true], at: now)
            return DuplicateCaseDetail(
                duplicateCase: DuplicateCaseAnswer(record), accounts: accounts)
        }
    }

    /// - Returns: the final decision, or `nil` while a second reviewer is awaited.
    /// - Throws: `ReviewError`, or ``Problem`` `.notFound`.
    func decide(_ id: DuplicateCaseID, _ decision: DuplicateDecision, by reviewer: AdminID)
        async throws -> DuplicateDecision?
    {
        let now = clock.now
        let final = try await store.write { tables in
            guard let old = try tables.duplicateCases.find(id) else { throw Self.noCase }
            var changed = old
            let final: DuplicateDecision?
            do throws(ReviewError) {
                final = try changed.duplicate.decide(decision, by: reviewer, at: now)
            } catch { throw Self.problem(error) }
            if final != nil { changed.closedAt = now }
            guard try tables.duplicateCases.update(changed, from: old) else {
                throw Self.problem(.closed)
            }
            try tables.note(
                "decided", old, by: reviewer,
                ["decision": .string(decision.rawValue), "final": .bool(final != nil)], at: now)
            return final
        }
        if let final { metrics.count(.duplicateCases, ["event": final.rawValue]) }
        return final
    }

    private static func problem(_ error: ReviewError) -> Problem {
        Problem(
            .conflict,
            error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
    }
}

extension Tables {
    fileprivate func note(
        _ event: String, _ record: DuplicateCaseRecord, by reviewer: AdminID,
        _ detail: [String: JSONValue] = [:], at now: Instant
    ) throws {
        try audit.append(
            AuditEvent(
                "face.duplicate-\(event)", actor: reviewer.text, app: record.app,
                detail: detail.merging(["case": .string(record.duplicate.id.text)]) { $1 }),
            at: now)
    }
}

extension DuplicateCaseAnswer {
    init(_ record: DuplicateCaseRecord) {
        self.init(
            id: record.duplicate.id.text, appID: record.app.text, user: record.account.text,
            otherUser: record.other.text, score: record.score.shown,
            openedAt: record.openedAt.milliseconds, closedAt: record.closedAt?.milliseconds,
            needsSecondReviewer: record.duplicate.needsSecondReviewer,
            decisions: record.duplicate.entries.map {
                DuplicateDecisionAnswer(
                    decision: .known($0.decision), reviewer: $0.reviewer.text,
                    at: $0.at.milliseconds)
            })
    }
}

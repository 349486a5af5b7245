internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

extension IdentityService {
    /// Decides a case.
    ///
    /// - Returns: the final decision, or `nil` while a second reviewer is awaited.
    /// - Throws: ``ReviewError``, or ``IdentityError`` `recordNotFound`.
    package func decide(_ id: ReviewCaseID, _ decision: ReviewDecision, by reviewer: AdminID)
        async throws -> ReviewDecision?
    {
        let now = clock.now
        return try await store.write { tables in
            guard let old = try tables.reviewCases.find(id) else {
                throw IdentityError(.recordNotFound, "there is no case with this ID")
            }
            var changed = old
            let final = try changed.review.decide(decision, by: reviewer, at: now)
            if final != nil { changed.closedAt = now }
            guard try tables.reviewCases.update(changed, from: old) else {
                throw ReviewError.closed
            }
            if let final {
                var record = try tables.verifications.find(old.account)
                // A reset ended the attempt: the decision is recorded and changes nothing.
                if record.state.decide(old.review.attempt, final, at: now) {
                    try tables.verifications.update(record, at: now)
                }
                _ = try tables.verificationAttempts.conclude(old.review.attempt, at: now)
                if let account = try tables.accounts.find(old.account),
                    let attempt = try tables.verificationAttempts.find(
                        old.review.attempt, of: account)
                {
                    try tables.tell(
                        old.app, final.outcomeWord, of: attempt, record.state, attempt.result,
                        at: now)
                }
            }
            try tables.audit.append(
                AuditEvent(
                    "identity.reviewed", actor: reviewer.text, account: old.account, app: old.app,
                    detail: [
                        "case": .string(id.text), "decision": .string(decision.rawValue),
                        "final": .bool(final != nil),
                    ]), at: now)
            return final
        }
    }

    /// Returns open cases after `last`, the oldest first, and records that the reviewer saw the
    /// first `count`. A result beyond the limit shows that more follow.
    package func queue(
        for reviewer: AdminID, after last: ReviewCaseID? = nil, atMost count: Int = 100
    ) async throws -> [ReviewCaseRecord] {
        let now = clock.now
        return try await store.write { tables in
            let cases = try tables.reviewCases.queue(after: last, atMost: count + 1)
            for record in cases.prefix(count) {
                try tables.audit.append(
                    AuditEvent(
                        "identity.viewed", actor: reviewer.text, account: record.account,
                        app: record.app, detail: ["case": .string(record.review.id.text)]),
                    at: now)
            }
            return cases
        }
    }

    /// Starts a user's verification over.
    package func reset(_ user: UserID, by admin: AdminID) async throws {
        try await change(user, "identity.reset", by: admin) { $0.state.reset() }
    }

    /// Requires a level of one user, in addition to the app's.
    package func require(_ method: VerificationMethod, of user: UserID, by admin: AdminID)
        async throws
    {
        try await change(user, "identity.required", by: admin) { $0.required = method }
    }

    private func change(
        _ user: UserID, _ event: String, by admin: AdminID,
        _ body: @escaping @Sendable (inout VerificationRecord) -> Void
    ) async throws {
        let now = clock.now
        try await store.write { tables in
            let before = try tables.verifications.find(user)
            var record = before
            body(&record)
            try tables.verifications.update(record, at: now)
            let detail = AuditChanges.detail(from: before.levels, to: record.levels)
            try tables.audit.append(
                AuditEvent(event, actor: admin.text, account: user, detail: detail), at: now)
        }
    }
}

extension VerificationRecord {
    /// The levels that administrators change, for the audit log.
    fileprivate var levels: [String: JSONValue] {
        ["achieved": .string(state.achieved.rawValue), "required": .string(required.rawValue)]
    }
}

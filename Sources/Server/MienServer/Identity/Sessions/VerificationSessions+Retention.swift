package import MienAPI
package import MienCore
internal import MienIdentity
internal import MienStore

/// The end of what was kept long enough.
extension VerificationSessions {
    /// The records that one transaction erases. Others get their turn in between.
    static let batch = 500

    /// Erases what has been kept long enough, or says how much that would be.
    ///
    /// Works in batches, each with its entry in the audit log: what a canceled request has erased is
    /// recorded, and the next one goes on.
    package func purge(dryRun: Bool, by admin: AdminID) async throws -> VerificationPurgeAnswer {
        let now = clock.now
        guard !dryRun else {
            return try await store.read { tables in
                VerificationPurgeAnswer(
                    attempts: try tables.verificationAttempts.purgeable(at: now),
                    sessions: try tables.verificationSessions.purgeable(at: now),
                    records: try tables.verificationSessions.sweepable(at: now), dryRun: true)
            }
        }
        var purged = VerificationPurgeAnswer(attempts: 0, sessions: 0, records: 0, dryRun: false)
        while true {
            let batch = try await purgeBatch(at: now, by: admin)
            purged.attempts += batch.attempts
            purged.sessions += batch.sessions
            purged.records += batch.records
            guard
                [batch.attempts, batch.sessions, batch.records].contains(where: { $0 >= Self.batch }
                )
            else { return purged }
            try Task.checkCancellation()
        }
    }

    private func purgeBatch(at now: Instant, by admin: AdminID) async throws
        -> VerificationPurgeAnswer
    {
        try await store.write(.always) { tables in
            let purged = VerificationPurgeAnswer(
                attempts: try tables.verificationAttempts.purge(at: now, atMost: Self.batch),
                sessions: try tables.verificationSessions.purge(at: now, atMost: Self.batch),
                records: try tables.verificationSessions.sweep(at: now, atMost: Self.batch),
                dryRun: false)
            try tables.audit.append(
                AuditEvent(
                    "verification.purged", actor: admin.text,
                    detail: [
                        "attempts": .number(Double(purged.attempts)),
                        "sessions": .number(Double(purged.sessions)),
                        "records": .number(Double(purged.records)),
                    ]), at: now)
            return purged
        }
    }
}

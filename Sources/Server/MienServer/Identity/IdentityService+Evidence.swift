internal import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

extension IdentityService {
    /// Returns the evidence of an attempt that has ended. Contains no picture and no personal data.
    ///
    /// - Throws: ``IdentityError`` `recordNotFound` for an unknown attempt, or one that nothing
    ///   judged; `updateFailed` while it is judged or reviewed.
    package func evidence(
        of id: IdentityAttemptID, of account: AccountRecord, for admin: AdminID
    ) async throws -> EvidenceRecord {
        let now = clock.now
        return try await store.write { tables in
            guard let attempt = try tables.verificationAttempts.find(id, of: account) else {
                throw Self.noAttempt
            }
            guard let concludedAt = attempt.concludedAt else {
                throw IdentityError(.updateFailed, "the attempt has not ended yet")
            }
            guard let result = attempt.result else { throw Self.noAttempt }
            let review = try tables.reviewCases.find(attempt: id)?.review
            let images = try tables.verificationAttempts.list(of: id, of: account.id)
            try tables.audit.append(
                AuditEvent(
                    "identity.evidenced", actor: admin.text, account: account.id, app: attempt.app,
                    detail: ["attempt": .string(id.text)]), at: now)
            return EvidenceRecord(
                attempt: id, kind: attempt.kind, user: account.id, app: attempt.app,
                begunAt: attempt.begunAt, concludedAt: concludedAt, sources: result.sources,
                isSimulated: result.isSimulated, checks: result.checks,
                rulesVersion: result.rulesVersion, pack: result.pack,
                recommendation: result.recommendation,
                isVerified: review.map { $0.decision == .accept }
                    ?? (result.recommendation == .allow),
                images: images.compactMap {
                    EvidenceRecord.Image(role: $0.role, sha256: $0.sha256)
                }, reviews: review?.entries ?? [])
        }
    }

    private static let noAttempt = IdentityError(
        .recordNotFound, "the user has no judged attempt with this ID")
}

package import MienAPI
package import MienCore
package import MienIdentity
package import MienStore

/// Views for reviewers and administrators. Every view is in the audit log.
extension IdentityService {
    private static let noCase = IdentityError(.recordNotFound, "there is no case with this ID")

    /// Returns a case with the personal data of its attempt.
    package func detail(of id: ReviewCaseID, for reviewer: AdminID) async throws
        -> ReviewCaseDetail
    {
        let now = clock.now
        return try await store.write { tables in
            let (record, account, attempt) = try Self.find(id, in: tables)
            let images = try tables.verificationAttempts.list(
                of: record.review.attempt, of: account.id)
            let content = try attempt.content?.use { try JSONText.parse($0) }
            try tables.noteView(of: record, by: reviewer, ["detail": true], at: now)
            return ReviewCaseDetail(
                reviewCase: ReviewCaseAnswer(record), attempt: IdentityAttemptAnswer(attempt),
                content: content?.objectValue?.compactMapValues(\.stringValue),
                comparison: content.flatMap { ReviewComparison(content: $0) },
                images: images.filter { $0.isKept && DocumentInput.isPicture($0.role) }.map(\.role))
        }
    }

    /// Returns a picture of a case.
    package func image(_ role: String, of id: ReviewCaseID, for reviewer: AdminID) async throws
        -> Sensitive<[UInt8]>
    {
        let now = clock.now
        return try await store.write { tables in
            let (record, account, _) = try Self.find(id, in: tables)
            guard DocumentInput.isPicture(role),
                let image = try tables.verificationAttempts.image(
                    role, of: record.review.attempt, of: account)
            else { throw Self.noImage }
            guard let content = image.content else {
                throw IdentityError(.dataRedacted, "the picture was erased")
            }
            try tables.noteView(of: record, by: reviewer, ["image": .string(image.role)], at: now)
            return content
        }
    }

    private static let noImage = IdentityError(
        .recordNotFound, "the case has no picture with this role")

    private static func find(_ id: ReviewCaseID, in tables: Tables) throws -> (
        ReviewCaseRecord, AccountRecord, AttemptRecord
    ) {
        guard let record = try tables.reviewCases.find(id),
            let account = try tables.accounts.find(record.account),
            let attempt = try tables.verificationAttempts.find(record.review.attempt, of: account)
        else { throw noCase }
        return (record, account, attempt)
    }

    /// Returns a user's verification, without personal data.
    package func verification(of account: AccountRecord, for admin: AdminID) async throws
        -> UserVerificationAnswer
    {
        let now = clock.now
        return try await store.write { tables in
            let record = try tables.verifications.find(account.id)
            let attempts = try tables.verificationAttempts.all(of: account)
            try tables.audit.append(
                AuditEvent("identity.viewed", actor: admin.text, account: account.id), at: now)
            return UserVerificationAnswer(
                verificationMethod: .known(record.state.achieved),
                verifiedAt: record.state.verifiedAt?.milliseconds,
                requiredMethod: .known(record.required),
                block: record.state.block.map { .known($0) },
                simulated: record.state.isSimulated,
                attempts: attempts.map { IdentityAttemptAnswer($0) })
        }
    }
}

extension Tables {
    fileprivate func noteView(
        of record: ReviewCaseRecord, by reviewer: AdminID, _ detail: [String: JSONValue],
        at now: Instant
    ) throws {
        try audit.append(
            AuditEvent(
                "identity.viewed", actor: reviewer.text, account: record.account, app: record.app,
                detail: detail.merging(["case": .string(record.review.id.text)]) { $1 }),
            at: now)
    }
}

extension DocumentInput {
    /// Whether a role is that of something to show: a template is not.
    static func isPicture(_ role: String) -> Bool { role != templateRole }
}

internal import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

extension IdentityService {
    /// Counts an attempt and stores what the user sent, sealed.
    ///
    /// An attempt with a document gets a job in the same transaction.
    ///
    /// - Returns: For ``VerificationAttempt/Kind/document``, only if the personal data of an earlier
    ///   attempt can still be read.
    /// - Throws: ``IdentityError``; ``ServerBusy`` if too many jobs wait. Nothing is counted then.
    func begin(
        _ kind: VerificationAttempt.Kind, _ content: Sensitive<[UInt8]>,
        images: [AttemptImage] = [], as id: IdentityAttemptID = .fresh(),
        of account: AccountRecord, app: AppID
    ) async throws -> IdentityAttemptID {
        do {
            try await store.write { tables in
                try begin(kind, content, images: images, as: id, of: account, app: app, in: tables)
            }
        } catch let error as StoreError where error.code == .stale { throw Self.parallelAttempt }
        return id
    }

    static let parallelAttempt = IdentityError(
        .updateFailed, "another attempt of this user began meanwhile")

    /// Does the same in a transaction of the caller.
    func begin(
        _ kind: VerificationAttempt.Kind, _ content: Sensitive<[UInt8]>, images: [AttemptImage],
        as id: IdentityAttemptID, of account: AccountRecord, app: AppID, in tables: Tables
    ) throws {
        let now = clock.now
        if rules.needsConsent { try tables.requireConsent(of: account.id, in: app) }
        var record = try tables.verifications.find(account.id)
        try record.state.begin(kind, id: id, under: rules.policy, at: now)
        if kind == .document, try tables.personalData(of: account) == nil {
            throw IdentityError(
                .dataRedacted,
                "the personal data of the earlier attempt was erased; ask an administrator to reset the verification"
            )
        }
        let days =
            try tables.apps.find(app)?.settings.identity.retentionDays ?? rules.retentionDays
        try tables.verifications.update(record, at: now)
        try tables.verificationAttempts.insert(
            AttemptRecord(
                id: id, account: account.id, app: app, kind: kind, begunAt: now,
                contentExpiresAt: now + .seconds(days * 86_400), content: content),
            images: images, of: account)
        if kind.usesDocument {
            try jobs.add(
                IdentityJob(
                    id: id.text, subject: .attempt, account: account.id, app: app, queuedAt: now),
                in: tables)
        }
        try tables.audit.append(
            AuditEvent(
                "identity.attempted", actor: "user", account: account.id, app: app,
                detail: ["attempt": .string(id.text), "kind": .string(kind.rawValue)]), at: now)
    }

    /// Judges an attempt and concludes it. If it cannot be judged, it is given back.
    func concluding(
        _ id: IdentityAttemptID, of account: AccountRecord,
        _ judge: () async throws -> Judgment
    ) async throws -> VerifiedIdentity {
        let judgment: Judgment
        do { judgment = try await judge() } catch {
            // Also if the client hung up, which cancels this task.
            try await Task { try await giveBack(id, of: account.id) }.value
            throw error
        }
        return try await Task { try await conclude(id, judgment, of: account) }.value
    }

    /// Applies the rules to the checks and records what follows, in one transaction.
    func conclude(_ id: IdentityAttemptID, _ judgment: Judgment, of account: AccountRecord)
        async throws -> VerifiedIdentity
    {
        let now = clock.now, rules = rules
        return try await store.write { tables in
            var record = try tables.verifications.find(account.id)
            guard let attempt = try tables.verificationAttempts.find(id, of: account) else {
                try tables.identityJobs.delete(id.text)
                return identity(record, nil)
            }
            try tables.identityJobs.delete(id.text)
            let settings = try tables.apps.find(attempt.app)?.settings.identity
            let recommendation = rules.recommendations.recommendation(
                for: judgment.checks, acceptsStillFaces: settings?.acceptsStillFaces ?? false)
            let outcome: AttemptOutcome =
                switch (judgment.block, recommendation) {
                case _ where judgment.isUnreadable: .unreadable
                case (let block?, _): .failed(block)
                case (nil, .allow): .succeeded
                case (nil, .challenge): .review
                case (nil, .deny): .failed()
                }
            let result = AttemptRecord.Result(
                checks: judgment.checks,
                recommendation: judgment.block == nil && !judgment.isUnreadable
                    ? recommendation : .deny,
                rulesVersion: rules.recommendations.version, sources: judgment.sources,
                isSimulated: judgment.isSimulated, pack: judgment.pack,
                recapture: judgment.recapture)
            // An administrator's reset in the meantime wins: the result then changes nothing.
            guard
                record.state.conclude(
                    id, outcome, isSimulated: judgment.isSimulated,
                    recapture: judgment.recapture, at: now),
                try tables.verificationAttempts.judge(
                    id, result,
                    // Only reviewers see it.
                    content: outcome == .review
                        ? judgment.comparison.added(to: attempt.content) : nil,
                    of: account)
            else {
                // End the attempt anyway. Otherwise its verification session would wait for a
                // judgment forever.
                if attempt.result == nil, try tables.verificationAttempts.conclude(id, at: now) {
                    try tables.noteSession(of: id, .notJudged, nil, account, at: now)
                }
                return identity(try tables.verifications.find(account.id), settings)
            }
            try tables.verifications.update(record, at: now)
            if outcome == .review {
                var generator = SystemRandomNumberGenerator()
                try tables.reviewCases.insert(
                    ReviewCaseRecord(
                        review: ReviewCase(
                            id: .random(using: &generator), attempt: id,
                            needsSecondReviewer: rules.needsSecondReviewer), account: account.id,
                        app: attempt.app, openedAt: now))
            } else {
                _ = try tables.verificationAttempts.conclude(id, at: now)
            }
            try tables.audit.append(
                AuditEvent(
                    "identity.judged", actor: "system", account: account.id, app: attempt.app,
                    detail: [
                        "attempt": .string(id.text),
                        "recommendation": .string(result.recommendation.rawValue),
                    ]), at: now)
            try tables.tell(attempt.app, outcome.word, of: attempt, record.state, result, at: now)
            try tables.noteSession(
                of: id, outcome, result, account, recapture: judgment.recapture, at: now)
            return identity(record, settings)
        }
    }

    /// Ends an attempt that was not judged. It does not count.
    ///
    /// - Parameter job: The job that could not be done. If another server has begun it meanwhile,
    ///   nothing changes.
    func giveBack(_ id: IdentityAttemptID, of user: UserID, if job: IdentityJob? = nil) async throws
    {
        let now = clock.now
        try await store.write { tables in
            if let job, try !tables.identityJobs.holds(job) { return }
            var record = try tables.verifications.find(user)
            let isOpen = record.state.conclude(id, .notJudged, at: now)
            if isOpen { try tables.verifications.update(record, at: now) }
            let isEnded = try tables.verificationAttempts.conclude(id, at: now)
            let state = record.state, outcome = AttemptOutcome.notJudged
            // An attempt whose records cannot be decrypted is given back as well, but no app is
            // told.
            _ = try tables.readable { tables -> Bool? in
                guard let account = try tables.accounts.find(user),
                    let attempt = try tables.verificationAttempts.find(id, of: account)
                else { return nil }
                if isOpen {
                    try tables.tell(attempt.app, outcome.word, of: attempt, state, nil, at: now)
                }
                // After a reset, too.
                if isEnded { try tables.noteSession(of: id, outcome, nil, account, at: now) }
                return true
            }
            try tables.identityJobs.delete(id.text)
        }
    }
}

extension IdentityAttemptID {
    /// A new random identifier.
    static func fresh() -> IdentityAttemptID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}

extension Tables {
    /// Returns the personal data of the user's last attempt with personal data; `nil` once erased.
    func personalData(of account: AccountRecord) throws -> PersonalDataInput? {
        let last = try verificationAttempts.all(of: account).last { $0.kind == .personalData }
        return try last?.content?.use { PersonalDataInput(try JSONText.parse($0)) }
    }
}

internal import MienCore
internal import MienIdentity
internal import MienStore

extension IdentityService {
    /// Counts an attempt, stores it with its job, and waits a short time for the judgment.
    ///
    /// - Returns: the state of the user's verification, which is `pending` while the job waits or
    ///   runs.
    func judgeLater(
        _ kind: VerificationAttempt.Kind, _ content: Sensitive<[UInt8]>, images: [AttemptImage],
        of account: AccountRecord, app: AppID
    ) async throws -> VerifiedIdentity {
        let id = IdentityAttemptID.fresh(), ticket = jobs.waiters.enter(id.text)
        do {
            _ = try await begin(kind, content, images: images, as: id, of: account, app: app)
        } catch {
            jobs.waiters.leave(ticket)
            throw error
        }
        jobs.wakeUp()
        if case .failed(let error) = await jobs.waiters.wait(ticket, upTo: jobs.patience) {
            throw error
        }
        return try await check(account.id, in: app)
    }

    /// - Throws: ``ServerBusy`` if too many jobs wait.
    func requireRoom(for app: AppID) async throws {
        let jobs = jobs
        try await store.read { try jobs.requireRoom(for: app, in: $0) }
    }

    /// Does a job to its end: an attempt is judged and concluded, or given back.
    ///
    /// - Throws: What kept it from being judged, and `CancellationError`. The job is then unchanged.
    func perform(_ job: IdentityJob) async throws {
        guard let id = IdentityAttemptID(job.id) else { return }
        if job.subject == .session { return try await performSession(id, starts: job.starts) }
        guard let user = job.account,
            let account = try await store.read({ try $0.accounts.find(user) })
        else { return try await store.write { try $0.identityJobs.delete(job.id) } }
        let judgment = try await judgment(of: id, account, starts: job.starts)
        guard let judgment else { return try await giveBack(id, of: user, if: job) }
        // Also if the server stops now, which cancels this task.
        _ = try await Task { try await conclude(id, judgment, of: account) }.value
    }

    /// - Returns: `nil` if there is nothing to judge any longer: consent was withdrawn, or the
    ///   deployment checks no documents any more.
    private func judgment(of id: IdentityAttemptID, _ account: AccountRecord, starts: Int)
        async throws -> Judgment?
    {
        let (attempt, images) = try await store.read { tables in
            (
                try tables.verificationAttempts.find(id, of: account),
                try tables.verificationAttempts.images(of: id, of: account)
            )
        }
        guard let attempt, let documents,
            let input = attempt.content.flatMap({ DocumentInput(content: $0, images: images) }),
            let country = DocumentIssuer(rawValue: input.country)
        else { return nil }
        guard starts <= IdentityJobQueue.maxStarts else {
            // The server has ended several times while it judged these pictures. They may be the
            // cause, so they count as unreadable.
            var judgment = Judgment()
            judgment.checks[.documentReadable] = .failed
            judgment.isUnreadable = true
            return judgment
        }
        return try await judge(input, country, attempt.kind, as: id, by: documents, of: account)
    }

    /// Handles a job that could not be done: at once if a request waits for it, otherwise later.
    ///
    /// - Returns: Whether the attempt was given back.
    func fail(_ job: IdentityJob, _ error: any Error) async throws -> Bool {
        let now = clock.now
        if jobs.waiters.claim(job.id) {
            defer { jobs.waiters.end(job.id, .failed(error)) }
            try await giveUp(job)
            return true
        }
        // A job that cannot be decrypted now never can, so it is given up.
        let isDamaged = (error as? StoreError)?.isOfRow ?? false
        guard !isDamaged, job.failures < IdentityJobQueue.pauses.count else {
            try await giveUp(job)
            return true
        }
        let next = now + IdentityJobQueue.pauses[job.failures]
        try await store.write { try $0.identityJobs.postpone(job, until: next, failed: true) }
        return false
    }

    private func giveUp(_ job: IdentityJob) async throws {
        guard let id = IdentityAttemptID(job.id) else { return }
        if job.subject == .session { return try await concludeSession(id, .notJudged) }
        guard let user = job.account else { return }
        try await giveBack(id, of: user, if: job)
    }
}

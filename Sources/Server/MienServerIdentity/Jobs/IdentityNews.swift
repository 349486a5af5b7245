internal import MienAccess
package import MienCore
internal import MienIdentity
package import MienServerCore
package import MienServerMail
package import MienStore

/// Tells apps about results of verifications: signed webhooks to the address in the app's settings.
package struct IdentityNews: NoticeQueue {
    package let name = "notices of identity verification"
    let store: Store
    let caller: WebhookCaller
    let metrics: Metrics
    let clock: ServerClock

    package init(store: Store, caller: WebhookCaller, metrics: Metrics, clock: ServerClock) {
        (self.store, self.caller, self.metrics, self.clock) = (store, caller, metrics, clock)
    }

    package func due(at now: Instant, atMost count: Int) async throws -> [IdentityNotice] {
        try await store.read { try $0.identityNotices.due(at: now, atMost: count) }
    }

    package func outdated(queuedBefore time: Instant, at now: Instant, atMost count: Int)
        async throws -> [IdentityNotice]
    {
        try await store.read {
            try $0.identityNotices.outdated(createdBefore: time, at: now, atMost: count)
        }
    }

    package func failures(of notice: IdentityNotice) -> Int { notice.attempts }

    package func send(_ notice: IdentityNotice, within limit: Duration) async throws
        -> WebhookCaller.PostResult?
    {
        let app = try await store.read { try $0.apps.find(notice.app) }
        guard let url = app?.settings.identity.webhook else { return nil }
        return await caller.notify(
            notice.body, id: notice.id, app: notice.app, at: url, within: limit)
    }

    package func postpone(_ notice: IdentityNotice, until next: Instant) async throws {
        metrics.count(.identityNotices, ["result": "postponed"])
        try await store.write { try $0.identityNotices.postpone(notice, until: next) }
    }

    package func finish(_ notice: IdentityNotice, _ end: NoticeEnd?) async throws {
        let now = clock.now
        if let end {
            metrics.count(.identityNotices, ["result": end == .delivered ? "delivered" : "dropped"])
        }
        try await store.write { tables in
            try tables.identityNotices.delete(notice.id)
            guard case .dropped(let reason) = end else { return }
            try tables.audit.append(
                AuditEvent(
                    "identity.undelivered", actor: "system", app: notice.app,
                    detail: ["delivery": .string(notice.id), "reason": .string(reason)]),
                at: now)
        }
    }
}

extension Tables {
    /// Queues news for an app that wants them.
    func tell(_ app: AppID, _ members: [String: JSONValue], at now: Instant) throws {
        guard try apps.find(app)?.settings.identity.webhook != nil else { return }
        var generator = SystemRandomNumberGenerator()
        let common: [String: JSONValue] = [
            "app": .string(app.text), "time": .number(Double(now.milliseconds)),
        ]
        try identityNotices.insert(
            IdentityNotice(
                id: "dlv_" + Base64URL.encode(generator.bytes(16)), app: app,
                body: JSONText.write(.object(members.merging(common) { $1 })), createdAt: now))
    }

    /// Queues the news of an attempt: identifiers and words, nothing personal.
    func tell(
        _ app: AppID, _ status: String, of attempt: AttemptRecord, _ state: VerificationState,
        _ result: AttemptRecord.Result?, at now: Instant
    ) throws {
        var members: [String: JSONValue] = [
            "event": "identity.attempt", "attempt": .string(attempt.id.text),
            "kind": .string(attempt.kind.rawValue), "user": .string(attempt.account.text),
            "status": .string(status),
            "verification_method": .string(state.achieved.rawValue),
        ]
        if let result {
            members["recommendation"] = .string(result.recommendation.rawValue)
            members["simulated"] = .bool(result.isSimulated)
        }
        try tell(app, members, at: now)
    }
}

extension AttemptOutcome {
    /// The word for apps.
    var word: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .unreadable: "unreadable"
        case .review: "in_review"
        case .notJudged: "not_judged"
        }
    }
}

extension ReviewDecision {
    /// The word for apps.
    var outcomeWord: String {
        switch self {
        case .accept: "succeeded"
        case .reject: "failed"
        case .askAgain: "asked_again"
        }
    }
}

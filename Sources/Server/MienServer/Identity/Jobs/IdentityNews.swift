internal import MienAPI
package import MienCore
internal import MienIdentity
package import MienStore

/// Tells apps about results of verifications: signed webhooks to the address in the app's settings.
package struct IdentityNews: OutboxSender {
    package let name = "notices of identity verification"
    package let kind = OutboxMessage.Kind.identity
    package let maxUnderWay = NoticeSchedule.maxUnderWay
    package let claimTime = NoticeSchedule.claimTime, maxAge = NoticeSchedule.maxAge
    let store: Store
    let caller: WebhookCaller
    let metrics: Metrics

    package func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step? {
        guard let id = message.app else { return nil }
        let app = try await store.read { try $0.apps.find(id) }
        guard let url = app?.settings.identity.webhook else { return nil }
        let body = message.content.use { String(decoding: $0, as: UTF8.self) }
        let result = await caller.notify(
            body, id: message.id, app: id, at: url, within: NoticeSchedule.timeout)
        return NoticeSchedule.step(after: result, failures: message.failures)
    }

    package func noteEnd(
        _ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant
    ) throws {
        guard case .dropped(let reason) = end else { return }
        try tables.audit.append(
            AuditEvent(
                "identity.undelivered", actor: "system", app: message.app,
                detail: ["delivery": .string(message.id), "reason": .string(reason)]),
            at: now)
    }

    package func count(_ end: NoticeEnd?, isPostponed: Bool) {
        let result = isPostponed ? "postponed" : end == .delivered ? "delivered" : "dropped"
        metrics.count(.identityNotices, ["result": result])
    }

    package func note(waiting: Int) {}
}

extension Tables {
    /// Writes news for an app that wants them into the outbox.
    func tell(_ app: AppID, _ members: [String: JSONValue], at now: Instant) throws {
        guard try apps.find(app)?.settings.identity.webhook != nil else { return }
        let common: [String: JSONValue] = [
            "app": .string(app.text), "time": .number(Double(now.milliseconds)),
        ]
        let body = JSONText.write(.object(members.merging(common) { $1 }))
        try outbox.insert(
            OutboxMessage(
                id: OutboxMessage.freshID(), kind: .identity, app: app,
                content: Sensitive(Array(body.utf8)), createdAt: now))
    }

    /// Queues the news of an attempt: identifiers and words, nothing personal.
    func tell(
        _ app: AppID, _ status: String, of attempt: AttemptRecord, _ state: VerificationState,
        _ result: AttemptRecord.Result?, at now: Instant
    ) throws {
        // Another app may have got the ID of a deleted one.
        guard let found = try apps.find(app), found.createdAt <= attempt.begunAt else { return }
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

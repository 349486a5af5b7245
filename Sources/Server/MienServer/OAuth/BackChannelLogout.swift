internal import MienAPI
package import MienCore
package import MienStore

/// Tells apps that sign-ins have ended: OpenID Connect Back-Channel Logout 1.0.
///
/// The notices are stored with the change that ends a sign-in, so a crash loses none. They are
/// posted under the rules of webhooks: listed hosts, public addresses, no redirects.
package struct BackChannelLogout: OutboxSender {
    /// The lifetime of a logout token. The specification recommends at most two minutes.
    private static let tokenSeconds: Int64 = 120

    package let name = "logout notices"
    package let kind = OutboxMessage.Kind.logout
    package let maxUnderWay = NoticeSchedule.maxUnderWay
    package let claimTime = NoticeSchedule.claimTime, maxAge = NoticeSchedule.maxAge
    let store: Store
    let issuer: TokenIssuer
    let caller: WebhookCaller
    let clock: ServerClock
    let metrics: Metrics

    package func send(_ message: OutboxMessage) async throws -> NoticeSchedule.Step? {
        let notice = try LogoutNotice(message)
        let app = try await store.read { try $0.apps.find(notice.app) }
        guard let app, let url = app.settings.backChannelLogoutURI else { return nil }
        let token = try await token(
            for: app, session: notice.grant, user: notice.account, id: message.id)
        let result = await caller.post(
            [("logout_token", token)], to: url, within: NoticeSchedule.timeout)
        return NoticeSchedule.step(after: result, failures: message.failures)
    }

    package func noteEnd(
        _ end: NoticeEnd?, of message: OutboxMessage, in tables: Tables, at now: Instant
    ) throws {
        guard case .dropped(let reason) = end else { return }
        let notice = try LogoutNotice(message)
        try tables.audit.append(
            AuditEvent(
                "logout.undelivered", actor: "system", account: notice.account,
                app: notice.app,
                detail: ["grant": .string(notice.grant.text), "reason": .string(reason)]),
            at: now)
    }

    package func count(_ end: NoticeEnd?, isPostponed: Bool) {
        let result = isPostponed ? "postponed" : end == .delivered ? "delivered" : "dropped"
        metrics.count(.logoutNotices, ["result": result])
    }

    package func note(waiting: Int) {}

    /// Returns a logout token of a sign-in that never was, which tests an app's address: it ends
    /// nothing.
    package func testToken(for app: AppRecord) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        return try await token(
            for: app, session: .random(using: &generator), user: nil,
            id: Base64URL.encode(generator.bytes(16)))
    }

    /// - Parameter id: The same for each try, so that the app can recognize a repeated one.
    private func token(for app: AppRecord, session: GrantID, user: UserID?, id: String)
        async throws -> String
    {
        let now = clock.now, algorithm = app.settings.idTokenAlgorithm
        try await issuer.prepare(algorithm, at: now)
        var claims: [String: JSONValue] = [
            "aud": .string(app.id.text), "sid": .string(session.text),
        ]
        claims["sub"] = user.map { .string($0.text) }
        return try issuer.sign(
            claims.merging([
                "jti": .string(id),
                "exp": .number(Double(now.seconds + Self.tokenSeconds)),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]) { $1 }, as: .logout, with: algorithm, at: now)
    }
}

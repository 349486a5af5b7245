internal import MienAccess
package import MienCore
package import MienServerAccess
package import MienServerCore
package import MienServerMail
package import MienStore

/// Tells apps that sign-ins have ended: OpenID Connect Back-Channel Logout 1.0.
///
/// The notices are stored with the change that ends a sign-in, so a crash loses none. They are
/// posted under the rules of webhooks: listed hosts, public addresses, no redirects.
package struct BackChannelLogout: NoticeQueue {
    /// The lifetime of a logout token. The specification recommends at most two minutes.
    private static let tokenSeconds: Int64 = 120

    package let name = "logout notices"
    let store: Store
    let issuer: TokenIssuer
    let caller: WebhookCaller
    let clock: ServerClock
    let metrics: Metrics

    package init(
        store: Store, issuer: TokenIssuer, caller: WebhookCaller, clock: ServerClock,
        metrics: Metrics
    ) {
        (self.store, self.issuer, self.caller) = (store, issuer, caller)
        (self.clock, self.metrics) = (clock, metrics)
    }

    package func due(at now: Instant, atMost count: Int) async throws -> [LogoutNotice] {
        try await store.read { try $0.logoutNotices.due(at: now, atMost: count) }
    }

    package func outdated(queuedBefore time: Instant, at now: Instant, atMost count: Int)
        async throws -> [LogoutNotice]
    {
        try await store.read {
            try $0.logoutNotices.outdated(endedBefore: time, at: now, atMost: count)
        }
    }

    package func failures(of notice: LogoutNotice) -> Int { notice.attempts }

    package func send(_ notice: LogoutNotice, within limit: Duration) async throws
        -> WebhookCaller.PostResult?
    {
        let app = try await store.read { try $0.apps.find(notice.app) }
        guard let url = app?.settings.backChannelLogoutURI else { return nil }
        return await caller.post(
            [("logout_token", try token(for: notice))], to: url, within: limit)
    }

    package func postpone(_ notice: LogoutNotice, until next: Instant) async throws {
        metrics.count(.logoutNotices, ["result": "postponed"])
        try await store.write { try $0.logoutNotices.postpone(notice, until: next) }
    }

    package func finish(_ notice: LogoutNotice, _ end: NoticeEnd?) async throws {
        let now = clock.now
        if let end {
            metrics.count(.logoutNotices, ["result": end == .delivered ? "delivered" : "dropped"])
        }
        try await store.write { tables in
            try tables.logoutNotices.delete(notice.grant)
            guard case .dropped(let reason) = end else { return }
            try tables.audit.append(
                AuditEvent(
                    "logout.undelivered", actor: "system", account: notice.account,
                    app: notice.app,
                    detail: ["grant": .string(notice.grant.text), "reason": .string(reason)]),
                at: now)
        }
    }

    private func token(for notice: LogoutNotice) throws -> String {
        try token(for: notice.app, session: notice.grant, user: notice.account)
    }

    /// Returns a logout token of a sign-in that never was, which tests an app's address: it ends
    /// nothing.
    package func testToken(for app: AppID) throws -> String {
        var generator = SystemRandomNumberGenerator()
        return try token(for: app, session: .random(using: &generator), user: nil)
    }

    private func token(for app: AppID, session: GrantID, user: UserID?) throws -> String {
        var generator = SystemRandomNumberGenerator()
        let now = clock.now
        var claims: [String: JSONValue] = ["aud": .string(app.text), "sid": .string(session.text)]
        claims["sub"] = user.map { .string($0.text) }
        return try issuer.sign(
            claims.merging([
                "jti": .string(Base64URL.encode(generator.bytes(16))),
                "exp": .number(Double(now.seconds + Self.tokenSeconds)),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]) { $1 }, as: .logout, at: now)
    }
}

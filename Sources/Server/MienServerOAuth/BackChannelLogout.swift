package import Logging
internal import MienAccess
internal import MienCore
package import MienServerAccess
package import MienServerCore
package import MienServerMail
package import MienStore
internal import ServiceLifecycle

/// Tells apps that sign-ins have ended: OpenID Connect Back-Channel Logout 1.0.
///
/// The notices are stored with the change that ends a sign-in, so a crash loses none. They are
/// posted under the rules of webhooks: listed hosts, public addresses, no redirects.
package struct BackChannelLogout: Service {
    /// The pauses after each failed delivery. Then the notice is dropped.
    static let pauses: [Duration] = [
        .seconds(10), .seconds(60), .seconds(600), .seconds(3600), .seconds(6 * 3600),
        .seconds(12 * 3600),
    ]
    /// A notice that still waits for a try this long after the sign-in ended is dropped. Of an app
    /// with many notices, only some are tried each time, so most have tries left.
    private static let maxAge = Duration.seconds(20 * 3600)
    private static let batch = 8, timeout = Duration.seconds(5)
    /// The lifetime of a logout token. The specification recommends at most two minutes.
    private static let tokenSeconds: Int64 = 120

    let store: Store
    let issuer: TokenIssuer
    let caller: WebhookCaller
    let clock: ServerClock
    let metrics: Metrics
    let logger: Logger

    package init(
        store: Store, issuer: TokenIssuer, caller: WebhookCaller, clock: ServerClock,
        metrics: Metrics, logger: Logger
    ) {
        (self.store, self.issuer, self.caller) = (store, issuer, caller)
        (self.clock, self.metrics, self.logger) = (clock, metrics, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    // Wait only when nothing is due.
                    if try await deliver() == Self.batch { continue }
                } catch {
                    logger.error(
                        "logout notices could not be read; retrying",
                        metadata: ["error.type": "\(type(of: error))"])
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Delivers the notices that are due, a few at a time, so that an app that does not respond
    /// delays only itself.
    ///
    /// - Returns: ``batch`` if there may be more.
    private func deliver() async throws -> Int {
        let now = clock.now
        let (due, outdated) = try await store.read { tables in
            (
                try tables.logoutNotices.due(at: now, atMost: Self.batch),
                try tables.logoutNotices.outdated(
                    endedBefore: now - Self.maxAge, at: now, atMost: Self.batch)
            )
        }
        for notice in outdated { try await finish(notice, "unreachable") }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for notice in due { tasks.addTask { try await deliver(notice) } }
            try await tasks.waitForAll()
        }
        return max(due.count, outdated.count)
    }

    private func deliver(_ notice: LogoutNotice) async throws {
        let app = try await store.read { try $0.apps.find(notice.app) }
        guard let url = app?.settings.backChannelLogoutURI else {
            return try await store.write { try $0.logoutNotices.delete(notice.grant) }
        }
        let result = await caller.post(
            [("logout_token", try token(for: notice))], to: url, within: Self.timeout)
        switch result {
        case .answered(200..<300): try await finish(notice, nil)
        // The app understood the notice and refused it; sending it again changes nothing.
        case .answered(let status) where status < 500 && ![408, 425, 429].contains(status):
            try await finish(notice, "status \(status)")
        case .notAllowed: try await finish(notice, "not_allowed")
        case .answered, .failed:
            guard notice.attempts < Self.pauses.count else {
                return try await finish(notice, "unreachable")
            }
            let next = clock.now + Self.pauses[notice.attempts]
            metrics.count(.logoutNotices, ["result": "postponed"])
            try await store.write { try $0.logoutNotices.postpone(notice, until: next) }
        }
    }

    /// - Parameter failure: Why the notice is dropped; `nil` if it was delivered.
    private func finish(_ notice: LogoutNotice, _ failure: String?) async throws {
        let now = clock.now
        metrics.count(.logoutNotices, ["result": failure == nil ? "delivered" : "dropped"])
        try await store.write { tables in
            try tables.logoutNotices.delete(notice.grant)
            guard let failure else { return }
            try tables.audit.append(
                AuditEvent(
                    "logout.undelivered", actor: "system", account: notice.account,
                    app: notice.app,
                    detail: ["grant": .string(notice.grant.text), "reason": .string(failure)]),
                at: now)
        }
    }

    private func token(for notice: LogoutNotice) throws -> String {
        var generator = SystemRandomNumberGenerator()
        let now = clock.now
        return try issuer.sign(
            [
                "aud": .string(notice.app.text), "sub": .string(notice.account.text),
                "sid": .string(notice.grant.text),
                "jti": .string(Base64URL.encode(generator.bytes(16))),
                "exp": .number(Double(now.seconds + Self.tokenSeconds)),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ], as: .logout, at: now)
    }
}

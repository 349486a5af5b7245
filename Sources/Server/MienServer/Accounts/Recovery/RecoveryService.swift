internal import MienAPI
package import MienCore
package import MienJourney
package import MienStore

/// Recovery by an email code or a face alone. It takes effect after a hold, and any sign-in or
/// device from before the request can cancel it.
package struct RecoveryService: Sendable {
    let store: Store
    let mail: MailService
    let policy: RecoveryPolicy
    let clock: ServerClock
    let publicURL: @Sendable () -> String

    /// - Parameter methods: The methods that the user has just proved, as `amr` values.
    package func request(_ user: UserID, _ methods: [String], app: AppRecord) async throws
        -> EffectAnswer
    {
        // Two kinds of proof need no hold.
        guard AuthenticationContext.of(methods) == "1" else { return .recovery(user, .sufficient) }
        var generator = SystemRandomNumberGenerator()
        let id = RecoveryID.random(using: &generator),
            link = MailedLink(store.keys, publicURL: publicURL()), now = clock.now, policy = policy
        let proved = Self.comparable(methods)
        let mails = mail
        return try await store.write { tables -> EffectAnswer in
            guard let account = try tables.accounts.find(user), account.state == .active else {
                return .refused(.userMissing)
            }
            let all = try tables.recoveries.all(of: user)
            let same = all.filter { $0.app == app.id && Self.comparable($0.methods) == proved },
                others = all.filter { $0.app != app.id || Self.comparable($0.methods) != proved }
            switch policy.decide(same: same.map(\.request), others: others.map(\.request), at: now)
            {
            case .refuse: return .refused(.limitReached)
            case .wait(let index):
                return .recovery(user, .held(until: same[index].request.effectiveAt))
            case .complete(let index):
                return try Self.complete(same[index], account, app, mails, tables, at: now)
            case .begin(let request):
                let record = RecoveryRecord(
                    id: id, account: user, app: app.id, methods: proved, request: request)
                try tables.recoveries.insert(record)
                try Self.note("recovery.requested", record, tables, at: now)
                if request.status(at: now) == .effective {
                    return try Self.complete(record, account, app, mails, tables, at: now)
                }
                try link.store(
                    .cancelRecovery, record.id.text, of: user, until: request.expiresAt, in: tables,
                    at: now)
                if let address = account.noticeAddress {
                    try mails.post(
                        Self.requested(record, app, link, to: address), through: .notices,
                        about: user, in: tables, at: now)
                }
                return .recovery(user, .held(until: request.effectiveAt))
            }
        }
    }

    /// Returns the methods by which two requests count as the same. The liveness words of a face are
    /// left out, because the mode of a capture is not a method.
    private static func comparable(_ methods: [String]) -> [String] {
        Set(methods.filter { !$0.hasPrefix("x_live") }).sorted()
    }

    private static func complete(
        _ record: RecoveryRecord, _ account: AccountRecord, _ app: AppRecord, _ mails: MailService,
        _ tables: Tables, at now: Instant
    ) throws -> EffectAnswer {
        guard try tables.recoveries.end(record.id, .completed, at: now) else {
            return .refused(.expired)
        }
        try tables.mailedLinks.end(.cancelRecovery, record.id.text, at: now)
        try note("recovery.completed", record, tables, at: now)
        let body =
            "Access to your account was restored in \(app.name.isolated) on \(now.noticeText). Check your sign-in methods."
        if let address = account.noticeAddress {
            try mails.post(
                Mail(to: address, subject: "Your account was recovered", body: Sensitive(body)),
                through: .notices, about: account.id, in: tables, at: now)
        }
        return .recovery(account.id, .restored)
    }

    private static func requested(
        _ record: RecoveryRecord, _ app: AppRecord, _ link: MailedLink,
        to address: Sensitive<String>
    ) -> Mail {
        Mail(
            to: address, subject: "Someone asked to recover your account",
            body: Sensitive(
                """
                Someone asked to recover access to your account in \(app.name.isolated) on \(record.request.requestedAt.noticeText).

                If that was you, ask again in \(app.name.isolated) after \(record.request.effectiveAt.noticeText).

                If it was not, cancel it here, or on a device where you are signed in. You do not have to sign in:

                \(link.url.use { $0 })
                """))
    }

    // MARK: Listing and canceling

    /// Returns the open recoveries, for every known device.
    func open(of account: AccountRecord) async throws -> [OwnRecovery] {
        let now = clock.now
        return try await store.read { tables in
            try tables.recoveries.all(of: account.id).filter { $0.request.isOpen(at: now) }.map {
                record in
                OwnRecovery(
                    id: record.id.text, appID: record.app.text, methods: record.methods,
                    requestedAt: record.request.requestedAt.milliseconds,
                    effectiveAt: record.request.effectiveAt.milliseconds)
            }
        }
    }

    /// Cancels every open recovery that was requested after `since`.
    ///
    /// - Parameter since: When the canceling sign-in or device became known.
    /// - Returns: The number of canceled recoveries.
    func cancel(of user: UserID, since: Instant, how: RecoveryRequest.Ending) async throws -> Int {
        let now = clock.now
        return try await store.write { tables in
            try tables.recoveries.all(of: user).filter {
                $0.request.isCancelable(bySince: since, at: now)
            }
            .count { try tables.cancelRecovery($0, how, at: now) }
        }
    }

    /// Cancels recoveries for a device that proves, with its token, that the account signed in on
    /// it before the request.
    func cancel(deviceToken token: String, app: AppID) async throws -> Int {
        guard let (id, secret) = BearerSecret.parse(token, DeviceKind.self) else { return 0 }
        let hash = store.keys.hash(ofSecret: secret)
        guard let device = try await store.read({ try $0.devices.firstSeen(tokenHash: hash) }),
            device.device.id == id, device.device.app == app
        else {
            return 0
        }
        return try await cancel(of: device.device.account, since: device.at, how: .canceledByDevice)
    }

    fileprivate static func note(
        _ event: String, _ record: RecoveryRecord, _ tables: Tables,
        _ detail: [String: JSONValue] = [:], at now: Instant
    )
        throws
    {
        let all = detail.merging([
            "recovery": .string(record.id.text),
            "methods": .array(record.methods.map { .string($0) }),
        ]) { $1 }
        try tables.audit.append(
            AuditEvent(event, actor: "user", account: record.account, app: record.app, detail: all),
            at: now)
    }
}

extension Tables {
    /// - Returns: Whether this call canceled the recovery.
    func cancelRecovery(_ record: RecoveryRecord, _ how: RecoveryRequest.Ending, at now: Instant)
        throws -> Bool
    {
        guard record.request.isOpen(at: now), try recoveries.end(record.id, how, at: now) else {
            return false
        }
        try mailedLinks.end(.cancelRecovery, record.id.text, at: now)
        try RecoveryService.note(
            "recovery.canceled", record, self, ["how": .string(how.rawValue)], at: now)
        return true
    }
}

internal import Foundation
internal import MienAPI
internal import MienCore
internal import MienStore

/// Shows users what is stored about them, ends their sign-ins, and deletes their accounts.
package struct OwnAccountService: Sendable {
    /// The number of log entries in one answer.
    static let pageSize = 500

    let store: Store
    let notices: AuthenticatorNotices
    let clock: ServerClock

    // MARK: Sign-ins

    func signIns(of caller: Caller) async throws -> [OwnSignIn] {
        let now = clock.now, user = caller.account.id, current = caller.grant.id
        return try await store.read { tables in
            let names = try Dictionary(
                tables.apps.all().map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
            return try tables.grants.live(of: user, at: now).map { grant in
                OwnSignIn(
                    id: grant.id.text, appID: grant.app?.text,
                    appName: grant.app.flatMap { names[$0] },
                    methods: grant.methods, signedInAt: grant.signedInAt.milliseconds,
                    usedAt: grant.family.activeAt.milliseconds,
                    expiresAt: grant.family.expiresAt.milliseconds,
                    isCurrent: grant.id == current)
            }
        }
    }

    /// Ends one sign-in, possibly the caller's own.
    ///
    /// - Returns: Whether the user had it.
    func endSignIn(_ id: GrantID, by caller: Caller) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            guard let grant = try tables.grants.find(id), grant.account == caller.account.id else {
                return false
            }
            try tables.requireNoHold(before: grant.family.createdAt, by: caller, at: now)
            guard try tables.grants.revoke(id, of: caller.account.id, at: now) else {
                return false
            }
            try tables.noteEnd(of: [id], by: caller, at: now)
            try tables.withdrawUnusedPermissions(
                of: caller.account.id, apps: [grant.app].compactMap { $0 }, actor: "user", at: now)
            return true
        }
    }

    /// Ends every sign-in except the caller's, and those that were begun.
    func endOtherSignIns(of caller: Caller) async throws {
        let now = clock.now, user = caller.account.id, own = caller.grant.id
        try await store.write { tables in
            let others = try tables.grants.live(of: user, at: now).filter { $0.id != own }
            if let first = others.map(\.family.createdAt).min() {
                try tables.requireNoHold(before: first, by: caller, at: now)
            }
            _ = try tables.grants.revokeAll(of: user, except: own, at: now)
            try tables.accounts.endBegunSignIns(of: user, at: now)
            try tables.noteEnd(of: others.map(\.id), by: caller, at: now)
            try tables.withdrawUnusedPermissions(
                of: user, apps: others.compactMap(\.app), actor: "user", at: now)
        }
    }

    // MARK: Devices

    func devices(of account: AccountRecord) async throws -> [OwnDevice] {
        try await store.read { tables in
            try tables.devices.all(of: account).map { owned in
                OwnDevice(
                    id: owned.device.id.text, appID: owned.device.app.text,
                    name: owned.name?.use { $0 }, createdAt: owned.createdAt.milliseconds,
                    usedAt: owned.usedAt.milliseconds)
            }
        }
    }

    func rename(_ id: DeviceID, to name: Sensitive<String>, of account: AccountRecord)
        async throws -> Bool
    { try await store.write { try $0.devices.rename(id, to: name, of: account) } }

    func removeDevice(_ id: DeviceID, by caller: Caller) async throws -> Bool {
        let now = clock.now
        return try await store.write { tables in
            let devices = try tables.devices.all(of: caller.account)
            guard let owned = devices.first(where: { $0.device.id == id }) else { return false }
            try tables.requireNoHold(before: owned.createdAt, by: caller, at: now)
            guard try tables.devices.delete(id, of: caller.account.id) else { return false }
            try tables.audit.append(
                AuditEvent(
                    "device.removed", actor: "user", account: caller.account.id, app: caller.app,
                    detail: ["device": .string(id.text)]), at: now)
            return true
        }
    }

    // MARK: Data

    /// Returns everything stored about the user, with the first part of their activity.
    func data(of account: AccountRecord) async throws -> [String: JSONValue] {
        let now = clock.now
        let (sections, activity) = try await store.read { tables in
            (
                try tables.export.sections(of: account),
                try Self.activity(of: account.id, after: 0, tables)
            )
        }
        var data = sections
        data["exported_at"] = .number(Double(now.milliseconds))
        data["activity"] = try JSONDecoder().decode(
            JSONValue.self, from: JSONEncoder().encode(activity.items))
        data["activity_next"] = activity.next.map { .string($0) }
        return data
    }

    func activity(of user: UserID, after number: Int) async throws -> Page<OwnActivity> {
        try await store.read { try Self.activity(of: user, after: number, $0) }
    }

    private static func activity(of user: UserID, after number: Int, _ tables: Tables) throws
        -> Page<OwnActivity>
    {
        let entries = try tables.audit.page(after: number, count: pageSize, account: user)
        return Page(
            items: entries.map { entry in
                OwnActivity(
                    number: entry.number, at: entry.at.milliseconds, event: entry.event.event,
                    actor: entry.event.actor, appID: entry.event.app?.text,
                    detail: entry.event.detail)
            }, next: entries.count == pageSize ? entries.last.map { "\($0.number)" } : nil)
    }

    /// Deletes the account and everything that belongs to it, and mails a confirmation.
    func delete(_ account: AccountRecord, app: AppID, by standing: SignInStanding) async throws {
        let now = clock.now
        let mail = notices.mail
        try await store.write { tables in
            try standing.require(in: tables)
            try tables.deleteAccount(account.id, actor: "user", app: app, at: now)
            guard let address = account.noticeAddress else { return }
            try mail.post(
                Mail(
                    to: address, subject: "Your account was deleted",
                    body: Sensitive(
                        "Your account and all data stored with it were deleted on \(now.noticeText), as you asked."
                    )), through: .notices, in: tables, at: now)
        }
    }
}

extension Tables {
    /// Deletes an account and tells the apps whose sign-ins end with it.
    ///
    /// - Returns: Whether the account existed.
    @discardableResult
    func deleteAccount(_ id: UserID, actor: String, app: AppID? = nil, at now: Instant) throws
        -> Bool
    {
        _ = try grants.revokeAll(of: id, at: now)
        guard try accounts.delete(id) else { return false }
        try audit.append(AuditEvent("user.deleted", actor: actor, account: id, app: app), at: now)
        return true
    }

    /// Keeps the sign-ins and devices that can cancel a pending recovery. A thief who signed in
    /// after requesting one must not remove them.
    ///
    /// - Parameter time: When the sign-in or device became known.
    /// - Throws: ``Problem`` `.conflict`.
    fileprivate func requireNoHold(before time: Instant, by caller: Caller, at now: Instant) throws
    {
        let own = caller.grant.family.createdAt
        let isHeld = try recoveries.all(of: caller.account.id).contains {
            $0.request.isCancelable(bySince: time, at: now)
                && !$0.request.isCancelable(bySince: own, at: now)
        }
        guard !isHeld else {
            throw Problem(
                .conflict,
                "A recovery that is older than this sign-in is pending, and this can cancel it. Cancel the recovery first, or wait until it has ended."
            )
        }
    }

    fileprivate func noteEnd(of grants: [GrantID], by caller: Caller, at now: Instant) throws {
        for grant in grants {
            try audit.append(
                AuditEvent(
                    "tokens.revoked", actor: "user", account: caller.account.id, app: caller.app,
                    detail: ["grant": .string(grant.text)]), at: now)
        }
    }
}

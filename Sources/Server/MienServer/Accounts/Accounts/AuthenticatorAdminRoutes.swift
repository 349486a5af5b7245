package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienStore

/// The routes of the admin API for users' authenticators and their locks.
package struct AuthenticatorAdminRoutes {
    let store: Store
    let apps: AppCatalog
    let records: AdminRecords
    let clock: ServerClock

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("users/:user/authenticators") { _, context in
            let account = try await records.user(context), now = clock.now
            let found = try await store.read { tables in
                try tables.authenticators.all(of: account).map { record in
                    (
                        record, try tables.locks.lock(of: record, device: nil),
                        try tables.locks.devices(of: record.lockSubject)
                    )
                }
            }
            var items: [AuthenticatorAnswer] = []
            for (record, lock, devices) in found {
                let policy = try await apps.lockPolicy(for: record.type, app: record.app)
                items.append(Self.answer(record, lock, devices, policy, at: now))
            }
            return JSONBody.response(Page(items: items))
        }
        router.delete("users/:user/authenticators/:authenticator") { _, context in
            try await change("authenticator.removed", context) { record, tables, now in
                try tables.withdrawSharing(of: record, at: now)
                _ = try tables.removeAuthenticator(record, at: now)
            }
        }
        router.post("users/:user/authenticators/:authenticator/unlock") { _, context in
            try await change("authenticator.unlocked", context) { record, tables, _ in
                _ = try tables.locks.release(record, by: .administrator)
            }
        }
        router.post("users/:user/authenticators/:authenticator/lock") { _, context in
            try await change("authenticator.locked", context) { record, tables, now in
                _ = try tables.grants.revokeAll(by: record.id, at: now)
                try tables.locks.hold(record.id, by: .administrator)
            }
        }
    }

    /// Changes the authenticator that the address names, with an entry in the audit log.
    private func change(
        _ name: String, _ context: MienRequestContext,
        _ body: @escaping @Sendable (AuthenticatorRecord, Tables, Instant) throws -> Void
    ) async throws -> Response {
        let account = try await records.user(context), now = clock.now, actor = context.actor
        let id = try AuthenticatorID(
            context.parameters.require("authenticator"), field: "authenticator")
        try await store.write { tables in
            guard let record = try tables.authenticators.find(id, of: account) else {
                throw Problem(.notFound, "This user has no such authenticator.")
            }
            try body(record, tables, now)
            try tables.audit.append(Self.event(name, actor, account, record), at: now)
        }
        return Response(status: .noContent)
    }

    // MARK: Wire format

    private static func event(
        _ event: String, _ actor: String, _ account: AccountRecord, _ record: AuthenticatorRecord
    ) -> AuditEvent {
        AuditEvent(
            event, actor: actor, account: account.id, app: record.app,
            detail: [
                "authenticator": .string(record.id.text), "type": .string(record.type.rawValue),
            ])
    }

    private static func answer(
        _ record: AuthenticatorRecord, _ lock: AuthenticatorLock,
        _ devices: [(device: DeviceID, counter: LockCounter)], _ policy: LockPolicy,
        at now: Instant
    ) -> AuthenticatorAnswer {
        let (state, until) = wire(lock.statusOfUnknownDevices(under: policy, at: now))
        let holder = LockHolder.allCases.first { lock.holders.contains($0) }
        return AuthenticatorAnswer(
            id: record.id.text, type: .known(record.type), appID: record.app?.text,
            lock: .known(state), lockedUntil: until,
            lockedBy: holder.map { .init(rawValue: $0.rawValue) }
                ?? (state == .open ? nil : .known(.failures)),
            failures: lock.unknownDevices.failures, totalFailures: lock.total,
            devices: devices.map { id, counter in
                let own = AuthenticatorLock(
                    total: counter.failures, device: counter, holders: lock.holders)
                let (state, until) = wire(own.status(under: policy, at: now))
                return DeviceLockAnswer(
                    id: id.text, lock: .known(state), lockedUntil: until,
                    failures: counter.failures)
            }, info: record.info, createdAt: record.createdAt.milliseconds,
            updatedAt: record.updatedAt.milliseconds)
    }

    private static func wire(_ status: LockCounter.Status) -> (lock: LockState, until: Int64?) {
        switch status {
        case .open: (.open, nil)
        case .locked(let end): (.locked, end.milliseconds)
        case .disabled: (.disabled, nil)
        }
    }
}

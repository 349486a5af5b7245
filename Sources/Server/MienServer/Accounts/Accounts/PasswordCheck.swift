package import MienCore
package import MienStore

/// Checks a password behind the lock gate. Every refusal takes as long as a check.
package struct PasswordCheck: Sendable {
    let store: Store
    let gate: LockGate
    let passwords: PasswordService
    /// The step at which refusals are answered.
    let pace: PasswordPace
    let clock: ServerClock

    package enum Judgment: Sendable {
        case accepted(AuthenticatorID)
        /// - Parameters:
        ///   - hasPassword: Whether the account has a password.
        ///   - isLocked: Whether the gate is closed for this caller.
        case refused(hasPassword: Bool, isLocked: Bool, isJudged: Bool)
    }

    /// - Parameters:
    ///   - account: `nil` for an unknown user.
    ///   - device: The calling device, if it is one of the account's.
    ///   - share: The client that the work is queued for.
    ///   - hold: How long a refusal keeps its thread: ``PasswordPace``.
    /// - Throws: ``ServerBusy`` if this share has no room in the queue.
    package func judge(
        _ password: Sensitive<String>, of account: AccountRecord?, device: DeviceID?,
        for share: WorkShare, refusingAfter hold: Duration? = nil
    ) async throws -> Judgment {
        // Check for room before the gate writes, so that a client that fills this queue does not
        // fill the database's queue as well.
        try passwords.requireRoom(for: share)
        let authenticator = try await account.asyncMap { account in
            try await store.read { try $0.authenticators.find(.password, of: account, app: nil) }
        }
        guard let account, let authenticator = authenticator ?? nil else {
            try await gate.pretend()
            _ = try await passwords.verify(
                password, against: nil, for: share, refusingAfter: hold)
            return .refused(hasPassword: false, isLocked: false, isJudged: false)
        }
        let hash = authenticator.content.use { Sensitive(String(decoding: $0, as: UTF8.self)) }
        guard let pass = try await gate.begin(authenticator, device: device) else {
            // Take as long as a checked guess, but do not check the password.
            try await gate.pretend()
            _ = try await passwords.verify(
                password, against: nil, for: share, refusingAfter: hold)
            return .refused(hasPassword: true, isLocked: true, isJudged: false)
        }
        let isRight: Bool
        do {
            isRight = try await passwords.verify(
                password, against: hash, for: share, refusingAfter: hold)
        } catch {
            try await gate.abandon(pass)
            throw error
        }
        guard isRight else {
            return .refused(hasPassword: true, isLocked: false, isJudged: true)
        }
        try await gate.succeed(pass)
        if passwords.isOutdated(hash) {
            try await rehash(password, authenticator, of: account, for: share)
        }
        return .accepted(authenticator.id)
    }

    /// Replaces a hash that was made at another cost, or by another product.
    private func rehash(
        _ password: Sensitive<String>, _ authenticator: AuthenticatorRecord,
        of account: AccountRecord, for share: WorkShare
    ) async throws {
        let new = try await passwords.hash(password, for: share), now = clock.now
        do {
            try await store.write { tables in
                var changed = authenticator
                changed.content = Sensitive(Array(new.utf8))
                changed.info["imported"] = nil
                try tables.authenticators.update(changed, of: account, at: now)
            }
        } catch let error as StoreError where error.code == .stale {
            // The password was changed in the meantime. Keep the newer one.
        }
    }
}

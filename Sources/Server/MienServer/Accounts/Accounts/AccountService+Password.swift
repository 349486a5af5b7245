internal import MienAPI
package import MienCore
internal import MienStore

/// New passwords that users set themselves.
extension AccountService {
    /// The result of setting a password.
    package enum PasswordAnswer: Sendable, Hashable {
        /// The password is set. The account's new epoch has begun.
        case set(epoch: Int)
        /// The sign-in has ended, or the account is not active.
        case ended
        /// There is a password, and the sign-in does not suffice to replace it.
        case weak
        /// An administrator or a journey has locked the password.
        case locked
    }

    /// Sets or replaces a password, ends every sign-in except the one that sets it, and mails a
    /// notice.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in that sets the password. Its grant stays.
    ///   - device: The known device that sets the password. It stays known.
    ///   - mayReplace: Whether an existing password may be replaced.
    ///   - share: The client that hashing is queued for.
    /// - Throws: ``Problem`` `.invalidRequest` that says which rule the password breaks;
    ///   `.tooManyRequests` if too many authenticators were added.
    package func setPassword(
        _ password: Sensitive<String>, by signIn: SignInStanding, device: DeviceID?,
        mayReplace: Bool, app: AppID, actor: String, for share: WorkShare
    ) async throws -> PasswordAnswer {
        let user = signIn.account
        guard let account = try await store.read({ try $0.accounts.find(user) }) else {
            return .ended
        }
        let profile = account.profile.use { $0 }
        let names = try (names(of: profile) + [claimedName(of: profile)].compactMap { $0 })
            .map(\.normal)
        let hash = try await hash(password, names: names, for: share)
        let now = clock.now, notice = notices.draft()
        var generator = SystemRandomNumberGenerator()
        let id = AuthenticatorID.random(using: &generator)
        return try await store.write { tables -> PasswordAnswer in
            // Hashing took time. The sign-in may have ended meanwhile.
            guard let account = try tables.accounts.find(user), account.state.takesAuthenticators,
                try signIn.holds(in: tables)
            else { return .ended }
            if let old = try tables.authenticators.find(.password, of: account, app: nil) {
                guard mayReplace else { return .weak }
                // A new password does not lift a lock.
                guard try !tables.locks.isHeld(old.id) else { return .locked }
            }
            let record = try tables.setPassword(hash, of: account, id: id, at: now)
            // Failures against the old password say nothing about the new one.
            try tables.locks.forgetFailures(of: record.lockSubject)
            let epoch = try tables.accounts.endSignIns(
                of: user, keeping: KeptSignIn(grant: signIn.grant, device: device), at: now)
            try tables.audit.append(
                AuditEvent("password.registered", actor: actor, account: user, app: app), at: now)
            try notice.store(about: record, of: account, app: app, in: tables, at: now)
            return .set(epoch: epoch)
        }
    }
}

extension Tables {
    /// Stores the hash of a new password in place of the old one, if there is one.
    ///
    /// - Parameter id: The ID of a first password.
    func setPassword(
        _ hash: String, of account: AccountRecord, id: AuthenticatorID, at now: Instant
    ) throws -> AuthenticatorRecord {
        if var old = try authenticators.find(.password, of: account, app: nil) {
            old.content = Sensitive(Array(hash.utf8))
            old.info["imported"] = nil
            try authenticators.update(old, of: account, at: now)
            return old
        }
        let new = AuthenticatorRecord(
            id: id, account: account.id, type: .password, app: nil, content: Array(hash.utf8),
            createdAt: now)
        try authenticators.insert(new, of: account)
        return new
    }
}

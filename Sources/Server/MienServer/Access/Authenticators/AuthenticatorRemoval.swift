internal import MienAPI
package import MienCore
package import MienStore

extension Tables {
    /// Removes an authenticator, locked or not, and ends the sign-ins that used it.
    ///
    /// - Parameter actor: The one who removes it, for the audit log.
    /// - Returns: Whether the account had the authenticator.
    package func removeAuthenticator(
        _ id: AuthenticatorID, of account: AccountRecord, actor: String,
        detail: [String: JSONValue] = [:], at now: Instant
    ) throws -> Bool {
        guard let record = try authenticators.find(id, of: account),
            try removeAuthenticator(record, at: now)
        else { return false }
        try withdrawSharing(of: record, at: now)
        let all = detail.merging(["authenticator": .string(id.text)]) { $1 }
        try audit.append(
            AuditEvent(
                "\(record.type.rawValue).removed", actor: actor, account: account.id,
                app: record.app, detail: all), at: now)
        return true
    }

    /// Ends the consent under which apps shared a face that is removed: the next face is shared only
    /// if the person reads again with which apps.
    func withdrawSharing(of face: AuthenticatorRecord, at now: Instant) throws {
        guard face.type == .face, let group = FaceGroupID(space: face.app) else { return }
        _ = try consents.withdraw(
            of: face.account, app: group.space, purpose: FaceSharing.purpose, at: now)
    }

    /// Removes an authenticator and ends the sign-ins it produced, without an entry in the audit
    /// log.
    ///
    /// - Returns: whether it was there.
    package func removeAuthenticator(_ record: AuthenticatorRecord, at now: Instant) throws -> Bool
    {
        if record.type == .password {
            // A thief who set the password may have signed in anywhere, so end all sign-ins, on
            // known devices, too.
            try accounts.endSignIns(of: record.account, at: now)
        } else {
            _ = try grants.revokeAll(by: record.id, at: now)
        }
        return try authenticators.delete(record.id, of: record.account)
    }

    /// Replaces an authenticator with a new one and ends the sign-ins that the old one produced.
    /// The lock gate's counts stay, because they belong to the account and the method.
    ///
    /// - Parameter grant: The sign-in that replaces it. If it used the old one, it now rests on the
    ///   new one.
    package func replaceAuthenticator(
        _ old: AuthenticatorRecord, with new: AuthenticatorRecord, of account: AccountRecord,
        keeping grant: GrantID?, at now: Instant
    ) throws {
        try authenticators.insert(new, of: account)
        if let grant { try grants.replace(old.id, with: new.id, in: grant) }
        guard try removeAuthenticator(old, at: now) else {
            throw StoreError(.stale, "the authenticator to replace is no longer there")
        }
    }
}

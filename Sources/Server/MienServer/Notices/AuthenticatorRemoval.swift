internal import MienAccess
internal import MienCore
internal import MienStore

extension Tables {
    /// Removes an authenticator, locked or not, and ends the sign-ins that used it.
    ///
    /// - Parameter actor: The one who removes it, for the audit log.
    /// - Returns: Whether the account had the authenticator.
    func removeAuthenticator(
        _ id: AuthenticatorID, of account: AccountRecord, actor: String,
        detail: [String: JSONValue] = [:], at now: Instant
    ) throws -> Bool {
        guard let record = try authenticators.find(id, of: account) else { return false }
        if record.type == .password {
            // A thief who set the password may have signed in anywhere, so end all sign-ins, on
            // known devices, too.
            try accounts.endSignIns(of: account.id, at: now)
        } else {
            _ = try grants.revokeAll(by: id, at: now)
        }
        guard try authenticators.delete(id, of: account.id) else { return false }
        let all = detail.merging(["authenticator": .string(id.text)]) { $1 }
        try audit.append(
            AuditEvent(
                "\(record.type.rawValue).removed", actor: actor, account: account.id,
                app: record.app, detail: all), at: now)
        return true
    }
}

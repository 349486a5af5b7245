internal import MienAPI
internal import MienCore
internal import MienStore

/// Storing a new sign-in, in the transaction that checks what it rests on.
extension Tables {
    /// The active user of a proof; `nil` if the password changed since, or the account was
    /// suspended or compromised.
    func account(_ id: UserID, ofEpoch epoch: Int) throws -> AccountRecord? {
        guard let account = try accounts.find(id), account.state == .active,
            account.epoch == epoch
        else { return nil }
        return account
    }

    /// Stores a sign-in, with an entry in the audit log.
    ///
    /// - Returns: `false` if an authenticator that it used was removed or locked, or is a face that is
    ///   not shared with the app, or not any longer: it proves nothing.
    func insert(
        _ grant: TokenGrantRecord, epoch: Int, _ event: String, actor: String, at now: Instant
    ) throws -> Bool {
        let standing = SignInStanding(
            account: grant.account, epoch: epoch, authenticators: grant.authenticators)
        guard try standing.areUsable(in: self) else { return false }
        if let app = grant.app {
            guard try mayUse(grant.authenticators, of: grant.account, in: app) else { return false }
        }
        if let key = grant.authenticator {
            // A device key has one sign-in at a time, so end the previous one. A passkey may be on
            // many devices.
            if try deviceKeys.find(key) != nil {
                _ = try grants.revokeSignIns(byDeviceKey: key, at: now)
            } else {
                guard try passkeys.find(key) != nil else { return false }
            }
        }
        try grants.insert(grant)
        var detail: [String: JSONValue] = [
            "grant": .string(grant.id.text),
            "methods": .array(grant.methods.map { .string($0) }),
        ]
        detail["organization"] = grant.organization.map { .string($0.text) }
        try audit.append(
            AuditEvent(event, actor: actor, account: grant.account, app: grant.app, detail: detail),
            at: now)
        return true
    }

    /// The mark of the browser that led to a sign-in; `nil` if none did.
    ///
    /// - Throws: ``OAuthError`` `invalid_grant` if the browser signed out meanwhile.
    func browserMark(of signIn: SignIn) throws -> [UInt8]? {
        guard let id = signIn.browser else { return nil }
        guard let browser = try grants.find(id), browser.account == signIn.account,
            browser.app == nil, let mark = browser.browserMark
        else { throw GrantService.refused }
        // A new sign-in of the same user may have taken its place.
        if browser.family.revokedAt != nil {
            let live = try grants.all(of: signIn.account, inBrowser: mark, atMost: 1)
            guard live.contains(where: { $0.app == nil }) else { throw GrantService.refused }
        }
        return mark
    }
}

internal import MienAPI
internal import MienCore
internal import MienJourney
internal import MienStore

/// Email codes.
extension EffectPerformer {
    func sendCode(_ user: UserReference, length: Int, seconds: Int, _ context: EffectContext)
        async throws -> EffectAnswer
    {
        var generator = SystemRandomNumberGenerator()
        let codeID = CodeID.random(using: &generator)
        let code = (0..<length).map { _ in String(Int.random(in: 0...9, using: &generator)) }
            .joined()
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .emailCode, context) ? found : nil
        let address: String?
        if let account, account.state == .pending {
            address = try await signUps.codeAddress(of: account)
        } else {
            // Counted alike for unknown names. Nobody but the owner sees whether a mail was sent.
            let mayMail =
                try await codeMails.take(account?.id.text ?? nameKey(user, context)) == nil
            address = mayMail ? account?.profile.use { $0.email } : nil
        }
        let now = clock.now, app = context.app.id, appName = context.app.name.isolated
        // Anyone can start sign-ups, so their audit entries name no account and are counted
        // together.
        let noted = account?.state == .pending ? nil : account?.id
        let authenticatorID = AuthenticatorID.random(using: &generator)
        let email = Mail(
            to: Sensitive(address ?? "nobody@example.invalid"),
            subject: "Your code for \(appName)",
            body: Sensitive(
                """
                Your code is \(code)

                It is valid for \(seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes") and for one sign-in at \(appName).
                If you did not request it, somebody else entered your address. You need not do anything.
                """))
        // Unknown users get the same writes, so that the response takes as long: a code that is
        // never mailed, and an audit entry without an account.
        try await store.write { [self] tables in
            var authenticator: AuthenticatorID?
            if let account, address != nil || account.state == .pending {
                authenticator = try tables.authenticators.find(.emailCode, of: account, app: nil)?
                    .id
                if authenticator == nil {
                    authenticator = authenticatorID
                    try tables.authenticators.insert(
                        AuthenticatorRecord(
                            id: authenticatorID, account: account.id, type: .emailCode, app: nil,
                            content: [], createdAt: now),
                        of: account)
                }
            }
            // An address or a name that changed meanwhile is not the one in `account`, so that the
            // code opens nothing.
            let hash = codeHash(
                code, codeID, account.map { Self.subject(of: $0, by: authenticator) })
            try tables.codes.put(
                codeID.text, hash: hash, of: account?.id, expiresAt: now + .seconds(seconds))
            try tables.audit.count(
                AuditEvent(
                    address == nil ? "code.not-sent" : "code.sent", actor: "journey",
                    account: noted, app: app), at: now)
            if address == nil {
                try mail.pretend(email, in: tables, at: now)
            } else {
                try mail.post(email, about: account?.id, in: tables, at: now)
            }
        }
        return .codeSent(codeID)
    }

    func check(
        _ code: CodeID, _ user: UserReference, _ passcode: Sensitive<String>,
        _ context: EffectContext
    ) async throws -> EffectAnswer {
        let now = clock.now
        let found = try await account(user, context),
            account = try await mayGuess(user, found, .emailCode, context) ? found : nil
        let authenticator = try await account.asyncMap { account in
            try await store.read { try $0.authenticators.find(.emailCode, of: account, app: nil) }
        }
        let subject = account.map { Self.subject(of: $0, by: (authenticator ?? nil)?.id) }
        let hash = passcode.use { codeHash(TypedCode.normal($0), code, subject) }
        var pass: LockGate.Pass?
        if let account, let authenticator = authenticator ?? nil {
            pass = try await gate.begin(authenticator, device: context.device(of: account.id))
        }
        // Unknown users have a code as well, but it is never sent, and guessing it opens nothing.
        if pass == nil { try await gate.pretend() }
        let use = stepUse(of: hash, context), until = context.endsAt ?? now, isJudged = pass != nil
        let accepted = account.map {
            AuditEvent("email_code.accepted", actor: "journey", account: $0.id, app: context.app.id)
        }
        let isRight = try await store.write(.always) { tables in
            guard try tables.codes.take(code.text, hash: hash, attempts: Self.codeAttempts, at: now)
            else {
                return try tables.spent.contains(.step, use)
            }
            guard isJudged, let accepted else { return true }
            try tables.audit.append(accepted, at: now)
            return try tables.spent.spend(.step, use, until: until)
        }
        guard isRight, let account, let authenticator = authenticator ?? nil, let pass else {
            // The lock gate limits guesses at one account, but not across all the sign-ups that a
            // stranger can start.
            let judged = account?.state == .active ? account?.id : nil
            return try await refuse(
                .emailCode, judged, context, isJudged: judged != nil && pass != nil)
        }
        try await gate.succeed(pass)
        if account.state == .pending { try await signUps.proveEmail(of: account.id) }
        countAccepted(.emailCode)
        return .authenticated(
            account.id, amr: [AuthenticatorType.emailCode.method],
            by: AuthenticatorUse(authenticator.id, epoch: account.epoch))
    }

    /// Returns a keyed hash of a code together with what it proves.
    private func codeHash(_ code: String, _ id: CodeID, _ subject: String?) -> [UInt8] {
        store.keys.hash(ofSecret: Array("code \(id.text) \(code) \(subject ?? "")".utf8))
    }

    /// Names what a mailed code proves: access to one address of one account, as both are now.
    ///
    /// A name can pass to another account, and an address to another mailbox, while a code waits.
    /// The authenticator is another one after the address was replaced, even by the same.
    private static func subject(of account: AccountRecord, by authenticator: AuthenticatorID?)
        -> String
    {
        let address = account.profile.use {
            account.state == .pending ? $0.claimedEmail : $0.email
        }
        let mailbox = address.map { String(decoding: Mailbox($0).bytes, as: UTF8.self) }
        return
            "\(account.id.text) \(account.epoch) \(account.state.rawValue) \(authenticator?.text ?? "") \(mailbox ?? "")"
    }
}

internal import Foundation
internal import MienAPI
package import MienCore
package import MienStore

/// Turns a journey's pending account into an active one, or deletes it.
///
/// A stranger cannot tell whether a name or an address is taken: the writes and the prompts are the
/// same, and only the people concerned get mail.
package struct SignUpService: Sendable {
    let accounts: AccountService
    let mail: MailService
    /// Limits the codes and notices mailed to one address.
    private let codes: RateLimit
    private let notices = TokenBucket.Rate(burst: 3, perMinute: 1)

    package init(accounts: AccountService, mail: MailService) {
        (self.accounts, self.mail) = (accounts, mail)
        codes = RateLimit(
            "sign-up-codes", .init(burst: 10, perMinute: 2), store: accounts.store,
            clock: accounts.clock)
    }

    private var store: Store { accounts.store }

    /// Creates the pending account.
    ///
    /// If the user name or external ID is taken, the account is a decoy that holds no name. The
    /// owner of a taken name or address is notified by mail.
    /// - Parameters:
    ///   - end: When the account is removed unless its journey has completed.
    ///   - isTest: Whether an administrator tries the journey: then the account is a test account,
    ///     and a taken name is refused instead of notifying its owner.
    /// - Throws: ``Problem`` `.invalidRequest` for values that no account can have, taken or not.
    package func begin(
        _ user: AccountProfile, password: Sensitive<String>?, app: AppRecord, until end: Instant,
        isTest: Bool = false
    ) async throws -> UserID {
        var user = user
        let names = try accounts.names(of: user), claimed = try accounts.claimedName(of: user)
        try Self.check(user)
        // Mail the code to the normalized address, which is the one that will be attached.
        // “ªda@example.org” compares equal to “ada@example.org” but may be another mailbox.
        if let claimed, let typed = user.claimedEmail, !typed.utf8.allSatisfy({ $0 < 0x80 }) {
            user.claimedEmail = claimed.normal
        }
        let wanted = user
        guard !names.isEmpty || claimed != nil else {
            throw Problem(
                .invalidRequest,
                errors: [
                    .init(
                        field: "username",
                        message: "is required unless there is an external ID or an email address")
                ])
        }
        try accounts.checkAttributes(user.attributes)
        let hash = try await password.asyncMap {
            try await accounts.hash(
                $0, names: (names + [claimed].compactMap { $0 }).map(\.normal), for: .stranger())
        }
        let now = accounts.clock.now, keys = store.keys
        var generator = SystemRandomNumberGenerator()
        let id = UserID.random(using: &generator),
            authenticatorID = AuthenticatorID.random(using: &generator)
        try await store.write { tables in
            let holders = try names.compactMap { try tables.accounts.holder(of: $0, at: now) }
            let owner = try claimed.flatMap { try tables.accounts.holder(of: $0, at: now) }
            guard !isTest || (holders.isEmpty && owner == nil) else { throw Self.nameIsTaken }
            var profile = wanted
            profile.signUp = SignUp(isDecoy: !holders.isEmpty)
            let account = AccountRecord.new(
                id, profile, keys: keys, at: now, pendingUntil: end, isTest: isTest)
            if holders.isEmpty {
                try tables.accounts.insert(account, names: names)
            } else {
                try tables.accounts.insertNameless(account, inPlaceOf: names)
            }
            if let hash {
                try tables.authenticators.insert(
                    AuthenticatorRecord(
                        id: authenticatorID, account: id, type: .password, app: nil,
                        content: Array(hash.utf8), createdAt: now),
                    of: account.record)
            }
            // Counted rather than listed, because anyone can start sign-ups. A completed sign-up
            // gets its own entry.
            try tables.audit.count(
                AuditEvent(
                    "sign-up.started", actor: "journey", app: app.id,
                    detail: ["is_decoy": .bool(!holders.isEmpty)]), at: now)
            let notices = try Notice.all(
                claimed: wanted.claimedEmail, holders: holders, owner: owner, tables)
            for notice in notices { try post(notice, app: app, in: tables, at: now) }
        }
        return id
    }

    private static let nameIsTaken = Problem(
        .conflict, "Another account has this name. Try another one.")

    /// Rejects an external ID that looks like an email address. The account would be found by that
    /// address and keep the owner of the address from verifying it.
    private static func check(_ user: AccountProfile) throws {
        guard let id = user.externalID, (try? LoginName(id, kind: .email)) != nil else { return }
        throw Problem(
            .invalidRequest,
            errors: [
                .init(
                    field: LoginName.Kind.externalID.rawValue,
                    message: "must not be an email address at sign-up")
            ])
    }

    /// Returns the address that this pending account's code is mailed to, or `nil` if the address
    /// is in use or the sign-up is a decoy.
    package func codeAddress(of account: AccountRecord) async throws -> String? {
        let (signUp, address) = account.profile.use { ($0.signUp, $0.claimedEmail) },
            now = accounts.clock.now
        guard let signUp, let address, let name = try? LoginName(address, kind: .email) else {
            return nil
        }
        let holder = try await store.read {
            try $0.accounts.holder(of: name, except: account.id, at: now)
        }
        // Count taken addresses as well, so that nobody can flood another person's mailbox.
        let mayMail = try await codes.take(Self.normal(address)) == nil
        return mayMail && signUp.mailsCode(isEmailTaken: holder != nil) ? address : nil
    }

    /// Records that a code mailed to the claimed address was entered.
    package func proveEmail(of id: UserID) async throws {
        let now = accounts.clock.now
        try await store.write { tables in
            guard var account = try tables.accounts.find(id), account.state == .pending else {
                return
            }
            var profile = account.profile.use { $0 }
            profile.signUp?.proveEmail()
            account.profile = Sensitive(profile)
            try tables.accounts.updateRow(account, at: now)
        }
    }

    /// Activates the account of a completed journey, with the address that it proved.
    ///
    /// - Returns: `false` if the account cannot become active. In that case it is deleted.
    package func complete(_ id: UserID, app: AppID) async throws -> Bool {
        let now = accounts.clock.now
        return try await store.write { tables in
            guard var account = try tables.accounts.find(id) else { return false }
            guard account.state == .pending else { return account.state == .active }
            var profile = account.profile.use { $0 }
            let claimed = profile.claimedEmail.flatMap { try? LoginName($0, kind: .email) }
            let ending = profile.signUp?.ending(
                .init(
                    hasName: profile.username != nil || profile.externalID != nil,
                    isEmailTaken: try claimed.flatMap {
                        try tables.accounts.holder(of: $0, except: id, at: now)
                    } != nil,
                    isExpired: account.expiresAt.map { $0 <= now } ?? true))
            guard case .active(let attachesEmail) = ending else {
                _ = try tables.accounts.delete(id)
                return false
            }
            if attachesEmail { (profile.email, profile.claimedEmail) = (profile.claimedEmail, nil) }
            profile.signUp = nil
            (account.profile, account.state, account.expiresAt) = (Sensitive(profile), .active, nil)
            try tables.accounts.update(account, names: profile.names(), at: now)
            try tables.audit.append(
                AuditEvent(
                    "user.created", actor: "journey", account: id, app: app,
                    detail: ["email_verified": .bool(attachesEmail)]), at: now)
            return true
        }
    }

    /// Deletes the pending account of a rejected journey and frees its name.
    package func abandon(_ id: UserID) async throws {
        try await store.write { tables in
            guard try tables.accounts.find(id)?.state == .pending else { return }
            _ = try tables.accounts.delete(id)
        }
    }
}

extension SignUpService {
    /// A mail about a taken name or address.
    private enum Notice: Sendable {
        /// To the owner of the address that was typed.
        case addressInUse(Sensitive<String>)
        /// To the owner of the user name that was typed.
        case nameTried(Sensitive<String>)
        /// To the address that was typed, if it is free, because the user name is taken.
        case nameTaken(Sensitive<String>)

        static func all(claimed: String?, holders: [UserID], owner: UserID?, _ tables: Tables)
            throws -> [Notice]
        {
            var notices: [Notice] = []
            if let claimed, owner != nil {
                notices.append(.addressInUse(Sensitive(claimed)))
            } else if let claimed, !holders.isEmpty {
                notices.append(.nameTaken(Sensitive(claimed)))
            }
            for holder in Set(holders) where holder != owner {
                guard let account = try tables.accounts.find(holder), account.state == .active,
                    let address = account.profile.use({ $0.email })
                else { continue }
                notices.append(.nameTried(Sensitive(address)))
            }
            return notices
        }

        var address: Sensitive<String> {
            switch self {
            case .addressInUse(let address), .nameTried(let address), .nameTaken(let address):
                address
            }
        }

        func text(_ app: String) -> String {
            switch self {
            case .addressInUse:
                """
                Someone tried to sign up at \(app) with this address, which already has an account.

                If it was you, sign in, or recover access to your account. If it was not, you need not do anything: no account was created.
                """
            case .nameTried:
                """
                Someone tried to sign up at \(app) with your user name.

                If it was you, sign in with your existing account. If it was not, you need not do anything: the name stays yours.
                """
            case .nameTaken:
                """
                You started to sign up at \(app), but the user name you chose is taken. No code will come for this sign-up.

                Start again and choose another user name. If it was not you, you need not do anything.
                """
            }
        }
    }

    /// The form in which the spellings of an address are the same.
    private static func normal(_ address: String) -> String {
        (try? LoginName(address, kind: .email))?.normal ?? address
    }

    private func post(_ notice: Notice, app: AppRecord, in tables: Tables, at now: Instant) throws {
        let limit = RateLimit("sign-up-notices", notices, store: store, clock: accounts.clock)
        guard try limit.take(notice.address.use(Self.normal), in: tables, at: now) == nil else {
            return
        }
        let name = app.name.isolated
        try mail.post(
            Mail(
                to: notice.address, subject: "Sign-up at \(name)",
                body: Sensitive(notice.text(name))), in: tables, at: now)
    }
}

internal import Crypto
internal import MienAPI
package import MienCore
internal import MienIdentity
package import MienStore

/// The text that users consent to before their identity is verified.
package struct IdentityConsentText: Sendable {
    package let content: String
    package let language: String
    /// Identifies the text: changes with it.
    package let version: String

    package init(_ content: String, language: String = "en") {
        (self.content, self.language) = (content, language)
        version =
            "identity-"
            + Base64URL.encode(Array(SHA256.hash(data: Array(content.utf8)).prefix(9)))
    }

    /// The maximum length of an operator's own text in bytes.
    package static let maxBytes = 20_000

    package static func standard(retentionDays: Int, documents: Bool) -> IdentityConsentText {
        let what =
            documents
            ? "your name, address, and date of birth, and pictures of your document and face,"
            : "your name, address, and date of birth"
        return IdentityConsentText(
            """
            To verify your identity, \(what) are compared with trusted sources. People who \
            review unclear cases can see them. They are stored encrypted and erased after \
            \(retentionDays) days. What was checked, when, and with which result is kept. You can \
            withdraw your consent at any time; your data is then erased at once.
            """)
    }
}

extension IdentityService {
    /// The text that users of an app consent to.
    package func consentText(in app: AppID) async throws -> IdentityConsentText {
        let settings = try await store.read { try $0.apps.find(app)?.settings.identity }
        return consentText(settings)
    }

    func consentText(_ settings: IdentitySettings?) -> IdentityConsentText {
        rules.consentText
            ?? .standard(retentionDays: retentionDays(settings), documents: documents != nil)
    }

    /// The standard text of a deployment that checks documents, and the days that it names; `nil` if
    /// another text applies.
    func standardConsent(_ settings: IdentitySettings?) -> (content: String, retentionDays: Int)? {
        guard rules.consentText == nil, documents != nil else { return nil }
        return (consentText(settings).content, retentionDays(settings))
    }

    private func retentionDays(_ settings: IdentitySettings?) -> Int {
        settings?.retentionDays ?? rules.retentionDays
    }

    /// Returns the newest consent, withdrawn or not.
    package func consent(of user: UserID, in app: AppID) async throws -> ConsentRecord? {
        try await store.read { tables in
            let purpose = IdentityRules.consentPurpose
            return try tables.consents.current(of: user, app: app, purpose: purpose)
                ?? tables.consents.all(of: user).last { $0.app == app && $0.purpose == purpose }
        }
    }

    /// Records a consent. One to the same text that is in effect stays as it is.
    ///
    /// - Returns: `false` if the text is not the current one.
    package func provideConsent(to version: String, of account: AccountRecord, in app: AppID)
        async throws -> Bool
    {
        try await store.write {
            try provideConsent(to: version, of: account, in: app, $0)
        }
    }

    /// Does the same in a transaction of the caller.
    func provideConsent(
        to version: String, of account: AccountRecord, in app: AppID, _ tables: Tables
    ) throws -> Bool {
        guard consentText(try tables.apps.find(app)?.settings.identity).version == version
        else { return false }
        let now = clock.now, purpose = IdentityRules.consentPurpose
        let current = try tables.consents.current(of: account.id, app: app, purpose: purpose)
        guard current?.textVersion != version else { return true }
        var generator = SystemRandomNumberGenerator()
        try tables.consents.insert(
            ConsentRecord(
                id: "con_" + Base64URL.encode(generator.bytes(16)), account: account.id, app: app,
                purpose: purpose, textVersion: version, givenAt: now))
        try tables.audit.append(
            AuditEvent(
                "consent.given", actor: "user", account: account.id, app: app,
                detail: ["purpose": .string(purpose), "version": .string(version)]), at: now)
        return true
    }

    /// Ends the consent, and destroys the keys of the data and pictures that were sent in the app.
    /// Achieved levels stay.
    ///
    /// - Returns: Whether there was a consent.
    package func withdrawConsent(of account: AccountRecord, in app: AppID) async throws -> Bool {
        let now = clock.now
        return try await store.write(.always) { tables in
            try withdrawConsent(of: account, in: app, by: "user", tables, at: now)
        }
    }

    /// Does the same in a transaction of the caller.
    ///
    /// - Parameter actor: The actor who withdraws it, for the audit log.
    package func withdrawConsent(
        of account: AccountRecord, in app: AppID, by actor: String, _ tables: Tables,
        at now: Instant
    ) throws -> Bool {
        let purpose = IdentityRules.consentPurpose
        let count = try tables.consents.withdraw(
            of: account.id, app: app, purpose: purpose, at: now)
        guard count > 0 else { return false }
        let erased = try tables.verificationAttempts.erase(of: account.id, app: app)
        try tables.identityUploads.delete(of: account.id, app: app)
        try captures?.removeLive(of: Self.faceOwner(account.id, app), in: tables)
        try VerificationSessions.cancelOpen(of: account, in: app, tables, at: now)
        _ = try tables.verificationSessions.erase(of: account.id, app: app)
        try tables.audit.append(
            AuditEvent(
                "consent.withdrawn", actor: actor, account: account.id, app: app,
                detail: [
                    "purpose": .string(purpose), "attempts_erased": .number(Double(erased)),
                ]), at: now)
        return true
    }
}

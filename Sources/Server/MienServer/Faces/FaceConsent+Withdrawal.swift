internal import MienAPI
package import MienCore
package import MienStore

/// Ends a user's consents in an app that other features asked for, with what they cover.
///
/// - Returns: Whether there was one.
package typealias OtherConsents =
    @Sendable (
        _ account: AccountRecord, _ app: AppID, _ actor: String, _ tables: Tables, _ now: Instant
    ) throws -> Bool

extension Tables {
    /// Ends a user's consent to store their face for an app, and erases the face.
    ///
    /// - Returns: Whether there was a consent or a face.
    func withdrawFaceConsent(
        of account: AccountRecord, app: AppID, actor: String, at now: Instant
    ) throws -> Bool {
        let count = try consents.withdraw(
            of: account.id, app: app, purpose: FaceConsent.purpose, at: now)
        _ = try consents.withdraw(
            of: account.id, app: app, purpose: FaceConsent.searchPurpose, at: now)
        let face = try authenticators.find(.face, of: account, app: app)
        if let face { _ = try removeAuthenticator(face, at: now) }
        guard count > 0 || face != nil else { return false }
        try audit.append(
            AuditEvent(
                "consent.withdrawn", actor: actor, account: account.id, app: app,
                detail: ["face_erased": .bool(face != nil)]), at: now)
        return true
    }
}

extension Tables {
    /// Returns everything that a user has agreed to: consents, withdrawn or not, and what they allow
    /// apps of others to know.
    func consentAnswers(of account: UserID) throws -> [ConsentAnswer] {
        let given = try consents.all(of: account).map { ConsentAnswer($0) }
        return try given
            + permissions.all(of: account).map {
                ConsentAnswer(
                    appID: $0.app.text, purpose: .known(.permission), textVersion: nil,
                    scope: $0.scope, givenAt: $0.givenAt.milliseconds, withdrawnAt: nil)
            }
    }
}

extension ConsentAnswer {
    init(_ record: ConsentRecord) {
        self.init(
            appID: record.app.text, purpose: .init(rawValue: record.purpose),
            textVersion: record.textVersion, givenAt: record.givenAt.milliseconds,
            withdrawnAt: record.withdrawnAt?.milliseconds)
    }
}

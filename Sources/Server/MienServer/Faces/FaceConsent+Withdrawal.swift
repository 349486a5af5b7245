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
    /// Ends a user's consent to store their face for an app, and erases the face, for all apps that
    /// share it.
    ///
    /// - Parameter app: The app, or a group of apps that share faces: see ``FaceGroupID/space``.
    /// - Returns: Whether there was a consent or a face.
    func withdrawFaceConsent(
        of account: AccountRecord, app: AppID, actor: String, at now: Instant
    ) throws -> Bool {
        let group = try FaceGroupID(space: app) ?? faceGroups.shared(with: app, by: account.id)
        var count = try consents.withdraw(
            of: account.id, app: app, purpose: FaceConsent.purpose, at: now)
        _ = try consents.withdraw(
            of: account.id, app: app, purpose: FaceConsent.searchPurpose, at: now)
        if let group {
            count += try consents.withdraw(
                of: account.id, app: group.space, purpose: FaceSharing.purpose, at: now)
        }
        var face: AuthenticatorRecord?
        for space in Set([app] + [group?.space].compactMap { $0 }) {
            guard let found = try authenticators.find(.face, of: account, app: space) else {
                continue
            }
            _ = try removeAuthenticator(found, at: now)
            face = found
        }
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
        let given = try consents.all(of: account).map { record in
            var answer = ConsentAnswer(record)
            if record.withdrawnAt == nil, let group = FaceGroupID(space: record.app) {
                answer.appIDs = try faceGroups.apps(sharing: group, of: account).map(\.text)
            }
            return answer
        }
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

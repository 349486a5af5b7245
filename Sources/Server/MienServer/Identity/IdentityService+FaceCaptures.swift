internal import MienAPI
package import MienCore
internal import MienIdentity
package import MienStore

/// Live captures of the faces of people who send documents.
extension IdentityService {
    /// Opens a live capture, whose start token takes the place of `faceImage` once it passed.
    ///
    /// - Throws: ``IdentityError``: `unsupportedMethod` if faces are not compared,
    ///   `consentRequired`.
    package func openFaceCapture(of account: AccountRecord, app: AppID) async throws
        -> (id: CaptureID, startToken: String, expiresAt: Instant)
    {
        guard let captures, needsFaceImage else {
            throw IdentityError(
                .unsupportedMethod, "this deployment compares no faces with documents")
        }
        let needsConsent = rules.needsConsent, user = account.id
        let found = try await store.read { try $0.apps.find(app) }
        guard let found else {
            throw IdentityError(.unsupportedMethod, "the app no longer exists")
        }
        return try await captures.openLive(for: Self.faceOwner(user, app), user: user, app: found) {
            tables in
            // Withdrawing the consent ends the captures that it finds.
            if needsConsent { try tables.requireConsent(of: user, in: app) }
        }
    }

    /// Uses up a capture and returns its template. An attempt that would be refused leaves the
    /// capture as it is.
    func template(
        _ token: String, for kind: VerificationAttempt.Kind, of account: AccountRecord, app: AppID
    ) async throws -> [UInt8] {
        let rules = rules, now = clock.now
        var generator = SystemRandomNumberGenerator()
        let id = IdentityAttemptID.random(using: &generator)
        let found = try await store.read { tables in
            if rules.needsConsent { try tables.requireConsent(of: account.id, in: app) }
            var record = try tables.verifications.find(account.id)
            try record.state.begin(kind, id: id, under: rules.policy, at: now)
            return try tables.apps.find(app)
        }
        guard let captures, let found,
            let template = try await captures.takeLive(
                token, for: Self.faceOwner(account.id, app), app: found)
        else {
            throw IdentityError(
                .informationNotProvided, field: "faceCapture",
                "faceCapture must be the start token of a live capture of this user that passed, has not expired, and was not used before; open one with POST /v1/identity/face-capture"
            )
        }
        return template
    }

    /// The owner of the live captures that a user opens for documents.
    static func faceOwner(_ user: UserID, _ app: AppID) -> String {
        "identity \(user.text) \(app.text)"
    }
}

extension Tables {
    /// - Throws: ``IdentityError`` `consentRequired`.
    func requireConsent(of user: UserID, in app: AppID) throws {
        guard
            try consents.current(of: user, app: app, purpose: IdentityRules.consentPurpose) != nil
        else {
            throw IdentityError(
                .consentRequired, "the user has not consented to identity verification")
        }
    }
}

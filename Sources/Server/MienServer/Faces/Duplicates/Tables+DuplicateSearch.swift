internal import MienAPI
package import MienCore
internal import MienJourney
package import MienStore

extension Tables {
    /// Queues a face that was just registered for the search for duplicates, if the app looks for
    /// them and the person knows: the consent in the capture or the app's own text names the search,
    /// or the person consented to it before.
    ///
    /// - Parameter id: Identifies the consent, if one is recorded.
    package func queueDuplicateSearch(
        _ face: AuthenticatorID, of user: UserID, app: AppRecord,
        consentVersion: String, by passed: CaptureService.Passed, recording id: String,
        at now: Instant
    ) throws {
        guard let settings = app.settings.duplicateFaces else { return }
        if passed.consentsToSearch {
            try recordSearchConsent(id, of: user, app: app.id, at: now)
        }
        let known = try consents.current(
            of: user, app: app.id, purpose: FaceConsent.searchPurpose)
        guard known != nil || settings.consentVersions.contains(consentVersion) else { return }
        try duplicateSearches.insert(
            DuplicateSearch(authenticator: face, account: user, app: app.id), at: now)
    }

    /// Records that a person consented to a text that names the search for duplicates, unless such a
    /// consent is in effect.
    package func recordSearchConsent(_ id: String, of user: UserID, app: AppID, at now: Instant)
        throws
    {
        let purpose = FaceConsent.searchPurpose
        let known = try consents.current(of: user, app: app, purpose: purpose)
        guard known?.textVersion != CaptureConsent.searchVersion else { return }
        try consents.insert(
            ConsentRecord(
                id: id, account: user, app: app, purpose: purpose,
                textVersion: CaptureConsent.searchVersion, givenAt: now))
    }
}

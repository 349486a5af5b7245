internal import MienAPI
package import MienIdentity
package import MienStore

/// Facts that the document page needs before it begins.
extension VerificationSessions {
    package struct Summary: Sendable {
        package let id: IdentityAttemptID
        package let app: AppRecord
        /// Whether the session waits for its person.
        package let isOpen: Bool
        /// The server's own consent text and the days that it names; `nil` for an operator's text.
        package let standardConsent: (content: String, retentionDays: Int)?
    }

    /// - Returns: `nil` if no session has this start token.
    package func summary(token: String) async throws -> Summary? {
        let found: Found
        do { found = try await find(token) } catch let problem as Problem
            where problem.code == .invalidCredentials
        { return nil }
        let session = found.record.session, settings = found.app.settings.identity
        return Summary(
            id: found.record.id, app: found.app,
            isOpen: session.status.isOpen && clock.now < session.expiresAt,
            standardConsent: identities.standardConsent(settings))
    }

    /// Cancels the session of a page. One that has ended stays as it is.
    package func cancelPage(token: String) async throws { _ = try await cancel(token) }
}

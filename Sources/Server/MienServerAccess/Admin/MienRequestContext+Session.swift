package import MienAPI
package import MienAccess
package import MienCore
package import MienServerCore

extension MienRequestContext {
    /// Requires that the administrator has just signed in, or sends a credential. For requests that
    /// give somebody access: a browser left open must not be a way to get lasting access.
    ///
    /// - Throws: ``Problem`` `.insufficientUserAuthentication`.
    package func requireFresh(at now: Instant) throws(Problem) {
        if let session = administratorSession, !session.isFresh(at: now) { throw .signInAgain }
    }

    /// Requires a session in which the administrator has just signed in. For changes of the own
    /// sign-in methods: a stolen credential must not become a sign-in.
    ///
    /// - Throws: ``Problem`` `.insufficientUserAuthentication`.
    package func requireFreshSession(at now: Instant) throws(Problem) -> AdministratorSession {
        guard let session = administratorSession else {
            throw Problem(
                .insufficientUserAuthentication,
                "Sign in to the portal: a credential cannot change sign-in methods.",
                maxAge: Problem.freshSeconds)
        }
        guard session.isFresh(at: now) else { throw .signInAgain }
        return session
    }
}

extension Problem {
    fileprivate static let freshSeconds = Int(
        AdministratorSession.freshness.milliseconds / 1000)

    fileprivate static let signInAgain = Problem(
        .insufficientUserAuthentication, "Sign in again before this change.", maxAge: freshSeconds)
}

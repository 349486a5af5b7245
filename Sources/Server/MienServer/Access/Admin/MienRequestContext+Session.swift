internal import MienAPI
internal import MienCore

extension MienRequestContext {
    /// Requires that the administrator has signed in as the request needs.
    ///
    /// - Throws: ``Problem`` `.insufficientUserAuthentication`.
    func require(_ signIn: AdminOperations.SignIn, at now: Instant) throws(Problem) {
        switch signIn {
        case .session: return
        case .fresh:
            guard administratorSession?.isFresh(at: now) ?? true else { throw .signInAgain }
        case .freshSession:
            guard let session = administratorSession else {
                throw Problem(
                    .insufficientUserAuthentication,
                    "Sign in to the portal: a credential cannot change sign-in methods.",
                    maxAge: Problem.freshSeconds)
            }
            guard session.isFresh(at: now) else { throw .signInAgain }
        }
    }
}

extension Problem {
    fileprivate static let freshSeconds = Int(
        AdministratorSession.freshness.milliseconds / 1000)

    fileprivate static let signInAgain = Problem(
        .insufficientUserAuthentication, "Sign in again before this change.", maxAge: freshSeconds)
}

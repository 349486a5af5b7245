package import Hummingbird
internal import MienAPI
package import MienCore
package import MienStore

/// The user in front of a browser, for other pages of the server.
package struct PageUser: Sendable {
    package let account: AccountRecord
    /// When the user signed in.
    package let signedInAt: Instant
    /// The standing that the session rests on.
    package let standing: SignInStanding
}

extension WebPages {
    /// Returns the user of a request's session, if the session may manage accounts: under the rules
    /// of the account page.
    package func user(of request: Request) async throws -> PageUser? {
        guard !sessions.browser(request).isNew, let found = try await sessions.find(request),
            let app = try await accountApp(request, session: found.session),
            try await opensAccount(found.session, in: app)
        else { return nil }
        return PageUser(
            account: found.account, signedInAt: found.session.proof.at,
            standing: found.session.standing)
    }

    /// Begins a sign-in that leads to an address of this server.
    package func signIn(
        _ request: Request, _ context: MienRequestContext, to path: String
    ) async throws -> Response {
        try await beginForAccount(request, context, to: localPath(path))
    }
}

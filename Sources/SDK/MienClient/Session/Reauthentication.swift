public import MienCore

/// The sign-in that the server asks for before it makes a change (RFC 9470).
public struct ReauthenticationRequest: Sendable, Hashable {
    /// How long ago the sign-in may be. `nil` if its age does not matter.
    public let maxAge: Duration?
    /// Any of these authentication context classes will do; empty if every sign-in will. `2` means
    /// two factors, or a passkey.
    public let acrValues: [String]
    /// The id of the user who has to sign in, for `login_hint`. Nobody else's sign-in is accepted.
    public internal(set) var loginHint: String?

    init(maxAge: Duration?, acrValues: [String]) {
        (self.maxAge, self.acrValues) = (maxAge, acrValues)
    }
}

/// How the user signed in again.
public enum Reauthentication: Sendable {
    /// Through a journey that was started with the session: the server has renewed the session's
    /// own sign-in.
    case steppedUp
    /// Through a journey with this token, started with the session or without.
    case journeyToken(Sensitive<String>)
    /// On the sign-in page, which sent the browser back with this code.
    case code(Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>)
}

/// Has the user of a session sign in again, with the app's own screens.
///
/// Whatever it throws is thrown by the call that needed it. It may read from the session and start
/// journeys with it; a call in it that needs a fresher sign-in itself is refused.
public typealias Reauthenticator =
    @Sendable (ReauthenticationRequest, MienSession) async throws -> Reauthentication

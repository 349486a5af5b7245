public import MienCore

/// The sign-in that the server requires before it makes a change (RFC 9470).
public struct ReauthenticationRequest: Sendable, Hashable {
    /// The maximum age of the sign-in. `nil` if its age does not matter.
    public let maxAge: Duration?
    /// The accepted authentication context classes; empty if every sign-in is accepted. `2` means
    /// two factors, or a passkey.
    public let acrValues: [String]
    /// The id of the user who has to sign in, for `login_hint`. Nobody else's sign-in is accepted.
    public internal(set) var loginHint: String?

    init(maxAge: Duration?, acrValues: [String]) {
        (self.maxAge, self.acrValues) = (maxAge, acrValues)
    }
}

/// The way in which the user signed in again.
public enum Reauthentication: Sendable {
    /// Through a journey that was started with the session: the server has renewed the session's
    /// own sign-in.
    case steppedUp
    /// Through a journey with this token, started with or without the session.
    case journeyToken(Sensitive<String>)
    /// On the sign-in page, which sent the browser back with this code.
    case code(Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>)
}

/// Has the user of a session sign in again, with the app's own screens.
///
/// Its errors are thrown by the call that needed the sign-in. It may use the session and start
/// journeys with it. A call in it that needs a more recent sign-in is refused.
public typealias Reauthenticator =
    @Sendable (ReauthenticationRequest, MienSession) async throws -> Reauthentication

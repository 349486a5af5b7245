internal import MienCore

/// A visit to the server's sign-in page, for a ``SignInPresenter``.
public struct SignInPage: Sendable {
    /// The page's URL, to open in a browser.
    public let url: String
    /// The URL with which the page returns to the app, without its query.
    public let redirectURI: String
    let state, nonce: String
    let codeVerifier: Sensitive<String>

    /// The scheme of the redirect URI, for browser sessions that end at a scheme:
    /// `com.example.shop`.
    public var callbackScheme: String { String(redirectURI.prefix { $0 != ":" }) }
}

/// It contains secrets of one sign-in, so only the redirect URI is printed.
extension SignInPage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "sign-in page, back to \(redirectURI)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Opens the sign-in page in a browser, waits until the browser goes to the page's redirect URI,
/// and returns that whole URL. Throws `CancellationError` if the person closes the browser.
///
/// On Apple's systems, `ASWebAuthenticationSession` does this; on Android, Custom Tabs and an intent
/// filter; on a desktop, the default browser and a listener on `http://127.0.0.1`.
public typealias SignInPresenter = @Sendable (SignInPage) async throws -> String

/// The options of a sign-in on the server's page.
public struct SignInPageOptions: Sendable, Hashable {
    /// The scopes to request. The default signs in with a refresh token and all of the user's own
    /// requests.
    public var scopes: [String]
    /// The name to show in the page's form.
    public var loginHint: String?
    /// The resource servers that the access token is for (RFC 8707).
    public var resources: [String]
    /// The organization through which the user signs in, for B2B apps: an ID, an external ID, or
    /// `none`. By default, the page asks a user who has several.
    public var organization: String?

    public init(
        scopes: [String] = ["openid", "offline_access", "full-access"], loginHint: String? = nil,
        resources: [String] = [], organization: String? = nil
    ) {
        (self.scopes, self.loginHint, self.resources) = (scopes, loginHint, resources)
        self.organization = organization
    }
}

internal import Hummingbird

/// The cookies of the pages. None can be read by scripts.
struct BrowserCookies: Sendable {
    enum Name: String, Sendable {
        /// Tells browsers apart: a sign-in can be continued only by the browser that began it.
        case browser = "mien_browser"
        /// The browser's session, after a sign-in.
        case session = "mien_session"
        /// The token of a known device, which has its own counters at the lock gate.
        case device = "mien_device"
        /// The start token of the capture in progress.
        case capture = "mien_capture"
        /// The start token of the verification session in progress.
        case verification = "mien_verification"
        /// The language that the person chose.
        case language = "mien_language"

        /// How long browsers keep it, in seconds. 400 days are the most that they allow (RFC
        /// 6265bis).
        var seconds: Int {
            switch self {
            case .browser, .device, .language: 400 * 86_400
            case .session: 12 * 3600
            case .capture: 3600
            case .verification: 86_400
            }
        }

        /// `Lax` cookies come along when an app sends the browser here, `Strict` ones do not.
        var isStrict: Bool { self == .capture || self == .verification }
    }

    let isSecure: Bool

    /// The name in the browser. Over HTTPS, the prefix binds a cookie to this host and to secure
    /// connections; browsers reject that prefix over plain HTTP.
    func name(_ name: Name) -> String { isSecure ? "__Host-\(name.rawValue)" : name.rawValue }

    func value(_ name: Name, _ request: Request) -> String? { request.cookie(self.name(name)) }

    /// The value of `Set-Cookie`.
    func set(_ name: Name, _ value: String) -> String {
        text(name, value, seconds: name.seconds)
    }

    /// The value of `Set-Cookie` that removes the cookie.
    func removal(_ name: Name) -> String { text(name, "", seconds: 0) }

    private func text(_ name: Name, _ value: String, seconds: Int) -> String {
        "\(self.name(name))=\(value); Path=/; HttpOnly; SameSite=\(name.isStrict ? "Strict" : "Lax"); Max-Age=\(seconds)\(isSecure ? "; Secure" : "")"
    }
}

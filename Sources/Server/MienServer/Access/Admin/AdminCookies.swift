package import HTTPTypes
package import Hummingbird
package import MienAPI
internal import MienCore

/// The cookies of the admin portal, and which requests may use them.
///
/// A cookie counts only in a request that a page of the portal made: one with the header
/// `mien-portal: 1`, which pages of other origins cannot send without a permission that this server
/// never gives, and which the browser does not mark as coming from elsewhere.
package struct AdminCookies: Sendable {
    package enum Name: String, Sendable {
        /// The secret of a session.
        case session = "mien-admin"
        /// Tells browsers apart in which an administrator has signed in: strangers' failures do not
        /// lock them. Has a secret for each administrator who shares the browser.
        case browser = "mien-admin-browser"

        /// How long browsers keep it, in seconds. The server ends sessions itself.
        var seconds: Int {
            switch self {
            case .session: 12 * 3600
            case .browser: 400 * 86_400
            }
        }
    }

    /// The number of random bytes in each secret.
    package static let size = 32
    /// The number of administrators whom a browser can remember at a time.
    package static let maxBrowserSecrets = 8

    /// Whether the portal is served over HTTPS.
    let isSecure: Bool

    /// Over HTTPS, the prefix binds a cookie to this host and to secure connections; browsers reject
    /// it over plain HTTP.
    package func name(_ name: Name) -> String {
        isSecure ? "__Host-\(name.rawValue)" : name.rawValue
    }

    /// Returns the secret in a cookie.
    package func secret(_ name: Name, _ request: Request) -> [UInt8]? {
        request.cookie(self.name(name)).flatMap { Base64URL.decode($0) }.flatMap {
            $0.count == Self.size ? $0 : nil
        }
    }

    /// Returns the secrets in the cookie of the browser, the newest first.
    package func browserSecrets(_ request: Request) -> [[UInt8]] {
        guard let bytes = request.cookie(name(.browser)).flatMap({ Base64URL.decode($0) }),
            bytes.count % Self.size == 0, bytes.count / Self.size <= Self.maxBrowserSecrets
        else { return [] }
        return stride(from: 0, to: bytes.count, by: Self.size).map {
            Array(bytes[$0..<$0 + Self.size])
        }
    }

    /// The value of `Set-Cookie`.
    package func set(_ name: Name, _ secret: [UInt8]) -> String {
        text(name, Base64URL.encode(secret), seconds: name.seconds)
    }

    /// The value of `Set-Cookie` that removes a cookie.
    package func removal(_ name: Name) -> String { text(name, "", seconds: 0) }

    private func text(_ name: Name, _ value: String, seconds: Int) -> String {
        "\(self.name(name))=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)\(isSecure ? "; Secure" : "")"
    }

    // MARK: Requests of the portal

    package static let header = HTTPField.Name("mien-portal")!
    private static let site = HTTPField.Name("sec-fetch-site")!

    /// Whether a page of the portal made the request.
    package static func isFromPortal(_ request: Request) -> Bool {
        guard request.headers[header] == "1" else { return false }
        return request.headers[values: site].allSatisfy { $0 == "same-origin" }
    }

    /// - Throws: ``Problem`` `.notPermitted` unless a page of the portal made the request.
    package static func requirePortal(_ request: Request) throws(Problem) {
        guard isFromPortal(request) else {
            throw Problem(
                .notPermitted,
                "Only pages of the portal may send this. Send the header mien-portal: 1, from the same origin."
            )
        }
    }
}

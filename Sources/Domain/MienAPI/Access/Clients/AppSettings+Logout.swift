internal import MienCore

/// The sign-ins that a sign-out from an app ends.
public enum LogoutScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app's sign-in, and the browser's own, so that the next visit asks for a sign-in. Other
    /// apps stay signed in.
    case app
    /// Every sign-in that began in the browser.
    case browser
}

extension AppSettings {
    /// The address that tells the app in the user's browser that a sign-in has ended; `nil` if the
    /// app has none: OpenID Connect Front-Channel Logout 1.0 §3.
    ///
    /// - Parameters:
    ///   - session: The `sid` of the app's ID tokens.
    ///   - issuer: The `iss` of the app's ID tokens.
    public func frontChannelLogout(of session: String, from issuer: String) -> String? {
        guard let uri = frontChannelLogoutURI, frontChannelLogoutNeedsSession else {
            return frontChannelLogoutURI
        }
        let mark = uri.contains("?") ? "&" : "?"
        return
            "\(uri)\(mark)iss=\(PercentEncoding.encode(issuer))&sid=\(PercentEncoding.encode(session))"
    }

    /// The faults of the settings about logouts.
    var logoutFaults: [(setting: String, message: String)] {
        let rule =
            "must be an absolute https URL without a fragment (http only for localhost, 127.0.0.1, and [::1])"
        var faults: [(String, String)] = []
        if let backChannelLogoutURI, !Self.isAddress(backChannelLogoutURI) {
            faults.append(("backchannel_logout_uri", rule))
        }
        if let uri = frontChannelLogoutURI {
            if !Self.isAddress(uri) {
                faults.append(("frontchannel_logout_uri", rule))
            } else if !redirectURIs.contains(where: { Self.isSameOrigin(uri, $0) }) {
                faults.append(
                    (
                        "frontchannel_logout_uri",
                        "must have the scheme, host, and port of one of redirect_uris; add such an address there, or correct this one"
                    ))
            }
        }
        if frontChannelLogoutNeedsSession, frontChannelLogoutURI == nil {
            faults.append(
                (
                    "frontchannel_logout_session_required",
                    "has no effect without frontchannel_logout_uri; set that, or leave this out"
                ))
        }
        return faults
    }

    /// Whether two addresses have the same scheme, host, and port. Redirects to a loopback address
    /// may go to any port of it.
    private static func isSameOrigin(_ one: String, _ other: String) -> Bool {
        guard let one = origin(of: one), let other = origin(of: other) else { return false }
        return one == other
    }

    /// The origin of a valid address, without the port of a loopback address and the standard one.
    private static func origin(of uri: String) -> String? {
        guard isAddress(uri), let start = uri.firstRange(of: "://")?.upperBound else { return nil }
        let scheme = uri[..<start],
            authority = uri[start...].prefix { $0 != "/" && $0 != "?" }.lowercased()
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count)
        let isAny = scheme == "http://" || port == ":443"
        return "\(scheme)\(host)\(isAny ? "" : port)"
    }
}

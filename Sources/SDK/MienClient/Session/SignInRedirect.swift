internal import MienAPI
internal import MienCore

/// The parameters that a sign-in page added to the redirect URI, after their checks.
struct SignInRedirect {
    let code: Sensitive<String>

    /// - Throws: ``MienError``, `.invalidState` unless the URL continues the page's redirect URI,
    ///   repeats its state, and names the server (RFC 9207); `.oauthError` with the page's error.
    init(_ url: String, of page: SignInPage, server: ServerMetadata) throws(MienError) {
        func wrong(_ reason: String) -> MienError { MienError(.invalidState, reason) }
        let address = page.redirectURI
        guard url.utf8.count <= 8192, url.utf8.starts(with: address.utf8),
            let mark = url.utf8.dropFirst(address.utf8.count).first,
            mark == UInt8(ascii: address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"),
            let query = String(url.utf8.dropFirst(address.utf8.count + 1))
        else { throw wrong("The redirect does not lead to the redirect URI of this sign-in.") }
        let text = String(query.prefix { $0 != "#" })
        guard let fields = try? FormFields(parsing: text) else {
            throw wrong("The redirect's parameters are malformed.")
        }
        func value(_ name: String) throws(MienError) -> String? {
            let values = fields.pairs.filter { $0.name == name }
            guard values.count <= 1 else { throw wrong("The redirect repeats \(name).") }
            return values.first?.value
        }
        guard try value("state") == page.state else {
            throw wrong("The redirect belongs to another sign-in. Sign in again.")
        }
        let issuer = try value("iss")
        guard issuer.map({ $0 == server.issuer }) ?? !server.namesItselfInRedirects else {
            throw wrong("The redirect comes from another server.")
        }
        if let error = try value("error") {
            throw MienError(
                .oauthError, "The sign-in page refused: \(error.prefix(100).filter(\.isASCII))",
                oauthError: error)
        }
        guard let code = try value("code"), !code.isEmpty else {
            throw wrong("The redirect contains no code.")
        }
        self.code = Sensitive(code)
    }
}

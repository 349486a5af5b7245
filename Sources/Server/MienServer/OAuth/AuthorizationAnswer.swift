internal import MienCore

/// An answer to an authorization request, which the browser brings to the app.
package struct AuthorizationAnswer: Codable, Sendable {
    /// How the browser brings it: `response_mode`.
    package enum Mode: String, Codable, Sendable, CaseIterable {
        /// In the query of the app's address, which browsers and servers log.
        case query
        /// In the body of a form that a page of this server sends: OAuth 2.0 Form Post Response
        /// Mode.
        case formPost = "form_post"
    }

    package struct Parameter: Codable, Sendable {
        package let name, value: String
    }

    /// The app's redirect URI.
    package let address: String
    let mode: Mode
    package let parameters: [Parameter]
    /// Identifies the sign-in on a device that ends without a code.
    var deniedDevice: [UInt8]?

    /// The address with the parameters in its query.
    var addressWithQuery: String {
        address + (address.contains("?") ? "&" : "?")
            + parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(
                separator: "&")
    }
}

/// Hides the values, because one of them is a code.
extension AuthorizationAnswer: CustomStringConvertible, CustomReflectable {
    package var description: String { "an answer of \(parameters.count) parameters" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The parameters of an authorization request, and how they came.
package struct AuthorizationParameters: Codable, Sendable {
    /// The parameters as a form.
    package let text: String
    /// Identifies a pushed request, which leads to one code; `nil` for parameters of an address.
    var pushed: [UInt8]?
    /// Identifies the sign-in on a device that they are for, which holds the parameters.
    package var device: [UInt8]?
    /// Whether the app has signed them.
    var isSigned = false

    /// Whether an address may repeat them: nobody but the browser and the app has seen them there.
    package var isPublic: Bool { pushed == nil && device == nil && !isSigned }
}

/// Hides the values, because they name people.
extension AuthorizationParameters: CustomStringConvertible, CustomReflectable {
    package var description: String { "parameters of \(text.utf8.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

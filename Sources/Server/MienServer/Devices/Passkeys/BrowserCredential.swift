package import MienAPI
package import MienCore

/// A `PublicKeyCredential` as browsers encode it with `toJSON()` (WebAuthn §5.1). Unneeded members
/// are ignored.
package struct BrowserCredential: Sendable {
    private static let transports: Set<String> = [
        "usb", "nfc", "ble", "smart-card", "hybrid", "internal",
    ]
    private static let maxIDBytes = 1023

    package let id: [UInt8]
    package let clientDataJSON: [UInt8]
    private let response: JSONValue

    /// - Throws: ``Problem`` that names the member.
    package init(_ value: JSONValue?) throws(Problem) {
        guard let value, value["type"]?.stringValue == "public-key" else {
            throw Self.wrong("credential.type", "must be public-key")
        }
        guard let response = value["response"], response.objectValue != nil else {
            throw Self.wrong("credential.response", "is missing")
        }
        self.response = response
        id = try Self.bytes(value["rawId"] ?? value["id"], "credential.rawId")
        guard (1...Self.maxIDBytes).contains(id.count) else {
            throw Self.wrong("credential.rawId", "must have 1 to \(Self.maxIDBytes) bytes")
        }
        clientDataJSON = try Self.bytes(
            response["clientDataJSON"], "credential.response.clientDataJSON")
    }

    package func bytes(_ name: String) throws(Problem) -> [UInt8] {
        try Self.bytes(response[name], "credential.response.\(name)")
    }

    /// Returns the authenticator's user handle, or `nil` if it sends none.
    ///
    /// Safari sends an empty one instead of none. A handle has at least one byte (WebAuthn
    /// §5.4.3), so an empty one names nobody.
    package func userHandle() throws(Problem) -> [UInt8]? {
        switch response["userHandle"] {
        case nil, .null?: return nil
        case .some:
            let handle = try bytes("userHandle")
            return handle.isEmpty ? nil : handle
        }
    }

    /// The known transports by which browsers can reach the authenticator.
    var transports: [String] {
        Set(response["transports"]?.arrayValue?.compactMap(\.stringValue) ?? []).intersection(
            Self.transports
        ).sorted()
    }

    /// The challenge that the browser claims to have signed. Not proof of anything: it only selects
    /// the challenge to use up.
    package var challenge: [UInt8]? {
        (try? JSONText.parse(clientDataJSON, limits: .init(maxBytes: 8192, maxDepth: 8)))?[
            "challenge"]?.stringValue.flatMap { Base64URL.decode($0) }
    }

    private static func bytes(_ value: JSONValue?, _ field: String) throws(Problem) -> [UInt8] {
        guard let bytes = value?.stringValue.flatMap({ Base64URL.decode($0) }) else {
            throw wrong(field, "must be base64url without padding")
        }
        return bytes
    }

    private static func wrong(_ field: String, _ message: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(field: field, message: message)])
    }
}

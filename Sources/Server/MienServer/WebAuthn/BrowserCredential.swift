internal import MienAPI
internal import MienCore

/// A `PublicKeyCredential` as browsers write it with `toJSON()` (WebAuthn §5.1). Members that
/// nobody needs here are left alone.
struct BrowserCredential: Sendable {
    private static let transports: Set<String> = [
        "usb", "nfc", "ble", "smart-card", "hybrid", "internal",
    ]
    private static let maxIDBytes = 1023

    let id: [UInt8]
    let clientDataJSON: [UInt8]
    private let response: JSONValue

    /// - Throws: ``Problem`` naming the member.
    init(_ value: JSONValue?) throws(Problem) {
        guard let value, value["type"]?.stringValue == "public-key" else {
            throw Self.wrong("credential.type", "is public-key")
        }
        guard let response = value["response"], response.objectValue != nil else {
            throw Self.wrong("credential.response", "is missing")
        }
        self.response = response
        id = try Self.bytes(value["rawId"] ?? value["id"], "credential.rawId")
        guard (1...Self.maxIDBytes).contains(id.count) else {
            throw Self.wrong("credential.rawId", "has 1 to \(Self.maxIDBytes) bytes")
        }
        clientDataJSON = try Self.bytes(
            response["clientDataJSON"], "credential.response.clientDataJSON")
    }

    func bytes(_ name: String) throws(Problem) -> [UInt8] {
        try Self.bytes(response[name], "credential.response.\(name)")
    }

    /// What the authenticator calls the user; `nil` when it does not say.
    func userHandle() throws(Problem) -> [UInt8]? {
        switch response["userHandle"] {
        case nil, .null?: nil
        case .some: try bytes("userHandle")
        }
    }

    /// How browsers may reach the authenticator, in words that are known.
    var transports: [String] {
        Set(response["transports"]?.arrayValue?.compactMap(\.stringValue) ?? []).intersection(
            Self.transports
        ).sorted()
    }

    /// What the browser says it was given to sign. Nothing is proved by that: it says which
    /// challenge is used up.
    var challenge: [UInt8]? {
        (try? JSONText.parse(clientDataJSON, limits: .init(maxBytes: 8192, maxDepth: 8)))?[
            "challenge"]?.stringValue.flatMap { Base64URL.decode($0) }
    }

    private static func bytes(_ value: JSONValue?, _ field: String) throws(Problem) -> [UInt8] {
        guard let bytes = value?.stringValue.flatMap({ Base64URL.decode($0) }) else {
            throw wrong(field, "is base64url without padding")
        }
        return bytes
    }

    private static func wrong(_ field: String, _ message: String) -> Problem {
        Problem(.invalidRequest, errors: [.init(field: field, message: message)])
    }
}

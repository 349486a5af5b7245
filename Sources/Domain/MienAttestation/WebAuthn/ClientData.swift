internal import Crypto
internal import MienCore

/// The browser's client data (WebAuthn §5.8.1). The authenticator signs its hash.
struct ClientData {
    enum Ceremony: String {
        case registration = "webauthn.create", authentication = "webauthn.get"
    }

    static let maxBytes = 8192

    let hash: [UInt8]

    /// - Parameter json: the bytes as received, because they were hashed.
    init(_ json: [UInt8], ceremony: Ceremony, challenge: [UInt8], relyingParty: RelyingParty)
        throws(AttestationError)
    {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                json, limits: JSONText.Limits(maxBytes: Self.maxBytes, maxDepth: 8))
        } catch {
            throw AttestationError(
                .clientData,
                "not strict JSON at line \(error.line), column \(error.column), or more than \(Self.maxBytes) bytes"
            )
        }
        guard value["type"]?.stringValue == ceremony.rawValue else {
            throw AttestationError(.ceremony, "“type” must be \(ceremony.rawValue)")
        }
        guard !challenge.isEmpty,
            value["challenge"]?.stringValue.flatMap({ Base64URL.decode($0) }) == challenge
        else {
            throw AttestationError(.challenge, "the response was created for another challenge")
        }
        guard let origin = value["origin"]?.stringValue, relyingParty.origins.contains(origin)
        else {
            throw AttestationError(
                .origin,
                "the page's origin is not one of \(relyingParty.origins.sorted().joined(separator: ", "))"
            )
        }
        try Self.checkFrame(value, relyingParty.crossOrigin)
        // Browsers no longer support Token Binding. One that uses it would expect it to be checked.
        guard value["tokenBinding"]?["status"]?.stringValue != "present" else {
            throw AttestationError(.clientData, "Token Binding is not supported")
        }
        hash = Array(SHA256.hash(data: json))
    }

    private static func checkFrame(_ value: JSONValue, _ rule: RelyingParty.CrossOrigin)
        throws(AttestationError)
    {
        let top = value["topOrigin"]
        switch value["crossOrigin"] {
        case nil, .bool(false)?:
            guard top == nil else {
                throw AttestationError(.crossOrigin, "“topOrigin” without “crossOrigin”")
            }
        case .bool(true)?:
            guard case .within(let origins) = rule else {
                throw AttestationError(
                    .crossOrigin, "the page is embedded in a page of another origin")
            }
            guard let top = top?.stringValue, origins.contains(top) else {
                throw AttestationError(
                    .crossOrigin, "the page is embedded in a page that is not allowed")
            }
        case _?: throw AttestationError(.clientData, "“crossOrigin” must be true or false")
        }
    }
}

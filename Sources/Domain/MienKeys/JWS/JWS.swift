public import MienCore

/// A signed message in the compact form (RFC 7515 §7.1), read but not believed: ``verify(with:)``
/// gives the one that is.
///
/// ```swift
/// let message = try JWS.parse(compact: text)
/// let key = try message.key ?? stored(message.keyID)      // a set-up brings its own key
/// let payload = try message.verify(with: key).payload
/// ```
public struct JWS: Sendable, Hashable {
    public struct Limits: Sendable, Hashable {
        /// Of the whole text, in bytes.
        public let maxBytes: Int
        public let maxHeaderDepth: Int

        public init(maxBytes: Int = 16 * 1024, maxHeaderDepth: Int = 4) {
            (self.maxBytes, self.maxHeaderDepth) = (maxBytes, maxHeaderDepth)
        }
    }

    /// Every member, also those with a property of their own. Not believed yet.
    public let header: [String: JSONValue]
    public let algorithm: DeviceKeyAlgorithm
    /// `kid`.
    public let keyID: String?
    /// `typ`, as written.
    public let type: String?
    /// `jwk`: the key that the message itself brings. Proves nothing but that its sender has it.
    public let key: DevicePublicKey?
    /// What it says, before anybody knows who says it: only to find the key by.
    public let unverifiedPayload: [UInt8]
    public let signature: [UInt8]
    private let signingInput: [UInt8]

    /// - Throws: ``JWSError``: longer than `limits`, not three parts of base64url, a header that is
    ///   not strict JSON (a member may come once), an `alg` other than ES256, RS256, EdDSA, any
    ///   `crit`, or a `jwk` that is not a key.
    public static func parse(compact text: some StringProtocol, limits: Limits = Limits())
        throws(JWSError) -> JWS
    {
        guard text.utf8.count <= limits.maxBytes else {
            throw JWSError(.tooLong, "more than \(limits.maxBytes) bytes")
        }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JWSError(.form, "a signed message has three parts, joined by “.”")
        }
        func decode(_ place: Int, _ name: String) throws(JWSError) -> [UInt8] {
            guard let bytes = Base64URL.decode(String(decoding: parts[place], as: UTF8.self)) else {
                throw JWSError(.form, "the \(name) is not base64url without padding")
            }
            return bytes
        }
        let header = try members(decode(0, "header"), limits: limits)
        return try JWS(
            header: header, payload: decode(1, "payload"), signature: decode(2, "signature"),
            signingInput: Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1]))
    }

    /// What is believed afterwards is the result, not this value.
    ///
    /// The key fixes the algorithm; a header that names another is refused before anything is
    /// computed.
    public func verify(with key: DevicePublicKey) throws(JWSError) -> VerifiedJWS {
        guard algorithm == key.algorithm else {
            throw JWSError(
                .algorithmMismatch, "“alg” has to be \(key.algorithm.rawValue), the key's")
        }
        guard key.isValid(signature, over: signingInput) else {
            throw JWSError(.signature, "the signature is not this key's over this message")
        }
        return VerifiedJWS(
            header: header, keyID: keyID, type: type, payload: unverifiedPayload, key: key)
    }

    private init(
        header: [String: JSONValue], payload: [UInt8], signature: [UInt8], signingInput: [UInt8]
    ) throws(JWSError) {
        guard header["crit"] == nil else {
            throw JWSError(.critical, "“crit” is refused: no extension is understood")
        }
        guard let name = try Self.text("alg", in: header),
            let algorithm = DeviceKeyAlgorithm(joseName: name)
        else {
            throw JWSError(.algorithm, "“alg” is ES256, RS256 or EdDSA")
        }
        (self.header, self.algorithm) = (header, algorithm)
        (keyID, type) = (try Self.text("kid", in: header), try Self.text("typ", in: header))
        key = try Self.key(header["jwk"])
        (unverifiedPayload, self.signature, self.signingInput) = (payload, signature, signingInput)
    }

    private static func members(_ bytes: [UInt8], limits: Limits) throws(JWSError) -> [String:
        JSONValue]
    {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                bytes,
                limits: JSONText.Limits(maxBytes: limits.maxBytes, maxDepth: limits.maxHeaderDepth))
        } catch {
            // Without the reader's own words: those may quote a key of the text.
            throw JWSError(
                .header,
                "not strict JSON at line \(error.line), column \(error.column): a member comes once, nothing follows the object"
            )
        }
        guard let members = value.objectValue else {
            throw JWSError(.header, "the header is an object, not \(value.kind)")
        }
        return members
    }

    private static func text(_ name: String, in header: [String: JSONValue]) throws(JWSError)
        -> String?
    {
        guard let value = header[name] else { return nil }
        guard let text = value.stringValue else {
            throw JWSError(.header, "“\(name)” is a text, not \(value.kind)")
        }
        return text
    }

    private static func key(_ value: JSONValue?) throws(JWSError) -> DevicePublicKey? {
        guard let value else { return nil }
        do { return try DevicePublicKey(jwk: value) } catch {
            throw JWSError(.key, "“jwk”: \(error.reason)")
        }
    }
}

/// A message whose signature fits ``key``. Made by ``JWS/verify(with:)`` only.
public struct VerifiedJWS: Sendable, Hashable {
    public let header: [String: JSONValue]
    public let keyID: String?
    public let type: String?
    public let payload: [UInt8]
    public let key: DevicePublicKey
}

public import MienCore

/// A signed message in the compact form (RFC 7515 §7.1), parsed but not verified. ``verify(with:)``
/// returns the verified message.
///
/// ```swift
/// let message = try JWS.parse(compact: text)
/// let key = try message.key ?? stored(message.keyID)      // a setup brings its own key
/// let payload = try message.verify(with: key).payload
/// ```
public struct JWS: Sendable, Hashable {
    public struct Limits: Sendable, Hashable {
        /// The maximum length of the whole text in bytes.
        public let maxBytes: Int
        public let maxHeaderDepth: Int

        public init(maxBytes: Int = 16 * 1024, maxHeaderDepth: Int = 4) {
            (self.maxBytes, self.maxHeaderDepth) = (maxBytes, maxHeaderDepth)
        }
    }

    /// Every member, including those with a property of their own. Not verified yet.
    public let header: [String: JSONValue]
    public let algorithm: DeviceKeyAlgorithm
    /// `kid`.
    public let keyID: String?
    /// `typ`, as written.
    public let type: String?
    /// `jwk`: the key that the message contains. Proves only that the sender holds it.
    public let key: DevicePublicKey?
    /// The payload before verification. Use it only to find the key.
    public let unverifiedPayload: [UInt8]
    public let signature: [UInt8]
    private let signingInput: [UInt8]

    /// - Throws: ``JWSError`` for a text longer than `limits`, a text that is not three parts of
    ///   base64url, a header that is not strict JSON (duplicate members are refused), an `alg`
    ///   other than ES256, RS256, or EdDSA, any `crit`, or a `jwk` that is not a key.
    public static func parse(compact text: some StringProtocol, limits: Limits = Limits())
        throws(JWSError) -> JWS
    {
        guard text.utf8.count <= limits.maxBytes else {
            throw JWSError(.tooLong, "the message has more than \(limits.maxBytes) bytes")
        }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw JWSError(.form, "a signed message must have three parts, joined by “.”")
        }
        func decode(_ index: Int, _ name: String) throws(JWSError) -> [UInt8] {
            guard let bytes = Base64URL.decode(String(decoding: parts[index], as: UTF8.self)) else {
                throw JWSError(.form, "the \(name) is not base64url without padding")
            }
            return bytes
        }
        let header = try members(decode(0, "header"), limits: limits)
        return try JWS(
            header: header, payload: decode(1, "payload"), signature: decode(2, "signature"),
            signingInput: Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1]))
    }

    /// Verifies the signature. Trust only the result, not this value.
    ///
    /// The key determines the algorithm. A header that names another is refused before any
    /// computation.
    public func verify(with key: DevicePublicKey) throws(JWSError) -> VerifiedJWS {
        guard algorithm == key.algorithm else {
            throw JWSError(
                .algorithmMismatch, "“alg” must be \(key.algorithm.rawValue), the key's")
        }
        guard key.isValid(signature, over: signingInput) else {
            throw JWSError(.signature, "the signature does not match this key and message")
        }
        return VerifiedJWS(
            header: header, keyID: keyID, type: type, payload: unverifiedPayload, key: key)
    }

    private init(
        header: [String: JSONValue], payload: [UInt8], signature: [UInt8], signingInput: [UInt8]
    ) throws(JWSError) {
        guard header["crit"] == nil else {
            throw JWSError(.critical, "“crit” is refused because no extension is supported")
        }
        guard let name = try Self.text("alg", in: header),
            let algorithm = DeviceKeyAlgorithm(joseName: name)
        else {
            throw JWSError(.algorithm, "“alg” must be ES256, RS256, or EdDSA")
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
            // Leave out the parser's own message, which may quote a key of the text, and the position,
            // of which senders could make thousands of different reasons in a log.
            throw JWSError(
                .header,
                "not strict JSON: members must be unique, and nothing may follow the object"
            )
        }
        guard let members = value.objectValue else {
            throw JWSError(.header, "the header must be an object, not \(value.kind)")
        }
        return members
    }

    private static func text(_ name: String, in header: [String: JSONValue]) throws(JWSError)
        -> String?
    {
        guard let value = header[name] else { return nil }
        guard let text = value.stringValue else {
            throw JWSError(.header, "“\(name)” must be a string, not \(value.kind)")
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

/// A message whose signature was verified with ``key``. Created only by ``JWS/verify(with:)``.
public struct VerifiedJWS: Sendable, Hashable {
    public let header: [String: JSONValue]
    public let keyID: String?
    public let type: String?
    public let payload: [UInt8]
    public let key: DevicePublicKey
}

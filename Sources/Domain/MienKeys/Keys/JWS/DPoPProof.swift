public import MienCore

/// A proof that a client holds a key: the signed message of a `DPoP` header (RFC 9449 §4.2).
///
/// Its signature is verified with the key it names. The caller must check that it belongs to the
/// request (``method``, ``address``, ``issuedAt``, ``accessTokenHash``) and was not used before
/// (``id``).
public struct DPoPProof: Sendable {
    /// The proof is invalid. Repeats no part of it.
    public struct Invalid: Error, Sendable, Equatable {
        public let reason: String
    }

    /// The maximum length of `jti` in UTF-8 bytes.
    public static let maxIdentifierBytes = 128

    public let key: DevicePublicKey
    /// `jti`
    public let id: String
    /// `htm`
    public let method: String
    /// `htu` without query and fragment.
    public let address: String
    /// `iat`
    public let issuedAt: Instant
    /// `ath`
    public let accessTokenHash: String?

    /// Parses a proof and verifies its signature.
    ///
    /// - Throws: ``Invalid`` if it is not a signed message of type `dpop+jwt`, its key is not
    ///   accepted, the signature is wrong, or a claim is missing.
    public init(compact text: String) throws(Invalid) {
        let message: VerifiedJWS
        do throws(JWSError) {
            let read = try JWS.parse(compact: text)
            guard read.type == "dpop+jwt", let key = read.key else {
                throw JWSError(.header, "“typ” must be dpop+jwt, and “jwk” the key")
            }
            message = try read.verify(with: key)
        } catch { throw Invalid(reason: error.reason) }
        guard let claims = (try? JSONText.parse(message.payload))?.objectValue,
            let id = claims["jti"]?.stringValue,
            (1...Self.maxIdentifierBytes).contains(id.utf8.count),
            let method = claims["htm"]?.stringValue, let address = claims["htu"]?.stringValue,
            let issued = claims["iat"]?.numberValue, issued.isFinite, abs(issued) < 1e12
        else {
            throw Invalid(
                reason:
                    "jti (1 to \(Self.maxIdentifierBytes) bytes), htm, htu, and iat are required")
        }
        (key, self.id, self.method, accessTokenHash) = (
            message.key, id, method, claims["ath"]?.stringValue
        )
        self.address = String(
            decoding: address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") },
            as: UTF8.self)
        issuedAt = Instant(milliseconds: Int64(issued) * 1000)
    }
}

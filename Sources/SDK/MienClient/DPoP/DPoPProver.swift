internal import Crypto
internal import MienCore
internal import MienKeys

/// Creates DPoP proofs (RFC 9449) with one key for one server. Remembers the nonce that the server
/// requires and the offset of this device's clock.
actor DPoPProver {
    /// A proof, and those of its claims that a server may reject.
    struct Proof: Sendable {
        let text: String
        let issuedAt: Instant
        let nonce: String?
    }

    /// A smaller clock offset is not the reason for a refusal; servers tolerate more.
    private static let maxClockSkew = Duration.seconds(60)
    private static let maxNonceBytes = 512

    nonisolated let thumbprint: String
    private let signer: any DeviceSigner
    private let issuer: String
    private let now: @Sendable () -> Instant
    private var clockOffset = Duration.zero
    private var nonce: String?

    /// - Parameter issuer: The server's issuer URL, with which the URLs in its proofs start. It
    ///   differs from the URL that requests go to when a server has several.
    init(_ signer: any DeviceSigner, issuer: String, now: @escaping @Sendable () -> Instant) {
        (self.signer, self.now) = (signer, now)
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        thumbprint = signer.publicKey.thumbprint
    }

    /// Creates a proof for one request to the server.
    ///
    /// - Parameters:
    ///   - path: The path below the server's URL, percent-encoded, without the query.
    ///   - accessToken: The token that the request carries.
    func proof(method: String, path: String, accessToken: Sensitive<String>?) async throws -> Proof
    {
        try await proof(
            method: method, address: issuer + path, accessToken: accessToken, nonce: nonce)
    }

    /// Creates a proof for one request to any URL.
    func proof(method: String, address: String, accessToken: Sensitive<String>?, nonce: String?)
        async throws -> Proof
    {
        var generator = SystemRandomNumberGenerator()
        let issuedAt = now() + clockOffset
        var claims: [String: JSONValue] = [
            "jti": .string(Base64URL.encode(generator.bytes(16))), "htm": .string(method),
            "htu": .string(address),
            "iat": .number(Double(issuedAt.seconds)),
        ]
        if let accessToken {
            claims["ath"] = .string(
                accessToken.use { Base64URL.encode(SHA256.hash(data: Array($0.utf8))) })
        }
        if let nonce { claims["nonce"] = .string(nonce) }
        let text = try await JWS.sign(
            header: ["typ": "dpop+jwt", "jwk": signer.publicKey.jwk],
            payload: Array(JSONText.write(.object(claims)).utf8), with: signer)
        return Proof(text: text, issuedAt: issuedAt, nonce: nonce)
    }

    /// Remembers the nonce of a response (RFC 9449 §8.2). If the proof was refused and this
    /// device's clock was off, also remembers the server's time.
    ///
    /// - Parameter error: The OAuth error of the response.
    /// - Returns: whether the server may accept a new proof after it refused `proof`.
    func learn(from response: HTTPTransportResponse, error: String?, to proof: Proof) -> Bool {
        let given = response.headers["dpop-nonce"].flatMap { Self.isNonce($0) ? $0 : nil }
        if let given { nonce = given }
        guard (400...401).contains(response.status),
            error == "use_dpop_nonce" || error == "invalid_dpop_proof"
        else { return false }
        if let given, given != proof.nonce { return true }
        guard error == "invalid_dpop_proof",
            let time = response.headers["date"].flatMap({ Instant(httpDate: $0) })
        else { return false }
        let skew = time - proof.issuedAt
        guard skew > Self.maxClockSkew || skew < .zero - Self.maxClockSkew else { return false }
        clockOffset = time - now()
        return true
    }

    /// RFC 9449 §8.1: `1*NQCHAR`.
    private static func isNonce(_ text: String) -> Bool {
        (1...maxNonceBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

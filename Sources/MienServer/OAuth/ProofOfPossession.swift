internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import MienAccess
internal import MienCore
internal import MienKeys
internal import MienStore

/// DPoP (RFC 9449): a client shows with each request that it holds the key its tokens are bound to.
struct ProofOfPossession: Sendable {
    /// How far a client's clock may be off.
    private static let tolerance = Duration.seconds(300)
    private static let mostIdentifier = 128

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    let signatures: SignatureQueue

    /// The key that the request's proof was made with.
    ///
    /// - Parameter token: the access token that it comes with, if it does.
    /// - Returns: its thumbprint; `nil` when the request has no proof.
    /// - Throws: ``OAuthError`` `invalid_dpop_proof` for more than one, a wrong one, and one that was seen before.
    func thumbprint(of request: Request, token: String? = nil) async throws -> String? {
        let proofs = request.headers[values: .dpop]
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else { throw Self.refused("there is more than one DPoP header") }
        let message: VerifiedJWS
        do {
            let read = try JWS.parse(compact: proof)
            guard read.type == "dpop+jwt", let key = read.key else { throw JWSError(.header, "“typ” is dpop+jwt, and “jwk” is the key") }
            message = try await signatures.check(with: key, for: .stranger()) { try read.verify(with: key) }
        } catch let error as JWSError { throw Self.refused(error.reason) }
        guard let claims = (try? JSONText.parse(message.payload))?.objectValue, let id = claims["jti"]?.stringValue,
            (1...Self.mostIdentifier).contains(id.utf8.count), let issued = claims["iat"]?.numberValue, issued.isFinite, abs(issued) < 1e12
        else { throw Self.refused("jti (1 to \(Self.mostIdentifier) bytes), htm, htu and iat are needed") }
        guard claims["htm"]?.stringValue == request.method.rawValue else { throw Self.refused("htm is \(request.method.rawValue)") }
        let address = publicURL() + request.uri.path
        guard claims["htu"]?.stringValue.map(Self.withoutQuery) == address else { throw Self.refused("htu is \(address)") }
        let now = clock.now, time = Instant(milliseconds: Int64(issued) * 1000)
        guard time <= now + Self.tolerance, now <= time + Self.tolerance else { throw Self.refused("iat is not within five minutes of now") }
        if let token {
            guard claims["ath"]?.stringValue == Base64URL.encode(SHA256.hash(data: Array(token.utf8))) else {
                throw Self.refused("ath is not the access token's hash")
            }
        }
        let thumbprint = message.key.thumbprint
        let hash = store.keys.hash(ofSecret: Array("\(thumbprint) \(id)".utf8))
        guard try await store.write(.process, { try $0.spent.spend(.proof, hash, until: time + Self.tolerance + .seconds(1)) }) else {
            throw Self.refused("this proof was used before: make a new one for each request")
        }
        return thumbprint
    }

    private static func withoutQuery(_ address: String) -> String { String(address.prefix { $0 != "?" && $0 != "#" }) }
    private static func refused(_ reason: String) -> OAuthError { OAuthError(.invalidProof, reason) }
}

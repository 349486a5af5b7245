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

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    let signatures: SignatureQueue

    /// The key that the request's proof was made with.
    ///
    /// - Parameter token: the access token that it comes with, if it does.
    /// - Returns: its thumbprint; `nil` when the request has no proof.
    /// - Throws: ``OAuthError`` `invalid_dpop_proof` for more than one, a wrong one, and one that
    ///   was seen before.
    func thumbprint(of request: Request, token: String? = nil) async throws -> String? {
        let proofs = request.headers[values: .dpop]
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else { throw Self.refused("there is more than one DPoP header") }
        let read: DPoPProof
        do {
            // The key decides how expensive the signature is: RSA waits its turn.
            guard let key = try JWS.parse(compact: proof).key else {
                throw Self.refused("“jwk” is the key")
            }
            read = try await signatures.check(with: key, for: .stranger()) {
                try DPoPProof(compact: proof)
            }
        } catch let error as JWSError { throw Self.refused(error.reason) } catch let error
            as DPoPProof.Invalid
        { throw Self.refused(error.reason) }
        guard read.method.utf8.elementsEqual(request.method.rawValue.utf8) else {
            throw Self.refused("htm is \(request.method.rawValue)")
        }
        let address = publicURL() + request.uri.path
        guard read.address.utf8.elementsEqual(address.utf8) else {
            throw Self.refused("htu is \(address)")
        }
        let now = clock.now, time = read.issuedAt
        guard time <= now + Self.tolerance, now <= time + Self.tolerance else {
            throw Self.refused("iat is not within five minutes of now")
        }
        if let token {
            guard read.accessTokenHash == Base64URL.encode(SHA256.hash(data: Array(token.utf8)))
            else {
                throw Self.refused("ath is not the access token's hash")
            }
        }
        let thumbprint = read.key.thumbprint
        let hash = store.keys.hash(ofSecret: Array("\(thumbprint) \(read.id)".utf8))
        guard
            try await store.write(
                .process,
                { try $0.spent.spend(.proof, hash, until: time + Self.tolerance + .seconds(1)) })
        else {
            throw Self.refused("this proof was used before: make a new one for each request")
        }
        return thumbprint
    }

    private static func refused(_ reason: String) -> OAuthError {
        OAuthError(.invalidProof, reason)
    }
}

internal import Crypto
internal import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore
internal import MienKeys
package import MienStore

/// Verifies DPoP proofs (RFC 9449): with each request, a client proves that it holds the key that
/// its tokens are bound to.
package struct ProofOfPossession: Sendable {
    /// The maximum deviation of a client's clock.
    private static let tolerance = Duration.seconds(300)
    /// How far ahead a client's clock may be under FAPI 2.0 (§5.3.2.1).
    private static let strictTolerance = Duration.seconds(30)

    let store: Store
    let clock: ServerClock
    let publicURL: @Sendable () -> String
    let signatures: SignatureQueue

    package init(
        store: Store, clock: ServerClock, publicURL: @escaping @Sendable () -> String,
        signatures: SignatureQueue
    ) {
        (self.store, self.clock, self.publicURL, self.signatures) = (
            store, clock, publicURL, signatures
        )
    }

    /// Verifies the request's proof and returns the thumbprint of its key.
    ///
    /// - Parameters:
    ///   - token: The access token of the request, if any.
    ///   - app: The app that sends it, if it is known: its profile may demand more.
    /// - Returns: `nil` if the request has no proof.
    /// - Throws: ``OAuthError`` `invalid_dpop_proof` if there are several proofs, or the proof is
    ///   invalid or was used before.
    package func thumbprint(
        of request: Request, token: String? = nil, app: AppRecord? = nil
    ) async throws -> String? {
        let proofs = request.headers[values: .dpop]
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else {
            throw Self.refused("The request has more than one DPoP header.")
        }
        let read: DPoPProof
        do {
            // The key determines the cost of the verification: RSA is queued.
            guard let key = try JWS.parse(compact: proof).key else {
                throw Self.refused("The proof's header must contain the key in jwk.")
            }
            read = try await signatures.check(with: key, for: .stranger()) {
                try DPoPProof(compact: proof)
            }
        } catch let error as JWSError { throw Self.refused(error.reason) } catch let error
            as DPoPProof.Invalid
        { throw Self.refused(error.reason) }
        if let allowed = app?.settings.signatureAlgorithms, !allowed.contains(read.key.algorithm) {
            let names = allowed.map(\.rawValue).sorted().joined(separator: " or ")
            throw Self.refused("The key of the proof must be for \(names).")
        }
        guard read.method.utf8.elementsEqual(request.method.rawValue.utf8) else {
            throw Self.refused("htm must be \(request.method.rawValue).")
        }
        let address = publicURL() + request.uri.path
        guard let named = NormalizedAddress(read.address), named == NormalizedAddress(address)
        else {
            throw Self.refused("htu must be \(address).")
        }
        let now = clock.now, time = read.issuedAt
        let ahead = app?.settings.profile == nil ? Self.tolerance : Self.strictTolerance
        guard time <= now + ahead, now <= time + Self.tolerance else {
            throw Self.refused("iat must be within five minutes of the server's time.")
        }
        if let token {
            guard read.accessTokenHash == Base64URL.encode(SHA256.hash(data: Array(token.utf8)))
            else {
                throw Self.refused("ath must be the hash of the access token.")
            }
        }
        let thumbprint = read.key.thumbprint
        let hash = store.keys.hash(ofSecret: Array("\(thumbprint) \(read.id)".utf8))
        guard
            try await store.write(
                .process,
                { try $0.spent.spend(.proof, hash, until: time + Self.tolerance + .seconds(1)) })
        else {
            throw Self.refused("This proof was already used. Create a new one for each request.")
        }
        return thumbprint
    }

    private static func refused(_ reason: String) -> OAuthError {
        OAuthError(.invalidProof, reason)
    }
}

internal import MienCore
internal import MienKeys

/// Tokens that are bound to a key (DPoP, RFC 9449).
///
/// There is one key for each app on each server. It outlasts sign-outs. Tokens that were stored as
/// bearer tokens remain bearer tokens until their sign-in ends.
extension MienSession {
    /// An access token, the prover of the key it is bound to, and what replaces both if the server
    /// refuses the token.
    struct Access: Sendable {
        let token: Sensitive<String>
        let prover: DPoPProver?
        let renewed: @Sendable () async throws -> Access?
    }

    /// The thumbprint (RFC 7638) of the key that the next sign-in will be bound to, for the
    /// parameter `dpop_jkt` of `/oauth2/authorize`.
    ///
    /// - Returns: `nil` if the next sign-in will return bearer tokens: ``MienOptions/usesDPoP`` is
    ///   off, the server does not support DPoP, or no storage for a key is available.
    public func proofKeyThumbprint() async throws -> String? {
        try await signInProver()?.thumbprint
    }

    /// Returns the header fields that authorize one request of the app's own: `authorization`, and
    /// `dpop` with a proof if the access token is bound to a key.
    ///
    /// A proof is valid for one request. Call this again for each request and each attempt.
    ///
    /// - Parameters:
    ///   - url: The URL of the request. Query and fragment are left out of the proof.
    ///   - nonce: The last `DPoP-Nonce` of the server at `url`, if it requires one.
    /// - Throws: as ``accessToken()``.
    public func authorization(
        for method: HTTPTransportRequest.Method, url: String, nonce: String? = nil
    ) async throws -> [String: String] {
        let access = try await access(), token = access.token.use { $0 }
        guard let prover = access.prover else { return ["authorization": "Bearer \(token)"] }
        let address = String(url.prefix { $0 != "?" && $0 != "#" })
        let proof = try await prover.proof(
            method: method.rawValue, address: address, accessToken: access.token, nonce: nonce)
        return ["authorization": "DPoP \(token)", "dpop": proof.text]
    }

    func access() async throws -> Access { try await access(with: currentTokens()) }

    func access(with tokens: SessionTokens) async throws -> Access {
        let token = tokens.accessToken
        return Access(token: token, prover: try await prover(of: tokens)) {
            try await self.access(after: token)
        }
    }

    /// The prover of the key that the next sign-in will be bound to; `nil` for bearer tokens.
    func signInProver() async throws -> DPoPProver? {
        let storage = storage as? any ProofKeyStorage
        guard options.usesDPoP, givenProofKey != nil || storage != nil else { return nil }
        let algorithms = try await server().proofAlgorithms
        if let givenProofKey {
            return algorithms.contains(givenProofKey.publicKey.algorithm.rawValue)
                ? try await prover(with: givenProofKey) : nil
        }
        guard algorithms.contains(DeviceKeyAlgorithm.es256.rawValue), let storage else {
            return nil
        }
        if let stored = try await storage.proofKey(for: key) {
            return try await prover(with: stored)
        }
        return try await prover(with: storage.keepProofKey(ProofKey(), for: key))
    }

    /// The prover of the key that `tokens` are bound to; `nil` for bearer tokens.
    ///
    /// - Throws: ``MienError`` `.unauthenticatedUser` if the key is gone; the sign-in has then
    ///   ended.
    func prover(of tokens: SessionTokens) async throws -> DPoPProver? {
        guard let thumbprint = tokens.keyThumbprint else { return nil }
        if let known = provers[thumbprint] { return known }
        guard let signer = try await proofKey(withThumbprint: thumbprint) else {
            try await end()
            throw MienError(
                .unauthenticatedUser, "The key that the tokens are bound to is gone. Sign in again."
            )
        }
        return try await prover(with: signer)
    }

    func proofKey(withThumbprint thumbprint: String) async throws -> (any DeviceSigner)? {
        if let givenProofKey, givenProofKey.publicKey.thumbprint == thumbprint {
            return givenProofKey
        }
        guard let stored = try await (storage as? any ProofKeyStorage)?.proofKey(for: key),
            stored.publicKey.thumbprint == thumbprint
        else {
            return nil
        }
        return stored
    }

    private func prover(with signer: any DeviceSigner) async throws -> DPoPProver {
        let thumbprint = signer.publicKey.thumbprint, issuer = try await server().issuer
        if let known = provers[thumbprint] { return known }
        let prover = DPoPProver(signer, issuer: issuer, now: now)
        provers[thumbprint] = prover
        return prover
    }
}

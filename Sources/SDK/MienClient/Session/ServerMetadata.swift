internal import MienCore

/// The members of a server's discovery document (RFC 8414) that sessions use.
struct ServerMetadata: Sendable, Hashable {
    /// The server's issuer URL, which tokens, signed requests, and proofs contain.
    let issuer: String
    /// The algorithms of DPoP proofs that the server verifies; empty if it does not support DPoP.
    let proofAlgorithms: [String]
    /// The sign-in page.
    let authorizationEndpoint: String?
    /// Whether every redirect of the sign-in page names the server (RFC 9207).
    let namesItselfInRedirects: Bool

    /// - Returns: `nil` without an issuer.
    init?(_ document: JSONValue) {
        guard let issuer = document["issuer"]?.stringValue else { return nil }
        self.issuer = issuer
        proofAlgorithms =
            document["dpop_signing_alg_values_supported"]?.arrayValue?.compactMap(\.stringValue)
            ?? []
        authorizationEndpoint = document["authorization_endpoint"]?.stringValue
        namesItselfInRedirects =
            document["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    }
}

public import MienCore

/// The algorithm that signs an app's ID tokens and logout tokens:
/// `id_token_signed_response_alg` of OpenID Connect Dynamic Client Registration.
public enum IDTokenAlgorithm: String, WireWord {
    /// ECDSA over P-256 with SHA-256. Also signs everything else.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256 and a key of 3,072 bits. OpenID Connect Core §15.1 requires
    /// every server to have it.
    case rs256 = "RS256"
}

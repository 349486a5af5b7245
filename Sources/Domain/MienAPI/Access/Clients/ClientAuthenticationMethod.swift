public import MienCore

/// How an app proves itself at the token endpoints: `token_endpoint_auth_method` of RFC 7591.
public enum ClientAuthenticationMethod: String, WireWord {
    /// Not at all: a public app.
    case unauthenticated = "none"
    /// With its secret in the header `Authorization`.
    case basic = "client_secret_basic"
    /// With its secret in the form.
    case post = "client_secret_post"
    /// With a JWT that its own key has signed (RFC 7523). The server has no secret of the app.
    case privateKey = "private_key_jwt"
}

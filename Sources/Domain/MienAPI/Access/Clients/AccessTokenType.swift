public import MienCore

/// The `typ` in the header of an app's access tokens.
public enum AccessTokenType: String, WireWord {
    /// RFC 9068. A reader that checks it mistakes no other token for an access token.
    case accessToken = "at+jwt"
    /// For readers that accept no other type. ID tokens have it, too, so a reader has to check
    /// `aud`.
    case jwt = "JWT"
}

internal import MienCore

/// The stored form of ``SessionTokens``.
struct StoredTokens: Codable {
    let accessToken, scope: String
    let expiresAt: Int64
    let issuedAt: Int64?
    let refreshToken, idToken, repeatKey, keyThumbprint: String?

    init(_ tokens: SessionTokens) {
        (accessToken, scope) = (tokens.accessToken.use { $0 }, tokens.scope)
        (expiresAt, keyThumbprint) = (tokens.expiresAt.milliseconds, tokens.keyThumbprint)
        issuedAt = tokens.issuedAt?.milliseconds
        (refreshToken, idToken, repeatKey) = (
            tokens.refreshToken?.use { $0 }, tokens.idToken?.use { $0 },
            tokens.repeatKey?.use { $0 }
        )
    }

    var tokens: SessionTokens {
        SessionTokens(
            accessToken: Sensitive(accessToken),
            issuedAt: issuedAt.map { Instant(milliseconds: $0) },
            expiresAt: Instant(milliseconds: expiresAt),
            refreshToken: refreshToken.map { Sensitive($0) },
            idToken: idToken.map { Sensitive($0) },
            scope: scope, repeatKey: repeatKey.map { Sensitive($0) }, keyThumbprint: keyThumbprint)
    }
}

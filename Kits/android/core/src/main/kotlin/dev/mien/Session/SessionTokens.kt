package dev.mien

/** The tokens of a sign-in. Never printed. */
class SessionTokens internal constructor(
    val accessToken: Sensitive<String>,
    /** When the access token was received; `null` if that was not stored. Milliseconds since 1970, by this device's clock. */
    val issuedAt: Long?,
    /** Milliseconds since 1970, by this device's clock. */
    val expiresAt: Long,
    val refreshToken: Sensitive<String>?,
    val idToken: Sensitive<String>?,
    val scope: String,
    /** Lets an app that was ended during a refresh ask once more for the same tokens. */
    val repeatKey: Sensitive<String>?,
    /** The thumbprint of the key that the tokens are bound to; `null` for bearer tokens. */
    val keyThumbprint: String?
) {
    override fun toString() = "‹sensitive›"

    /** For a [TokenStorage] of the app's own. Seal it. */
    fun toJson(): Sensitive<String> = Sensitive(Json.write(mapOf(
        "accessToken" to accessToken, "issuedAt" to issuedAt, "expiresAt" to expiresAt, "refreshToken" to refreshToken, "idToken" to idToken,
        "scope" to scope, "repeatKey" to repeatKey, "keyThumbprint" to keyThumbprint)))

    companion object {
        /** Reads the text of [toJson]; `null` for any other. */
        @JvmStatic
        fun fromJson(text: Sensitive<String>): SessionTokens? {
            val members = text.use { Json.objectOf(utf8(it)) } ?: return null
            fun secret(name: String) = members.string(name)?.let { Sensitive(it) }
            return SessionTokens(
                secret("accessToken") ?: return null, members.integer("issuedAt"), members.integer("expiresAt") ?: return null, secret("refreshToken"),
                secret("idToken"), members.optString("scope"), secret("repeatKey"), members.string("keyThumbprint"))
        }
    }
}

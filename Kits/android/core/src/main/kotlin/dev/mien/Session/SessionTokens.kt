package dev.mien

/** The tokens of a sign-in. Never printed. */
class SessionTokens internal constructor(
    val accessToken: Sensitive<String>,
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
        "accessToken" to accessToken, "expiresAt" to expiresAt, "refreshToken" to refreshToken, "idToken" to idToken,
        "scope" to scope, "repeatKey" to repeatKey, "keyThumbprint" to keyThumbprint)))

    companion object {
        /** Reads the text of [toJson]; `null` for any other. */
        @JvmStatic
        fun fromJson(text: Sensitive<String>): SessionTokens? {
            val members = text.use { Json.objectOf(utf8(it)) } ?: return null
            fun secret(name: String) = members.string(name)?.let { Sensitive(it) }
            return SessionTokens(
                secret("accessToken") ?: return null, members.integer("expiresAt") ?: return null, secret("refreshToken"),
                secret("idToken"), members.optString("scope"), secret("repeatKey"), members.string("keyThumbprint"))
        }
    }
}

/** Stores a session's tokens. Use [TransientTokenStorage] in apps whose users confirm with biometrics at each start. */
interface TokenStorage {
    fun tokens(key: AppKey): SessionTokens?
    fun store(tokens: SessionTokens, key: AppKey)
    fun remove(key: AppKey)
}

/**
 * Stores one key for each app on each server, next to the tokens that are bound to it. Without it, and without a key that the
 * app passes to the session, tokens are bearer tokens.
 */
interface ProofKeyStorage {
    fun proofKey(key: AppKey): Signer?
    /** The stored key, or a new one that is stored now. */
    fun proofKeyOrNew(key: AppKey): Signer
}

/** Keeps tokens and keys until the process ends: each start of the app signs in again. */
class TransientTokenStorage : TokenStorage, ProofKeyStorage {
    private val tokens = HashMap<AppKey, SessionTokens>()
    private val keys = HashMap<AppKey, Signer>()

    @Synchronized override fun tokens(key: AppKey): SessionTokens? = tokens[key]
    @Synchronized override fun store(tokens: SessionTokens, key: AppKey) { this.tokens[key] = tokens }
    @Synchronized override fun remove(key: AppKey) { tokens.remove(key) }
    @Synchronized override fun proofKey(key: AppKey): Signer? = keys[key]
    @Synchronized override fun proofKeyOrNew(key: AppKey): Signer = keys[key] ?: JcaSigner.generate().also { keys[key] = it }
}

package dev.mien

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

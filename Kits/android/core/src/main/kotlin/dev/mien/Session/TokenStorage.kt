package dev.mien

/** Stores a session's tokens. Use [TransientTokenStorage] in apps whose users confirm with biometrics at each start. */
interface TokenStorage {
    fun tokens(key: AppKey): SessionTokens?
    fun store(tokens: SessionTokens, key: AppKey)
    fun remove(key: AppKey)
}

package dev.mien

/**
 * Stores one key for each app on each server, next to the tokens that are bound to it. Without it, and without a key that the
 * app passes to the session, tokens are bearer tokens.
 */
interface ProofKeyStorage {
    fun proofKey(key: AppKey): Signer?
    /** The stored key, or a new one that is stored now. */
    fun proofKeyOrNew(key: AppKey): Signer
}

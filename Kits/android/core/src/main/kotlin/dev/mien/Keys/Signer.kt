package dev.mien

/** A key that signs with ECDSA on P-256 and SHA-256. */
interface Signer {
    val publicKey: PublicKey

    /** Returns r and s, 32 bytes each. */
    fun sign(message: ByteArray): ByteArray
}

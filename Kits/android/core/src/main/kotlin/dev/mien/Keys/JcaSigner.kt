package dev.mien

import java.security.Signature

/** A key of Java's: in memory, or in Android's key store. It is never printed. */
class JcaSigner(private val privateKey: java.security.PrivateKey, override val publicKey: PublicKey) : Signer {
    constructor(pair: java.security.KeyPair) : this(pair.private, PublicKey.of(pair.public))

    override fun sign(message: ByteArray): ByteArray {
        val signature = Signature.getInstance("SHA256withECDSA")
        signature.initSign(privateKey)
        signature.update(message)
        return EcdsaSignatures.raw(signature.sign())
    }

    override fun toString() = "‹sensitive›"

    companion object {
        /** A new key that exists only in memory. */
        @JvmStatic
        fun generate(): JcaSigner = JcaSigner(P256.newPair())
    }
}

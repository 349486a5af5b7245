package dev.mien

/** The P-256 key that encrypts an OTP token's secret in transit. It is never printed. */
class OtpProvisioningKey private constructor(internal val pair: java.security.KeyPair) {
    constructor() : this(P256.newPair())

    internal val publicKey: PublicKey get() = PublicKey.of(pair.public)

    /** The key, 96 bytes. Seal it when storing it. */
    val bytes: Sensitive<ByteArray>
        get() = Sensitive(P256.bytes((pair.private as java.security.interfaces.ECPrivateKey).s) + publicKey.x + publicKey.y)

    override fun toString() = "‹sensitive›"

    companion object {
        /** The key of these [bytes]; `null` if they are not one. */
        @JvmStatic
        fun of(bytes: Sensitive<ByteArray>): OtpProvisioningKey? = bytes.use { if (it.size == 96) read(it) else null }

        private fun read(bytes: ByteArray): OtpProvisioningKey? {
            val (x, y) = Pair(bytes.copyOfRange(32, 64), bytes.copyOfRange(64, 96))
            if (!P256.contains(x, y)) return null
            val pair = java.security.KeyPair(P256.publicKey(x, y), P256.privateKey(bytes.copyOfRange(0, 32)))
            return if (areOne(pair)) OtpProvisioningKey(pair) else null
        }

        /** Whether the point is that of the private key. */
        private fun areOne(pair: java.security.KeyPair): Boolean = try {
            val message = ByteArray(1)
            val check = java.security.Signature.getInstance("SHA256withECDSA")
            check.initVerify(pair.public)
            check.update(message)
            check.verify(EcdsaSignatures.der(JcaSigner(pair).sign(message)))
        } catch (_: java.security.GeneralSecurityException) { false }
    }
}

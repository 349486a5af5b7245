package dev.mien

/**
 * Keys on P-256 whose private halves stay on this device, and sign only after a check of the owner: the core's side of Android's
 * key store and of its biometric prompt. Calls wait for the person: they are not made on the main thread.
 */
interface DeviceKeys {
    /**
     * What stands in the way, without asking anybody; `null` if nothing does: no sensor, no PIN, no enrollment.
     *
     * @param allowedAuthenticators [Authenticators].
     */
    fun obstacle(allowedAuthenticators: Int): DeviceException?

    /**
     * Creates a key.
     *
     * @param challenge a server's challenge for an attestation; `null` if none is wanted.
     */
    fun makeKey(tag: String, options: BiometricTexts, challenge: String?): MadeKey

    /**
     * Asks the person, and returns the key for one signature.
     *
     * @throws BiometricPrivateKeyNotFoundException for a key that does not exist, or that another enrollment has invalidated,
     *   which deletes it. A canceled or failed attempt is another exception and leaves the key.
     */
    fun unlock(tag: String, options: BiometricTexts): UnlockedKey

    /** Does nothing if there is no such key. */
    fun deleteKey(tag: String)

    /** The tags of all keys, sorted. */
    fun tags(): List<String>
}

class MadeKey(
    val publicKey: PublicKey,
    /** The certificate chain of the key store, DER, with the key's own first; `null` if the device cannot attest keys. */
    val attestation: List<ByteArray>?
) {
    /** As the `attestation` of a biometric request. */
    internal val attestationJson: Map<String, Any?>?
        get() = attestation?.let { chain -> mapOf("format" to "android-key", "chain" to chain.map { Base64.encode(it) }) }
}

/** A key that its owner has just unlocked, for one signature. */
class UnlockedKey(
    /** Whether a biometric unlocked it. Otherwise, the device's PIN did, or the system does not tell. */
    val isBiometric: Boolean,
    private val signer: Signer
) : Signer by signer {
    /** As servers are told. */
    internal val method: String get() = if (isBiometric) "biometric" else "pin"

    override fun toString() = "‹sensitive›"
}

/** The parts of a device that biometric login needs. */
class BiometricDevice @JvmOverloads constructor(
    val keys: DeviceKeys,
    /** The name in the user's list of keys: `Pixel 9`. */
    val model: String,
    /** 8 to 128 bytes that stay the same while the app is installed. With it, a new key replaces this device's old one. */
    val deviceID: String? = null,
    val system: String = "android"
)

/** Short marks that name an app or a user in tags. */
internal object KeyMark {
    /** 16 characters. FNV-1a is enough, because marks only have to differ. */
    fun of(text: String): String {
        var value = -0x340d631b7bdddcdbL
        for (byte in utf8(text)) value = (value xor (byte.toLong() and 255)) * 0x100000001b3L
        return java.lang.Long.toHexString(value).padStart(16, '0')
    }

    fun keyID(tag: String) = tag.substringAfterLast('.')
}

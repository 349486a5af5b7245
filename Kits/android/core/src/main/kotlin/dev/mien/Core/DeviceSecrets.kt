package dev.mien

/** Two keys that never leave the device, for [OtpVault] and [SealedFile]. On Android, both are in the key store. */
interface DeviceSecrets {
    /** HMAC-SHA256 under a key that only this purpose uses. */
    fun mac(message: ByteArray): ByteArray
    /** Encrypts and authenticates, bound to [context]. */
    fun seal(content: ByteArray, context: String): ByteArray
    /** `null` if another device sealed it, or if it was changed. */
    fun open(sealed: ByteArray, context: String): ByteArray?
}

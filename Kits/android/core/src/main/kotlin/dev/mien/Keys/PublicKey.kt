package dev.mien

import java.security.interfaces.ECPublicKey

/** A key on P-256 in the forms of servers. */
class PublicKey internal constructor(internal val x: ByteArray, internal val y: ByteArray) {
    /** RFC 7517. */
    val jwk: Map<String, Any?>
        get() = mapOf("kty" to "EC", "crv" to "P-256", "x" to Base64.encodeUrl(x), "y" to Base64.encodeUrl(y))

    /** RFC 7638, SHA-256, base64url. */
    val thumbprint: String get() = Base64.encodeUrl(sha256(Json.bytes(jwk)))

    /** SubjectPublicKeyInfo in base64. */
    val spki: String get() = Base64.encode(spkiPrefix + point)

    /** Uncompressed: 4, x, y. */
    internal val point: ByteArray get() = byteArrayOf(4) + x + y

    override fun equals(other: Any?) = other is PublicKey && x.contentEquals(other.x) && y.contentEquals(other.y)
    override fun hashCode() = x.contentHashCode()
    override fun toString() = "key $thumbprint"

    companion object {
        private val spkiPrefix = byteArrayOf(
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86.toByte(), 0x48, 0xce.toByte(), 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
            0x86.toByte(), 0x48, 0xce.toByte(), 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00)

        /** @throws DeviceException for a key on another curve. */
        @JvmStatic
        fun of(key: java.security.PublicKey): PublicKey {
            val point = (key as? ECPublicKey)?.takeIf { it.params.order == P256.parameters.order }?.w
                ?: throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "The key is not on P-256.")
            return PublicKey(P256.bytes(point.affineX), P256.bytes(point.affineY))
        }
    }
}

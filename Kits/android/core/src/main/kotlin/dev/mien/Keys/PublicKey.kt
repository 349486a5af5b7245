package dev.mien

import java.math.BigInteger
import java.security.KeyFactory
import java.security.KeyPairGenerator
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import java.security.spec.ECParameterSpec
import java.security.spec.ECPoint
import java.security.spec.ECPrivateKeySpec
import java.security.spec.ECPublicKeySpec

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

/** The curve, and what Java does with it. */
internal object P256 {
    /** From a key, because `AlgorithmParameters` for curves came to Android with version 8 only. */
    val parameters: ECParameterSpec by lazy { (newPair().public as ECPublicKey).params }

    fun newPair(): java.security.KeyPair =
        KeyPairGenerator.getInstance("EC").apply { initialize(ECGenParameterSpec("secp256r1")) }.generateKeyPair()

    /** 32 bytes. */
    fun bytes(number: BigInteger): ByteArray {
        val bytes = number.toByteArray()
        val out = ByteArray(32)
        val count = minOf(32, bytes.size)
        System.arraycopy(bytes, bytes.size - count, out, 32 - count, count)
        return out
    }

    fun number(bytes: ByteArray) = BigInteger(1, bytes)

    fun privateKey(bytes: ByteArray): java.security.PrivateKey =
        KeyFactory.getInstance("EC").generatePrivate(ECPrivateKeySpec(number(bytes), parameters))

    /** A key from its point. The caller trusts the point, or the provider checks it when it is used. */
    fun publicKey(x: ByteArray, y: ByteArray): java.security.PublicKey =
        KeyFactory.getInstance("EC").generatePublic(ECPublicKeySpec(ECPoint(number(x), number(y)), parameters))

    /** Whether a point is on the curve, which agreement of keys needs to know. */
    fun contains(x: ByteArray, y: ByteArray): Boolean {
        val (px, py) = Pair(number(x), number(y))
        val prime = (parameters.curve.field as java.security.spec.ECFieldFp).p
        if (px >= prime || py >= prime) return false
        val right = px.pow(3).add(parameters.curve.a.multiply(px)).add(parameters.curve.b).mod(prime)
        return py.multiply(py).mod(prime) == right
    }
}

/** Signatures of ECDSA on P-256: Java writes DER, servers want r and s, 32 bytes each. */
object EcdsaSignatures {
    @JvmStatic
    fun raw(der: ByteArray): ByteArray {
        val (r, s) = try { numbers(der) } catch (_: IndexOutOfBoundsException) { malformed() }
        return P256.bytes(r) + P256.bytes(s)
    }

    internal fun der(raw: ByteArray): ByteArray {
        val r = P256.number(raw.copyOfRange(0, 32)).toByteArray()
        val s = P256.number(raw.copyOfRange(32, 64)).toByteArray()
        return byteArrayOf(0x30, (r.size + s.size + 4).toByte(), 2, r.size.toByte()) + r + byteArrayOf(2, s.size.toByte()) + s
    }

    private fun numbers(der: ByteArray): Pair<BigInteger, BigInteger> {
        if (der[0].toInt() != 0x30 || der[1].toInt() != der.size - 2 || der[2].toInt() != 2) malformed()
        val first = der[3].toInt()
        if (first !in 1..33 || der[4 + first].toInt() != 2) malformed()
        val second = der[5 + first].toInt()
        if (second !in 1..33 || 6 + first + second != der.size) malformed()
        return Pair(BigInteger(der.copyOfRange(4, 4 + first)), BigInteger(der.copyOfRange(6 + first, der.size)))
    }

    private fun malformed(): Nothing = throw DeviceException(DeviceException.Code.HARDWARE, "The key store made a malformed signature.")
}

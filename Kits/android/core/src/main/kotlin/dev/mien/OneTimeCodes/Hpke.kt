package dev.mien

import java.security.PrivateKey
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec

/** The receiving side of HPKE (RFC 9180), base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. */
internal object Hpke {
    private val kemSuite = utf8("KEM") + byteArrayOf(0, 0x10)
    private val suite = utf8("HPKE") + byteArrayOf(0, 0x10, 0, 1, 0, 2)

    /** `null` if it was not encrypted to this key, for this purpose. */
    fun open(key: PrivateKey, own: PublicKey, encapsulated: ByteArray, info: ByteArray, sealed: ByteArray): ByteArray? {
        if (encapsulated.size != 65 || encapsulated[0].toInt() != 4) return null
        val (x, y) = Pair(encapsulated.copyOfRange(1, 33), encapsulated.copyOfRange(33, 65))
        if (!P256.contains(x, y)) return null
        val agreement = KeyAgreement.getInstance("ECDH")
        agreement.init(key)
        agreement.doPhase(P256.publicKey(x, y), true)
        val prk = extract(kemSuite, ByteArray(0), "eae_prk", agreement.generateSecret())
        val shared = expand(kemSuite, prk, "shared_secret", encapsulated + own.point, 32)
        val context = byteArrayOf(0) + extract(suite, ByteArray(0), "psk_id_hash", ByteArray(0)) + extract(suite, ByteArray(0), "info_hash", info)
        val secret = extract(suite, shared, "secret", ByteArray(0))
        val aead = expand(suite, secret, "key", context, 32)
        val nonce = expand(suite, secret, "base_nonce", context, 12)
        val cipher = Cipher.getInstance("AES/GCM/NoPadding")
        cipher.init(Cipher.DECRYPT_MODE, SecretKeySpec(aead, "AES"), GCMParameterSpec(128, nonce))
        return try { cipher.doFinal(sealed) } catch (_: java.security.GeneralSecurityException) { null }
    }

    private fun extract(suite: ByteArray, salt: ByteArray, label: String, value: ByteArray): ByteArray =
        // An empty key is 32 zeros, which Java does not make of it.
        hmac("HmacSHA256", if (salt.isEmpty()) ByteArray(32) else salt, utf8("HPKE-v1"), suite, utf8(label), value)

    /** At most 32 bytes, one block. */
    private fun expand(suite: ByteArray, key: ByteArray, label: String, info: ByteArray, length: Int): ByteArray =
        hmac("HmacSHA256", key, byteArrayOf(0, length.toByte()), utf8("HPKE-v1"), suite, utf8(label), info, byteArrayOf(1)).copyOf(length)
}

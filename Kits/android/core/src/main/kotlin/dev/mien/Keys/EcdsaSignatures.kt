package dev.mien

import java.math.BigInteger

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

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

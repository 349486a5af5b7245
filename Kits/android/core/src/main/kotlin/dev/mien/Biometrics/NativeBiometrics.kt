package dev.mien

/**
 * Keys of the device for journeys: they answer the steps that register a key, sign in with it, and sign transactions.
 *
 * A key is found by every name with which it was registered. The step names a signed-in user by ID and lists the names that they
 * sign in with; a login step repeats what was typed.
 */
class NativeBiometrics(private val device: BiometricDevice, application: String) {
    private val prefix = "mien.journey.${KeyMark.of(application)}."

    /** Creates a key for the user of a registration step, under all its names and attested for its challenge. */
    fun register(response: MienServiceResponse, options: BiometricTexts): BiometricsRegistrationResult {
        val user = response.data?.string("user_identifier")
            ?: throw MienException(MienException.Code.INVALID_STATE, "This step does not register a device key.")
        return register(user, options, response.data!!.strings("user_names"), response.data!!.string("challenge"))
    }

    /** Creates a key for a user. An earlier key of the user is replaced, here and on the server. */
    @JvmOverloads
    fun register(
        username: String, options: BiometricTexts, otherNames: List<String> = emptyList(), challenge: String? = null
    ): BiometricsRegistrationResult {
        device.keys.obstacle(options.allowedAuthenticators)?.let { throw it }
        val marks = (listOf(username) + otherNames).map { KeyMark.of(it) }.distinct().take(MAX_NAMES)
        val earlier = tags().filter { tag -> marks(tag).any { it in marks } }
        // The new key takes the ID of the old one, by which the server replaces its record.
        val keyID = earlier.lastOrNull()?.let { KeyMark.keyID(it) } ?: Randomness.text()
        earlier.forEach { device.keys.deleteKey(it) }
        val made = device.keys.makeKey(prefix + (marks + keyID).joinToString("."), options, challenge)
        return BiometricsRegistrationResult(
            keyID, made.publicKey.spki, made.attestationJson?.let { Json.write(it) }, device.system, options.verification)
    }

    /** Asks the person to unlock the key, and signs the challenge of an authentication or transaction step. */
    fun authenticate(response: MienServiceResponse, options: BiometricTexts): BiometricsAuthenticationResult {
        val data = response.data
        val user = data?.string("user_identifier")
        val challenge = data?.string("transaction_challenge") ?: data?.string("challenge")
        if (user == null || challenge == null) {
            throw MienException(MienException.Code.INVALID_STATE, "This step asks for no signature of a device key.")
        }
        return authenticate(user, challenge, options)
    }

    /**
     * Signs a challenge. Of a transaction, show the person its `approval_data` first.
     *
     * @param username if no key is registered under it and the device has only one key of this app, that one signs: it may be
     *   another name of the same user. The server decides.
     */
    fun authenticate(username: String, challenge: String, options: BiometricTexts): BiometricsAuthenticationResult {
        val all = tags()
        val mark = KeyMark.of(username)
        val tag = all.lastOrNull { mark in marks(it) } ?: all.singleOrNull()
            ?: throw BiometricPrivateKeyNotFoundException("This user has no key on this device. Register one first.")
        val key = device.keys.unlock(tag, options)
        return BiometricsAuthenticationResult(KeyMark.keyID(tag), Base64.encodeUrl(key.sign(utf8(challenge))), key.method)
    }

    fun isRegistered(username: String): Boolean = KeyMark.of(username).let { mark -> tags().any { mark in marks(it) } }

    fun delete(username: String) {
        val mark = KeyMark.of(username)
        tags().filter { mark in marks(it) }.forEach { device.keys.deleteKey(it) }
    }

    // Tags: `mien.journey.<app>.`, the marks of the user's names, the key's ID.

    private fun tags() = device.keys.tags().filter { it.startsWith(prefix) }

    private fun marks(tag: String) = tag.removePrefix(prefix).split('.').dropLast(1)

    private companion object {
        /** A tag has room for this many. */
        const val MAX_NAMES = 4
    }
}

/** The answer to a registration step: pass it to `submitClientResponse` as it is. */
class BiometricsRegistrationResult internal constructor(
    val publicKeyId: String,
    /** SubjectPublicKeyInfo in base64. */
    val publicKey: String,
    /** As text, if the step's challenge was given and the device can attest keys. */
    val attestation: String?,
    val os: String,
    private val verification: String
) : MienData {
    fun keyId() = publicKeyId
    fun publicKey() = publicKey

    override fun members(): Map<String, Any?> = linkedMapOf<String, Any?>(
        "publicKey" to publicKey, "publicKeyId" to publicKeyId, "os" to os, "userVerification" to verification
    ).also { if (attestation != null) it["attestation"] = attestation }
}

/** The answer to an authentication or transaction step: pass it to `submitClientResponse` as it is. */
class BiometricsAuthenticationResult internal constructor(
    val publicKeyId: String,
    /** r and s in base64url. */
    val signature: String,
    /** `biometric` or `pin` */
    val userVerification: String
) : MienData {
    override fun members(): Map<String, Any?> =
        mapOf("publicKeyId" to publicKeyId, "signature" to signature, "userVerification" to userVerification)
}

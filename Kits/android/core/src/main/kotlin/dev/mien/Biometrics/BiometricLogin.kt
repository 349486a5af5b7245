package dev.mien

/**
 * Biometric login: a key of the device, unlocked by its owner, signs the user of a session in (docs/biometric-login.md).
 *
 *     val biometrics = BiometricLogin(session, device)
 *     biometrics.checkSupported(options)
 *     biometrics.enable(options)               // as the signed-in user
 *     val user = biometrics.authenticate(options)
 */
class BiometricLogin(private val session: MienSession, private val device: BiometricDevice) {
    /** @throws DeviceException what stands in the way. */
    fun checkSupported(options: BiometricTexts) = checkSupported(options.allowedAuthenticators)

    /** @throws DeviceException what stands in the way. */
    fun checkSupported(allowedAuthenticators: Int) { device.keys.obstacle(allowedAuthenticators)?.let { throw it } }

    /** Whether this device has a key for this app. It stays true when biometrics are removed, which [checkSupported] notices. */
    fun isEnabled(): Boolean = enabledTags().isNotEmpty()

    /**
     * Creates a key and registers it for the signed-in user, with an attestation if the device can attest keys. Earlier keys are
     * removed. It needs a fresh sign-in ([MienSession.performing]), after which the person is asked to unlock the key again.
     *
     * @throws DeviceException
     * @throws MienException after either, no new key is left on the device.
     */
    fun enable(options: BiometricTexts) = session.performing { makeKey(options) }

    private fun makeKey(options: BiometricTexts) {
        val access = session.access()
        checkSupported(options)
        val before = enabledTags()
        val keyID = Randomness.text()
        val tag = "$prefix${userMark()}.$keyID"
        val challenge = challenge()
        val made = device.keys.makeKey(tag, options, challenge)
        var isRegistered = false
        try {
            val key = device.keys.unlock(tag, options)
            val claims = made.attestationJson?.let { mapOf<String, Any?>("attestation" to it) } ?: emptyMap()
            val request = signedRequest("setup", key, keyID, challenge, claims, options.verification)
            session.connection.form(
                listOf("oauth2", "token"), session.client(listOf("grant_type" to GRANT, "jwt" to request)), access)
            isRegistered = true
        } finally {
            // The server may or may not know the key. Nothing will use it.
            if (!isRegistered) try { device.keys.deleteKey(tag) } catch (_: DeviceException) {}
        }
        for (old in before) {
            device.keys.deleteKey(old)
            try { removeFromServer(old) } catch (_: MienException) {}
        }
    }

    /**
     * Signs in with the device's key.
     *
     * @throws BiometricPrivateKeyNotFoundException if there is no key, another enrollment has invalidated it, or the server no
     *   longer accepts it. It is gone then.
     */
    fun authenticate(options: BiometricTexts): UserInfo {
        checkSupported(options)
        val tag = enabledTags().lastOrNull()
            ?: throw BiometricPrivateKeyNotFoundException("This device has no key for this app. Enable biometric login first.")
        val key = device.keys.unlock(tag, options)
        val request = signedRequest(
            "authenticate", key, KeyMark.keyID(tag), challenge(), mapOf("user_verification" to key.method), null)
        try {
            // With a device token, strangers who send the key's ID cannot lock this device out. `new` asks for one.
            val known = try { session.options.deviceTokens.deviceToken(session.key) } catch (_: DeviceException) { null }
            session.adopt(session.request(
                listOf("grant_type" to GRANT, "jwt" to request, "device_token" to (known?.use { it } ?: "new")), session.signInProver()))
        } catch (error: MienException) {
            if (error.oauthError != "invalid_grant" || "InvalidCredentials" !in error.reason) throw error
            device.keys.deleteKey(tag)
            throw BiometricPrivateKeyNotFoundException("The server no longer accepts this device's key. Enable biometric login again.")
        }
        return session.userInfo()
    }

    /** Deletes the device's key, and removes it from the server if a user is signed in and the server can be reached. */
    fun disable() {
        val tags = enabledTags()
        tags.forEach { device.keys.deleteKey(it) }
        if (session.state != MienSession.State.SIGNED_IN) return
        for (tag in tags) {
            try { session.performing { removeFromServer(tag) } } catch (error: MienException) {
                if (error.reauthentication != null) throw error
            }
        }
    }

    /** Deletes the keys of users other than the one who has just signed in. */
    internal fun forgetOthersKeys() {
        val mark = userMark()
        enabledTags().filter { !it.startsWith("$prefix$mark.") }.forEach { device.keys.deleteKey(it) }
    }

    // Tags: `mien.<app on server>.<user>.<key ID>`

    private val prefix = "mien.${session.key.mark}."

    private fun enabledTags() = device.keys.tags().filter { it.startsWith(prefix) }

    private fun userMark() = KeyMark.of(session.userInfo().sub)

    private fun removeFromServer(tag: String) {
        session.connection.send(
            Connection.Call("DELETE", listOf("v1", "me", "biometrics", KeyMark.keyID(tag)), access = session.access()))
    }

    // Requests

    private fun challenge(): String {
        val answer = session.connection.json(
            Connection.Call("POST", listOf("oauth2", "challenge"), body = Json.bytes(mapOf("purpose" to "biometric_request"))))
        return answer.optJSONObject("result")?.string("token")
            ?: throw MienException(MienException.Code.SERVER_ERROR, "The response contains no challenge.")
    }

    private fun signedRequest(
        action: String, key: Signer, keyID: String, challenge: String, claims: Map<String, Any?>, verification: String?
    ): String = request(
        action, key, keyID, challenge, session.server().issuer, session.key.application, device, session.now() / 1000, claims, verification)

    internal companion object {
        const val GRANT = "urn:authgear:params:oauth:grant-type:biometric-request"

        fun request(
            action: String, key: Signer, keyID: String, challenge: String, audience: String, application: String,
            device: BiometricDevice, seconds: Long, claims: Map<String, Any?>, verification: String?
        ): String {
            val names = linkedMapOf<String, Any?>("model" to device.model, "os" to device.system)
            device.deviceID?.let { names["device_id"] = it }
            verification?.let { names["user_verification"] = it }
            val header = linkedMapOf<String, Any?>("typ" to "vnd.authgear.biometric-request", "kid" to keyID)
            if (action == "setup") header["jwk"] = key.publicKey.jwk
            val payload = mapOf(
                "iat" to seconds, "exp" to seconds + 60, "challenge" to challenge, "action" to action, "aud" to audience,
                "client_id" to application, "device_info" to mapOf("mien" to names)) + claims
            return Jws.sign(header, payload, key)
        }
    }
}

package dev.mien

/** An OTP token as the server gives it. It contains the secret, so it is not printed. */
class OtpToken internal constructor(
    val id: String, val app: String,
    /** `totp` or `hotp` */
    val kind: String,
    internal val hash: String, val digits: Int, internal val period: Int, internal val counter: Long, internal val secret: ByteArray
) {
    override fun toString() = "token $id"
}

/** Gets OTP tokens for this device, and approves transactions that another device has started. */
class OtpProvisioning internal constructor(private val connection: Connection) {
    @Throws(MienException::class)
    constructor(options: MienOptions) : this(options.connection())

    /**
     * Redeems a registration code. The secret comes encrypted.
     *
     * The request is repeated if the response is lost: the server returns the same OTP token for the same code and key. To be able
     * to resume after the app was ended, create the key first, store it, and pass it again.
     *
     * @param name the owner's name for this device.
     * @param provisioningKey encrypts the secret in transit. Delete it once the OTP token is stored.
     * @throws MienException `INVALID_CREDENTIALS` for a wrong code, whatever is wrong with it; `NETWORK_ERROR` if it is unknown whether
     *   the OTP token was created: try again with the same key within ten minutes, or the user needs another code.
     */
    @JvmOverloads
    fun redeem(
        registrationCode: Sensitive<String>, name: String, system: String = "android", provisioningKey: OtpProvisioningKey = OtpProvisioningKey()
    ): OtpToken {
        val key = provisioningKey.publicKey
        val answer = connection.json(Connection.Call("POST", listOf("v1", "otp", "tokens"), body = Json.bytes(
            mapOf("registration_code" to registrationCode, "public_key" to key.jwk, "name" to name, "os" to system))))
        return token(answer, provisioningKey.pair.private, key)
            // The answer contains the secret, so the error quotes nothing of it.
            ?: throw MienException(
                MienException.Code.SERVER_ERROR, "The server returned an OTP token that this kit cannot use: malformed, or a CAP token.",
                mayHaveArrived = true)
    }

    private fun token(answer: JsonObject, privateKey: java.security.PrivateKey, key: PublicKey): OtpToken? {
        val id = answer.string("token_id") ?: return null
        val app = answer.string("app_id") ?: return null
        val sealed = Base64.decodeUrl(answer.optString("encrypted_secret")) ?: return null
        val encapsulated = Base64.decodeUrl(answer.optString("encapsulated_key")) ?: return null
        val secret = Hpke.open(privateKey, key, encapsulated, utf8("mien/v1/otp-secret $app $id"), sealed) ?: return null
        val kind = answer.optString("kind")
        val digits = answer.integer("digits")?.takeIf { it in 6..10 } ?: return null
        val hash = answer.optString("algorithm")
        if (secret.size != OtpVault.SECRET_SIZE || hash !in setOf("SHA1", "SHA256", "SHA512") || answer.string("signature_suite") != Otp.SUITE) return null
        return when (kind) {
            "totp" -> OtpToken(id, app, kind, hash, digits.toInt(), answer.integer("period")?.takeIf { it in 1..86_400 }?.toInt() ?: return null, 0, secret)
            "hotp" -> OtpToken(id, app, kind, hash, digits.toInt(), 0, answer.integer("counter") ?: return null, secret)
            else -> null
        }
    }

    /**
     * Asks the server whether a code is right, and uses the code up. Only the server can tell whether the owner typed the right PIN.
     */
    fun confirm(code: OneTimeCode, token: String): Boolean =
        accepted(listOf("v1", "otp", "tokens", "confirm"), mapOf("token_id" to token, "passcode" to code.text))

    /** The transaction that waits under a code such as `7K3QF-2M9XA`; `null` for a code that is wrong, used, or expired. */
    fun transaction(approvalCode: String, token: String): WaitingTransaction? {
        if (approvalCode.length > 32) return null
        try {
            val answer = connection.json(Connection.Call("POST", listOf("v1", "otp", "approvals", "show"), body = Json.bytes(
                mapOf("token_id" to token, "approval_code" to approvalCode))))
            val data = answer.optJSONObject("approval_data") ?: JsonObject(emptyMap())
            return WaitingTransaction(
                ShownTransaction.of(data, answer.optString("transaction_challenge")), answer.optString("app_id"),
                answer.integer("expires_at") ?: 0, approvalCode, token)
        } catch (error: MienException) {
            if (error.code == MienException.Code.INVALID_CREDENTIALS) return null
            throw error
        }
    }

    /** `false` for a wrong signature, a request that is no longer open, and a locked or removed token. */
    fun approve(waiting: WaitingTransaction, signature: OneTimeCode): Boolean = decide(waiting, signature.text)

    fun decline(waiting: WaitingTransaction): Boolean = decide(waiting, null)

    private fun decide(waiting: WaitingTransaction, passcode: String?): Boolean {
        val body = linkedMapOf<String, Any?>("token_id" to waiting.token, "approval_code" to waiting.code)
        if (passcode != null) body["passcode"] = passcode
        return accepted(listOf("v1", "otp", "approvals"), body)
    }

    /** Not repeated: what is valid once would be refused the second time. */
    private fun accepted(path: List<String>, body: Map<String, Any?>): Boolean {
        try {
            connection.send(Connection.Call("POST", path, body = Json.bytes(body), isRepeatable = false))
            return true
        } catch (error: MienException) {
            if (error.code == MienException.Code.INVALID_CREDENTIALS) return false
            throw error
        }
    }
}

class WaitingTransaction internal constructor(
    /** The lines to show, all of which are signed. */
    val shown: ShownTransaction,
    /** The app that asks. */
    val app: String,
    val expiresAt: Long,
    internal val code: String,
    internal val token: String
)

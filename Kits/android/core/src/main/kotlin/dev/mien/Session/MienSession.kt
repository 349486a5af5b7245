package dev.mien

/**
 * One user's sign-in to one app. Stores its tokens and renews them before they expire. Every call waits for the server: make it
 * on a thread of your own.
 *
 *     val session = MienSession(options, TransientTokenStorage())
 *     session.configure()
 *     session.signIn(token)                    // a completed journey's
 *     val access = session.accessToken()       // renewed when it has to be
 */
class MienSession internal constructor(
    internal val options: MienOptions,
    private val storage: TokenStorage,
    internal val biometrics: BiometricDevice?,
    private val givenProofKey: Signer?,
    private val reauthenticator: Reauthenticator?,
    internal val now: () -> Long,
    sleep: (Long) -> Unit,
    /** The clock for lifetimes. */
    private val elapsed: () -> Long = now
) {
    /**
     * @param biometrics the device, for biometric login.
     * @param proofKey binds tokens to this key instead of one from `tokenStorage`. It signs without asking the person. Pass the
     *   same one each time the app starts.
     * @param reauthenticator has the user sign in again when a change needs it.
     */
    @JvmOverloads
    constructor(
        options: MienOptions, tokenStorage: TokenStorage = TransientTokenStorage(), biometrics: BiometricDevice? = null,
        proofKey: Signer? = null, reauthenticator: Reauthenticator? = null
    ) : this(options, tokenStorage, biometrics, proofKey, reauthenticator, System::currentTimeMillis, Thread::sleep, { DeviceClock.elapsed() })

    enum class State {
        /** [configure] has not been called. */
        UNKNOWN,
        SIGNED_IN,
        SIGNED_OUT_NOT_YET,
        SIGNED_OUT_BY_USER,
        /** The server no longer accepts the refresh token: too old, idle for too long, revoked, or used by somebody else. */
        SIGNED_OUT_ENDED
    }

    internal val connection: Connection = options.connection(now, sleep)
    internal val key = AppKey(connection.address.text, options.applicationId)
    private val lock = Any()
    /** Held during a refresh, which all callers then share. */
    private val refreshing = Any()
    private val provers = HashMap<String, DPoPProver>()
    @Volatile private var tokens: SessionTokens? = null
    /** Tokens that this process received, and how long they may be used. */
    @Volatile private var received: Pair<SessionTokens, TokenLifetime>? = null
    @Volatile private var knownServer: ServerMetadata? = null
    private val reauthenticating = Any()
    /** Counts completed reauthentications. */
    @Volatile private var reauthentications = 0
    /** Whether this thread runs a reauthenticator, which must not wait for itself. */
    private val isInside = ThreadLocal<Boolean>()

    @Volatile
    var state: State = State.UNKNOWN
        private set

    /** Called with each new state, on the thread that changed it. */
    @Volatile
    var onState: ((State) -> Unit)? = null

    private fun move(next: State) {
        if (next == state) return
        state = next
        onState?.invoke(next)
    }

    /** Reads the stored tokens. Call it once when the app starts. */
    fun configure() {
        val found = storage.tokens(key)
        tokens = found
        if (found?.keyThumbprint != null && proofKey(found.keyThumbprint) == null) return end()
        move(if (found == null) State.SIGNED_OUT_NOT_YET else State.SIGNED_IN)
    }

    // Signing in and out

    /** Exchanges a completed journey's single-use token for the tokens of a session. */
    fun signIn(journeyToken: Sensitive<String>) = signIn(exchange(journeyToken))

    /** Exchanges the code that the browser brought back. Send [proofKeyThumbprint] to the page as `dpop_jkt`. */
    fun signIn(code: Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>) =
        signIn(redemption(code, redirectURI, codeVerifier))

    private fun signIn(form: List<Pair<String, String>>) {
        adopt(request(form, signInProver()))
        forgetOthers()
    }

    /** Signs in on the server's page, which [presenter] shows. */
    @JvmOverloads
    fun authenticate(redirectURI: String, presenter: SignInPresenter, options: SignInPageOptions = SignInPageOptions()): UserInfo {
        val page = signInPage(redirectURI, options)
        signIn(page, presenter.present(page))
        return userInfo()
    }

    /** A visit to the sign-in page, for apps that receive the redirect elsewhere. Pass the redirect to [signIn]. */
    @JvmOverloads
    fun signInPage(redirectURI: String, options: SignInPageOptions = SignInPageOptions()): SignInPage {
        val server = server()
        val (verifier, state, nonce) = Triple(Randomness.text(32), Randomness.text(), Randomness.text())
        val query = ArrayList(listOf(
            "client_id" to this.options.applicationId, "redirect_uri" to redirectURI, "response_type" to "code",
            "scope" to options.scopes.joinToString(" "), "state" to state, "nonce" to nonce,
            "code_challenge" to Base64.encodeUrl(sha256(utf8(verifier))), "code_challenge_method" to "S256"))
        options.resources.forEach { query.add("resource" to it) }
        options.loginHint?.let { query.add("login_hint" to it) }
        options.organization?.let { query.add("organization" to it) }
        proofKeyThumbprint()?.let { query.add("dpop_jkt" to it) }
        val address = server.authorizationEndpoint ?: connection.address.text + "/oauth2/authorize"
        return SignInPage(
            address + (if ('?' in address) "&" else "?") + Percent.form(query), redirectURI, state, nonce, Sensitive(verifier))
    }

    /** Signs in with the URL to which a sign-in page redirected. */
    fun signIn(page: SignInPage, redirect: String) {
        val answer = SignInRedirect.check(redirect, page, server())
        val new = request(redemption(answer.code, page.redirectURI, page.codeVerifier), signInProver())
        if (new.idToken != null && Jws.claims(new.idToken).string("nonce") != page.nonce) {
            revoke(new.refreshToken)
            throw MienException(
                MienException.Code.INVALID_STATE, "The ID token belongs to another sign-in. Sign in again.", mayHaveArrived = true)
        }
        adopt(new)
        forgetOthers()
    }

    /** Ends the sign-in on this device, and on the server if it can be reached. */
    fun signOut() {
        val refreshToken = tokens?.refreshToken
        synchronized(lock) {
            tokens = null
            storage.remove(key)
        }
        move(State.SIGNED_OUT_BY_USER)
        revoke(refreshToken)
    }

    private fun revoke(refreshToken: Sensitive<String>?) {
        if (refreshToken == null) return
        try { connection.form(listOf("oauth2", "revoke"), client(listOf("token" to refreshToken.use { it }))) } catch (_: MienException) {}
    }

    /** The ID of the signed-in user; `null` while nobody is. */
    internal val user: String? get() = tokens?.let(::userOf)

    private fun userOf(tokens: SessionTokens) = Jws.claims(tokens.idToken ?: tokens.accessToken).string("sub")

    /** How the user proved who they are, as the claim `amr` names it: `pwd`, `face`, `otp`. Empty while nobody is signed in. */
    val authenticationMethods: List<String>
        get() = tokens?.let { Jws.claims(it.idToken ?: it.accessToken).strings("amr") } ?: emptyList()

    /** Whether biometric keys of other users are deleted is of no importance to a sign-in that has succeeded. */
    private fun forgetOthers() {
        if (biometrics == null) return
        try { BiometricLogin(this, biometrics).forgetOthersKeys() } catch (_: MienException) {} catch (_: DeviceException) {}
    }

    internal fun adopt(new: SessionTokens) {
        synchronized(lock) {
            received = Pair(new, TokenLifetime.received(new, elapsed()))
            tokens = new
            storage.store(new, key)
        }
        move(State.SIGNED_IN)
    }

    /** Does nothing, and returns `false`, if the user has signed out or in meanwhile. */
    private fun replace(current: SessionTokens, new: SessionTokens): Boolean = synchronized(lock) {
        (tokens === current).also { if (it) adopt(new) }
    }

    private fun end() {
        synchronized(lock) {
            tokens = null
            storage.remove(key)
        }
        move(State.SIGNED_OUT_ENDED)
    }

    // Tokens

    /**
     * An access token that stays valid for at least half a minute. One that is bound to a key needs a proof for each request:
     * [authorization] returns both.
     */
    fun accessToken(): Sensitive<String> = currentTokens().accessToken

    private fun currentTokens(): SessionTokens {
        if (state == State.UNKNOWN) throw MienException(MienException.Code.NOT_INITIALIZED, "Call configure() first.")
        val current = tokens ?: throw MienException(MienException.Code.UNAUTHENTICATED_USER, "Nobody is signed in. Sign in first.")
        return if (isValid(current)) current else refresh(current)
    }

    private fun isValid(tokens: SessionTokens): Boolean {
        val own = received?.takeIf { it.first === tokens }?.second
        return (own ?: TokenLifetime.stored(tokens)).exceeds(MARGIN, now(), elapsed())
    }

    private fun refresh(old: SessionTokens): SessionTokens {
        synchronized(refreshing) {
            val current = tokens
            // Another caller has renewed them meanwhile.
            if (current != null && current !== old && isValid(current)) return current
            return renewed(current)
        }
    }

    private fun renewed(current: SessionTokens?): SessionTokens {
        val refreshToken = current?.refreshToken
        if (current == null || refreshToken == null) {
            end()
            throw MienException(MienException.Code.UNAUTHENTICATED_USER, "The sign-in has ended. Sign in again.")
        }
        val form = ArrayList(listOf("grant_type" to "refresh_token", "refresh_token" to refreshToken.use { it }))
        // It is unknown whether an earlier response was lost. A refresh token that is used twice ends the sign-in without this.
        current.repeatKey?.let { repeat -> form.add("repeat_key" to repeat.use { it }) }
        val new = try { request(form, prover(current), isRepeatable = current.repeatKey != null) } catch (error: MienException) {
            if (error.oauthError != "invalid_grant") throw error
            if (tokens === current) end()
            throw MienException(MienException.Code.UNAUTHENTICATED_USER, "The sign-in has ended. Sign in again.", oauthError = error.oauthError)
        }
        if (!replace(current, new)) {
            throw MienException(MienException.Code.UNAUTHENTICATED_USER, "The sign-in changed while its tokens were being renewed.")
        }
        return new
    }

    /** The user's claims that the granted scopes allow. */
    fun userInfo(): UserInfo {
        val claims = connection.json(Connection.Call("GET", listOf("oauth2", "userinfo"), access = access()))
        val sub = claims.string("sub") ?: throw MienException(MienException.Code.SERVER_ERROR, "The response contains no user.")
        return UserInfo(sub, claims.string("preferred_username"), claims.string("email"), claims.boolean("email_verified") ?: false)
    }

    // Keys that tokens are bound to

    /** The thumbprint of the key that the next sign-in is bound to; `null` if it returns bearer tokens. */
    fun proofKeyThumbprint(): String? = signInProver()?.thumbprint

    /**
     * The header fields that authorize one request of the app's own: `authorization`, and `dpop` for a token that is bound.
     * A proof is valid for one request: call this again for each attempt.
     *
     * @param nonce the last `DPoP-Nonce` of the server at [url], if it requires one.
     */
    @JvmOverloads
    fun authorization(method: String, url: String, nonce: String? = null): Map<String, String> {
        val access = access()
        val (token, prover) = Pair(access.token, access.prover ?: return mapOf("authorization" to "Bearer " + access.token.use { it }))
        val proof = prover.proof(method, url.substringBefore('?').substringBefore('#'), token, nonce)
        return mapOf("authorization" to "DPoP " + token.use { it }, "dpop" to proof.text)
    }

    internal fun access(): Access = access(currentTokens())

    private fun access(tokens: SessionTokens) = Access(tokens.accessToken, prover(tokens)) { renewedAccess(tokens.accessToken) }

    /** After the server refused an access token: renews the tokens, unless they were renewed meanwhile. */
    private fun renewedAccess(refused: Sensitive<String>): Access? {
        val current = tokens?.takeIf { it.refreshToken != null } ?: return null
        val isSame = current.accessToken.use { token -> refused.use { token == it } }
        return access(if (isSame) refresh(current) else current)
    }

    internal fun signInProver(): DPoPProver? {
        val keys = storage as? ProofKeyStorage
        if (!options.usesDPoP || (givenProofKey == null && keys == null) || "ES256" !in server().proofAlgorithms) return null
        return prover(givenProofKey ?: keys!!.proofKeyOrNew(key))
    }

    private fun prover(tokens: SessionTokens): DPoPProver? {
        val thumbprint = tokens.keyThumbprint ?: return null
        synchronized(provers) { provers[thumbprint] }?.let { return it }
        val signer = proofKey(thumbprint)
        if (signer == null) {
            end()
            throw MienException(MienException.Code.UNAUTHENTICATED_USER, "The key that the tokens are bound to is gone. Sign in again.")
        }
        return prover(signer)
    }

    private fun proofKey(thumbprint: String): Signer? =
        (givenProofKey ?: (storage as? ProofKeyStorage)?.proofKey(key))?.takeIf { it.publicKey.thumbprint == thumbprint }

    private fun prover(signer: Signer): DPoPProver {
        val issuer = server().issuer
        return synchronized(provers) { provers.getOrPut(signer.publicKey.thumbprint) { DPoPProver(signer, issuer, now) } }
    }

    // Changes that need a fresh sign-in

    /**
     * Runs [change]. If the server requires a fresher or stronger sign-in, has the user sign in again and runs it once more.
     * Changes that are refused at the same time share one sign-in.
     */
    fun <T> performing(change: () -> T): T {
        val before = reauthentications
        try { return change() } catch (error: MienException) {
            val needed = error.reauthentication
            if (needed == null || error.isAfterReauthentication) throw error
            if (reauthenticator == null || isInside.get() == true) throw error.naming(user)
            synchronized(reauthenticating) { if (reauthentications == before) reauthenticate(needed, reauthenticator) }
        }
        try { return change() } catch (error: MienException) {
            throw if (error.reauthentication != null) error.naming(user, isAfterReauthentication = true) else error
        }
    }

    private fun reauthenticate(needed: ReauthenticationRequest, reauthenticator: Reauthenticator) {
        val request = needed.copy(loginHint = user)
        isInside.set(true)
        try {
            val answer = reauthenticator.signInAgain(request, this)
            // The token of a journey that was started with the session names the session, and is not exchanged.
            if (answer.form == null || (answer.token != null && "sid" in Jws.claims(answer.token))) {
                // A refresh that began earlier may not know of it. Without a refresh token, the server still does.
                synchronized(refreshing) { tokens?.takeIf { it.refreshToken != null }?.let { renewed(it) } }
            } else replace(answer.form, request)
        } finally { isInside.remove() }
        reauthentications++
    }

    private fun replace(form: List<Pair<String, String>>, needed: ReauthenticationRequest) {
        val new = request(form, signInProver())
        val old = tokens
        if (needed.loginHint == null || userOf(new) != needed.loginHint || user != needed.loginHint) {
            revoke(new.refreshToken)
            throw MienException(
                MienException.Code.REAUTHENTICATION_REQUIRED, "Another user signed in. The session's own user has to sign in.",
                reauthentication = needed, isAfterReauthentication = true)
        }
        adopt(new)
        revoke(old?.refreshToken)
    }

    /**
     * Sends a request to the server as the signed-in user, and has the user sign in again where needed.
     *
     * @param path the segments below the server's address, not percent-encoded.
     * @return the JSON of the response; `null` if it is empty.
     */
    @JvmOverloads
    fun send(method: String, path: List<String>, body: Map<String, Any?>? = null): JsonObject? {
        val bytes = when {
            body != null -> Json.bytes(body)
            method == "GET" || method == "DELETE" -> ByteArray(0)
            // Some routes need an object.
            else -> utf8("{}")
        }
        return performing {
            val response = connection.send(
                Connection.Call(method, path, access = access(), body = bytes, isRepeatable = method != "POST" && method != "PATCH"))
            if (response.body.isEmpty()) null
            else Json.objectOf(response.body)
                ?: throw MienException(MienException.Code.SERVER_ERROR, "The response is not an object of JSON.", mayHaveArrived = true)
        }
    }

    // Requests

    internal fun server(): ServerMetadata = knownServer
        ?: ServerMetadata(connection.json(Connection.Call("GET", listOf(".well-known", "openid-configuration")))).also { knownServer = it }

    internal fun request(fields: List<Pair<String, String>>, prover: DPoPProver?, isRepeatable: Boolean = false): SessionTokens {
        val answer = connection.form(listOf("oauth2", "token"), client(fields), prover = prover, isRepeatable = isRepeatable)
        val body = Json.objectOf(answer.body)
        val access = body?.string("access_token")
        val seconds = body?.number("expires_in")?.takeIf { it in 0.0..1e9 }
        if (access == null || seconds == null) {
            throw MienException(MienException.Code.SERVER_ERROR, "The response contains no tokens.", mayHaveArrived = true)
        }
        val isBound = body.string("token_type")?.let { lower(it) } == "dpop"
        if (isBound && prover == null) {
            throw MienException(
                MienException.Code.SERVER_ERROR, "The tokens are bound to a key that this session does not have.", mayHaveArrived = true)
        }
        // Without a stored device token, this device shares the count of unknown ones, but the sign-in is valid.
        body.string("device_token")?.let {
            try { options.deviceTokens.storeDeviceToken(Sensitive(it), key) } catch (_: DeviceException) {}
        }
        val receivedAt = now()
        return SessionTokens(
            Sensitive(access), receivedAt, receivedAt + (seconds * 1000).toLong(), body.string("refresh_token")?.let { Sensitive(it) },
            body.string("id_token")?.let { Sensitive(it) }, body.optString("scope"), Sensitive(Randomness.text()),
            if (isBound) prover!!.thumbprint else null)
    }

    internal fun client(fields: List<Pair<String, String>>) = listOf("client_id" to options.applicationId) + fields

    override fun toString() = "session of ${options.applicationId}: $state"

    internal companion object {
        /** Tokens are renewed this long before they expire, so that they do not expire during a request. */
        const val MARGIN = 30_000L

        /** RFC 8693. */
        fun exchange(journeyToken: Sensitive<String>) = listOf(
            "grant_type" to "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token" to journeyToken.use { it },
            "subject_token_type" to "urn:ietf:params:oauth:token-type:jwt")

        /** RFC 6749 §4.1.3, RFC 7636 §4.5. */
        fun redemption(code: Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>) = listOf(
            "grant_type" to "authorization_code", "code" to code.use { it }, "redirect_uri" to redirectURI,
            "code_verifier" to codeVerifier.use { it })
    }
}

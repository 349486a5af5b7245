package dev.mien

/** The sign-in that the server requires before it makes a change (RFC 9470). */
data class ReauthenticationRequest(
    /** The maximum age of the sign-in; `null` if its age does not matter. */
    val maxAgeSeconds: Long?,
    /** The accepted classes; empty for all. `2` means two factors, or a passkey. */
    val acrValues: List<String>,
    /** The ID of the user who has to sign in. Nobody else's sign-in is accepted. */
    val loginHint: String? = null
)

/** How the user signed in again. */
class Reauthentication private constructor(internal val form: List<Pair<String, String>>?, internal val token: Sensitive<String>?) {
    companion object {
        /** Through a journey that was started with the session: the server has renewed the session's own sign-in. */
        @JvmStatic
        fun steppedUp() = Reauthentication(null, null)

        /** Through a journey with this token, started with or without the session. */
        @JvmStatic
        fun journeyToken(token: Sensitive<String>) = Reauthentication(MienSession.exchange(token), token)

        /** On the sign-in page, which sent the browser back with this code. */
        @JvmStatic
        fun code(code: Sensitive<String>, redirectURI: String, codeVerifier: Sensitive<String>) =
            Reauthentication(MienSession.redemption(code, redirectURI, codeVerifier), null)
    }
}

/**
 * Has the user of a session sign in again, with the app's own screens. What it throws is thrown by the call that needed the
 * sign-in. A call of the session that it makes itself, and that needs a fresher sign-in, is refused.
 */
interface Reauthenticator {
    fun signInAgain(request: ReauthenticationRequest, session: MienSession): Reauthentication
}

package dev.mien

/** A visit to the server's sign-in page. It contains secrets of one sign-in, so only the redirect URI is printed. */
class SignInPage internal constructor(
    /** To open in a browser. */
    val url: String,
    /** Where the page returns to the app, without its query. */
    val redirectURI: String,
    internal val state: String,
    internal val nonce: String,
    internal val codeVerifier: Sensitive<String>
) {
    /** `com.example.shop` */
    val callbackScheme: String get() = redirectURI.substringBefore(':')

    override fun toString() = "sign-in page, back to $redirectURI"
}

/**
 * Opens the sign-in page in a browser, waits until the browser goes to its redirect URI, and returns that whole URL. Throws
 * [CancelException] if the person closes the browser.
 */
interface SignInPresenter {
    fun present(page: SignInPage): String
}

class SignInPageOptions @JvmOverloads constructor(
    /** By default, those for a refresh token and all of the user's own requests. */
    val scopes: List<String> = listOf("openid", "offline_access", "full-access"),
    /** The name to show in the page's form. */
    val loginHint: String? = null,
    /** The resource servers that the access token is for (RFC 8707). */
    val resources: List<String> = emptyList(),
    /** An ID, an external ID, or `none`; by default, the page asks a user who has several. */
    val organization: String? = null
)

/** The parameters that a page added to the redirect URI. */
internal class SignInRedirect private constructor(val code: Sensitive<String>) {
    companion object {
        /** Refuses a URL that does not continue the page's redirect URI, or belongs to another sign-in or server (RFC 9207). */
        fun check(url: String, page: SignInPage, server: ServerMetadata): SignInRedirect {
            fun wrong(reason: String) = MienException(MienException.Code.INVALID_STATE, reason)
            val address = page.redirectURI
            if (url.length > 8192 || !url.startsWith(address) || url.length == address.length || url[address.length] != (if ('?' in address) '&' else '?')) {
                throw wrong("The redirect does not lead to the redirect URI of this sign-in.")
            }
            val fields = LinkedHashMap<String, String>()
            for (pair in url.substring(address.length + 1).substringBefore('#').split('&')) {
                if (pair == "") continue
                val name = Percent.decode(pair.substringBefore('='))
                val value = Percent.decode(pair.substringAfter('=', ""))
                if (name == null || value == null) throw wrong("The redirect's parameters are malformed.")
                if (fields.put(name, value) != null) throw wrong("The redirect repeats a parameter.")
            }
            if (fields["state"] != page.state) throw wrong("The redirect belongs to another sign-in. Sign in again.")
            val issuer = fields["iss"]
            if (if (issuer == null) server.namesItselfInRedirects else issuer != server.issuer) {
                throw wrong("The redirect comes from another server.")
            }
            val error = fields["error"]
            if (error != null) {
                throw MienException(
                    MienException.Code.OAUTH_ERROR, "The sign-in page refused: " + error.take(100).filter { it in ' '..'~' }, oauthError = error)
            }
            val code = fields["code"]
            if (code.isNullOrEmpty()) throw wrong("The redirect contains no code.")
            return SignInRedirect(Sensitive(code))
        }
    }
}

/** The members of a server's discovery document (RFC 8414) that sessions use. */
internal class ServerMetadata(document: JsonObject) {
    val issuer: String = document.string("issuer")
        ?: throw MienException(MienException.Code.SERVER_ERROR, "The discovery document contains no issuer.")
    /** The algorithms of proofs that the server verifies; empty without DPoP. */
    val proofAlgorithms: List<String> = document.strings("dpop_signing_alg_values_supported")
    val authorizationEndpoint: String? = document.string("authorization_endpoint")
    /** Whether every redirect names the server. */
    val namesItselfInRedirects: Boolean = document.boolean("authorization_response_iss_parameter_supported") ?: false
}

package dev.mien

/** Claims about the signed-in user. */
data class UserInfo(
    /** The user's ID on this server. */
    val sub: String,
    /** The user name; needs the scope `profile`. */
    val preferredUsername: String?,
    /** Needs the scope `email`. */
    val email: String?,
    val isEmailVerified: Boolean
) {
    /** A user's name does not belong in a log. */
    override fun toString() = "user $sub"
}

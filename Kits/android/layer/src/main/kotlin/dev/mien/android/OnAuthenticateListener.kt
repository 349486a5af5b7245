package dev.mien.android

import dev.mien.UserInfo

/** Receives the end of a sign-in with a page or a journey. */
interface OnAuthenticateListener {
    fun onAuthenticated(userInfo: UserInfo)
    fun onAuthenticationFailed(throwable: Throwable)
}

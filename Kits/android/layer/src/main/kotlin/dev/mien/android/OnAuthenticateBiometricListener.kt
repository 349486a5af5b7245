package dev.mien.android

import dev.mien.UserInfo

/** Receives the end of [MienClient.authenticateBiometric]. */
interface OnAuthenticateBiometricListener {
    fun onAuthenticated(userInfo: UserInfo)
    fun onAuthenticationFailed(throwable: Throwable)
}

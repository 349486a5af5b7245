package dev.mien.android

/** Receives the end of [MienClient.enableBiometric]. */
interface OnEnableBiometricListener {
    fun onEnabled()
    fun onFailed(throwable: Throwable)
}

package dev.mien.android

/** Receives the end of [MienClient.configure]. */
interface OnConfigureListener {
    fun onConfigured()
    fun onConfigurationFailed(throwable: Throwable)
}

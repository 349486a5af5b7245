package dev.mien

/** The app and server that something stored belongs to. */
data class AppKey(val server: String, val application: String) {
    /** 16 characters that stand for it in names. */
    val mark: String get() = KeyMark.of("$server $application")
}

/**
 * Stores the device token, which shows a server that its user has signed in on this device before: strangers who guess cannot
 * lock the user out here. Losing it loses only that.
 */
interface DeviceTokenStorage {
    fun deviceToken(key: AppKey): Sensitive<String>?
    fun storeDeviceToken(token: Sensitive<String>, key: AppKey)
}

/** Keeps device tokens until the process ends. */
class MemoryDeviceTokens : DeviceTokenStorage {
    private val tokens = java.util.concurrent.ConcurrentHashMap<AppKey, Sensitive<String>>()

    override fun deviceToken(key: AppKey): Sensitive<String>? = tokens[key]
    override fun storeDeviceToken(token: Sensitive<String>, key: AppKey) { tokens[key] = token }
}

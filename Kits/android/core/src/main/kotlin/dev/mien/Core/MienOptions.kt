package dev.mien

/**
 * The server, the app, and how they communicate.
 *
 * There is no client secret: everybody can read what an app on a phone contains.
 */
class MienOptions @JvmOverloads constructor(
    /** `https://login.example.org`. `http` only for this machine, unless [allowsPlainHttp]. */
    val serverPath: String,
    val applicationId: String = "default_application",
    /** The parameter `resource` of journeys. */
    val resource: String? = null,
    /** The time for one attempt. */
    val requestTimeoutMillis: Long = 30_000,
    val retry: RetryPolicy = RetryPolicy(),
    val deviceTokens: DeviceTokenStorage = MemoryDeviceTokens(),
    val transport: HttpTransport = UrlConnectionTransport(),
    val allowsPlainHttp: Boolean = false,
    /** Whether tokens are bound to a key (DPoP) where the server supports it. A stolen token is then useless. */
    val usesDPoP: Boolean = true
) {
    internal fun connection(now: () -> Long = System::currentTimeMillis, sleep: (Long) -> Unit = Thread::sleep): Connection {
        if (applicationId == "") {
            throw MienException(MienException.Code.INVALID_INITIALIZATION_OPTIONS, "applicationId is empty.")
        }
        return Connection(ServerAddress.of(serverPath, allowsPlainHttp), transport, retry, requestTimeoutMillis, now, sleep)
    }
}

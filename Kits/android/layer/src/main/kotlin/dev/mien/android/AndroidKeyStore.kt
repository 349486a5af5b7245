package dev.mien.android

import dev.mien.DeviceException
import java.security.GeneralSecurityException
import java.security.KeyStore
import java.security.ProviderException

/** Android's key store. Its errors become [DeviceException], without the words of the system, which may name an app's data. */
internal object AndroidKeyStore {
    const val NAME = "AndroidKeyStore"

    fun open(): KeyStore = guarded { KeyStore.getInstance(NAME).apply { load(null) } }

    inline fun <T> guarded(body: () -> T): T = try { body() } catch (_: GeneralSecurityException) {
        throw failed()
    } catch (_: ProviderException) {
        throw failed()
    }

    fun failed() = DeviceException(DeviceException.Code.HARDWARE, "The key store does not respond, or refuses.")
}

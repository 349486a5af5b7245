package dev.mien.android

import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import dev.mien.DeviceSecrets
import java.security.GeneralSecurityException
import java.security.ProviderException
import javax.crypto.AEADBadTagException
import javax.crypto.Cipher
import javax.crypto.KeyGenerator
import javax.crypto.Mac
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec

/** Two keys in Android's key store: one seals what the app stores, one hides the secrets of OTP tokens. Neither can be read. */
class AndroidSecrets : DeviceSecrets {
    override fun mac(message: ByteArray): ByteArray = AndroidKeyStore.guarded {
        val mac = Mac.getInstance("HmacSHA256")
        mac.init(keyOrNew(MAC, KeyProperties.KEY_ALGORITHM_HMAC_SHA256) { KeyGenParameterSpec.Builder(MAC, KeyProperties.PURPOSE_SIGN) })
        mac.doFinal(message)
    }

    override fun seal(content: ByteArray, context: String): ByteArray = AndroidKeyStore.guarded {
        val cipher = Cipher.getInstance("AES/GCM/NoPadding")
        cipher.init(Cipher.ENCRYPT_MODE, keyOrNew(SEAL, KeyProperties.KEY_ALGORITHM_AES) {
            KeyGenParameterSpec.Builder(SEAL, KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM).setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE).setKeySize(256)
        })
        cipher.updateAAD(context.toByteArray(Charsets.UTF_8))
        // The key store draws the nonce, 12 bytes.
        cipher.iv + cipher.doFinal(content)
    }

    override fun open(sealed: ByteArray, context: String): ByteArray? {
        val key = AndroidKeyStore.guarded { key(SEAL) } ?: return null
        if (sealed.size < 28) return null
        return try {
            val cipher = Cipher.getInstance("AES/GCM/NoPadding")
            cipher.init(Cipher.DECRYPT_MODE, key, GCMParameterSpec(128, sealed, 0, 12))
            cipher.updateAAD(context.toByteArray(Charsets.UTF_8))
            cipher.doFinal(sealed, 12, sealed.size - 12)
        } catch (_: AEADBadTagException) {
            null
        } catch (_: GeneralSecurityException) {
            // A key store that does not respond says nothing about the file, which would be replaced by an empty one.
            throw AndroidKeyStore.failed()
        } catch (_: ProviderException) {
            throw AndroidKeyStore.failed()
        }
    }

    private fun key(alias: String): SecretKey? = AndroidKeyStore.open().getKey(alias, null) as? SecretKey

    /** A second key under the same alias would replace the first, and what the first has sealed would be lost. */
    private fun keyOrNew(alias: String, algorithm: String, spec: () -> KeyGenParameterSpec.Builder): SecretKey =
        synchronized(AndroidKeyStore) {
            key(alias) ?: KeyGenerator.getInstance(algorithm, AndroidKeyStore.NAME).run {
                init(spec().build())
                generateKey()
            }
        }

    private companion object {
        const val SEAL = "mien-seal"
        const val MAC = "mien-otp"
    }
}

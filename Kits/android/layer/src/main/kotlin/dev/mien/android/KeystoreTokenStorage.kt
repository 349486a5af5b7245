package dev.mien.android

import android.content.Context
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import dev.mien.AppKey
import dev.mien.DeviceTokenStorage
import dev.mien.JcaSigner
import dev.mien.ProofKeyStorage
import dev.mien.PublicKey
import dev.mien.SealedFile
import dev.mien.Sensitive
import dev.mien.SessionTokens
import dev.mien.Signer
import dev.mien.TokenStorage
import java.io.File
import java.security.KeyPairGenerator
import java.security.PrivateKey
import java.security.spec.ECGenParameterSpec

/**
 * Keeps tokens in a file that a key of Android's key store seals, which backups leave out. The key that tokens are bound to is in
 * the key store, too, and cannot be read. On another device, the file opens nowhere: the user signs in again.
 */
class KeystoreTokenStorage(context: Context) : TokenStorage, ProofKeyStorage, DeviceTokenStorage {
    private val file = SealedFile(File(context.applicationContext.noBackupFilesDir, "mien-tokens"), AndroidSecrets(), "mien/v1/session-tokens")

    override fun tokens(key: AppKey): SessionTokens? = file.get(name("tokens", key))?.let { SessionTokens.fromJson(it) }
    override fun store(tokens: SessionTokens, key: AppKey) = file.put(name("tokens", key), tokens.toJson())
    override fun remove(key: AppKey) = file.put(name("tokens", key), null)

    override fun deviceToken(key: AppKey): Sensitive<String>? = file.get(name("device", key))
    override fun storeDeviceToken(token: Sensitive<String>, key: AppKey) = file.put(name("device", key), token)

    override fun proofKey(key: AppKey): Signer? = AndroidKeyStore.guarded {
        val store = AndroidKeyStore.open()
        val alias = alias(key)
        val privateKey = store.getKey(alias, null) as? PrivateKey
        if (privateKey == null) null else JcaSigner(privateKey, PublicKey.of(store.getCertificate(alias).publicKey))
    }

    // Not on this storage, of which an app may have several.
    override fun proofKeyOrNew(key: AppKey): Signer = synchronized(AndroidKeyStore) {
        proofKey(key) ?: AndroidKeyStore.guarded {
            val generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, AndroidKeyStore.NAME)
            generator.initialize(KeyGenParameterSpec.Builder(alias(key), KeyProperties.PURPOSE_SIGN)
                .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1")).setDigests(KeyProperties.DIGEST_SHA256).build())
            JcaSigner(generator.generateKeyPair())
        }
    }

    private fun alias(key: AppKey) = "mien-dpop-" + key.mark
    private fun name(kind: String, key: AppKey) = kind + " " + key.mark
}

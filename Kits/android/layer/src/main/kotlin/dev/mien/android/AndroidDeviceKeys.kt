package dev.mien.android

import android.app.KeyguardManager
import android.content.Context
import android.content.pm.PackageManager
import android.os.Build
import android.security.KeyStoreException
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyInfo
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.KeyProperties
import androidx.biometric.BiometricManager
import androidx.biometric.BiometricPrompt
import dev.mien.Authenticators
import dev.mien.BiometricNoEnrollmentException
import dev.mien.BiometricNoPasscodeException
import dev.mien.BiometricNotSupportedOrPermissionDeniedException
import dev.mien.BiometricPrivateKeyNotFoundException
import dev.mien.BiometricTexts
import dev.mien.DeviceException
import dev.mien.DeviceKeys
import dev.mien.MadeKey
import dev.mien.PublicKey
import dev.mien.UnlockedKey
import java.security.KeyFactory
import java.security.KeyPairGenerator
import java.security.PrivateKey
import java.security.ProviderException
import java.security.Signature
import java.security.UnrecoverableKeyException
import java.security.spec.ECGenParameterSpec

/**
 * Device keys in Android's key store, in StrongBox where there is one. Each use needs the person: the key store itself refuses to
 * sign without the prompt, so a changed app cannot leave it out.
 */
class AndroidDeviceKeys(context: Context) : DeviceKeys {
    private val context = context.applicationContext

    override fun obstacle(allowedAuthenticators: Int): DeviceException? {
        val acceptsCredential = allowedAuthenticators and Authenticators.DEVICE_CREDENTIAL != 0
        if (allowedAuthenticators and (Authenticators.BIOMETRIC_WEAK or Authenticators.DEVICE_CREDENTIAL) == 0) {
            return DeviceException(DeviceException.Code.BAD_ARGUMENT, "allowedAuthenticators is empty. Add BIOMETRIC_STRONG or DEVICE_CREDENTIAL.")
        }
        if (acceptsCredential && Build.VERSION.SDK_INT < Build.VERSION_CODES.R) {
            return BiometricNotSupportedOrPermissionDeniedException(
                "Keys that the device's PIN unlocks for each use need Android 11. Use BIOMETRIC_STRONG.")
        }
        val state = BiometricManager.from(context).canAuthenticate(BiometricManager.Authenticators.BIOMETRIC_STRONG)
        val hasSensor = state == BiometricManager.BIOMETRIC_SUCCESS || state == BiometricManager.BIOMETRIC_ERROR_NONE_ENROLLED
        if (!hasSensor && !acceptsCredential) {
            return BiometricNotSupportedOrPermissionDeniedException(
                if (state == BiometricManager.BIOMETRIC_ERROR_SECURITY_UPDATE_REQUIRED) "The sensor is off until a security update is installed."
                else "The device has no biometric sensor of class 3, or it is not available now.")
        }
        val guard = context.getSystemService(Context.KEYGUARD_SERVICE) as KeyguardManager
        if (!guard.isDeviceSecure) return BiometricNoPasscodeException("The device has no PIN, pattern, or password. Set one first.")
        if (acceptsCredential || state == BiometricManager.BIOMETRIC_SUCCESS) return null
        return BiometricNoEnrollmentException("No face or finger of class 3 is enrolled. Enroll one first.")
    }

    override fun makeKey(tag: String, options: BiometricTexts, challenge: String?): MadeKey {
        val store = AndroidKeyStore.open()
        if (AndroidKeyStore.guarded { store.containsAlias(tag) }) throw DeviceException(DeviceException.Code.TAG_IN_USE, "A key with this tag exists.")
        val hasStrongBox = Build.VERSION.SDK_INT >= Build.VERSION_CODES.P &&
            context.packageManager.hasSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE)
        val pair = try { generate(tag, options, challenge, hasStrongBox) } catch (error: ProviderException) {
            // StrongBox is full or absent, or the device cannot attest keys: a key without either is better than none.
            val next = if (hasStrongBox) try { generate(tag, options, challenge, false) } catch (_: ProviderException) { null } else null
            next ?: AndroidKeyStore.guarded { generate(tag, options, null, false) }
        }
        try {
            val chain = if (challenge == null) null else AndroidKeyStore.guarded { store.getCertificateChain(tag)?.map { it.encoded } }
            // A chain of one certificate is the key's own, signed by itself: no attestation.
            return MadeKey(PublicKey.of(pair.public), chain?.takeIf { it.size > 1 })
        } catch (error: DeviceException) {
            // Nobody will learn of this key.
            deleteKey(tag)
            throw error
        }
    }

    private fun generate(tag: String, options: BiometricTexts, challenge: String?, inStrongBox: Boolean): java.security.KeyPair {
        val spec = KeyGenParameterSpec.Builder(tag, KeyProperties.PURPOSE_SIGN)
            .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
            .setDigests(KeyProperties.DIGEST_SHA256)
            .setUserAuthenticationRequired(true)
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.R) spec.setUserAuthenticationParameters(0, keyTypes(options))
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.N) {
            // Android 6 always does.
            spec.setInvalidatedByBiometricEnrollment(options.invalidatedByBiometricEnrollment)
            if (challenge != null) spec.setAttestationChallenge(challenge.toByteArray(Charsets.UTF_8))
        }
        if (inStrongBox) spec.setIsStrongBoxBacked(true)
        try {
            val generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, AndroidKeyStore.NAME)
            generator.initialize(spec.build())
            return generator.generateKeyPair()
        } catch (error: java.security.InvalidAlgorithmParameterException) {
            // The key store found nothing enrolled.
            throw BiometricNoEnrollmentException("The key store needs an enrolled face or finger, or a PIN.")
        }
    }

    private fun keyTypes(options: BiometricTexts): Int =
        (if (options.allowedAuthenticators and Authenticators.BIOMETRIC_WEAK != 0) KeyProperties.AUTH_BIOMETRIC_STRONG else 0) or
            (if (options.allowedAuthenticators and Authenticators.DEVICE_CREDENTIAL != 0) KeyProperties.AUTH_DEVICE_CREDENTIAL else 0)

    override fun unlock(tag: String, options: BiometricTexts): UnlockedKey {
        val activity = (options as? BiometricOptions)?.activity
            ?: throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "Pass BiometricOptions, whose activity shows the dialog.")
        val store = AndroidKeyStore.open()
        val signature = Signature.getInstance("SHA256withECDSA")
        val accepts: Int
        try {
            val key = store.getKey(tag, null) as? PrivateKey ?: throw notFound()
            accepts = acceptedBy(key)
            signature.initSign(key)
        } catch (_: KeyPermanentlyInvalidatedException) {
            throw invalidated(tag)
        } catch (error: UnrecoverableKeyException) {
            // What some devices throw for the same, and since Android 12 for a key store that is busy, too.
            if (isPassing(error)) throw AndroidKeyStore.failed()
            throw invalidated(tag)
        } catch (_: java.security.GeneralSecurityException) {
            throw AndroidKeyStore.failed()
        } catch (_: ProviderException) {
            throw AndroidKeyStore.failed()
        }
        val publicKey = PublicKey.of(AndroidKeyStore.guarded { store.getCertificate(tag) }.publicKey)
        // The PIN needs the consent of both: of the key, when it was made, and of these options.
        val result = BiometricDialog.show(activity, options, accepts and BiometricDialog.authenticators(options), BiometricPrompt.CryptoObject(signature))
        val unlocked = result.cryptoObject?.signature ?: throw AndroidKeyStore.failed()
        return UnlockedKey(
            result.authenticationType == BiometricPrompt.AUTHENTICATION_RESULT_TYPE_BIOMETRIC, KeyStoreSigner(publicKey, unlocked))
    }

    /** The authenticators that unlock a key, as `BiometricManager.Authenticators`. */
    private fun acceptedBy(key: PrivateKey): Int {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.R) return BiometricManager.Authenticators.BIOMETRIC_STRONG
        val info = KeyFactory.getInstance(key.algorithm, AndroidKeyStore.NAME).getKeySpec(key, KeyInfo::class.java)
        return (if (info.userAuthenticationType and KeyProperties.AUTH_BIOMETRIC_STRONG != 0) BiometricManager.Authenticators.BIOMETRIC_STRONG else 0) or
            (if (info.userAuthenticationType and KeyProperties.AUTH_DEVICE_CREDENTIAL != 0) BiometricManager.Authenticators.DEVICE_CREDENTIAL else 0)
    }

    /** Whether the key may be readable later. Earlier versions do not tell. */
    private fun isPassing(error: UnrecoverableKeyException): Boolean =
        Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU && (error.cause as? KeyStoreException)?.isTransientFailure == true

    private fun notFound() = BiometricPrivateKeyNotFoundException("This device has no key with this tag. Enable biometric login first.")

    private fun invalidated(tag: String): BiometricPrivateKeyNotFoundException {
        deleteKey(tag)
        return BiometricPrivateKeyNotFoundException("The enrolled faces or fingers have changed, so the key was deleted. Enable biometric login again.")
    }

    override fun deleteKey(tag: String) = AndroidKeyStore.guarded {
        val store = AndroidKeyStore.open()
        if (store.containsAlias(tag)) store.deleteEntry(tag)
    }

    override fun tags(): List<String> = AndroidKeyStore.guarded {
        java.util.Collections.list(AndroidKeyStore.open().aliases()).filter { it.startsWith("mien.") }.sorted()
    }
}

package dev.mien.android

import android.os.Build
import androidx.fragment.app.FragmentActivity
import dev.mien.Authenticators.BIOMETRIC_STRONG
import dev.mien.Authenticators.BIOMETRIC_WEAK
import dev.mien.Authenticators.DEVICE_CREDENTIAL
import dev.mien.BiometricLockoutException
import dev.mien.BiometricNoEnrollmentException
import dev.mien.BiometricNoPasscodeException
import dev.mien.BiometricNotSupportedOrPermissionDeniedException
import dev.mien.BiometricPrivateKeyNotFoundException
import dev.mien.CancelException
import dev.mien.DeviceException
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.fake.KeyStoreProvider
import dev.mien.fake.Phone
import dev.mien.fake.Screen
import dev.mien.fake.Touch

/** Device keys, with each outcome of the dialog. */
internal object KeyTests {
    private val activity get() = Screen.open(FragmentActivity())

    fun options(allowed: Int = BIOMETRIC_STRONG, isInvalidated: Boolean = true) =
        BiometricOptions(activity, "Biometric authentication", "Sign in", "Use biometric to authenticate", "Cancel", allowed, isInvalidated)

    fun register() {
        test("keys: a finger unlocks a key for one signature, with the six options of the guide", "device keys") {
            val keys = AndroidDeviceKeys(Phone.application)
            val made = keys.makeKey("mien.a.b", options(), null)
            Phone.touches.addAll(listOf(Touch.WRONG, Touch.RIGHT))
            val key = keys.unlock("mien.a.b", options())
            expect(key.isBiometric)
            val message = "message".toByteArray()
            val verifier = java.security.Signature.getInstance("SHA256withECDSA", "SunEC")
            verifier.initVerify(java.security.KeyStore.getInstance("AndroidKeyStore").apply { load(null) }.getCertificate("mien.a.b").publicKey)
            verifier.update(message)
            expect(verifier.verify(der(key.sign(message))))
            expectThrows<DeviceException> { key.sign(message) }
            expectEqual(key.publicKey, made.publicKey)
            val dialog = Phone.dialogs[0]
            expectEqual(
                listOf(dialog.title, dialog.subtitle, dialog.description, dialog.negative, dialog.allowed).joinToString("|"),
                "Biometric authentication|Sign in|Use biometric to authenticate|Cancel|15")
            expectEqual(keys.tags(), listOf("mien.a.b"))
            expectThrows<DeviceException> { keys.makeKey("mien.a.b", options(), null) }.let { expectEqual(it.code, DeviceException.Code.TAG_IN_USE) }
            keys.deleteKey("mien.a.b")
            keys.deleteKey("mien.a.b")
            expectEqual(keys.tags(), emptyList<String>())
        }
        test("keys: another enrollment invalidates a key, which is deleted; a canceled or failed attempt is told apart and leaves it",
            "errors of biometrics", "invalidation by another enrollment") {
            val keys = AndroidDeviceKeys(Phone.application)
            keys.makeKey("mien.a.b", options(), null)
            val outcomes = listOf(
                Touch.CANCEL to DeviceException.Code.CANCEL, Touch.HOME to DeviceException.Code.CANCEL,
                Touch.NOBODY to DeviceException.Code.NOT_RECOGNIZED, Touch.PERMANENT_LOCKOUT to DeviceException.Code.BIOMETRIC_LOCKOUT,
                Touch.BROKEN to DeviceException.Code.BIOMETRIC_NOT_SUPPORTED_OR_PERMISSION_DENIED, Touch.STRANGE to DeviceException.Code.HARDWARE)
            for ((touch, code) in outcomes) {
                Phone.touches.add(touch)
                expectEqual(expectThrows<DeviceException> { keys.unlock("mien.a.b", options()) }.code, code)
                expectEqual(keys.tags(), listOf("mien.a.b"))
            }
            repeat(5) { Phone.touches.add(Touch.WRONG) }
            expectThrows<BiometricLockoutException> { keys.unlock("mien.a.b", options()) }
            Phone.failures = 0
            Phone.enroll()
            expectThrows<BiometricPrivateKeyNotFoundException> { keys.unlock("mien.a.b", options()) }
            expectEqual(keys.tags(), emptyList<String>())
            expectThrows<BiometricPrivateKeyNotFoundException> { keys.unlock("mien.a.b", options()) }
        }
        test("keys: invalidatedByBiometricEnrollment false outlasts another finger, but not the loss of all") {
            val keys = AndroidDeviceKeys(Phone.application)
            keys.makeKey("mien.a.b", options(isInvalidated = false), null)
            Phone.enroll()
            Phone.touches.add(Touch.RIGHT)
            keys.unlock("mien.a.b", options())
            Phone.enrollment = 0
            expectThrows<BiometricPrivateKeyNotFoundException> { keys.unlock("mien.a.b", options()) }
        }
        test("keys: the PIN unlocks a key only if key and options allow it, and is told apart") {
            val keys = AndroidDeviceKeys(Phone.application)
            val both = BIOMETRIC_WEAK or DEVICE_CREDENTIAL
            keys.makeKey("mien.a.both", options(both), null)
            Phone.touches.add(Touch.PIN)
            expect(!keys.unlock("mien.a.both", options(both)).isBiometric)
            expectEqual(Phone.dialogs.last().negative, null)
            // The options narrow what the key allows.
            Phone.touches.addAll(listOf(Touch.PIN, Touch.RIGHT))
            expect(keys.unlock("mien.a.both", options()).isBiometric)
            // The key narrows what the options allow.
            keys.makeKey("mien.a.strong", options(), null)
            Phone.touches.addAll(listOf(Touch.PIN, Touch.CANCEL))
            expectThrows<CancelException> { keys.unlock("mien.a.strong", options(both)) }
            keys.makeKey("mien.a.pin", options(DEVICE_CREDENTIAL), null)
            Phone.enroll()
            Phone.touches.add(Touch.PIN)
            expect(!keys.unlock("mien.a.pin", options(DEVICE_CREDENTIAL)).isBiometric)
            expectEqual(expectThrows<DeviceException> { keys.unlock("mien.a.pin", options()) }.code, DeviceException.Code.BAD_ARGUMENT)
        }
        test("keys: what stands in the way is told without asking anybody, in the guide's order") {
            val keys = AndroidDeviceKeys(Phone.application)
            val both = BIOMETRIC_STRONG or DEVICE_CREDENTIAL
            expect(keys.obstacle(BIOMETRIC_STRONG) == null && keys.obstacle(both) == null)
            Phone.enrollment = 0
            expect(keys.obstacle(BIOMETRIC_STRONG) is BiometricNoEnrollmentException && keys.obstacle(both) == null)
            Phone.hasPin = false
            expect(keys.obstacle(BIOMETRIC_STRONG) is BiometricNoPasscodeException && keys.obstacle(both) is BiometricNoPasscodeException)
            Phone.hasSensor = false
            expect(keys.obstacle(BIOMETRIC_STRONG) is BiometricNotSupportedOrPermissionDeniedException)
            expect(keys.obstacle(both) is BiometricNoPasscodeException)
            expectEqual(keys.obstacle(0)!!.code, DeviceException.Code.BAD_ARGUMENT)
            expect(Phone.dialogs.isEmpty())
        }
        test("keys: Android 10 and older use what they have, and refuse the PIN") {
            val keys = AndroidDeviceKeys(Phone.application)
            for (sdk in listOf(29, 26, 24, 23)) {
                Build.VERSION.SDK_INT = sdk
                keys.makeKey("mien.a.$sdk", options(isInvalidated = sdk > 23), if (sdk > 23) "challenge" else null)
                Phone.touches.add(Touch.RIGHT)
                keys.unlock("mien.a.$sdk", options()).sign(byteArrayOf(1))
                expect(keys.obstacle(DEVICE_CREDENTIAL) is BiometricNotSupportedOrPermissionDeniedException)
            }
        }
        test("keys: StrongBox where there is one, otherwise the processor's; an attestation where the device can") {
            val keys = AndroidDeviceKeys(Phone.application)
            fun made(tag: String) = keys.makeKey(tag, options(), "challenge").also { expect(tag in KeyStoreProvider.entries.keys) }
            fun isStrong(tag: String) = KeyStoreProvider.entries.getValue(tag).isInStrongBox
            expectEqual(made("mien.tee").attestation!!.size, 2)
            expect(!isStrong("mien.tee"))
            Phone.hasStrongBox = true
            expect(made("mien.box").attestation != null && isStrong("mien.box"))
            Phone.isStrongBoxFull = true
            expect(made("mien.full").attestation != null && !isStrong("mien.full"))
            Phone.attests = false
            expect(made("mien.none").attestation == null)
            Phone.hasStrongBox = false
            expect(made("mien.bare").attestation == null)
        }
        test("keys: a key store that is busy keeps the key, and one that has lost it deletes it") {
            val keys = AndroidDeviceKeys(Phone.application)
            keys.makeKey("mien.a.b", options(), null)
            Phone.isKeyStoreBusy = true
            expectEqual(expectThrows<DeviceException> { keys.unlock("mien.a.b", options()) }.code, DeviceException.Code.HARDWARE)
            Phone.isKeyStoreBusy = false
            expectEqual(keys.tags(), listOf("mien.a.b"))
            Phone.isKeyStoreBroken = true
            expectThrows<BiometricPrivateKeyNotFoundException> { keys.unlock("mien.a.b", options()) }
            expectEqual(keys.tags(), emptyList<String>())
        }
        test("keys: a dialog whose activity is gone counts as canceled, and leaves the key") {
            val keys = AndroidDeviceKeys(Phone.application)
            keys.makeKey("mien.a.b", options(), null)
            val options = options()
            Phone.touches.add(Touch.NONE)
            Thread {
                while (Phone.dialogs.isEmpty()) Thread.sleep(10)
                Screen.onMain { options.activity.destroy() }
            }.start()
            expectThrows<CancelException> { keys.unlock("mien.a.b", options) }
            expectEqual(keys.tags(), listOf("mien.a.b"))
        }
        test("keys: the dialog is never awaited on the main thread, and wrong options say so") {
            val keys = AndroidDeviceKeys(Phone.application)
            keys.makeKey("mien.a.b", options(), null)
            var error: Throwable? = null
            Screen.onMain { error = expectThrows<IllegalStateException> { keys.unlock("mien.a.b", options()) } }
            expect(error != null)
            val untitled = BiometricOptions(activity, "", "", "", "Cancel", BIOMETRIC_STRONG, true)
            expectEqual(expectThrows<DeviceException> { keys.unlock("mien.a.b", untitled) }.code, DeviceException.Code.BAD_ARGUMENT)
        }
    }

    private fun der(raw: ByteArray): ByteArray {
        val (r, s) = listOf(raw.copyOfRange(0, 32), raw.copyOfRange(32, 64)).map { java.math.BigInteger(1, it).toByteArray() }
        return byteArrayOf(0x30, (r.size + s.size + 4).toByte(), 2, r.size.toByte()) + r + byteArrayOf(2, s.size.toByte()) + s
    }
}

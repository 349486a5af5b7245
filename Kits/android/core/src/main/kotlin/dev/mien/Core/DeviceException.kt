package dev.mien

/** A device key or a check of the owner is unavailable. Branch on [code], or catch the class. [reason] contains no secret. */
open class DeviceException(val code: Code, val reason: String) : Exception(code.word + ": " + reason) {
    /** Stable codes. The first six are those of the biometric guide. */
    enum class Code(val word: String) {
        CANCEL("cancel"),
        BIOMETRIC_PRIVATE_KEY_NOT_FOUND("biometric_private_key_not_found"),
        BIOMETRIC_NOT_SUPPORTED_OR_PERMISSION_DENIED("biometric_not_supported_or_permission_denied"),
        BIOMETRIC_NO_PASSCODE("biometric_no_passcode"),
        BIOMETRIC_NO_ENROLLMENT("biometric_no_enrollment"),
        BIOMETRIC_LOCKOUT("biometric_lockout"),
        /** No attempt matched the enrolled face or finger. */
        NOT_RECOGNIZED("device.not-recognized"),
        TAG_IN_USE("device.tag-in-use"),
        BAD_ARGUMENT("device.bad-argument"),
        /** The key store, the sensor, or the camera does not respond. */
        HARDWARE("device.hardware"),
        /** A file on the device cannot be read, written, or trusted. */
        STORAGE("device.storage");
    }
}

/** The person canceled. */
class CancelException(reason: String) : DeviceException(Code.CANCEL, reason)

/** There is no key, another enrollment has invalidated it, or the server no longer accepts it. It is deleted: register again. */
class BiometricPrivateKeyNotFoundException(reason: String) : DeviceException(Code.BIOMETRIC_PRIVATE_KEY_NOT_FOUND, reason)

/** The device has no sensor that is strong enough, or the app may not use it. */
class BiometricNotSupportedOrPermissionDeniedException(reason: String) :
    DeviceException(Code.BIOMETRIC_NOT_SUPPORTED_OR_PERMISSION_DENIED, reason)

/** The device has no PIN, pattern, or password. */
class BiometricNoPasscodeException(reason: String) : DeviceException(Code.BIOMETRIC_NO_PASSCODE, reason)

/** No face or finger is enrolled. */
class BiometricNoEnrollmentException(reason: String) : DeviceException(Code.BIOMETRIC_NO_ENROLLMENT, reason)

/** Too many failed attempts. The device's PIN lifts the lockout. */
class BiometricLockoutException(reason: String) : DeviceException(Code.BIOMETRIC_LOCKOUT, reason)

// https://developer.android.com/reference/android/security/keystore/KeyProperties
package android.security.keystore;

public abstract class KeyProperties {
    public static final int PURPOSE_ENCRYPT = 1, PURPOSE_DECRYPT = 2, PURPOSE_SIGN = 4;
    public static final int AUTH_DEVICE_CREDENTIAL = 1, AUTH_BIOMETRIC_STRONG = 2;
    public static final String KEY_ALGORITHM_EC = "EC", KEY_ALGORITHM_AES = "AES", KEY_ALGORITHM_HMAC_SHA256 = "HmacSHA256";
    public static final String DIGEST_SHA256 = "SHA-256", BLOCK_MODE_GCM = "GCM", ENCRYPTION_PADDING_NONE = "NoPadding";
}

// https://developer.android.com/reference/android/security/keystore/KeyPermanentlyInvalidatedException
package android.security.keystore;

public class KeyPermanentlyInvalidatedException extends java.security.InvalidKeyException {}

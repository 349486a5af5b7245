// https://developer.android.com/reference/android/security/keystore/StrongBoxUnavailableException
package android.security.keystore;

public class StrongBoxUnavailableException extends java.security.ProviderException {}

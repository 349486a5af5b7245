// https://developer.android.com/reference/android/security/KeyStoreException
package android.security;

public class KeyStoreException extends Exception {
    private final boolean isTransient;
    public KeyStoreException(boolean isTransient) { this.isTransient = isTransient; }
    public boolean isTransientFailure() { return isTransient; }
}

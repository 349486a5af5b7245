// https://developer.android.com/reference/android/security/keystore/KeyInfo
package android.security.keystore;

public class KeyInfo implements java.security.spec.KeySpec {
    private final int authTypes;
    public KeyInfo(int authTypes) { this.authTypes = authTypes; }
    public int getUserAuthenticationType() { return authTypes; }
}

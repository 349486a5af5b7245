// https://developer.android.com/reference/android/security/keystore/KeyGenParameterSpec
package android.security.keystore;

import android.os.Build;
import java.security.spec.AlgorithmParameterSpec;

/** Its members are for the key store of the tests. */
public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    public String alias;
    public int purposes, authTypes = KeyProperties.AUTH_BIOMETRIC_STRONG, validity = -1;
    public boolean needsUser, isInvalidatedByEnrollment = true, isInStrongBox;
    public byte[] challenge;

    public static final class Builder {
        private final KeyGenParameterSpec spec = new KeyGenParameterSpec();

        public Builder(String alias, int purposes) { spec.alias = alias; spec.purposes = purposes; }
        public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec spec) { return this; }
        public Builder setDigests(String... digests) { return this; }
        public Builder setBlockModes(String... modes) { return this; }
        public Builder setEncryptionPaddings(String... paddings) { return this; }
        public Builder setKeySize(int bits) { return this; }
        public Builder setUserAuthenticationRequired(boolean required) { spec.needsUser = required; return this; }
        public Builder setUserAuthenticationParameters(int timeout, int types) {
            since(30);
            spec.validity = timeout == 0 ? -1 : timeout;
            spec.authTypes = types;
            return this;
        }
        public Builder setInvalidatedByBiometricEnrollment(boolean invalidate) { since(24); spec.isInvalidatedByEnrollment = invalidate; return this; }
        public Builder setAttestationChallenge(byte[] challenge) { since(24); spec.challenge = challenge; return this; }
        public Builder setIsStrongBoxBacked(boolean inStrongBox) { since(28); spec.isInStrongBox = inStrongBox; return this; }
        public KeyGenParameterSpec build() { return spec; }

        private void since(int sdk) { if (Build.VERSION.SDK_INT < sdk) throw new NoSuchMethodError("since API " + sdk); }
    }
}

// https://developer.android.com/reference/androidx/biometric/BiometricPrompt
package androidx.biometric;

import android.os.Build;
import android.os.Looper;
import androidx.fragment.app.FragmentActivity;
import dev.mien.fake.Phone;
import dev.mien.fake.Touch;
import java.security.Signature;
import java.util.concurrent.Executor;

public class BiometricPrompt {
    public static final int ERROR_HW_UNAVAILABLE = 1, ERROR_UNABLE_TO_PROCESS = 2, ERROR_TIMEOUT = 3, ERROR_CANCELED = 5, ERROR_LOCKOUT = 7, ERROR_VENDOR = 8,
        ERROR_LOCKOUT_PERMANENT = 9, ERROR_USER_CANCELED = 10, ERROR_NO_BIOMETRICS = 11, ERROR_HW_NOT_PRESENT = 12, ERROR_NEGATIVE_BUTTON = 13,
        ERROR_NO_DEVICE_CREDENTIAL = 14, ERROR_SECURITY_UPDATE_REQUIRED = 15;
    public static final int AUTHENTICATION_RESULT_TYPE_UNKNOWN = -1, AUTHENTICATION_RESULT_TYPE_DEVICE_CREDENTIAL = 1, AUTHENTICATION_RESULT_TYPE_BIOMETRIC = 2;

    public static class CryptoObject {
        private final Signature signature;
        public CryptoObject(Signature signature) { this.signature = signature; }
        public Signature getSignature() { return signature; }
    }

    public static class AuthenticationResult {
        private final CryptoObject crypto;
        private final int type;
        AuthenticationResult(CryptoObject crypto, int type) { this.crypto = crypto; this.type = type; }
        public CryptoObject getCryptoObject() { return crypto; }
        public int getAuthenticationType() { return type; }
    }

    public abstract static class AuthenticationCallback {
        public void onAuthenticationError(int code, CharSequence text) {}
        public void onAuthenticationSucceeded(AuthenticationResult result) {}
        public void onAuthenticationFailed() {}
    }

    public static class PromptInfo {
        /** For tests. */
        public CharSequence title, subtitle, description, negative;
        public int allowed;

        public static class Builder {
            private final PromptInfo info = new PromptInfo();
            public Builder setTitle(CharSequence text) { info.title = text; return this; }
            public Builder setSubtitle(CharSequence text) { info.subtitle = text; return this; }
            public Builder setDescription(CharSequence text) { info.description = text; return this; }
            public Builder setNegativeButtonText(CharSequence text) { info.negative = text; return this; }
            public Builder setAllowedAuthenticators(int allowed) { info.allowed = allowed; return this; }

            public PromptInfo build() {
                if (info.title == null || info.title.length() == 0) throw new IllegalArgumentException("Title must be set and non-empty.");
                boolean hasNegative = info.negative != null && info.negative.length() > 0, acceptsPin = (info.allowed & BiometricManager.Authenticators.DEVICE_CREDENTIAL) != 0;
                if (!acceptsPin && !hasNegative) throw new IllegalArgumentException("Negative text must be set and non-empty.");
                if (acceptsPin && hasNegative) throw new IllegalArgumentException("Negative text must not be set if device credential authentication is allowed.");
                return info;
            }
        }
    }

    private final Executor executor;
    private final AuthenticationCallback callback;

    public BiometricPrompt(FragmentActivity activity, Executor executor, AuthenticationCallback callback) {
        if (Looper.myLooper() != Looper.getMainLooper()) throw new IllegalStateException("Must be called from main thread of fragment host");
        this.executor = executor;
        this.callback = callback;
    }

    public void authenticate(PromptInfo info, CryptoObject crypto) {
        if ((info.allowed & 255) == BiometricManager.Authenticators.BIOMETRIC_WEAK) {
            throw new IllegalArgumentException("Crypto-based authentication is not supported for Class 2 (Weak) biometrics.");
        }
        boolean acceptsPin = (info.allowed & BiometricManager.Authenticators.DEVICE_CREDENTIAL) != 0, acceptsTouch = (info.allowed & 255) != 0;
        if (Build.VERSION.SDK_INT < 30 && acceptsPin) {
            throw new IllegalArgumentException("Crypto-based authentication is not supported for device credential prior to API 30.");
        }
        Phone.dialogs.add(info);
        while (true) {
            Touch touch = Phone.touches.isEmpty() ? Touch.CANCEL : Phone.touches.poll();
            switch (touch) {
                case RIGHT:
                    if (!acceptsTouch) continue;
                    if (Phone.failures >= 5) { error(ERROR_LOCKOUT); return; }
                    Phone.failures = 0;
                    succeed(crypto, AUTHENTICATION_RESULT_TYPE_BIOMETRIC);
                    return;
                case WRONG:
                    Phone.failures++;
                    executor.execute(callback::onAuthenticationFailed);
                    if (Phone.failures >= 5) { error(ERROR_LOCKOUT); return; }
                    continue;
                case PIN:
                    if (!acceptsPin) continue;
                    Phone.failures = 0;
                    succeed(crypto, AUTHENTICATION_RESULT_TYPE_DEVICE_CREDENTIAL);
                    return;
                case CANCEL: error(acceptsPin ? ERROR_USER_CANCELED : ERROR_NEGATIVE_BUTTON); return;
                case HOME: error(ERROR_CANCELED); return;
                case NOBODY: error(ERROR_TIMEOUT); return;
                case PERMANENT_LOCKOUT: error(ERROR_LOCKOUT_PERMANENT); return;
                case BROKEN: error(ERROR_HW_UNAVAILABLE); return;
                case NONE: return;
                case STRANGE: error(ERROR_VENDOR); return;
            }
        }
    }

    private void error(int code) { executor.execute(() -> callback.onAuthenticationError(code, "…")); }

    @SuppressWarnings("deprecation")
    private void succeed(CryptoObject crypto, int type) {
        ((dev.mien.fake.KeyStoreProvider.Operation) crypto.signature.getParameter("operation")).authorize(type);
        executor.execute(() -> callback.onAuthenticationSucceeded(new AuthenticationResult(crypto, type)));
    }
}

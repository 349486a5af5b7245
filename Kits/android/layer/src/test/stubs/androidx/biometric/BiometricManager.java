// https://developer.android.com/reference/androidx/biometric/BiometricManager
package androidx.biometric;

import android.content.Context;
import dev.mien.fake.Phone;

public class BiometricManager {
    public static final int BIOMETRIC_SUCCESS = 0, BIOMETRIC_ERROR_HW_UNAVAILABLE = 1, BIOMETRIC_ERROR_NONE_ENROLLED = 11, BIOMETRIC_ERROR_NO_HARDWARE = 12,
        BIOMETRIC_ERROR_SECURITY_UPDATE_REQUIRED = 15;
    public interface Authenticators { int BIOMETRIC_STRONG = 15, BIOMETRIC_WEAK = 255, DEVICE_CREDENTIAL = 32768; }

    public static BiometricManager from(Context context) { return new BiometricManager(); }

    public int canAuthenticate(int authenticators) {
        return !Phone.hasSensor ? BIOMETRIC_ERROR_NO_HARDWARE : Phone.enrollment == 0 ? BIOMETRIC_ERROR_NONE_ENROLLED : BIOMETRIC_SUCCESS;
    }
}

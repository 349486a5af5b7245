// https://developer.android.com/reference/android/app/KeyguardManager
package android.app;

import dev.mien.fake.Phone;

public class KeyguardManager {
    public boolean isDeviceSecure() { return Phone.hasPin; }
}

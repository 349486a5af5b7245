// https://developer.android.com/reference/android/content/pm/PackageManager
package android.content.pm;

import dev.mien.fake.Phone;

public class PackageManager {
    public static final int PERMISSION_GRANTED = 0, PERMISSION_DENIED = -1;
    public static final String FEATURE_STRONGBOX_KEYSTORE = "android.hardware.strongbox_keystore";

    public boolean hasSystemFeature(String name) { return name.equals(FEATURE_STRONGBOX_KEYSTORE) && Phone.hasStrongBox; }
}

// https://developer.android.com/reference/android/os/SystemClock
package android.os;

import dev.mien.fake.Phone;

public final class SystemClock {
    /** Since the device started, also while it slept. */
    public static long elapsedRealtime() { return System.nanoTime() / 1_000_000 + Phone.slept; }
    private SystemClock() {}
}

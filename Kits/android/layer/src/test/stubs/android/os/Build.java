// https://developer.android.com/reference/android/os/Build
package android.os;

public class Build {
    public static String MODEL = "Fake 1";
    public static class VERSION {
        /** Tests change it. */
        public static int SDK_INT = 34;
    }
    public static class VERSION_CODES { public static final int M = 23, N = 24, O = 26, P = 28, R = 30, TIRAMISU = 33; }
}

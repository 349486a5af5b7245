// https://developer.android.com/reference/android/Manifest
package android;

public final class Manifest {
    public static final class permission { public static final String CAMERA = "android.permission.CAMERA"; }
}

// https://developer.android.com/reference/android/view/Display
package android.view;

public final class Display {
    public int getRotation() { return Surface.ROTATION_0; }
}

// https://developer.android.com/reference/android/graphics/Typeface
package android.graphics;

public class Typeface {
    public static final int BOLD = 1;
}

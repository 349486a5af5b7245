// https://developer.android.com/reference/android/graphics/Color
package android.graphics;

public class Color {
    public static final int BLACK = 0xFF000000, LTGRAY = 0xFFCCCCCC, WHITE = 0xFFFFFFFF;
    public static int rgb(int red, int green, int blue) { return 0xFF000000 | red << 16 | green << 8 | blue; }
}

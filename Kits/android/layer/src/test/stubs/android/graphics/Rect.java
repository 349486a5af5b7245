// https://developer.android.com/reference/android/graphics/Rect
package android.graphics;

public class Rect {
    public final int left, top, right, bottom;
    public Rect(int left, int top, int right, int bottom) { this.left = left; this.top = top; this.right = right; this.bottom = bottom; }
}

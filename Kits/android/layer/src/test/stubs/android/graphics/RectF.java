// https://developer.android.com/reference/android/graphics/RectF
package android.graphics;

public class RectF {
    public final float left, top, right, bottom;
    public RectF(float left, float top, float right, float bottom) { this.left = left; this.top = top; this.right = right; this.bottom = bottom; }
    public final float width() { return right - left; }
    public final float height() { return bottom - top; }
    public final float centerX() { return (left + right) / 2; }
    public final float centerY() { return (top + bottom) / 2; }
}

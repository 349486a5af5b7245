// https://developer.android.com/reference/android/graphics/Paint
package android.graphics;

public class Paint {
    public static final int ANTI_ALIAS_FLAG = 1;
    public enum Style { FILL, STROKE, FILL_AND_STROKE }

    public Paint(int flags) {}
    public void setStyle(Style style) {}
    public Style getStyle() { return Style.FILL; }
    public void setStrokeWidth(float width) {}
    public float getStrokeWidth() { return 0; }
    public void setColor(int color) {}
    public int getColor() { return 0; }
}

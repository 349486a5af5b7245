// https://developer.android.com/reference/android/graphics/Canvas
package android.graphics;

public class Canvas {
    public void drawOval(RectF box, Paint paint) {}
    public void drawArc(RectF box, float start, float sweep, boolean useCenter, Paint paint) {}
    public void drawPath(Path path, Paint paint) {}
    public void drawLine(float x1, float y1, float x2, float y2, Paint paint) {}
}

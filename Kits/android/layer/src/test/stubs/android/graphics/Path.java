// https://developer.android.com/reference/android/graphics/Path
package android.graphics;

public class Path {
    public enum FillType { WINDING, EVEN_ODD, INVERSE_WINDING, INVERSE_EVEN_ODD }
    public enum Direction { CW, CCW }

    public void setFillType(FillType type) {}
    public FillType getFillType() { return FillType.WINDING; }
    public void addRect(float left, float top, float right, float bottom, Direction direction) {}
    public void addOval(RectF box, Direction direction) {}
}

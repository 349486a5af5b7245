// https://developer.android.com/reference/android/util/Size
package android.util;

public final class Size {
    private final int width, height;
    public Size(int width, int height) { this.width = width; this.height = height; }
    public int getWidth() { return width; }
    public int getHeight() { return height; }
}

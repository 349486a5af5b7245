// https://developer.android.com/reference/android/graphics/SurfaceTexture
package android.graphics;

public class SurfaceTexture {
    public void setDefaultBufferSize(int width, int height) {}
}

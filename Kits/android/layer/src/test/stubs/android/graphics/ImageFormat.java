// https://developer.android.com/reference/android/graphics/ImageFormat
package android.graphics;

public class ImageFormat {
    public static final int NV21 = 17, YUV_420_888 = 35, JPEG = 256;
}

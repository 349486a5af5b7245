// https://developer.android.com/reference/android/graphics/YuvImage
package android.graphics;

import dev.mien.fake.Pictures;
import java.io.OutputStream;

public class YuvImage {
    private final byte[] bytes;
    private final int width, height;

    public YuvImage(byte[] yuv, int format, int width, int height, int[] strides) {
        if (format != ImageFormat.NV21) throw new IllegalArgumentException("only support ImageFormat.NV21 and ImageFormat.YUY2 for now");
        bytes = yuv;
        this.width = width;
        this.height = height;
    }

    public boolean compressToJpeg(Rect rectangle, int quality, OutputStream stream) {
        Pictures.writeJpeg(Pictures.ofNv21(bytes, width, height), quality, stream);
        return true;
    }
}

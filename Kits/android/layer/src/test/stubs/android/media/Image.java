// https://developer.android.com/reference/android/media/Image
package android.media;

import android.hardware.camera2.CaptureRequest;
import dev.mien.fake.Pictures;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** With rows that are padded, and U and V in turn, as phones have them. */
public class Image implements AutoCloseable {
    public static class Plane {
        private final ByteBuffer buffer;
        private final int rowStride, pixelStride;
        Plane(byte[] bytes, int offset, int rowStride, int pixelStride) {
            ByteBuffer whole = ByteBuffer.wrap(bytes);
            whole.position(offset);
            buffer = whole.slice();
            this.rowStride = rowStride;
            this.pixelStride = pixelStride;
        }
        public ByteBuffer getBuffer() { return buffer; }
        public int getRowStride() { return rowStride; }
        public int getPixelStride() { return pixelStride; }
    }

    private final int width, height;
    private final Plane[] planes;
    private final ImageReader reader;

    Image(BufferedImage picture, ImageReader reader) {
        this.reader = reader;
        width = picture.getWidth();
        height = picture.getHeight();
        int stride = width + 16;
        byte[] y = new byte[stride * height], uv = new byte[stride * height / 2];
        Pictures.yuv(picture, y, uv, stride);
        planes = new Plane[] { new Plane(y, 0, stride, 1), new Plane(uv, 0, stride, 2), new Plane(uv, 1, stride, 2) };
    }

    /** A JPEG, in one plane. This phone turns its pictures itself. */
    Image(BufferedImage picture, CaptureRequest request, ImageReader reader) {
        this.reader = reader;
        width = picture.getWidth();
        height = picture.getHeight();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Pictures.writeJpeg(Pictures.turned(picture, request.get(CaptureRequest.JPEG_ORIENTATION)), request.get(CaptureRequest.JPEG_QUALITY), out);
        planes = new Plane[] { new Plane(out.toByteArray(), 0, 0, 0) };
    }

    public Plane[] getPlanes() { return planes; }
    public int getWidth() { return width; }
    public int getHeight() { return height; }
    @Override public void close() { reader.release(); }
}

// https://developer.android.com/reference/android/media/ImageReader
package android.media;

import android.graphics.ImageFormat;
import android.hardware.camera2.CaptureRequest;
import android.os.Handler;
import android.view.Surface;
import dev.mien.fake.Pictures;
import java.awt.image.BufferedImage;

public class ImageReader implements AutoCloseable {
    public interface OnImageAvailableListener { void onImageAvailable(ImageReader reader); }

    private final int width, height, format, maxImages;
    private final Surface surface = new Surface(this::put);
    private BufferedImage latest;
    private CaptureRequest request;
    private int held;
    private OnImageAvailableListener listener;
    private Handler handler;
    private boolean isClosed;

    private ImageReader(int width, int height, int format, int maxImages) {
        this.width = width;
        this.height = height;
        this.format = format;
        this.maxImages = maxImages;
    }

    public static ImageReader newInstance(int width, int height, int format, int maxImages) { return new ImageReader(width, height, format, maxImages); }

    public Surface getSurface() { return surface; }

    public synchronized void setOnImageAvailableListener(OnImageAvailableListener listener, Handler handler) { this.listener = listener; this.handler = handler; }

    private synchronized void put(BufferedImage picture, CaptureRequest request) {
        if (isClosed) return;
        boolean wasEmpty = latest == null;
        latest = picture;
        this.request = request;
        // A listener that is behind is not called twice for what acquireLatestImage drops.
        if (wasEmpty && listener != null) handler.post(() -> listener.onImageAvailable(this));
    }

    public Image acquireLatestImage() {
        BufferedImage picture;
        synchronized (this) {
            if (isClosed) throw new IllegalStateException("closed");
            picture = latest;
            latest = null;
            if (picture == null) return null;
            if (++held > maxImages) throw new IllegalStateException("maxImages has already been acquired, call #close before acquiring more.");
        }
        BufferedImage scaled = Pictures.scaled(picture, width, height);
        return format == ImageFormat.JPEG ? new Image(scaled, request, this) : new Image(scaled, this);
    }

    synchronized void release() { held--; }
    @Override public synchronized void close() { isClosed = true; latest = null; }
}

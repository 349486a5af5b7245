// https://developer.android.com/reference/android/media/ImageReader
package android.media;

import android.os.Handler;
import android.view.Surface;
import dev.mien.fake.Pictures;
import java.awt.image.BufferedImage;

public class ImageReader implements AutoCloseable {
    public interface OnImageAvailableListener { void onImageAvailable(ImageReader reader); }

    private final int width, height, maxImages;
    private BufferedImage latest;
    private int held;
    private OnImageAvailableListener listener;
    private Handler handler;
    private boolean isClosed;

    private ImageReader(int width, int height, int maxImages) { this.width = width; this.height = height; this.maxImages = maxImages; }
    public static ImageReader newInstance(int width, int height, int format, int maxImages) { return new ImageReader(width, height, maxImages); }

    public Surface getSurface() { return new Surface(this::put); }

    public synchronized void setOnImageAvailableListener(OnImageAvailableListener listener, Handler handler) { this.listener = listener; this.handler = handler; }

    private synchronized void put(BufferedImage picture) {
        if (isClosed) return;
        boolean wasEmpty = latest == null;
        latest = picture;
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
        return new Image(Pictures.scaled(picture, width, height), this);
    }

    synchronized void release() { held--; }
    @Override public synchronized void close() { isClosed = true; latest = null; }
}

// https://developer.android.com/reference/android/hardware/camera2/CameraCaptureSession
package android.hardware.camera2;

import android.os.Handler;
import dev.mien.fake.Phone;
import java.awt.image.BufferedImage;

/** Plays the frames of the phone's scene, 15 a second, as its sensor sees them: lying on their side. */
public class CameraCaptureSession implements AutoCloseable {
    public abstract static class StateCallback {
        public abstract void onConfigured(CameraCaptureSession session);
        public abstract void onConfigureFailed(CameraCaptureSession session);
    }
    public abstract static class CaptureCallback {}

    private final CameraDevice device;
    private volatile boolean isClosed;

    CameraCaptureSession(CameraDevice device) { this.device = device; }

    public int setRepeatingRequest(CaptureRequest request, CaptureCallback callback, Handler handler) throws CameraAccessException {
        boolean isFront = device.id.equals("1");
        Thread thread = new Thread(() -> {
            while (!isClosed && !device.isClosed) {
                BufferedImage picture = Phone.scene.picture(isFront);
                if (picture != null && !isClosed) request.deliver(dev.mien.fake.Pictures.turned(picture, isFront ? 90 : 270));
                try { Thread.sleep(60); } catch (InterruptedException error) { return; }
            }
        }, "sensor");
        thread.setDaemon(true);
        thread.start();
        return 1;
    }

    @Override public void close() { isClosed = true; }
}

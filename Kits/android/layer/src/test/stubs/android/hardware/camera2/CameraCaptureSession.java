// https://developer.android.com/reference/android/hardware/camera2/CameraCaptureSession
package android.hardware.camera2;

import android.os.Handler;
import android.view.Surface;
import dev.mien.fake.Phone;
import java.awt.image.BufferedImage;
import java.util.List;

/** Plays the frames of the phone's scene, 15 a second, as its sensor sees them: lying on their side. */
public class CameraCaptureSession implements AutoCloseable {
    public abstract static class StateCallback {
        public abstract void onConfigured(CameraCaptureSession session);
        public abstract void onConfigureFailed(CameraCaptureSession session);
    }
    public abstract static class CaptureCallback {
        public void onCaptureFailed(CameraCaptureSession session, CaptureRequest request, CaptureFailure failure) {}
    }

    private final CameraDevice device;
    private volatile boolean isClosed;

    private final List<Surface> targets;

    CameraCaptureSession(CameraDevice device, List<Surface> targets) { this.device = device; this.targets = targets; }

    /** One picture, beside the repeating ones. */
    public int capture(CaptureRequest request, CaptureCallback callback, Handler handler) throws CameraAccessException {
        if (isClosed || device.isClosed) throw new IllegalStateException("closed");
        if (!request.areOf(targets)) throw new IllegalArgumentException("CaptureRequest contains unconfigured Input/Output Surface!");
        boolean isFront = device.id.equals("1");
        if (Phone.failsStills) handler.post(() -> callback.onCaptureFailed(this, request, new CaptureFailure()));
        else new Thread(() -> request.deliver(dev.mien.fake.Pictures.turned(Phone.scene.picture(isFront), isFront ? 90 : 270)), "still").start();
        return 2;
    }

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

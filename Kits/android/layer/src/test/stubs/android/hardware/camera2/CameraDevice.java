// https://developer.android.com/reference/android/hardware/camera2/CameraDevice
package android.hardware.camera2;

import android.os.Handler;
import android.view.Surface;
import dev.mien.fake.Phone;
import java.util.List;

public class CameraDevice implements AutoCloseable {
    public static final int TEMPLATE_PREVIEW = 1, TEMPLATE_STILL_CAPTURE = 2;

    public abstract static class StateCallback {
        public abstract void onOpened(CameraDevice device);
        public abstract void onDisconnected(CameraDevice device);
        public abstract void onError(CameraDevice device, int error);
    }

    final String id;
    private final StateCallback callback;
    private final Handler handler;
    volatile boolean isClosed;

    CameraDevice(String id, StateCallback callback, Handler handler) { this.id = id; this.callback = callback; this.handler = handler; }

    public CaptureRequest.Builder createCaptureRequest(int template) throws CameraAccessException { return new CaptureRequest.Builder(); }

    public void createCaptureSession(List<Surface> targets, CameraCaptureSession.StateCallback callback, Handler handler) throws CameraAccessException {
        if (isClosed) throw new IllegalStateException();
        handler.post(() -> callback.onConfigured(new CameraCaptureSession(this, targets)));
    }

    @Override public void close() {
        isClosed = true;
        if (Phone.open == this) Phone.open = null;
    }

    /** Another app takes the camera. */
    public void disconnect() { handler.post(() -> callback.onDisconnected(this)); }
}

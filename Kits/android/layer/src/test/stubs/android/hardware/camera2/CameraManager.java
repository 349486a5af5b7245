// https://developer.android.com/reference/android/hardware/camera2/CameraManager
package android.hardware.camera2;

import android.os.Handler;
import dev.mien.fake.Phone;

public final class CameraManager {
    public String[] getCameraIdList() { return Phone.cameras; }
    public CameraCharacteristics getCameraCharacteristics(String id) throws CameraAccessException { return new CameraCharacteristics(id.equals("1")); }

    public void openCamera(String id, CameraDevice.StateCallback callback, Handler handler) throws CameraAccessException {
        if (!Phone.permissions.contains(android.Manifest.permission.CAMERA)) throw new SecurityException();
        if (Phone.isCameraBusy) throw new CameraAccessException();
        CameraDevice device = new CameraDevice(id, callback, handler);
        Phone.open = device;
        if (Phone.cameraDelay == 0) handler.post(() -> callback.onOpened(device));
        else new Thread(() -> {
            try { Thread.sleep(Phone.cameraDelay); } catch (InterruptedException error) { return; }
            handler.post(() -> callback.onOpened(device));
        }).start();
    }
}

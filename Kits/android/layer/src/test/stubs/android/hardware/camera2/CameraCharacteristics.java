// https://developer.android.com/reference/android/hardware/camera2/CameraCharacteristics
package android.hardware.camera2;

import android.hardware.camera2.params.StreamConfigurationMap;

public final class CameraCharacteristics {
    public static final class Key<T> {}
    public static final Key<Integer> LENS_FACING = new Key<>(), SENSOR_ORIENTATION = new Key<>();
    public static final Key<StreamConfigurationMap> SCALER_STREAM_CONFIGURATION_MAP = new Key<>();
    public static final int LENS_FACING_FRONT = 0, LENS_FACING_BACK = 1;

    private final boolean isFront;

    CameraCharacteristics(boolean isFront) { this.isFront = isFront; }

    @SuppressWarnings("unchecked")
    public <T> T get(Key<T> key) {
        if (key == LENS_FACING) return (T) Integer.valueOf(isFront ? LENS_FACING_FRONT : LENS_FACING_BACK);
        if (key == SENSOR_ORIENTATION) return (T) Integer.valueOf(isFront ? 270 : 90);
        return (T) new StreamConfigurationMap();
    }
}

// https://developer.android.com/reference/android/hardware/camera2/CaptureRequest
package android.hardware.camera2;

import android.view.Surface;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class CaptureRequest {
    public static final class Key<T> {}
    public static final Key<Integer> CONTROL_AF_MODE = new Key<>(), JPEG_ORIENTATION = new Key<>();
    public static final Key<Byte> JPEG_QUALITY = new Key<>();
    public static final int CONTROL_AF_MODE_CONTINUOUS_PICTURE = 4;

    private final ArrayList<Surface> targets;
    private final Map<Key<?>, Object> settings;

    private CaptureRequest(ArrayList<Surface> targets, Map<Key<?>, Object> settings) { this.targets = targets; this.settings = settings; }

    @SuppressWarnings("unchecked")
    public <T> T get(Key<T> key) { return (T) settings.get(key); }

    void deliver(BufferedImage picture) { for (Surface target : targets) target.show(picture, this); }
    boolean areOf(List<Surface> configured) { return configured.containsAll(targets); }

    public static final class Builder {
        private final ArrayList<Surface> targets = new ArrayList<>();
        public void addTarget(Surface target) { targets.add(target); }
        private final Map<Key<?>, Object> settings = new HashMap<>();
        public <T> void set(Key<T> key, T value) { settings.put(key, value); }
        public CaptureRequest build() { return new CaptureRequest(new ArrayList<>(targets), new HashMap<>(settings)); }
    }
}

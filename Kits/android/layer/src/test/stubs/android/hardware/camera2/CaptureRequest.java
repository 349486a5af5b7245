// https://developer.android.com/reference/android/hardware/camera2/CaptureRequest
package android.hardware.camera2;

import android.view.Surface;
import java.awt.image.BufferedImage;
import java.util.ArrayList;

public final class CaptureRequest {
    public static final class Key<T> {}
    public static final Key<Integer> CONTROL_AF_MODE = new Key<>();
    public static final int CONTROL_AF_MODE_CONTINUOUS_PICTURE = 4;

    private final ArrayList<Surface> targets;

    private CaptureRequest(ArrayList<Surface> targets) { this.targets = targets; }

    void deliver(BufferedImage picture) { for (Surface target : targets) target.show(picture); }

    public static final class Builder {
        private final ArrayList<Surface> targets = new ArrayList<>();
        public void addTarget(Surface target) { targets.add(target); }
        public <T> void set(Key<T> key, T value) {}
        public CaptureRequest build() { return new CaptureRequest(new ArrayList<>(targets)); }
    }
}

// https://developer.android.com/reference/android/view/Surface
package android.view;

import android.graphics.SurfaceTexture;
import android.hardware.camera2.CaptureRequest;
import java.awt.image.BufferedImage;
import java.util.function.BiConsumer;

public class Surface {
    public static final int ROTATION_0 = 0, ROTATION_90 = 1, ROTATION_180 = 2, ROTATION_270 = 3;

    private final BiConsumer<BufferedImage, CaptureRequest> target;

    public Surface(SurfaceTexture texture) { target = (picture, request) -> {}; }
    /** For the camera of the tests. */
    public Surface(BiConsumer<BufferedImage, CaptureRequest> target) { this.target = target; }
    public void show(BufferedImage picture, CaptureRequest request) { target.accept(picture, request); }
}

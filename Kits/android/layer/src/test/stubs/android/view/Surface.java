// https://developer.android.com/reference/android/view/Surface
package android.view;

import android.graphics.SurfaceTexture;
import java.awt.image.BufferedImage;
import java.util.function.Consumer;

public class Surface {
    public static final int ROTATION_0 = 0, ROTATION_90 = 1, ROTATION_180 = 2, ROTATION_270 = 3;

    private final Consumer<BufferedImage> target;

    public Surface(SurfaceTexture texture) { target = picture -> {}; }
    /** For the camera of the tests. */
    public Surface(Consumer<BufferedImage> target) { this.target = target; }
    public void show(BufferedImage picture) { target.accept(picture); }
}

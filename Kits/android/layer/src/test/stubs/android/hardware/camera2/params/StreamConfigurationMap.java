// https://developer.android.com/reference/android/hardware/camera2/params/StreamConfigurationMap
package android.hardware.camera2.params;

import android.graphics.ImageFormat;
import android.util.Size;

public final class StreamConfigurationMap {
    public Size[] getOutputSizes(int format) {
        if (format == ImageFormat.JPEG) return dev.mien.fake.Phone.stills;
        return new Size[] { new Size(4032, 3024), new Size(1280, 960), new Size(640, 480), new Size(320, 240) };
    }
}

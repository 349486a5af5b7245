// https://developer.android.com/reference/android/view/TextureView
package android.view;

import android.content.Context;
import android.graphics.SurfaceTexture;
import android.os.Handler;
import android.os.Looper;

public class TextureView extends View {
    public interface SurfaceTextureListener {
        void onSurfaceTextureAvailable(SurfaceTexture surface, int width, int height);
        void onSurfaceTextureSizeChanged(SurfaceTexture surface, int width, int height);
        boolean onSurfaceTextureDestroyed(SurfaceTexture surface);
        void onSurfaceTextureUpdated(SurfaceTexture surface);
    }

    private SurfaceTextureListener listener;

    public TextureView(Context context) { super(context); }
    public SurfaceTextureListener getSurfaceTextureListener() { return listener; }
    public void setSurfaceTextureListener(SurfaceTextureListener listener) {
        this.listener = listener;
        new Handler(Looper.getMainLooper()).post(() -> listener.onSurfaceTextureAvailable(new SurfaceTexture(), 480, 640));
    }
}

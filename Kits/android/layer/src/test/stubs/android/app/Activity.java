// https://developer.android.com/reference/android/app/Activity
package android.app;

import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.View;
import android.view.Window;
import android.view.WindowManager;
import dev.mien.fake.Phone;
import dev.mien.fake.Screen;

public class Activity extends Context {
    private final Window window = new Window();
    private Intent intent = new Intent();
    private boolean isFinishing;
    /** For tests. */
    public View contentView;

    protected void onCreate(Bundle state) {}
    protected void onResume() {}
    protected void onStop() {}
    protected void onNewIntent(Intent intent) {}
    protected void onSaveInstanceState(Bundle state) {}
    public void onBackPressed() { finish(); }
    public void onRequestPermissionsResult(int code, String[] permissions, int[] results) {}

    public Intent getIntent() { return intent; }
    public void setIntent(Intent intent) { this.intent = intent; }
    public Window getWindow() { return window; }
    public WindowManager getWindowManager() { return new WindowManager(); }
    public void setContentView(View view) { contentView = view; }
    public boolean isFinishing() { return isFinishing; }

    public void finish() {
        if (isFinishing) return;
        isFinishing = true;
        Screen.finished(this);
    }

    public final void runOnUiThread(Runnable action) {
        if (Looper.myLooper() == Looper.getMainLooper()) action.run(); else new Handler(Looper.getMainLooper()).post(action);
    }

    public final void requestPermissions(String[] permissions, int code) {
        new Handler(Looper.getMainLooper()).post(() -> {
            if (Phone.grantsCamera) Phone.permissions.add(permissions[0]);
            onRequestPermissionsResult(code, permissions, new int[] { Phone.grantsCamera ? 0 : -1 });
        });
    }

    // For the screen, which is in another package.
    public void create(Bundle state) { onCreate(state); }
    public void resume() { onResume(); }
    public void stop() { onStop(); }
    public void takeIntent(Intent intent) { onNewIntent(intent); }
    public void save(Bundle state) { onSaveInstanceState(state); }
}

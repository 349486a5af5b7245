// https://developer.android.com/reference/android/content/Context
package android.content;

import android.app.KeyguardManager;
import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.hardware.camera2.CameraManager;
import dev.mien.fake.Phone;
import dev.mien.fake.Screen;
import java.io.File;

public abstract class Context {
    public static final String KEYGUARD_SERVICE = "keyguard", CAMERA_SERVICE = "camera";

    public Context getApplicationContext() { return Phone.application; }
    public PackageManager getPackageManager() { return new PackageManager(); }
    public Resources getResources() { return new Resources(); }
    public File getNoBackupFilesDir() { return Phone.files; }
    public int checkSelfPermission(String permission) { return Phone.permissions.contains(permission) ? 0 : -1; }
    public void startActivity(Intent intent) { Screen.start(intent); }

    public Object getSystemService(String name) {
        return name.equals(KEYGUARD_SERVICE) ? new KeyguardManager() : name.equals(CAMERA_SERVICE) ? new CameraManager() : null;
    }
}

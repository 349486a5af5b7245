// https://developer.android.com/reference/android/content/Intent
package android.content;

import android.net.Uri;
import java.util.HashMap;

public class Intent {
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000, FLAG_ACTIVITY_CLEAR_TOP = 0x04000000, FLAG_ACTIVITY_SINGLE_TOP = 0x20000000;

    private final HashMap<String, String> extras = new HashMap<>();
    private Uri data;
    private int flags;
    /** For the screen. */
    public Class<?> target;

    public Intent() {}
    public Intent(Context context, Class<?> target) { this.target = target; }

    public Intent putExtra(String name, String value) { extras.put(name, value); return this; }
    public String getStringExtra(String name) { return extras.get(name); }
    public Intent setData(Uri data) { this.data = data; return this; }
    public Uri getData() { return data; }
    public Intent addFlags(int flags) { this.flags |= flags; return this; }
    public int getFlags() { return flags; }
}

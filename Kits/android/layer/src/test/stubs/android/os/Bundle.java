// https://developer.android.com/reference/android/os/Bundle
package android.os;

import java.util.HashMap;

public final class Bundle {
    private final HashMap<String, Object> values = new HashMap<>();
    public void putBoolean(String key, boolean value) { values.put(key, value); }
    public boolean getBoolean(String key) { return Boolean.TRUE.equals(values.get(key)); }
}

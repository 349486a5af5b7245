// https://developer.android.com/reference/android/net/Uri
package android.net;

public class Uri {
    private final String text;
    private Uri(String text) { this.text = text; }
    public static Uri parse(String text) { return new Uri(text); }
    public String getScheme() { return text.substring(0, Math.max(0, text.indexOf(':'))); }
    @Override public String toString() { return text; }
}

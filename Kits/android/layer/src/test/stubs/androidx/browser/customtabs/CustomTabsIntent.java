// https://developer.android.com/reference/androidx/browser/customtabs/CustomTabsIntent
package androidx.browser.customtabs;

import android.content.Context;
import android.net.Uri;
import dev.mien.fake.Screen;

public final class CustomTabsIntent {
    public void launchUrl(Context context, Uri url) { Screen.openTab(url.toString()); }

    public static final class Builder {
        public CustomTabsIntent build() { return new CustomTabsIntent(); }
    }
}

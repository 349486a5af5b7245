// https://developer.android.com/reference/android/app/Application
package android.app;

import android.content.Context;

public class Application extends Context {
    public void onCreate() {}
}

// https://developer.android.com/reference/android/util/DisplayMetrics
package android.util;

public class DisplayMetrics { public float density = 2; }

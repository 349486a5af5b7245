// https://developer.android.com/reference/android/view/Gravity
package android.view;

public class Gravity { public static final int BOTTOM = 80, CENTER_HORIZONTAL = 1; }

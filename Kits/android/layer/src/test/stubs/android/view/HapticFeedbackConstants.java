// https://developer.android.com/reference/android/view/HapticFeedbackConstants
package android.view;

public class HapticFeedbackConstants { public static final int VIRTUAL_KEY = 1; }

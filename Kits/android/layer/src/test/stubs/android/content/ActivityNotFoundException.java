// https://developer.android.com/reference/android/content/ActivityNotFoundException
package android.content;

public class ActivityNotFoundException extends RuntimeException {}

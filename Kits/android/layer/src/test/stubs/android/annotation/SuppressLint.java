// https://developer.android.com/reference/android/annotation/SuppressLint
package android.annotation;

public @interface SuppressLint { String[] value(); }

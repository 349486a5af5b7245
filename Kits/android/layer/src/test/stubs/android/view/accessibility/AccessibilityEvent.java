// https://developer.android.com/reference/android/view/accessibility/AccessibilityEvent
package android.view.accessibility;

public class AccessibilityEvent { public static final int TYPE_VIEW_FOCUSED = 8; }

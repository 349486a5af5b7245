// https://developer.android.com/reference/android/view/View
package android.view;

import android.content.Context;
import android.content.res.Resources;
import android.graphics.Canvas;
import android.os.Looper;

public class View {
    public static final int LAYOUT_DIRECTION_LTR = 0, LAYOUT_DIRECTION_RTL = 1, ACCESSIBILITY_LIVE_REGION_ASSERTIVE = 2, IMPORTANT_FOR_ACCESSIBILITY_NO = 2;
    public interface OnClickListener { void onClick(View view); }

    private final Context context;
    private OnClickListener listener;
    private CharSequence description;
    private int direction, region, importance;

    public View(Context context) { this.context = context; }
    public final Context getContext() { return context; }
    public Resources getResources() { return context.getResources(); }
    public void setOnClickListener(OnClickListener listener) { this.listener = listener; }
    public boolean performClick() { if (listener == null) return false; listener.onClick(this); return true; }
    public void setLayoutDirection(int direction) { this.direction = direction; }
    public int getLayoutDirection() { return direction; }
    public void setContentDescription(CharSequence text) { description = text; }
    public CharSequence getContentDescription() { return description; }
    public void setAccessibilityLiveRegion(int region) { this.region = region; }
    public int getAccessibilityLiveRegion() { return region; }
    public void setImportantForAccessibility(int importance) { this.importance = importance; }
    public int getImportantForAccessibility() { return importance; }
    public void setFocusable(boolean focusable) {}
    public final boolean isFocusable() { return false; }
    public void setPadding(int left, int top, int right, int bottom) {}
    public boolean performHapticFeedback(int constant) { onMain(); dev.mien.fake.Phone.vibrations++; return true; }
    public void sendAccessibilityEvent(int type) {}
    public void invalidate() { onMain(); }
    public final int getWidth() { return 480; }
    public final int getHeight() { return 800; }
    public void draw(Canvas canvas) { onMain(); onDraw(canvas); }
    protected void onDraw(Canvas canvas) {}

    /** As the system does, which ends apps that touch views elsewhere. */
    protected static void onMain() {
        if (Looper.myLooper() != Looper.getMainLooper()) {
            throw new IllegalStateException("Only the original thread that created a view hierarchy can touch its views.");
        }
    }
}

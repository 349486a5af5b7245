// https://developer.android.com/reference/android/widget/TextView
package android.widget;

import android.content.Context;
import android.graphics.Typeface;
import android.view.View;

public class TextView extends View {
    private volatile CharSequence text = "";
    private int gravity;

    public TextView(Context context) { super(context); }
    public CharSequence getText() { return text; }
    /** A screen reader says what changes in a live region. */
    public final void setText(CharSequence text) {
        onMain();
        this.text = text;
        if (getAccessibilityLiveRegion() != 0) dev.mien.fake.Phone.announcements.add(text.toString());
    }
    public void setTextSize(float size) {}
    public float getTextSize() { return 0; }
    public void setGravity(int gravity) { this.gravity = gravity; }
    public int getGravity() { return gravity; }
    public void setTypeface(Typeface typeface, int style) {}
    public void setMinHeight(int pixels) {}
    public int getMinHeight() { return 0; }
}

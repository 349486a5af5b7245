// https://developer.android.com/reference/android/widget/TextView
package android.widget;

import android.content.Context;
import android.graphics.Typeface;
import android.view.View;

public class TextView extends View {
    private volatile CharSequence text = "";
    private CharSequence hint = "";
    private int gravity, inputType;

    public TextView(Context context) { super(context); }
    public CharSequence getText() { return text; }
    /** A screen reader says what changes in a live region. */
    public final void setText(CharSequence text) {
        onMain();
        this.text = text;
        if (getAccessibilityLiveRegion() != 0) dev.mien.fake.Phone.announcements.add(text.toString());
    }
    public final void setHint(CharSequence hint) { this.hint = hint; }
    public CharSequence getHint() { return hint; }
    public void setInputType(int type) { inputType = type; }
    public int getInputType() { return inputType; }
    public void setTextSize(float size) {}
    public float getTextSize() { return 0; }
    public void setGravity(int gravity) { this.gravity = gravity; }
    public int getGravity() { return gravity; }
    private int color = android.graphics.Color.LTGRAY;
    public void setTextColor(int color) { this.color = color; }
    public final int getCurrentTextColor() { return color; }
    public void setTypeface(Typeface typeface, int style) {}
    public void setMinHeight(int pixels) {}
    public int getMinHeight() { return 0; }
}

// https://developer.android.com/reference/android/widget/CompoundButton
package android.widget;

import android.content.Context;

public abstract class CompoundButton extends Button {
    private boolean isChecked;
    public CompoundButton(Context context) { super(context); }
    public boolean isChecked() { return isChecked; }
    public void setChecked(boolean checked) { isChecked = checked; }
    @Override public boolean performClick() { isChecked = !isChecked; super.performClick(); return true; }
}

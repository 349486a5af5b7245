// https://developer.android.com/reference/android/widget/CheckBox
package android.widget;

import android.content.Context;

public class CheckBox extends CompoundButton {
    public CheckBox(Context context) { super(context); }
}

// https://developer.android.com/reference/android/widget/RadioButton
package android.widget;

import android.content.Context;

public class RadioButton extends CompoundButton {
    public RadioButton(Context context) { super(context); }
}

// https://developer.android.com/reference/android/widget/LinearLayout
package android.widget;

import android.content.Context;
import android.view.ViewGroup;

public class LinearLayout extends ViewGroup {
    public static final int VERTICAL = 1;
    private int orientation;
    public LinearLayout(Context context) { super(context); }
    public void setOrientation(int orientation) { this.orientation = orientation; }
    public int getOrientation() { return orientation; }
}

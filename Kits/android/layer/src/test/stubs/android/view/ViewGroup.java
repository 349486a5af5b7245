// https://developer.android.com/reference/android/view/ViewGroup
package android.view;

import android.content.Context;
import java.util.ArrayList;

public class ViewGroup extends View {
    public static class LayoutParams {
        public static final int MATCH_PARENT = -1, WRAP_CONTENT = -2;
        public LayoutParams(int width, int height) {}
    }

    private final ArrayList<View> children = new ArrayList<>();

    public ViewGroup(Context context) { super(context); }
    public void addView(View view) { onMain(); synchronized (children) { children.add(view); } }
    public void addView(View view, LayoutParams params) { addView(view); }
    public void removeAllViews() { onMain(); synchronized (children) { children.clear(); } }
    public int getChildCount() { synchronized (children) { return children.size(); } }
    public View getChildAt(int index) { synchronized (children) { return index < children.size() ? children.get(index) : null; } }
}

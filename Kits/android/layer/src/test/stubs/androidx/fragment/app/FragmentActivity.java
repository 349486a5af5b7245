// https://developer.android.com/reference/androidx/fragment/app/FragmentActivity
package androidx.fragment.app;

public class FragmentActivity extends android.app.Activity {}

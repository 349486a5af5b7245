// https://developer.android.com/reference/android/text/InputType
package android.text;

public interface InputType {
    int TYPE_CLASS_TEXT = 1, TYPE_TEXT_VARIATION_PASSWORD = 128;
}

// https://developer.android.com/reference/android/animation/ValueAnimator
package android.animation;

public class ValueAnimator {
    /** False if the person has turned animations off. */
    public static boolean areAnimatorsEnabled() { return dev.mien.fake.Phone.areAnimatorsEnabled; }
}

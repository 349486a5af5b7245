// https://developer.android.com/reference/android/os/Handler
package android.os;

public class Handler {
    private final Looper looper;
    public Handler(Looper looper) { this.looper = looper; }
    public final boolean post(Runnable action) { return looper.queue.add(action); }
}

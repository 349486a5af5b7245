// https://developer.android.com/reference/android/os/HandlerThread
package android.os;

public class HandlerThread extends Thread {
    private final Looper looper = new Looper();

    public HandlerThread(String name) { super(name); setDaemon(true); }
    @Override public void run() { looper.loop(); }
    public Looper getLooper() { return looper; }
    public boolean quitSafely() { looper.quit(); return true; }
    Looper begun() { start(); return looper; }
}

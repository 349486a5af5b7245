// https://developer.android.com/reference/android/os/Looper
package android.os;

import java.util.concurrent.LinkedBlockingQueue;

public final class Looper {
    private static final ThreadLocal<Looper> own = new ThreadLocal<>();
    private static Looper main;

    final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private volatile boolean hasQuit;

    public static Looper myLooper() { return own.get(); }

    public static synchronized Looper getMainLooper() {
        if (main == null) main = new HandlerThread("main").begun();
        return main;
    }

    void loop() {
        own.set(this);
        while (!hasQuit || !queue.isEmpty()) {
            try { queue.take().run(); } catch (InterruptedException error) { return; } catch (Throwable error) { dev.mien.fake.Phone.crashes.add(error); }
        }
    }

    void quit() { hasQuit = true; queue.add(() -> {}); }
}

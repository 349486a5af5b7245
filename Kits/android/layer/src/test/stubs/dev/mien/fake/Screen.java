package dev.mien.fake;

import android.app.Activity;
import android.content.Intent;
import android.net.Uri;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import java.util.ArrayList;
import java.util.function.Function;

/** The stack of activities, and the browser's tab above it. Changed on the main thread only. */
public final class Screen {
    private static final ArrayList<Activity> stack = new ArrayList<>();
    /** Called with the page's URL on a thread of its own; returns where the page redirects to, or null if the person closes the tab. */
    public static volatile Function<String, String> browser;
    /** The scheme that the app's manifest lists, and what receives it. */
    public static volatile String scheme;
    public static volatile Class<?> receiver;
    public static volatile boolean hasBrowser = true;
    /** The activity whose launch mode is singleTask in the manifest. */
    public static volatile Class<?> single;
    private static volatile boolean isTabOpen;

    static void reset() {
        onMain(() -> {
            stack.clear();
            isTabOpen = false;
        });
        browser = null;
        hasBrowser = true;
    }

    /** The app's own activity. */
    public static <T extends Activity> T open(T activity) {
        onMain(() -> push(activity, new Intent()));
        return activity;
    }

    public static Activity top() { synchronized (stack) { return stack.isEmpty() ? null : stack.get(stack.size() - 1); } }

    public static void start(Intent intent) {
        onMain(() -> {
            int found = indexOf(intent.target);
            boolean isAgain = (intent.getFlags() & (Intent.FLAG_ACTIVITY_CLEAR_TOP | Intent.FLAG_ACTIVITY_SINGLE_TOP)) != 0 && found >= 0 || found >= 0 && intent.target == single;
            if (!isAgain) {
                try { push((Activity) intent.target.getDeclaredConstructor().newInstance(), intent); } catch (ReflectiveOperationException error) { throw new IllegalStateException(error); }
                return;
            }
            isTabOpen = false;
            synchronized (stack) { while (stack.size() > found + 1) stack.remove(stack.size() - 1); }
            top().takeIntent(intent);
            top().resume();
        });
    }

    private static int indexOf(Class<?> type) {
        for (int i = 0; i < stack.size(); i++) if (stack.get(i).getClass() == type) return i;
        return -1;
    }

    private static void push(Activity activity, Intent intent) {
        Activity below = top();
        synchronized (stack) { stack.add(activity); }
        activity.setIntent(intent);
        activity.create(null);
        if (!activity.isFinishing()) activity.resume();
        if (below != null && top() == activity) below.stop();
    }

    public static void finished(Activity activity) {
        boolean wasTop = top() == activity;
        synchronized (stack) { stack.remove(activity); }
        new Handler(Looper.getMainLooper()).post(() -> {
            activity.stop();
            activity.destroy();
        });
        Activity next = top();
        if (wasTop && next != null && !isTabOpen) new Handler(Looper.getMainLooper()).post(() -> { if (top() == next) next.resume(); });
    }

    /** The system makes the top activity again, in another language, or because it needed the memory. */
    public static void recreateTop() {
        onMain(() -> {
            Activity old = top();
            Bundle state = new Bundle();
            old.stop();
            old.save(state);
            old.destroy();
            try {
                Activity made = old.getClass().getDeclaredConstructor().newInstance();
                synchronized (stack) { stack.set(stack.size() - 1, made); }
                made.setIntent(old.getIntent());
                made.create(state);
            } catch (ReflectiveOperationException error) { throw new IllegalStateException(error); }
        });
    }

    public static void openTab(String url) {
        if (!hasBrowser) throw new android.content.ActivityNotFoundException();
        isTabOpen = true;
        new Thread(() -> {
            String redirect = browser.apply(url);
            onMain(() -> {
                if (!isTabOpen) return;
                if (redirect != null && redirect.startsWith(scheme + ":")) start(new Intent(null, receiver).setData(Uri.parse(redirect)));
                else {
                    isTabOpen = false;
                    if (top() != null) top().resume();
                }
            });
        }, "browser").start();
    }

    /** Runs on the main thread, and waits for it. */
    public static void onMain(Runnable body) {
        if (Looper.myLooper() == Looper.getMainLooper()) { body.run(); return; }
        java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(1);
        new Handler(Looper.getMainLooper()).post(() -> { try { body.run(); } finally { done.countDown(); } });
        try { done.await(); } catch (InterruptedException error) { throw new IllegalStateException(error); }
    }

    private Screen() {}
}

package dev.mien.fake;

import android.app.Application;
import android.hardware.camera2.CameraDevice;
import android.util.Size;
import androidx.biometric.BiometricPrompt;
import java.awt.image.BufferedImage;
import java.io.File;
import java.security.Security;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** The phone of the tests: what is installed, enrolled, allowed, and in front of the camera. */
public final class Phone {
    public static final Application application = new Application();
    public static volatile boolean hasPin, hasSensor, hasStrongBox, isStrongBoxFull, attests, grantsCamera, isCameraBusy, isKeyStoreBusy, isKeyStoreBroken, failsStills;
    /** Changes with each enrollment; 0 while nothing is enrolled. */
    public static volatile int enrollment;
    private static int lastEnrollment = 1;
    /** Failed touches in a row. Five lock the sensor. */
    public static volatile int failures;
    public static volatile boolean areAnimatorsEnabled = true;
    public static volatile int vibrations;
    /** Milliseconds in which the phone was asleep: only its clocks went on. */
    public static volatile long slept;
    /** Milliseconds until a camera has opened. */
    public static volatile int cameraDelay;
    public static volatile String[] cameras;
    public static volatile CameraDevice open;
    /** The sizes of pictures that are JPEGs. */
    public static volatile Size[] stills;
    public static volatile Scene scene;
    public static volatile File files;
    public static final Queue<Touch> touches = new ArrayDeque<>();
    public static final List<BiometricPrompt.PromptInfo> dialogs = new CopyOnWriteArrayList<>();
    /** What a screen reader has said. */
    public static final List<String> announcements = new CopyOnWriteArrayList<>();
    public static final Set<String> permissions = Collections.synchronizedSet(new HashSet<>());
    /** Exceptions that an app's main thread did not catch. */
    public static final List<Throwable> crashes = new CopyOnWriteArrayList<>();

    /** The scene in front of a camera, upright. */
    public interface Scene { BufferedImage picture(boolean isFront); }

    /** A new phone with a PIN and an enrolled finger. */
    public static void reset(File folder) {
        hasPin = hasSensor = attests = grantsCamera = true;
        hasStrongBox = isStrongBoxFull = isCameraBusy = isKeyStoreBusy = isKeyStoreBroken = failsStills = false;
        cameraDelay = 0;
        areAnimatorsEnabled = true;
        slept = 0;
        stills = new Size[] { new Size(4608, 3456), new Size(2592, 1944), new Size(1280, 960) };
        enrollment = 1;
        failures = vibrations = 0;
        cameras = new String[] { "0", "1" };
        open = null;
        scene = isFront -> null;
        files = folder;
        android.os.Build.VERSION.SDK_INT = 34;
        touches.clear();
        dialogs.clear();
        announcements.clear();
        permissions.clear();
        crashes.clear();
        Screen.reset();
        KeyStoreProvider.entries.clear();
        if (Security.getProvider(KeyStoreProvider.NAME) == null) Security.addProvider(new KeyStoreProvider());
    }

    /** Another finger is enrolled. */
    public static void enroll() { enrollment = ++lastEnrollment; }

    private Phone() {}
}

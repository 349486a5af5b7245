package org.example.shop;

import android.app.Application;
import android.content.Context;
import android.os.Build;
import androidx.fragment.app.FragmentActivity;
import dev.mien.BiometricLockoutException;
import dev.mien.BiometricNoEnrollmentException;
import dev.mien.BiometricNoPasscodeException;
import dev.mien.BiometricNotSupportedOrPermissionDeniedException;
import dev.mien.BiometricPrivateKeyNotFoundException;
import dev.mien.CancelException;
import dev.mien.TransientTokenStorage;
import dev.mien.UserInfo;
import dev.mien.android.BiometricOptions;
import dev.mien.android.MienClient;
import dev.mien.android.OnAuthenticateBiometricListener;
import dev.mien.android.OnConfigureListener;
import dev.mien.android.OnEnableBiometricListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import static androidx.biometric.BiometricManager.Authenticators.BIOMETRIC_STRONG;

/** The Java code of the guide to biometric login, in the names of the kit. The test runs it. */
public class MyAwesomeApplication extends Application {
    private static final int ALLOWED = BIOMETRIC_STRONG;
    public MienClient mien;
    public boolean isSupported = false;
    /** What happened, for the test. */
    public final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    public void begin(Context context, String clientId, String endpoint) {
        mien = new MienClient(context, clientId, endpoint, new TransientTokenStorage());
        mien.configure(new OnConfigureListener() {
            @Override
            public void onConfigured() {
                // Mien can be used.
                checkSupported(context);
                events.add("configured");
            }

            @Override
            public void onConfigurationFailed(Throwable throwable) {
                events.add(throwable.toString());
            }
        });
    }

    private void checkSupported(Context context) {
        boolean supported = false;
        try {
            if (Build.VERSION.SDK_INT >= 23) {
                mien.checkBiometricSupported(context, ALLOWED);
                supported = true;
            }
        } catch (Exception e) {
            events.add(e.toString());
        }
        isSupported = supported;
    }

    private BiometricOptions options(FragmentActivity activity) {
        return new BiometricOptions(
            activity, // FragmentActivity
            "Biometric authentication", // title
            "Biometric authentication", // subtitle
            "Use biometric to authenticate", // description
            "Cancel", // negativeButtonText
            ALLOWED, // allowedAuthenticators
            true // invalidatedByBiometricEnrollment
        );
    }

    public void enable(FragmentActivity activity) {
        mien.enableBiometric(options(activity), new OnEnableBiometricListener() {
            @Override
            public void onEnabled() {
                events.add("enabled");
            }

            @Override
            public void onFailed(Throwable throwable) {
                events.add(throwable.toString());
            }
        });
    }

    public void authenticate(FragmentActivity activity) {
        mien.authenticateBiometric(options(activity), new OnAuthenticateBiometricListener() {
            @Override
            public void onAuthenticated(UserInfo userInfo) {
                events.add("signed in");
            }

            @Override
            public void onAuthenticationFailed(Throwable e) {
                if (e instanceof CancelException) {
                    events.add("canceled");
                } else if (e instanceof BiometricPrivateKeyNotFoundException) {
                    events.add("set up again");
                } else if (e instanceof BiometricNoEnrollmentException) {
                    events.add("nothing enrolled");
                } else if (e instanceof BiometricNotSupportedOrPermissionDeniedException) {
                    events.add("not supported");
                } else if (e instanceof BiometricNoPasscodeException) {
                    events.add("no PIN");
                } else if (e instanceof BiometricLockoutException) {
                    events.add("locked out");
                } else {
                    events.add(e.toString());
                }
            }
        });
    }
}

package dev.mien.fake;

/** The outcome of the biometric dialog. */
public enum Touch {
    RIGHT, WRONG, PIN, CANCEL,
    /** The person leaves the app. */
    HOME,
    /** Nobody touches the sensor in time. */
    NOBODY, PERMANENT_LOCKOUT, BROKEN, STRANGE,
    /** The dialog stays open. */
    NONE
}

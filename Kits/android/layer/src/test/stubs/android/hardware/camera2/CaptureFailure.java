// https://developer.android.com/reference/android/hardware/camera2/CaptureFailure
package android.hardware.camera2;

public class CaptureFailure {}

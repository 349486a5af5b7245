// https://developer.android.com/reference/android/hardware/camera2/CameraAccessException
package android.hardware.camera2;

public class CameraAccessException extends Exception {}

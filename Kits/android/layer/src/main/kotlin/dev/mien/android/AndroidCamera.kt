package dev.mien.android

import android.annotation.SuppressLint
import android.Manifest
import android.content.Context
import android.content.pm.PackageManager
import android.graphics.ImageFormat
import android.graphics.Rect
import android.graphics.YuvImage
import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CaptureRequest
import android.media.Image
import android.media.ImageReader
import android.os.Handler
import android.os.HandlerThread
import android.util.Size
import android.view.Surface
import dev.mien.BiometricNotSupportedOrPermissionDeniedException
import dev.mien.CameraPicture
import dev.mien.CaptureFrame
import dev.mien.DeviceException
import dev.mien.FrameSink
import dev.mien.FrameSource
import java.io.ByteArrayOutputStream

/**
 * A camera of the device, through camera2: the one beside the screen for faces, the one on the back for documents.
 *
 * @param preview where the person sees the picture; `null` for none.
 * @param displayRotation the display's rotation in degrees.
 */
class AndroidCamera(
    private val context: Context, private val preview: () -> Surface?, private val displayRotation: () -> Int
) : FrameSource {
    private var running: Run? = null

    override fun start(quality: FrameSource.Quality, sink: FrameSink) {
        if (context.checkSelfPermission(Manifest.permission.CAMERA) != PackageManager.PERMISSION_GRANTED) {
            throw BiometricNotSupportedOrPermissionDeniedException("The app lacks the permission CAMERA.")
        }
        stop()
        val manager = context.getSystemService(Context.CAMERA_SERVICE) as CameraManager
        try {
            val wanted = if (quality == FrameSource.Quality.DOCUMENT) CameraCharacteristics.LENS_FACING_BACK else CameraCharacteristics.LENS_FACING_FRONT
            val ids = manager.cameraIdList
            val id = ids.firstOrNull { manager.getCameraCharacteristics(it).get(CameraCharacteristics.LENS_FACING) == wanted } ?: ids.firstOrNull()
                ?: throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "The device has no camera.")
            val run = Run(manager, id, quality, sink)
            running = run
            run.open()
        } catch (_: CameraAccessException) {
            stop()
            throw broken()
        } catch (_: SecurityException) {
            stop()
            throw BiometricNotSupportedOrPermissionDeniedException("The app lacks the permission CAMERA.")
        }
    }

    override fun takePicture(): CaptureFrame? = running?.takePicture()

    override fun stop() {
        running?.close()
        running = null
    }

    private fun broken() = DeviceException(DeviceException.Code.HARDWARE, "The camera failed, or another app uses it.")

    private inner class Run(private val manager: CameraManager, private val id: String, private val quality: FrameSource.Quality, private val sink: FrameSink) {
        private val thread = HandlerThread("mien-camera").apply { start() }
        private val handler = Handler(thread.looper)
        private val sensor: Int
        private val isFront: Boolean
        private val reader: ImageReader
        /** For documents, pictures in the resolution of stills. */
        private val stills: StillReader?
        @Volatile private var device: CameraDevice? = null
        @Volatile private var session: CameraCaptureSession? = null
        private var isClosed = false
        /** Until the camera says whether it has opened. */
        @Volatile private var isOpening = false
        private var lastAt = 0L

        init {
            val features = manager.getCameraCharacteristics(id)
            sensor = features.get(CameraCharacteristics.SENSOR_ORIENTATION) ?: 0
            isFront = features.get(CameraCharacteristics.LENS_FACING) == CameraCharacteristics.LENS_FACING_FRONT
            val sizes = features.get(CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP)?.getOutputSizes(ImageFormat.YUV_420_888) ?: emptyArray()
            val size = closest(sizes, if (quality == FrameSource.Quality.LIVE) 640 * 480 else 1280 * 960)
            reader = ImageReader.newInstance(size.width, size.height, ImageFormat.YUV_420_888, 3)
            reader.setOnImageAvailableListener({ take(it) }, handler)
            stills = if (quality != FrameSource.Quality.DOCUMENT) null
                else features.get(CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP)?.getOutputSizes(ImageFormat.JPEG)?.let { StillReader.of(it, handler) }
        }

        fun takePicture(): CaptureFrame? {
            val (stills, device, session) = Triple(stills ?: return null, device ?: return null, session ?: return null)
            return stills.take(device, session) { CameraPicture.rotation(sensor, displayRotation(), isFront) }
        }

        fun open() {
            isOpening = true
            var hasBegun = false
            try {
                openCamera()
                hasBegun = true
            } finally { if (!hasBegun) isOpening = false }
        }

        @SuppressLint("MissingPermission")
        private fun openCamera() {
            manager.openCamera(id, object : CameraDevice.StateCallback() {
                override fun onOpened(opened: CameraDevice) = begin(opened)
                override fun onDisconnected(lost: CameraDevice) = fail(lost)
                override fun onError(lost: CameraDevice, error: Int) = fail(lost)
            }, handler)
        }

        private fun begin(opened: CameraDevice) {
            isOpening = false
            device = opened
            // Nobody wants it any more.
            if (isClosed) return release()
            val shown = listOfNotNull(reader.surface, preview())
            val targets = shown + listOfNotNull(stills?.surface)
            try {
                val request = opened.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW)
                shown.forEach { request.addTarget(it) }
                request.set(CaptureRequest.CONTROL_AF_MODE, CaptureRequest.CONTROL_AF_MODE_CONTINUOUS_PICTURE)
                @Suppress("DEPRECATION") // Its successor came with Android 9.
                opened.createCaptureSession(targets, object : CameraCaptureSession.StateCallback() {
                    override fun onConfigured(configured: CameraCaptureSession) {
                        if (isClosed) return
                        session = configured
                        try { configured.setRepeatingRequest(request.build(), null, handler) } catch (_: CameraAccessException) { fail(opened) }
                    }
                    override fun onConfigureFailed(failed: CameraCaptureSession) = fail(opened)
                }, handler)
            } catch (_: CameraAccessException) {
                fail(opened)
            } catch (_: IllegalStateException) {
                fail(opened)
            }
        }

        private fun take(reader: ImageReader) {
            if (isClosed) return
            val image = reader.acquireLatestImage() ?: return
            try {
                val now = System.nanoTime()
                // A live session takes 10 to 15 pictures a second; for others, two are enough.
                val interval = if (quality == FrameSource.Quality.LIVE) 66_000_000L else 400_000_000L
                if (now - lastAt < interval) return
                lastAt = now
                if (!sink.onFrame(CaptureFrame(jpeg(image), takenAtNanos = now))) close()
            } finally { image.close() }
        }

        private fun jpeg(image: Image): ByteArray {
            val (y, u, v) = image.planes.map { CameraPicture.Plane(it.buffer, it.rowStride, it.pixelStride) }
            val bytes = CameraPicture.nv21(y, u, v, image.width, image.height)
            val out = ByteArrayOutputStream()
            YuvImage(bytes, ImageFormat.NV21, image.width, image.height, null)
                .compressToJpeg(Rect(0, 0, image.width, image.height), jpegQuality, out)
            // The person may turn the device meanwhile.
            return CameraPicture.turned(out.toByteArray(), CameraPicture.rotation(sensor, displayRotation(), isFront))
        }

        /** A document's frames are looked at, and not kept: they have to fit into a preview. */
        private val jpegQuality: Int
            get() = when (quality) {
                FrameSource.Quality.LIVE -> 85
                FrameSource.Quality.STILL -> 92
                FrameSource.Quality.DOCUMENT -> 75
            }

        private fun closest(sizes: Array<Size>, pixels: Int): Size =
            sizes.filter { it.width <= 1920 && it.height <= 1200 }.sortedBy { Math.abs(it.width * it.height - pixels) }.firstOrNull() ?: Size(640, 480)

        private fun fail(lost: CameraDevice) {
            isOpening = false
            lost.close()
            if (isClosed) return release()
            sink.onEnd(broken())
        }

        fun close() {
            handler.post {
                if (isClosed) return@post
                isClosed = true
                session?.close()
                reader.close()
                stills?.close()
                // A thread that has ended would never hear that the camera is open, and so never close it.
                if (!isOpening) release()
            }
        }

        private fun release() {
            device?.close()
            thread.quitSafely()
        }
    }
}

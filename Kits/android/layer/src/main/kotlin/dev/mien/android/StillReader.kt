package dev.mien.android

import android.graphics.ImageFormat
import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CaptureFailure
import android.hardware.camera2.CaptureRequest
import android.media.ImageReader
import android.os.Handler
import android.util.Size
import android.view.Surface
import dev.mien.CaptureFrame
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/** Takes pictures in the resolution of stills, while the camera's frames go on. Every camera has this beside a preview and frames. */
internal class StillReader private constructor(size: Size, private val handler: Handler) {
    private val reader = ImageReader.newInstance(size.width, size.height, ImageFormat.JPEG, 2)
    /** Empty for a picture that failed. */
    private val taken = LinkedBlockingQueue<ByteArray>()

    val surface: Surface get() = reader.surface

    init {
        reader.setOnImageAvailableListener({ ready ->
            val image = ready.acquireLatestImage()
            if (image != null) try {
                val buffer = image.planes[0].buffer
                taken.add(ByteArray(buffer.remaining()).also { buffer.get(it) })
            } finally { image.close() }
        }, handler)
    }

    /** Waits for a picture; `null` if the camera makes none. */
    fun take(device: CameraDevice, session: CameraCaptureSession, rotation: () -> Int): CaptureFrame? {
        // The server takes at most 5 MB.
        for (quality in listOf(93, 80, 60)) {
            taken.clear()
            try {
                session.capture(request(device, quality, rotation()), object : CameraCaptureSession.CaptureCallback() {
                    override fun onCaptureFailed(session: CameraCaptureSession, request: CaptureRequest, failure: CaptureFailure) { taken.add(ByteArray(0)) }
                }, handler)
            } catch (_: CameraAccessException) {
                return null
            } catch (_: IllegalStateException) {
                // It was closed meanwhile.
                return null
            }
            val bytes = taken.poll(8, TimeUnit.SECONDS) ?: return null
            if (bytes.isEmpty()) return null
            if (bytes.size <= MAX_BYTES) return CaptureFrame(bytes)
        }
        return null
    }

    private fun request(device: CameraDevice, quality: Int, rotation: Int): CaptureRequest {
        val request = device.createCaptureRequest(CameraDevice.TEMPLATE_STILL_CAPTURE)
        request.addTarget(reader.surface)
        request.set(CaptureRequest.CONTROL_AF_MODE, CaptureRequest.CONTROL_AF_MODE_CONTINUOUS_PICTURE)
        request.set(CaptureRequest.JPEG_QUALITY, quality.toByte())
        // The camera turns the picture, or writes into it how it is turned.
        request.set(CaptureRequest.JPEG_ORIENTATION, rotation)
        return request.build()
    }

    fun close() = reader.close()

    companion object {
        private const val MAX_BYTES = 5 shl 20
        /** The longer side of the pictures that are sent: 12 megapixels. */
        private const val MAX_SIDE = 4096

        /** `null` without a size that fits. */
        fun of(sizes: Array<Size>, handler: Handler): StillReader? =
            sizes.filter { maxOf(it.width, it.height) <= MAX_SIDE }.maxBy { it.width * it.height }?.let { StillReader(it, handler) }
    }
}

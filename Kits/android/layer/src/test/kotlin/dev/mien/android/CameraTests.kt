package dev.mien.android

import android.Manifest
import dev.mien.BiometricNotSupportedOrPermissionDeniedException
import dev.mien.CaptureFrame
import dev.mien.DeviceException
import dev.mien.FrameSink
import dev.mien.FrameSource
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.fake.Phone
import dev.mien.fake.Pictures
import java.awt.Color
import java.awt.image.BufferedImage
import java.io.ByteArrayInputStream
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import javax.imageio.ImageIO

/** The camera, from the sensor to the JPEG. */
internal object CameraTests {
    private class Sink(private val wanted: Int = Int.MAX_VALUE) : FrameSink {
        val frames = LinkedBlockingQueue<CaptureFrame>()
        val ends = LinkedBlockingQueue<DeviceException>()
        private var count = 0
        override fun onFrame(frame: CaptureFrame): Boolean {
            frames.add(frame)
            return ++count < wanted
        }
        override fun onEnd(error: DeviceException?) { ends.add(error ?: throw IllegalStateException()) }
    }

    private fun camera() = AndroidCamera(Phone.application, { null }, { 0 })

    /** Four fields, so that every turn shows. */
    private fun fields(): BufferedImage {
        val picture = BufferedImage(480, 640, BufferedImage.TYPE_INT_RGB)
        val pen = picture.createGraphics()
        listOf(Color.RED, Color.GREEN, Color.BLUE, Color.WHITE).forEachIndexed { i, color ->
            pen.color = color
            pen.fillRect(i % 2 * 240, i / 2 * 320, 240, 320)
        }
        pen.dispose()
        return picture
    }

    /** The JPEG as a viewer that honors EXIF shows it. */
    private fun upright(jpeg: ByteArray): BufferedImage {
        // Written by us: after the start of the image, one segment of 34 bytes whose last byte of the entry is the orientation.
        expect(jpeg[2].toInt() and 255 == 0xff && jpeg[3].toInt() and 255 == 0xe1 && String(jpeg, 6, 4) == "Exif")
        val degrees = mapOf(6 to 90, 3 to 180, 8 to 270).getValue(jpeg[31].toInt())
        return Pictures.turned(ImageIO.read(ByteArrayInputStream(jpeg)), degrees)
    }

    fun register() {
        test("camera: frames of both cameras arrive upright, with their colors, and at their rate") {
            Phone.permissions.add(Manifest.permission.CAMERA)
            val fields = fields()
            Phone.scene = Phone.Scene { fields }
            for (quality in FrameSource.Quality.values()) {
                val sink = Sink()
                val camera = camera()
                camera.start(quality, sink)
                val frame = sink.frames.poll(20, TimeUnit.SECONDS) ?: throw IllegalStateException("no frame of $quality, ${sink.ends}")
                Thread.sleep(900)
                camera.stop()
                val picture = upright(frame.bytes)
                expect(picture.height > picture.width) { "$quality: ${picture.width} × ${picture.height}" }
                val wanted = listOf(Color.RED, Color.GREEN, Color.BLUE, Color.WHITE)
                for (i in 0..3) {
                    val color = Color(picture.getRGB(picture.width * (1 + i % 2 * 2) / 4, picture.height * (1 + i / 2 * 2) / 4))
                    val distance = listOf(color.red - wanted[i].red, color.green - wanted[i].green, color.blue - wanted[i].blue).map { Math.abs(it) }.sum()
                    expect(distance < 90) { "$quality: field $i is $color" }
                }
                if (quality != FrameSource.Quality.LIVE) expect(sink.frames.size <= 4) { "$quality: ${sink.frames.size} frames" }
            }
        }
        test("camera: a document's picture is a still of its largest size within twelve megapixels and 5 MB, and its frames go on") {
            Phone.permissions.add(Manifest.permission.CAMERA)
            val fields = fields()
            Phone.scene = Phone.Scene { fields }
            val camera = camera()
            expect(camera.takePicture() == null) { "a picture of a camera that is off" }
            val sink = Sink()
            camera.start(FrameSource.Quality.DOCUMENT, sink)
            expect(sink.frames.poll(20, TimeUnit.SECONDS) != null)
            val picture = ImageIO.read(ByteArrayInputStream(camera.takePicture()!!.bytes))
            expectEqual(Pair(picture.width, picture.height), Pair(1944, 2592))
            val corner = Color(picture.getRGB(picture.width / 4, picture.height / 4))
            expect(corner.red > 200 && corner.green < 60) { "$corner" }
            sink.frames.clear()
            expect(sink.frames.poll(20, TimeUnit.SECONDS) != null) { "the frames ended" }
            // Noise, which JPEG cannot pack, is taken again in a lower quality.
            val random = java.util.Random(1)
            val noise = BufferedImage(1944, 2592, BufferedImage.TYPE_INT_RGB)
            for (y in 0 until 2592) for (x in 0 until 1944) noise.setRGB(x, y, random.nextInt())
            Phone.scene = Phone.Scene { noise }
            val packed = camera.takePicture()
            expect(packed == null || packed.bytes.size <= 5 shl 20) { "${packed?.bytes?.size} bytes" }
            Phone.failsStills = true
            expect(camera.takePicture() == null)
            camera.stop()
            val faces = camera()
            faces.start(FrameSource.Quality.STILL, sink)
            expect(faces.takePicture() == null)
            faces.stop()
            Phone.stills = arrayOf(android.util.Size(9000, 6000))
            camera.start(FrameSource.Quality.DOCUMENT, sink)
            sink.frames.clear()
            expect(sink.frames.poll(20, TimeUnit.SECONDS) != null)
            expect(camera.takePicture() == null) { "a size that the server does not take" }
            camera.stop()
        }
        test("camera: it stops when nobody wants frames, and says why it cannot start") {
            expectThrows<BiometricNotSupportedOrPermissionDeniedException> { camera().start(FrameSource.Quality.LIVE, Sink()) }
            Phone.permissions.add(Manifest.permission.CAMERA)
            Phone.isCameraBusy = true
            expectEqual(expectThrows<DeviceException> { camera().start(FrameSource.Quality.LIVE, Sink()) }.code, DeviceException.Code.HARDWARE)
            Phone.isCameraBusy = false
            Phone.cameras = emptyArray()
            expectEqual(expectThrows<DeviceException> { camera().start(FrameSource.Quality.LIVE, Sink()) }.code, DeviceException.Code.BAD_ARGUMENT)
            Phone.cameras = arrayOf("0", "1")
            val fields = fields()
            Phone.scene = Phone.Scene { fields }
            val once = Sink(1)
            camera().start(FrameSource.Quality.STILL, once)
            expect(once.frames.poll(20, TimeUnit.SECONDS) != null)
            repeat(200) { if (Phone.open != null) Thread.sleep(20) }
            expect(Phone.open == null) { "the camera is still open" }
        }
        test("camera: frames are upright after the device was turned, too") {
            Phone.permissions.add(Manifest.permission.CAMERA)
            val fields = fields()
            Phone.scene = Phone.Scene { fields }
            val display = java.util.concurrent.atomic.AtomicInteger(0)
            val sink = Sink()
            val camera = AndroidCamera(Phone.application, { null }, { display.get() })
            camera.start(FrameSource.Quality.LIVE, sink)
            fun isTurned(frame: CaptureFrame) = frame.bytes[3].toInt() and 255 == 0xe1
            expect(isTurned(sink.frames.poll(20, TimeUnit.SECONDS)!!))
            // What turns the front camera of the tests upright.
            display.set(90)
            var frame: CaptureFrame? = sink.frames.poll(20, TimeUnit.SECONDS)
            repeat(100) { if (frame != null && isTurned(frame!!)) frame = sink.frames.poll(20, TimeUnit.SECONDS) }
            camera.stop()
            expect(frame != null && !isTurned(frame!!)) { "the turn was not noticed" }
        }
        test("camera: one that is not wanted any more when it has opened is closed") {
            Phone.permissions.add(Manifest.permission.CAMERA)
            Phone.cameraDelay = 300
            val camera = camera()
            camera.start(FrameSource.Quality.LIVE, Sink())
            camera.stop()
            repeat(200) { if (Phone.open != null) Thread.sleep(20) }
            expect(Phone.open == null) { "the camera is still open" }
        }
        test("camera: another app takes it, and the capture hears of it") {
            Phone.permissions.add(Manifest.permission.CAMERA)
            val fields = fields()
            Phone.scene = Phone.Scene { fields }
            val sink = Sink()
            camera().start(FrameSource.Quality.LIVE, sink)
            expect(sink.frames.poll(20, TimeUnit.SECONDS) != null)
            Phone.open!!.disconnect()
            expectEqual(sink.ends.poll(20, TimeUnit.SECONDS)!!.code, DeviceException.Code.HARDWARE)
        }
    }
}

package dev.mien

import java.nio.ByteBuffer

/** Turns what a camera delivers into pictures for the server. */
object CameraPicture {
    /** One plane of a picture in YUV 4:2:0. */
    class Plane(val buffer: ByteBuffer, val rowStride: Int, val pixelStride: Int)

    /** Packs three planes as NV21: all of Y, then V and U in turn. */
    @JvmStatic
    fun nv21(y: Plane, u: Plane, v: Plane, width: Int, height: Int): ByteArray {
        val out = ByteArray(width * height * 3 / 2)
        var next = 0
        for (row in 0 until height) {
            for (column in 0 until width) out[next++] = y.buffer.get(row * y.rowStride + column * y.pixelStride)
        }
        for (row in 0 until height / 2) {
            for (column in 0 until width / 2) {
                out[next++] = v.buffer.get(row * v.rowStride + column * v.pixelStride)
                out[next++] = u.buffer.get(row * u.rowStride + column * u.pixelStride)
            }
        }
        return out
    }

    /**
     * By how much a picture is turned clockwise to be upright.
     *
     * @param sensor the sensor's orientation in degrees.
     * @param display the display's rotation in degrees.
     */
    @JvmStatic
    fun rotation(sensor: Int, display: Int, isFront: Boolean): Int = (sensor + (if (isFront) display else 360 - display)) % 360

    /** Writes into a JPEG how it is turned, so that no pixel has to be. */
    @JvmStatic
    fun turned(jpeg: ByteArray, rotation: Int): ByteArray {
        val orientation = when (rotation) {
            90 -> 6
            180 -> 3
            270 -> 8
            else -> return jpeg
        }
        // The start of the image, then a segment with EXIF in big-endian: one entry, 0x0112, of type SHORT.
        val exif = byteArrayOf(
            0xff.toByte(), 0xe1.toByte(), 0, 34, 'E'.letter, 'x'.letter, 'i'.letter, 'f'.letter, 0, 0, 'M'.letter, 'M'.letter, 0, 42, 0, 0, 0, 8,
            0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.toByte(), 0, 0, 0, 0, 0, 0)
        return jpeg.copyOfRange(0, 2) + exif + jpeg.copyOfRange(2, jpeg.size)
    }

    private val Char.letter: Byte get() = number.toByte()
}

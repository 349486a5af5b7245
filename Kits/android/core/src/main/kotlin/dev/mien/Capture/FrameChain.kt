package dev.mien

import java.io.ByteArrayOutputStream
import java.io.DataOutputStream

/** A frame with its place in the chain. */
internal class LinkedFrame(val number: Long, val milliseconds: Long, val link: ByteArray, val picture: ByteArray)

/** Binds each frame of a live session to those before it (docs/api.md, live capture). */
internal class FrameChain(nonce: ByteArray) {
    private var link = sha256(utf8("mien/v1/capture-chain"), nonce)
    private var number = 0L

    /** The link before the first frame, or of the last one. */
    val lastLink: ByteArray get() = link.copyOf()

    fun append(picture: ByteArray, milliseconds: Long): LinkedFrame {
        number++
        link = sha256(link, bytes(number), bytes(milliseconds), picture)
        return LinkedFrame(number, milliseconds, link, picture)
    }

    private fun bytes(value: Long) = ByteArray(8) { (value shr (56 - 8 * it)).toByte() }

    companion object {
        const val CONTENT_TYPE = "application/vnd.mien.frames"

        fun body(frames: List<LinkedFrame>): ByteArray {
            val bytes = ByteArrayOutputStream()
            val out = DataOutputStream(bytes)
            for (frame in frames) {
                out.writeInt(frame.number.toInt())
                out.writeInt(frame.milliseconds.toInt())
                out.write(frame.link)
                out.writeInt(frame.picture.size)
                out.write(frame.picture)
            }
            return bytes.toByteArray()
        }
    }
}

package dev.mien.android

import dev.mien.fake.Phone
import java.awt.Color
import java.awt.RenderingHints
import java.awt.image.BufferedImage
import java.io.File
import javax.imageio.ImageIO

/** The drawn identity card and its owner, Tests/Apple/Pictures. The camera on the back sees an empty desk until a side is laid on it. */
internal class Desk : Phone.Scene {
    /** `card_front`, `card_back` */
    @Volatile var side: String? = null
    private val pictures = listOf("card_front", "card_back", "owner").associateWith {
        ImageIO.read(File(System.getenv("MIEN_REPOSITORY"), "Tests/Apple/Pictures/$it-${if (it == "owner") 1280 else 2048}.jpg"))
    }

    override fun picture(isFront: Boolean): BufferedImage {
        val picture = BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB)
        val pen = picture.createGraphics()
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC)
        pen.paint = if (isFront) Color(0xaeb9bf) else Color(0x555f59)
        pen.fillRect(0, 0, WIDTH, HEIGHT)
        // The middle of a picture that is wider than this one.
        val shown = if (isFront) pictures.getValue("owner") else side?.let { pictures.getValue(it) }
        if (shown != null) pen.drawImage(shown, (WIDTH - WIDE) / 2, (HEIGHT - TALL) / 2, WIDE, TALL, null)
        pen.dispose()
        return picture
    }

    private companion object {
        const val WIDTH = 960
        const val HEIGHT = 1280
        const val WIDE = 1240
        const val TALL = 930
    }
}

package dev.mien.android

import dev.mien.fake.Phone
import java.awt.Color
import java.awt.Font
import java.awt.GradientPaint
import java.awt.RenderingHints
import java.awt.image.BufferedImage

/** A table with the photo page of an invented person's passport, as the camera on the back sees it; a person in front of the other. */
internal class Table(private val person: Phone.Scene? = null) : Phone.Scene {
    private val random = java.util.Random()
    private val page: BufferedImage by lazy { draw() }
    private val began = System.nanoTime()

    override fun picture(isFront: Boolean): BufferedImage? {
        if (isFront) return person?.picture(true)
        val picture = BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB)
        val pen = picture.createGraphics()
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BICUBIC)
        pen.paint = GradientPaint(0f, 0f, Color(0x4a4038), WIDTH.toFloat(), HEIGHT.toFloat(), Color(0x3a322c))
        pen.fillRect(0, 0, WIDTH, HEIGHT)
        // A hand trembles by a pixel.
        val t = (System.nanoTime() - began) / 1e9
        pen.translate(WIDTH / 2 + Math.sin(2.1 * t), HEIGHT / 2 + Math.cos(1.7 * t))
        pen.rotate(Math.toRadians(1.5))
        pen.color = Color(0, 0, 0, 90)
        pen.fillRoundRect(-page.width / 2 + 6, -page.height / 2 + 8, page.width, page.height, 24, 24)
        pen.drawImage(page, -page.width / 2, -page.height / 2, null)
        pen.dispose()
        for (i in 0 until 400) picture.setRGB(random.nextInt(WIDTH), random.nextInt(HEIGHT), if (random.nextBoolean()) 0x504840 else 0x302820)
        return picture
    }

    private fun draw(): BufferedImage {
        val (width, height) = Pair(880, 880 * 88 / 125)
        val page = BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB)
        val pen = page.createGraphics()
        pen.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON)
        pen.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON)
        pen.color = Color(0xf0ebdf)
        pen.fillRoundRect(0, 0, width, height, 24, 24)
        pen.color = Color(0xd9e2e0)
        for (y in 16 until height - 150 step 9) pen.drawLine(12, y, width - 12, y + 6)
        val head = Heads.poses.getValue("front" to 0.0)
        pen.color = Color(0xc9ccd0)
        pen.fillRect(40, 110, 230, 300)
        pen.drawImage(head, 25, 95, 260, 322, null)
        pen.color = Color(0x22262b)
        pen.font = Font(Font.SANS_SERIF, Font.BOLD, 34)
        pen.drawString("REPUBLIK ÖSTERREICH   PASSPORT", 40, 66)
        val lines = listOf(
            "Surname" to "TOVMAR", "Given names" to "ADA LIZO", "Nationality" to "AUT", "Date of birth" to "09.03.1988", "Sex" to "F",
            "Date of expiry" to "17.05.2030", "Passport No." to "TK4802917")
        lines.forEachIndexed { i, (label, value) ->
            pen.font = Font(Font.SANS_SERIF, Font.PLAIN, 15)
            pen.drawString(label, 310 + i % 2 * 270, 120 + i / 2 * 74)
            pen.font = Font(Font.SANS_SERIF, Font.BOLD, 25)
            pen.drawString(value, 310 + i % 2 * 270, 148 + i / 2 * 74)
        }
        pen.font = Font(Font.MONOSPACED, Font.BOLD, 31)
        val step = (width - 60) / 44.0
        for ((row, text) in zone().withIndex()) {
            text.forEachIndexed { i, letter -> pen.drawString(letter.toString(), (30 + i * step).toInt(), height - 78 + row * 46) }
        }
        pen.dispose()
        return page
    }

    /** ICAO Doc 9303 part 4. */
    private fun zone(): List<String> {
        val (number, birth, expiry) = Triple("TK4802917", "880309", "300517")
        val checked = number + digit(number) + birth + digit(birth) + expiry + digit(expiry) + "<".repeat(14) + "<"
        return listOf(
            "P<AUTTOVMAR<<ADA<LIZO".padEnd(44, '<'),
            number + digit(number) + "AUT" + birth + digit(birth) + "F" + expiry + digit(expiry) + "<".repeat(15) + digit(checked))
    }

    private fun digit(text: String): String = text.mapIndexed { i, letter ->
        val value = if (letter == '<') 0 else if (letter in '0'..'9') letter - '0' else letter - 'A' + 10
        value * (if (i % 3 == 0) 7 else if (i % 3 == 1) 3 else 1)
    }.sum().rem(10).toString()

    private companion object {
        const val WIDTH = 960
        const val HEIGHT = 1280
    }
}

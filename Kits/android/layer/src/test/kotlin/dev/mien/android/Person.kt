package dev.mien.android

import android.graphics.Canvas
import android.graphics.Paint
import android.view.View
import android.view.ViewGroup
import android.widget.CompoundButton
import android.widget.TextView
import dev.mien.JsonObject
import dev.mien.JsonText
import dev.mien.Testing
import dev.mien.Texts
import dev.mien.fake.Phone
import dev.mien.fake.Screen
import java.awt.Color
import java.awt.GradientPaint
import java.awt.RadialGradientPaint
import java.awt.RenderingHints
import java.awt.geom.Path2D
import java.awt.geom.Point2D
import java.awt.image.BufferedImage
import java.io.File
import java.util.Locale

/** Reads and presses what is on the phone's screen. */
object Finger {
    private fun views(view: View?): List<View> = when (view) {
        null -> emptyList()
        is ViewGroup -> listOf<View>(view) + (0 until view.childCount).flatMap { views(view.getChildAt(it)) }
        else -> listOf(view)
    }

    fun texts(): List<String> = views(Screen.top()?.contentView).mapNotNull { (it as? TextView)?.text?.toString() }

    /** Presses what has this text, as soon as it is there. */
    fun press(text: String, seconds: Int = 20) {
        val end = System.nanoTime() + seconds * 1_000_000_000L
        while (System.nanoTime() < end) {
            val found = views(Screen.top()?.contentView).firstOrNull { it is android.widget.Button && it.text.toString() == text }
            if (found != null) {
                Screen.onMain { found.performClick() }
                return
            }
            Thread.sleep(20)
        }
        throw Testing.Failure("“$text” is not on the screen, but ${texts()}")
    }

    fun isChecked(text: String): Boolean =
        views(Screen.top()?.contentView).any { it is CompoundButton && it.text.toString() == text && it.isChecked }

    /** Writes into the field with this hint. */
    fun fill(hint: String, text: String) {
        val end = System.nanoTime() + 20_000_000_000L
        while (System.nanoTime() < end) {
            val found = views(Screen.top()?.contentView).firstOrNull { it is android.widget.EditText && it.hint.toString() == hint } as TextView?
            if (found != null) return Screen.onMain { found.text = text }
            Thread.sleep(20)
        }
        throw Testing.Failure("there is no field “$hint”, but ${texts()}")
    }

    /** Whether an arrow is drawn on the screen now: a shaft and two barbs. */
    fun seesArrow(): Boolean = lines() == 3

    /** Whether the outline of a document is: four sides. */
    fun seesOutline(): Boolean = lines() == 4

    private fun lines(): Int {
        val lines = java.util.concurrent.atomic.AtomicInteger()
        val paper = object : Canvas() {
            override fun drawLine(x1: Float, y1: Float, x2: Float, y2: Float, paint: Paint) { lines.incrementAndGet() }
        }
        Screen.onMain { views(Screen.top()?.contentView).forEach { it.draw(paper) } }
        return lines.get()
    }

    fun waitFor(text: String, seconds: Int = 20) {
        val end = System.nanoTime() + seconds * 1_000_000_000L
        while (text !in texts()) {
            if (System.nanoTime() > end) throw Testing.Failure("“$text” is not on the screen, but ${texts()}")
            Thread.sleep(20)
        }
    }
}

/**
 * The drawn person of the web tests (Tests/Web/camera.js), in front of the phone: reads what the screen says, and does it 0.3 s later
 * at the speed of a person.
 */
class Person(private val shows: String = "person") : Phone.Scene {
    private val poses = Heads.poses
    private val actions = Texts.of(Locale.ENGLISH).let { texts -> ACTIONS.associateBy { texts.text("action_$it") } }
    private var yaw = 0.0
    private var pitch = 0.0
    private var blink = 0.0
    private var mouth = 0.0
    private val random = java.util.Random()
    private val seed = random.nextInt(1_000_000)
    private var zoom = 0.92 + 0.14 * unit(90)
    private val x = 24 * (unit(91) - 0.5)
    private val y = 16 * (unit(92) - 0.5)
    private val began = System.nanoTime()
    private var lastTime = began
    private var asked: String? = null
    private var askedAt = began

    override fun picture(isFront: Boolean): BufferedImage? {
        if (!isFront) return null
        val now = System.nanoTime()
        val t = (now - began) / 1e9
        if (shows == "person") move(now)
        val picture = BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB)
        val pen = picture.createGraphics()
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR)
        room(pen)
        val (sx, sy) = Pair(Math.sin(2.1 * t) + 0.5 * Math.sin(5.3 * t + 1), Math.sin(1.7 * t + 2) + 0.5 * Math.sin(4.7 * t))
        if (shows != "nobody") {
            person(pen, sx, sy)
            light(pen, t, WIDTH / 2 + x + sx, HEIGHT / 2 + y + sy)
        }
        // A camera's grain, so that no two pictures are the same.
        for (i in 0 until 500) {
            pen.color = if (random.nextBoolean()) Color(255, 255, 255, 13) else Color(0, 0, 0, 13)
            pen.fillRect(random.nextInt(WIDTH), random.nextInt(HEIGHT), 2, 2)
        }
        pen.dispose()
        return picture
    }

    private fun move(now: Long) {
        val dt = minOf(0.2, (now - lastTime) / 1e9)
        lastTime = now
        val read = Finger.texts().mapNotNull { actions[it] }.firstOrNull()
        if (read != asked) {
            asked = read
            askedAt = now
        }
        val since = (now - askedAt) / 1e9 - 0.3
        val doing = if (since >= 0) asked else null
        fun approach(value: Double, target: Double, speed: Double) = value + Math.max(-speed * dt, Math.min(speed * dt, target - value))
        yaw = approach(yaw, if (doing == "turn_left") 42.0 else if (doing == "turn_right") -42.0 else 0.0, 90.0)
        pitch = approach(pitch, if (doing == "look_up") 29.0 else if (doing == "look_down") -29.0 else 0.0, 60.0)
        if (doing == "come_closer") zoom = approach(zoom, 1.52, 0.6)
        mouth = approach(mouth, if (doing == "open_mouth") 1.0 else 0.0, 3.0)
        blink = if (doing == "blink") Math.max(0.0, Math.min(1.0, (0.25 - Math.abs(since % 1.2 - 0.3)) / 0.1)) else 0.0
    }

    private fun head(): BufferedImage {
        val (key, share) = listOf("yaw" to Math.abs(yaw) / 42, "pitch" to Math.abs(pitch) / 29, "blink" to blink, "mouth" to mouth)
            .sortedByDescending { it.second }[0]
        if (share < 0.04) return poses.getValue("front" to 0.0)
        val value = when (key) { "yaw" -> yaw; "pitch" -> pitch; "blink" -> blink; else -> mouth }
        val best = (poses.keys.filter { it.first == key }.map { it.second } + 0.0).sortedBy { Math.abs(it - value) }[0]
        return poses.getValue(if (best == 0.0) "front" to 0.0 else key to best)
    }

    private fun room(pen: java.awt.Graphics2D) {
        pen.paint = GradientPaint(0f, 0f, Color(0xc3cdd2), WIDTH.toFloat(), HEIGHT.toFloat(), Color(0x98a5ac))
        pen.fillRect(0, 0, WIDTH, HEIGHT)
        pen.paint = Color(0xd8d2c4)
        pen.fillRect(40, 50, 96, 130)
        pen.paint = Color(0x8fb2a2)
        pen.fillRect(50, 60, 76, 110)
        pen.paint = Color(0x7f8a86)
        pen.fillRect(0, 590, WIDTH, 50)
    }

    private fun person(pen: java.awt.Graphics2D, sx: Double, sy: Double) {
        val (k, cx, cy) = Triple(zoom * 127, WIDTH / 2 + x + sx, HEIGHT / 2 + 6 + y + sy)
        pen.paint = Color(140, 107, 88)
        pen.fill(Path2D.Double().apply {
            moveTo(cx - 0.36 * k, cy + 0.4 * k)
            lineTo(cx - 0.44 * k, cy + 1.6 * k)
            lineTo(cx + 0.44 * k, cy + 1.6 * k)
            lineTo(cx + 0.36 * k, cy + 0.4 * k)
        })
        pen.paint = Color(0x476a86)
        pen.fill(Path2D.Double().apply {
            moveTo(cx - 1.75 * k, cy + 2.6 * k)
            curveTo(cx - 1.6 * k, cy + 1.6 * k, cx - 0.9 * k, cy + 1.5 * k, cx - 0.42 * k, cy + 1.28 * k)
            quadTo(cx, cy + 1.62 * k, cx + 0.42 * k, cy + 1.28 * k)
            curveTo(cx + 0.9 * k, cy + 1.5 * k, cx + 1.6 * k, cy + 1.6 * k, cx + 1.75 * k, cy + 2.6 * k)
        })
        val picture = head()
        val scale = k / 127 / (80.0 / 95)
        val (width, height) = Pair(picture.width * scale, picture.height * scale)
        pen.drawImage(picture, java.awt.geom.AffineTransform(scale, 0.0, 0.0, scale, cx - width / 2, cy - height / 2), null)
    }

    /** Light and shade move over the room, differently in every session, as they do over a living face. */
    private fun light(pen: java.awt.Graphics2D, t: Double, cx: Double, cy: Double) {
        for (i in 0 until 9) {
            val (a, b, c) = Triple(unit(8 * i), unit(8 * i + 1), unit(8 * i + 2))
            val r = (26 + 60 * unit(8 * i + 3)) * zoom
            val px = cx + (a - 0.5) * 190 * zoom + 9 * Math.sin((0.5 + c) * t + 6 * b)
            val py = cy + (b - 0.5) * 240 * zoom + 9 * Math.cos((0.4 + a) * t + 6 * c)
            val alpha = ((0.1 + 0.13 * unit(8 * i + 4)) * 255).toInt()
            val tone = if (i % 2 == 1) Color(255, 246, 230, alpha) else Color(30, 20, 16, alpha)
            pen.paint = RadialGradientPaint(
                Point2D.Double(px, py), r.toFloat(), floatArrayOf(0f, 1f), arrayOf(tone, Color(tone.red, tone.green, tone.blue, 0)))
            pen.fill(java.awt.geom.Ellipse2D.Double(px - r, py - r, 2 * r, 2 * r))
        }
    }

    private fun unit(index: Int): Double {
        var v = (seed + 1) * -1640531535 xor (index + 1) * 40503
        v = (v xor (v ushr 15)) * -2048144777
        v = (v xor (v ushr 13)) * -1028477379
        return ((v xor (v ushr 16)).toLong() and 0xffffffffL) / 4294967296.0
    }

    private companion object {
        const val WIDTH = 480
        const val HEIGHT = 640
        val ACTIONS = listOf("blink", "turn_left", "turn_right", "look_up", "look_down", "open_mouth", "come_closer")
    }
}

/** The head in all poses, as heads.js has rendered it. */
object Heads {
    val poses: Map<Pair<String, Double>, BufferedImage> by lazy {
        val file = File(System.getenv("MIEN_HEADS") ?: "")
        if (!file.isFile) Testing.skip("needs nodejs, which renders the drawn face: run scripts/setup --tests")
        val bytes = file.readBytes()
        val end = bytes.indexOf('\n'.toInt().toByte())
        val index = JsonText.read(("{\"poses\":" + String(bytes, 0, end) + "}").toByteArray())!!.list("poses")!!
        var at = end + 1
        index.map { it as JsonObject }.associate { pose ->
            val (width, height) = Pair(pose.integer("width")!!.toInt(), pose.integer("height")!!.toInt())
            val picture = BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB)
            val pixels = IntArray(width * height) {
                val i = at + 4 * it
                (bytes[i + 3].toInt() and 255 shl 24) or (bytes[i].toInt() and 255 shl 16) or (bytes[i + 1].toInt() and 255 shl 8) or (bytes[i + 2].toInt() and 255)
            }
            picture.setRGB(0, 0, width, height, pixels, 0, width)
            at += 4 * width * height
            (pose.optString("name") to pose.number("value")!!) to picture
        }
    }
}

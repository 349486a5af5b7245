package dev.mien.android

import android.content.Context
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.Paint
import android.graphics.Path
import android.graphics.RectF
import android.view.View
import dev.mien.CaptureGuide

/** Over the camera's picture: for a face, the oval with its progress and an arrow; for a document, its outline. Words say the same. */
internal class GuideView(context: Context, private val hasOval: Boolean) : View(context) {
    private var guide: CaptureGuide? = null
    private var color: Int? = null
    private val paint = Paint(Paint.ANTI_ALIAS_FLAG)

    init { importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO }

    /** Fills what is around the oval; `null` shows the camera's picture there. */
    fun fill(argb: Int?) {
        color = argb
        invalidate()
    }

    fun show(guide: CaptureGuide) {
        this.guide = guide
        invalidate()
    }

    override fun onDraw(canvas: Canvas) {
        super.onDraw(canvas)
        paint.style = Paint.Style.STROKE
        paint.strokeWidth = 4 * resources.displayMetrics.density
        if (hasOval) drawOval(canvas) else drawOutline(canvas)
    }

    /** The preview fills the view, so shares of the picture are shares of the view. */
    private fun drawOutline(canvas: Canvas) {
        val corners = guide?.corners?.filter { it.size == 2 }?.map { Pair((it[0] * width).toFloat(), (it[1] * height).toFloat()) } ?: return
        paint.color = if (guide?.isGood == true) BRAND else Color.WHITE
        corners.forEachIndexed { i, (x, y) ->
            val (nextX, nextY) = corners[(i + 1) % corners.size]
            canvas.drawLine(x, y, nextX, nextY, paint)
        }
    }

    private fun drawOval(canvas: Canvas) {
        val wide = minOf(width * 0.6f, height * 0.35f)
        val box = RectF((width - wide) / 2, height / 2f - wide * 2 / 3, (width + wide) / 2, height / 2f + wide * 2 / 3)
        color?.let { fillAround(box, it, canvas) }
        paint.color = Color.LTGRAY
        canvas.drawOval(box, paint)
        paint.color = BRAND
        canvas.drawArc(box, -90f, 3.6f * (guide?.progress ?: 0), false, paint)
        // The person's left is the left of a mirror.
        val (x, y) = directions[guide?.name] ?: return
        val (fromX, fromY) = Pair(box.centerX() + x * box.width() * 0.55f, box.centerY() + y * box.height() * 0.55f)
        val length = box.width() * 0.2f
        val (tipX, tipY) = Pair(fromX + x * length, fromY + y * length)
        canvas.drawLine(fromX, fromY, tipX, tipY, paint)
        canvas.drawLine(tipX, tipY, tipX - (x + y) * length / 3, tipY - (y + x) * length / 3, paint)
        canvas.drawLine(tipX, tipY, tipX - (x - y) * length / 3, tipY - (y - x) * length / 3, paint)
    }

    private fun fillAround(box: RectF, color: Int, canvas: Canvas) {
        val around = Path().apply {
            fillType = Path.FillType.EVEN_ODD
            addRect(0f, 0f, width.toFloat(), height.toFloat(), Path.Direction.CW)
            addOval(box, Path.Direction.CW)
        }
        paint.style = Paint.Style.FILL
        paint.color = color
        canvas.drawPath(around, paint)
        paint.style = Paint.Style.STROKE
    }

    private companion object {
        val BRAND = Color.rgb(11, 107, 105)
        val directions = mapOf("turn_left" to Pair(-1f, 0f), "turn_right" to Pair(1f, 0f), "look_up" to Pair(0f, -1f), "look_down" to Pair(0f, 1f))
    }
}

package dev.mien.android

import android.animation.ValueAnimator
import android.content.Context
import android.graphics.Color
import android.graphics.SurfaceTexture
import android.os.Build
import android.os.Handler
import android.os.Looper
import android.view.Gravity
import android.view.HapticFeedbackConstants
import android.view.Surface
import android.view.TextureView
import android.view.View
import android.view.ViewGroup
import android.widget.Button
import android.widget.CheckBox
import android.widget.CompoundButton
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.RadioButton
import android.widget.ScrollView
import android.widget.TextView
import dev.mien.CaptureButton
import dev.mien.CaptureGuide
import dev.mien.CapturePage
import dev.mien.CaptureScreen
import dev.mien.CaptureStage
import dev.mien.FrameSource
import dev.mien.PageAnswer
import dev.mien.Texts
import java.util.concurrent.CountDownLatch
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/**
 * The screens of a capture as an ordinary view, for an activity or fragment of the app's own. [MienCaptureActivity] is one around it.
 * Screen readers announce each instruction; the device vibrates with each new one.
 */
class MienCaptureView(context: Context, private val texts: Texts) : FrameLayout(context), CaptureScreen {
    private val main = Handler(Looper.getMainLooper())
    private var asked: LinkedBlockingQueue<PageAnswer>? = null
    private var onStage: ((String) -> Unit)? = null
    private var isLeft = false
    private var usualTextColor = Color.BLACK
    private var word: TextView? = null
    private var arrow: GuideView? = null
    @Volatile private var surface: Surface? = null
    @Volatile private var surfaceReady = CountDownLatch(0)

    init { layoutDirection = if (texts.isRightToLeft) View.LAYOUT_DIRECTION_RTL else View.LAYOUT_DIRECTION_LTR }

    /** For a camera: the surface of its preview, once it is there. */
    internal fun previewSurface(): Surface? {
        surfaceReady.await(3, TimeUnit.SECONDS)
        return surface
    }

    /** The person leaves: the page is canceled, and so is the capture. */
    fun leave() = onMain {
        isLeft = true
        answer(PageAnswer("cancel"))
        onStage?.invoke("cancel")
    }

    // CaptureScreen, called from the capture's thread

    override fun ask(page: CapturePage): PageAnswer {
        val queue = LinkedBlockingQueue<PageAnswer>()
        onMain {
            asked = queue
            onStage = null
            if (isLeft) answer(PageAnswer("cancel")) else show(page)
        }
        return queue.take()
    }

    override fun showWaiting() = onMain {
        onStage = null
        replace(column(label(texts.text("capture_loading"), 18f)))
    }

    override fun showCamera(stage: CaptureStage, onButton: (String) -> Unit) {
        surfaceReady = CountDownLatch(1)
        onMain {
            if (isLeft) return@onMain onButton("cancel")
            onStage = onButton
            show(stage, onButton)
        }
    }

    override fun guide(guide: CaptureGuide) = onMain {
        val word = word ?: return@onMain
        if (word.text.toString() != guide.text) {
            word.text = guide.text
            word.performHapticFeedback(HapticFeedbackConstants.VIRTUAL_KEY)
        }
        arrow?.show(guide)
    }

    override fun showColor(argb: Int?) = onMain {
        arrow?.fill(argb)
        // A color of the capture is pale or bright, so black is readable on each.
        word?.setTextColor(if (argb == null) usualTextColor else Color.BLACK)
    }

    /** People who turn off animations in the system's settings want less motion. */
    override val prefersGentleColors: Boolean
        get() = Build.VERSION.SDK_INT >= 26 && !ValueAnimator.areAnimatorsEnabled()

    // Views, on the main thread

    private fun show(page: CapturePage) {
        val children = ArrayList<View>()
        children.add(label(page.title, 24f).apply { isFocusable = true })
        children.add(label(page.text, 16f))
        val boxes: List<CompoundButton> = page.choices.map { (_, name) ->
            (if (page.areSeveralChosen) CheckBox(context) else RadioButton(context)).apply { text = name }
        }
        // One of several: choosing one ends the choice of the others.
        if (!page.areSeveralChosen) for (box in boxes) box.setOnClickListener { for (other in boxes) other.isChecked = other === box }
        children.addAll(boxes)
        for (row in page.rows) children.add(column(*listOfNotNull(
            label(row.title, 18f), label(row.detail, 14f),
            row.button?.let { button -> button(button) { answer(PageAnswer(button.id)) }.apply { contentDescription = "${button.label}: ${row.title}" } }
        ).toTypedArray()))
        children.addAll(page.buttons.map { button ->
            button(button) { answer(PageAnswer(button.id, page.choices.map { it.first }.filterIndexed { i, _ -> boxes[i].isChecked })) }
        })
        replace(ScrollView(context).apply { addView(column(*children.toTypedArray())) })
        children[0].sendAccessibilityEvent(android.view.accessibility.AccessibilityEvent.TYPE_VIEW_FOCUSED)
    }

    private fun show(shown: CaptureStage, onButton: (String) -> Unit) {
        val texture = TextureView(context)
        texture.contentDescription = shown.label
        texture.surfaceTextureListener = object : TextureView.SurfaceTextureListener {
            override fun onSurfaceTextureAvailable(available: SurfaceTexture, width: Int, height: Int) {
                available.setDefaultBufferSize(640, 480)
                surface = Surface(available)
                surfaceReady.countDown()
            }
            override fun onSurfaceTextureSizeChanged(changed: SurfaceTexture, width: Int, height: Int) = Unit
            override fun onSurfaceTextureDestroyed(gone: SurfaceTexture): Boolean {
                surface = null
                return true
            }
            override fun onSurfaceTextureUpdated(updated: SurfaceTexture) = Unit
        }
        val word = label(texts.text("capture_loading"), 22f)
        usualTextColor = word.currentTextColor
        word.accessibilityLiveRegion = View.ACCESSIBILITY_LIVE_REGION_ASSERTIVE
        val arrow = GuideView(context, shown.quality != FrameSource.Quality.DOCUMENT)
        val buttons = column(word, *shown.buttons.map { button -> button(button) { onButton(button.id) } }.toTypedArray())
        replace(texture)
        addView(arrow, LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.MATCH_PARENT))
        addView(buttons, LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.WRAP_CONTENT, Gravity.BOTTOM))
        this.word = word
        this.arrow = arrow
    }

    private fun answer(answer: PageAnswer) {
        asked?.add(answer)
        asked = null
    }

    private fun replace(view: View) {
        removeAllViews()
        word = null
        arrow = null
        addView(view, LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.MATCH_PARENT))
    }

    private fun column(vararg children: View) = LinearLayout(context).apply {
        orientation = LinearLayout.VERTICAL
        val space = (24 * resources.displayMetrics.density).toInt()
        setPadding(space, space, space, space)
        children.forEach { addView(it) }
    }

    private fun label(text: String, size: Float) = TextView(context).apply {
        this.text = text
        textSize = size
        gravity = Gravity.CENTER_HORIZONTAL
    }

    private fun button(button: CaptureButton, press: () -> Unit) = Button(context).apply {
        text = button.label
        if (button.isMain) setTypeface(null, android.graphics.Typeface.BOLD)
        minHeight = (48 * resources.displayMetrics.density).toInt()
        setOnClickListener { press() }
    }

    private fun onMain(body: () -> Unit) { if (Looper.myLooper() == Looper.getMainLooper()) body() else main.post { body() } }
}

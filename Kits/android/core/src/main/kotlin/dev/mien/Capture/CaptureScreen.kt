package dev.mien

/** A capture's screen, as the core sees it. Calls come from a thread of their own, and [ask] waits. */
interface CaptureScreen {
    /** Shows a page, and waits until a button is pressed. Leaving the screen is the answer `cancel`. */
    fun ask(page: CapturePage): PageAnswer

    /** Shows that something is under way. */
    fun showWaiting()

    /** Shows the camera's picture until the next page. [onButton] is called with the button's ID, on any thread. */
    fun showCamera(stage: CaptureStage, onButton: (String) -> Unit)

    /** Replaces what the camera's picture says. */
    fun guide(guide: CaptureGuide)

    /** Fills the screen around the oval with a color, which the face reflects; `null` for the usual background. Called often, on any thread. */
    fun showColor(argb: Int?) {}

    /** Whether the person asked the system for less motion: colors are gentle at first. */
    val prefersGentleColors: Boolean get() = false
}

class CapturePage internal constructor(
    val title: String, val text: String, val buttons: List<CaptureButton>,
    /** Values to choose from, and their labels. */
    val choices: List<Pair<String, String>> = emptyList(), val areSeveralChosen: Boolean = false,
    /** What was done so far. */
    val rows: List<CaptureRow> = emptyList()
)

/** A line of a list, and what can be done about it. */
class CaptureRow internal constructor(val title: String, val detail: String, val button: CaptureButton?)

/** [isMain]: what most people press. */
class CaptureButton internal constructor(val id: String, val label: String, val isMain: Boolean = false)

class PageAnswer(val button: String, val chosen: List<String> = emptyList())

class CaptureStage internal constructor(
    val quality: FrameSource.Quality,
    /** For screen readers. */
    val label: String, val buttons: List<CaptureButton>)

class CaptureGuide internal constructor(
    val text: String,
    /** An action or guidance of the API, for an arrow: `turn_left` … */
    val name: String, /** 0…100 */ val progress: Int,
    /** Where the document is, in parts of the picture's width and height; `null` without one. */
    val corners: List<List<Double>>? = null, val isGood: Boolean = false
)

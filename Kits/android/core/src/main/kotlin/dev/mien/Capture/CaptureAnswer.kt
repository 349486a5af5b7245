package dev.mien

/** The state of a capture: after its start, after frames, and on request. Words that are new are kept as they are. */
class CaptureAnswer internal constructor(private val answer: JsonObject) {
    /** `open`, `passed`, `failed`, `cancelled` */
    val status: String get() = answer.optString("status")
    val isOpen: Boolean get() = status == "open"
    /** Answer the step with `client_input` then. */
    val hasPassed: Boolean get() = status == "passed"
    /** `image`, `liveness_passive`, `liveness_active` */
    val mode: String get() = answer.optString("mode")
    val isLive: Boolean get() = mode.startsWith("liveness")
    /** Instructions for the person, the most important one first. */
    val guidance: List<String> get() = answer.strings("guidance")
    /** The movement to make now: `blink`, `turn_left` … Left and right are the person's own. */
    val action: String? get() = answer.string("action")
    /** 0…100 */
    val progress: Int? get() = answer.integer("progress")?.toInt()
    /** Why it failed. Show the first one. */
    val reasons: List<String> get() = answer.strings("reasons")
    val framesLeft: Long? get() = answer.integer("frames_left")
    val expiresAt: Long get() = answer.integer("expires_at") ?: 0
    /** The movements that the person can leave out, before the start. */
    val omittableActions: List<String> get() = answer.strings("omittable_actions")
    /** The colors that the screen shows, or may show; `null` for none. */
    val light: CaptureLight?
        get() = answer.optJSONObject("light")?.let { light ->
            CaptureLight(
                light.boolean("required") ?: false, light.boolean("omittable") ?: false,
                (light.list("colors") ?: emptyList()).mapNotNull { color ->
                    (color as? JsonObject)?.let { CaptureColor(it.optString("color"), it.integer("begin") ?: return@mapNotNull null) }
                })
        }
    /** Whether a picture is kept with the verification. */
    val keepsPicture: Boolean get() = answer.boolean("keeps_picture") ?: false
    /** The text to show before the first frame; `null` if the person need not consent. */
    val consent: ConsentText?
        get() = answer.optJSONObject("consent")?.let {
            ConsentText(it.optString("text_version"), it.optString("title"), it.optString("text"), it.optString("button_text"))
        }
    /** Where the face is, in pixels of the frame: x, y, width, height. */
    val face: List<Double>? get() = answer.list("face")?.mapNotNull { (it as? Number)?.toDouble() }?.takeIf { it.size == 4 }

    internal val nonce: ByteArray? get() = answer.string("nonce")?.let { Base64.decodeUrl(it) }
    internal val elapsed: Long get() = answer.integer("elapsed") ?: 0
    internal val nextFrame: Long? get() = answer.integer("next_frame")

    override fun toString() = "capture: $status"
}

/** The text that a person agrees to before the first frame. */
class ConsentText internal constructor(val version: String, val title: String, val text: String, val button: String)

/** A picture for a capture. It shows a face, so only its type and size are printed. */
class CaptureFrame @JvmOverloads constructor(
    val bytes: ByteArray,
    /** `image/jpeg` or `image/png` */
    val type: String = "image/jpeg",
    /** When it was taken, on the clock of `System.nanoTime`; `null` means now. */
    val takenAtNanos: Long? = null
) {
    override fun toString() = "$type, ${bytes.size} bytes"
}

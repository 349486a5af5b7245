package dev.mien

/**
 * A verification session with pictures of a document: the front, the back, a tilted series where it is asked for, and a selfie.
 * Its start token is that of the step `identityVerification` on a server that checks documents. Calls wait for the server.
 */
class DocumentSession internal constructor(private val token: Sensitive<String>, private val connection: Connection) {
    /** The missing pictures, the consent's text, and the documents to choose from. */
    fun state(): DocumentState = DocumentState(connection.json(call("GET", "session")))

    /** The person has read the text of this version and agrees. */
    fun giveConsent(version: String): DocumentState =
        DocumentState(connection.json(call("POST", "consent", Json.bytes(mapOf("version" to version)))))

    /** Says which document it will be: a country (ISO 3166-1 alpha-2) and a type that [DocumentState.supportedDocuments] lists. */
    fun chooseDocument(country: String, type: String): DocumentState =
        DocumentState(connection.json(call("POST", "document", Json.bytes(mapOf("country" to country, "document_type" to type)))))

    /** Where the document is in a frame of the camera, and what is wrong with it. Nothing is stored. */
    fun preview(jpeg: ByteArray): DocumentPreview =
        DocumentPreview(connection.json(call("POST", "preview", jpeg, "image/jpeg")))

    /** Sends a picture: `document_front` or `document_back`. It is stored only if it is good enough. */
    @JvmOverloads
    fun sendPicture(image: String, bytes: ByteArray, type: String = "image/jpeg"): DocumentPicture =
        DocumentPicture(connection.json(call("PUT", "images/$image", bytes, type)))

    /** Sends four to eight pictures of the tilted document, each at most 1280 pixels wide or high, and 300 KiB. */
    fun sendTilt(jpegs: List<ByteArray>): DocumentPicture {
        val boundary = "mien-" + Randomness.text()
        val body = java.io.ByteArrayOutputStream()
        jpegs.forEachIndexed { i, picture ->
            body.write(utf8("--$boundary\r\ncontent-disposition: form-data; name=\"frame${i + 1}\"; filename=\"${i + 1}.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n"))
            body.write(picture)
            body.write(utf8("\r\n"))
        }
        body.write(utf8("--$boundary--\r\n"))
        return DocumentPicture(connection.json(
            call("PUT", "images/document_tilt", body.toByteArray(), "multipart/form-data; boundary=$boundary")))
    }

    /** Opens the capture of the face. */
    fun selfie(): CaptureSession {
        val token = connection.json(call("POST", "selfie")).string("start_token")
            ?: throw MienException(MienException.Code.SERVER_ERROR, "The response contains no start token.")
        return CaptureSession(Sensitive(token), connection)
    }

    /** Begins the judgment. If no answer comes, it asks whether the request arrived before it sends it again. */
    fun submit(): DocumentState {
        var attempt = 1
        while (true) {
            try {
                return DocumentState(connection.json(call("POST", "submit", isRepeatable = false)))
            } catch (error: MienException) {
                if (error.code != MienException.Code.NETWORK_ERROR) throw error
                connection.sleep(connection.retry.delay(attempt, null) ?: throw error)
                val now = state()
                if (now.hasEnded || now.status == "processing") return now
                attempt++
            }
        }
    }

    /** Ends the session. What was captured is erased. */
    fun cancel(): DocumentState = DocumentState(connection.json(call("DELETE", "session")))

    private fun call(method: String, path: String, body: ByteArray = ByteArray(0), type: String = "application/json", isRepeatable: Boolean = true) =
        Connection.Call(
            method, listOf("v1", "verification") + path.split('/'), token, body = body, contentType = type, isRepeatable = isRepeatable)

    override fun toString() = "document session"
}

class DocumentState internal constructor(private val answer: JsonObject) {
    /** `requires_input`, `processing`, `recapture`, `complete`, `canceled`, `expired` */
    val status: String get() = answer.optString("status")
    val hasEnded: Boolean get() = status == "complete" || status == "canceled" || status == "expired"
    val appName: String get() = answer.optString("app_name")
    /** In the order in which to take them: `document_front`, `document_tilt`, `document_back`, `selfie`. */
    val missingImages: List<String> get() = answer.strings("missing_images")
    val required: List<String> get() = answer.strings("required")
    val country: String? get() = answer.string("country")
    val documentType: String? get() = answer.string("document_type")
    /** The text to agree to, and its version; `null` once the person has. */
    val consentText: String? get() = answer.optJSONObject("consent")?.string("content")
    val consentVersion: String? get() = answer.optJSONObject("consent")?.string("version")
    /** The countries of each type that can be chosen. */
    val supportedDocuments: Map<String, List<String>>
        get() = answer.list("supported_documents")?.mapNotNull { it as? JsonObject }
            ?.associate { it.optString("document_type") to it.strings("countries") } ?: emptyMap()
    /** The picture that must be taken again, and why. */
    val recaptureImage: String? get() = answer.optJSONObject("recapture")?.string("image")
    val recaptureReasons: List<String> get() = answer.optJSONObject("recapture")?.strings("reasons") ?: emptyList()

    /** The fault to correct first: `glare`, `same_side`, `other_type` … */
    val recaptureHint: String? get() = answer.optJSONObject("recapture")?.strings("hints")?.firstOrNull()

    override fun toString() = "document session: $status"
}

class DocumentPreview internal constructor(private val answer: JsonObject) {
    /** Whether a picture like this one would be good enough. */
    val isReady: Boolean get() = answer.boolean("ready") ?: false
    /** The most important one first: `no_document`, `cut_off`, `too_dark` … */
    val faults: List<String> get() = answer.strings("faults")
    /** Clockwise, in parts of the picture's width and height; `null` without a document. */
    val corners: List<List<Double>>?
        get() = answer.list("corners")?.map { corner -> (corner as? List<*>)?.mapNotNull { (it as? Number)?.toDouble() } ?: emptyList() }
}

class DocumentPicture internal constructor(private val answer: JsonObject) {
    val isAccepted: Boolean get() = answer.boolean("accepted") ?: false
    /** `imageMissing`, `docNotSupported`, `docDamaged`, `poorImageQuality`, `docExpired` */
    val reasons: List<String> get() = answer.optJSONObject("recapture")?.strings("reasons") ?: emptyList()
    /** The fault to correct: `glare`, `blurred`, `cut_off` … */
    val hint: String? get() = answer.optJSONObject("recapture")?.string("hint")
}

package dev.mien

/**
 * A transaction as the device shows it to its owner, and the only way to its signature: what is signed is derived from the lines
 * that are shown, so nothing else can be signed.
 */
class ShownTransaction private constructor(val lines: List<Line>, private val text: String) {
    class Line internal constructor(val name: String, val value: String)

    internal fun response(secret: ByteArray): String {
        val question = sha256(utf8(text)).joinToString("") { (it.toInt() and 255).toString(16).padStart(2, '0') }
        return Otp.response(secret, question)
    }

    override fun toString() = "transaction of ${lines.size} lines"

    companion object {
        private val identifier = Regex("[A-Za-z0-9_-]{1,128}")

        /**
         * Of the data and the `transaction_challenge` of the step `otpTransactionSigning`. The challenge's second part is the hash
         * of the data, which is computed again from what is shown.
         *
         * @throws MienException for data that cannot be shown, or the challenge of other data.
         */
        @JvmStatic
        fun of(approvalData: JsonObject, challenge: String): ShownTransaction {
            val lines = approvalData.entries.sortedBy { it.key }.map { (name, value) ->
                if (value !is String || name == "" || !name.isPrintable || !value.isPrintable || utf8(name + value).size > 1024) {
                    throw refused("The transaction has a line that cannot be shown. Nothing was signed.")
                }
                Line(name, value)
            }
            if (lines.size !in 1..10) throw refused("The transaction must have 1 to 10 lines. Nothing was signed.")
            val parts = challenge.split('.')
            if (parts.size != 2 || !identifier.matches(parts[0]) || parts[1] != Base64.encodeUrl(sha256(Json.bytes(approvalData)))) {
                throw refused("The challenge does not match the data shown. Nothing was signed.")
            }
            return ShownTransaction(lines, challenge)
        }

        private fun refused(reason: String) = MienException(MienException.Code.CLIENT_RESPONSE_NOT_VALID, reason)
    }
}

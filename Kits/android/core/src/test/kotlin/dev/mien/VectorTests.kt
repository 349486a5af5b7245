package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.test
import java.io.File
import java.security.Signature

/** The published vectors, docs/…vectors.json: a file that is new here fails. */
internal object VectorTests {
    private val folder get() = File(System.getenv("MIEN_REPOSITORY"), "docs")
    private fun vectors(name: String): JsonObject = Json.objectOf(File(folder, "$name.vectors.json").readBytes())!!

    fun register() {
        test("vectors: every published file is checked") {
            expectEqual(folder.list()!!.filter { it.endsWith(".vectors.json") }.sorted(), listOf("biometric-login.vectors.json", "live-capture.vectors.json"))
        }
        test("vectors: biometric login") {
            val all = vectors("biometric-login")
            val forms = all.optJSONObject("key")!!
            val jwk = forms.optJSONObject("jwk")!!
            val key = PublicKey(Base64.decodeUrl(jwk.optString("x"))!!, Base64.decodeUrl(jwk.optString("y"))!!)
            expectEqual(Json.write(key.jwk), Json.write(jwk))
            expectEqual(key.thumbprint, forms.optString("thumbprint"))
            expectEqual(key.spki, forms.optString("spki_base64"))
            val half = P256.publicKey(key.x, key.y)
            expectEqual(PublicKey.of(half), key)
            val signer = JcaSigner(P256.privateKey(Base64.decodeUrl(forms.optString("d"))!!), key)

            fun verifies(text: String, raw: ByteArray) = Signature.getInstance("SHA256withECDSA").run {
                initVerify(half)
                update(utf8(text))
                verify(EcdsaSignatures.der(raw))
            }
            for (action in listOf("setup", "authenticate")) {
                val vector = all.optJSONObject(action)!!
                val parts = vector.optString("jwt").split('.')
                expect(verifies(parts[0] + "." + parts[1], Base64.decodeUrl(parts[2])!!)) { "the published $action" }
                expectEqual(Json.objectOf(Base64.decodeUrl(parts[0])!!), vector.optJSONObject("header"))
                expectEqual(Json.objectOf(Base64.decodeUrl(parts[1])!!), vector.optJSONObject("payload"))
                // The kit makes the same request, but for its signature.
                val payload = vector.optJSONObject("payload")!!
                val names = payload.optJSONObject("device_info")!!.optJSONObject("mien")!!
                val device = BiometricDevice(NoKeys, names.optString("model"), names.optString("device_id"), names.optString("os"))
                val made = BiometricLogin.request(
                    action, signer, vector.optJSONObject("header")!!.optString("kid"), payload.optString("challenge"), payload.optString("aud"),
                    payload.optString("client_id"), device, payload.integer("iat")!!, emptyMap(), null).split('.')
                expectEqual(made.take(2), parts.take(2))
                expect(verifies(made[0] + "." + made[1], Base64.decodeUrl(made[2])!!))
            }
            val payment = all.optJSONObject("transaction")!!
            val data = payment.optJSONObject("approval_data")!!
            expectEqual(Base64.encodeUrl(sha256(Json.bytes(data))), payment.optString("approval_data_sha256"))
            expectEqual(payment.optString("challenge") + "." + payment.optString("approval_data_sha256"), payment.optString("signed_text"))
            val raw = Base64.decodeUrl(payment.optString("signature_raw"))!!
            expect(verifies(payment.optString("signed_text"), raw))
            val der = Base64.decodeUrl(payment.optString("signature_der"))!!
            expect(EcdsaSignatures.raw(der).contentEquals(raw) && EcdsaSignatures.der(raw).contentEquals(der))
        }
        test("vectors: live capture") {
            val all = vectors("live-capture")
            val chain = FrameChain(Base64.decodeUrl(all.optString("nonce"))!!)
            expectEqual(Base64.encodeUrl(chain.lastLink), all.optString("first_link"))
            val frames = all.list("frames")!!.map { it as JsonObject }.map { frame ->
                val linked = chain.append(Base64.decodeUrl(frame.optString("picture"))!!, frame.integer("milliseconds")!!)
                expectEqual(linked.number, frame.integer("number"))
                expectEqual(Base64.encodeUrl(linked.link), frame.optString("link"))
                linked
            }
            expectEqual(Base64.encodeUrl(FrameChain.body(frames)), all.optString("body"))
        }
        test("signatures: malformed DER is refused, whatever is cut or changed in its lengths") {
            val good = Base64.decodeUrl(vectors("biometric-login").optJSONObject("transaction")!!.optString("signature_der"))!!
            for (count in good.indices) Testing.expectThrows<DeviceException> { EcdsaSignatures.raw(good.copyOf(count)) }
            for (at in listOf(0, 1, 2, 3, 36, 37)) Testing.expectThrows<DeviceException> { EcdsaSignatures.raw(good.copyOf().also { it[at] = 99 }) }
        }
    }

    private object NoKeys : DeviceKeys {
        override fun obstacle(allowedAuthenticators: Int): DeviceException? = null
        override fun makeKey(tag: String, options: BiometricTexts, challenge: String?): MadeKey = throw UnsupportedOperationException()
        override fun unlock(tag: String, options: BiometricTexts): UnlockedKey = throw UnsupportedOperationException()
        override fun deleteKey(tag: String) = Unit
        override fun tags(): List<String> = emptyList()
    }
}

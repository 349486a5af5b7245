package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.test

/** Texts that are printed contain no secret. */
internal object SecretTests {
    fun register() {
        test("secrets: nothing that the kit gives prints a token, a password, a code, a key, or a person") {
            val word = "s3cret"
            val answer = Json.objectOf(Json.bytes(mapOf(
                "state" to "run_$word", "journey_step_id" to "selfieAcquisition", "token" to word, "data" to mapOf("start_token" to word, "challenge" to word),
                "client_response_options" to emptyMap<String, Any>())))!!
            val server = FakeServer { _, _ -> HttpResponse(200, emptyMap(), Json.bytes(answer)) }
            val journey = JourneyClient(server.options()).start("login")
            val bytes = utf8(word)
            val printed = listOf(
                Sensitive(word), answer, answer.optJSONObject("data"), journey, journey.response, journey.captureSession(), journey.documentSession(), journey.serializeState(),
                HttpRequest("GET", "https://a", mapOf("authorization" to word), bytes, 1, 1), HttpResponse(200, mapOf("a" to word), bytes),
                SessionTokens(Sensitive(word), 0, 0, Sensitive(word), Sensitive(word), "openid", Sensitive(word), word), JcaSigner.generate(),
                UnlockedKey(true, JcaSigner.generate()), SignInPage("https://a?state=$word", "com.example.shop://back", word, word, Sensitive(word)),
                UserInfo("usr_1", word, word, true), CaptureFrame(bytes), OneTimeCode(word), OtpToken("aut_1", "shop", "totp", "SHA256", 6, 30, 0, bytes),
                MienSession(server.options()), Reauthentication.journeyToken(Sensitive(word)), MienOptions("https://a"), AppKey("https://a", "shop"))
            for (value in printed) expect(word !in value.toString()) { value!!.javaClass.simpleName }
            val key = JcaSigner.generate()
            expect("PrivateKey" !in key.toString())
        }
        test("secrets: errors quote nothing that was sent") {
            val server = FakeServer { _, number -> if (number == 1) HttpResponse(200, emptyMap(), utf8("not json s3cret")) else null }
            val error = Testing.expectThrows<MienException> { JourneyClient(server.options()).start("login", StartJourneyOptions(mapOf("a" to "s3cret"))) }
            expect("s3cret" !in error.toString() && "s3cret" !in error.reason)
        }
    }
}

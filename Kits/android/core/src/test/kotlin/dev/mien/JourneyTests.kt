package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.test

/** Journeys: one answer at a time, and never two different ones to a step. */
internal object JourneyTests {
    private fun step(state: String?, id: String, more: Map<String, Any?> = emptyMap()) = FakeServer.json(200, mapOf(
        "state" to state, "journey_step_id" to id, "expires_at" to 5,
        "client_response_options" to mapOf("password" to mapOf("type" to "custom", "label" to "Password"), "fail" to mapOf("type" to "fail", "label" to "Fail"))) + more)

    fun register() {
        test("journeys: a lost answer may be sent again, and no other until its result is known") {
            var isLost = true
            val server = FakeServer { _, number -> if (number == 1) step("s1", "loginForm") else if (isLost) null else step(null, "success", mapOf("token" to "jwt")) }
            val journey = JourneyClient(server.options()).start("login")
            expectEqual(journey.response.option("failure")!!.label, "Fail")
            expectError(MienException.Code.INVALID_STATE) { journey.retry() }
            expectError(MienException.Code.NETWORK_ERROR) { journey.respond("password", mapOf("username" to "ada")) }
            expectError(MienException.Code.INVALID_STATE) { journey.respond(ClientResponseOptionType.Cancel.type) }
            isLost = false
            expectEqual(journey.respond("password", mapOf("username" to "ada")).type, MienServiceResponse.ResponseType.JourneySuccess)
            expectEqual(server.requests.drop(1).map { text(it.body) }.distinct().size, 1)
            expectError(MienException.Code.NO_ACTIVE_JOURNEY) { journey.respond() }
            expectError(MienException.Code.NO_ACTIVE_JOURNEY) { journey.serializeState() }
        }
        test("journeys: an answer that was interrupted may be sent again") {
            var isInterrupted = true
            val server = FakeServer { _, number -> if (number == 1) step("s1", "loginForm") else if (isInterrupted) throw IllegalStateException() else step(null, "success") }
            val journey = JourneyClient(server.options()).start("login")
            Testing.expectThrows<IllegalStateException> { journey.respond("password", mapOf("username" to "ada")) }
            isInterrupted = false
            expectEqual(journey.retry().type, MienServiceResponse.ResponseType.JourneySuccess)
        }
        test("journeys: a refused answer leaves the step; an answer that another had given ends this view of it") {
            var problem = FakeServer.problem(422, "client_response_not_valid")
            val server = FakeServer { _, number -> if (number == 1) step("s1", "loginForm") else problem }
            val journey = JourneyClient(server.options()).start("login")
            expectError(MienException.Code.CLIENT_RESPONSE_NOT_VALID) { journey.respond("password", emptyMap<String, Any?>()) }
            problem = FakeServer.problem(409, "invalid_state")
            expectError(MienException.Code.INVALID_STATE) { journey.respond(ClientResponseOptionType.Cancel.type) }
            problem = step("s2", "loginForm")
            expectError(MienException.Code.INVALID_STATE) { journey.respond(ClientResponseOptionType.Cancel.type) }
            expectEqual(server.requests.size, 3)
        }
        test("journeys: every spelling of a step and an option is one") {
            for (action in JourneyActionType.values()) expectEqual(JourneyActionType.canonical(action.type), action.type)
            expectEqual(JourneyActionType.canonical("nativeBiometricsRegistration"), JourneyActionType.RegisterNativeBiometrics.type)
            expectEqual(JourneyActionType.canonical("action:id_verification"), JourneyActionType.IdentityVerification.type)
            expectEqual(JourneyActionType.canonical("of a newer server"), "of a newer server")
            expectEqual(ClientResponseOptionType.canonical("action_failure"), "fail")
            val words = java.io.File(System.getenv("MIEN_REPOSITORY"), "Sources/Domain/MienAPI/API/JourneyStepName.swift").readText()
            val wire = Regex("\"([^\"]+)\"").findAll(words).map { it.groupValues[1] }.toList()
            expect(wire.size > 20 && wire.all { word -> JourneyActionType.canonical(word) in JourneyActionType.values().map { it.type } }) {
                wire.filter { word -> JourneyActionType.canonical(word) !in JourneyActionType.values().map { it.type } }.toString()
            }
        }
        test("journeys: a saved one continues at its step, for the same app only, and contains no final token") {
            val server = FakeServer { _, number -> if (number == 1) step("s1", "loginForm", mapOf("device_token" to "dev_1")) else step(null, "rejection", mapOf("error_data" to mapOf("reason" to "denied"))) }
            val tokens = MemoryDeviceTokens()
            val client = JourneyClient(server.options(tokens))
            val state = client.start("login", StartJourneyOptions(mapOf("language" to "en"), "flow")).serializeState()
            expectEqual(tokens.deviceToken(AppKey("https://login.example.org", "shop"))!!.use { it }, "dev_1")
            expect("dev_1" !in text(Base64.decodeUrl(state.use { it })!!))
            val restored = client.restore(state)
            expectEqual(restored.response.journeyStepId, "loginForm")
            val ended = restored.respond("password")
            expectEqual(ended.type, MienServiceResponse.ResponseType.JourneyRejection)
            expectEqual(ended.errorCode, MienException.Code.CLIENT_RESPONSE_NOT_VALID)
            val other = JourneyClient(MienOptions("https://login.example.org", "other", transport = server))
            expectError(MienException.Code.INVALID_STATE) { other.restore(state) }
            for (text in listOf("", "x", Base64.encodeUrl(utf8("{}")))) expectError(MienException.Code.INVALID_STATE) { client.restore(Sensitive(text)) }
            client.start("login")
            expect("dev_1" in text(server.requests.last().body))
            expect("\"flow_id\":\"flow\"" in text(server.requests[0].body) && "\"additional_params\":{\"language\":\"en\"}" in text(server.requests[0].body))
        }
        test("journeys: the start token and the error are found wherever a step puts them") {
            fun response(data: Map<String, Any?>) = MienServiceResponse(Json.objectOf(step("s", "selfieAcquisition", mapOf("data" to data)).body)!!)
            expectEqual(response(mapOf("start_token" to "a")).startToken!!.use { it }, "a")
            expectEqual(response(mapOf("payload" to mapOf("start_token" to "b"))).startToken!!.use { it }, "b")
            expectEqual(response(mapOf("error" to mapOf("code" to "expired"))).errorCode, MienException.Code.EXPIRED_OTP_PASSCODE)
            expectEqual(response(emptyMap()).errorCode, null)
        }
    }
}

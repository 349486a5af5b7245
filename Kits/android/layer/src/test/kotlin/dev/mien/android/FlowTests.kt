package dev.mien.android

import android.content.Context
import androidx.fragment.app.FragmentActivity
import dev.mien.Authenticators
import dev.mien.BiometricPrivateKeyNotFoundException
import dev.mien.BiometricsAuthenticationResult
import dev.mien.BiometricsRegistrationResult
import dev.mien.ClientResponseOptionType
import dev.mien.DeviceException
import dev.mien.JourneyActionType
import dev.mien.JourneyClient
import dev.mien.JsonObject
import dev.mien.JsonText
import dev.mien.Mien
import dev.mien.MienException
import dev.mien.MienOptions
import dev.mien.MienServiceResponse
import dev.mien.MienSession
import dev.mien.OtpProvisioning
import dev.mien.Reauthentication
import dev.mien.ReauthenticationRequest
import dev.mien.Reauthenticator
import dev.mien.Sensitive
import dev.mien.ShownTransaction
import dev.mien.StartJourneyOptions
import dev.mien.Testing
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.expectThrows
import dev.mien.Texts
import dev.mien.TransientTokenStorage
import dev.mien.fake.Attestation
import dev.mien.fake.Phone
import dev.mien.fake.Screen
import dev.mien.fake.Touch
import org.example.shop.MyAwesomeApplication
import java.io.File
import java.util.Locale
import java.util.function.Function

/** The five flows of the guides, on the phone of the tests, against a real server. */
internal object FlowTests {
    private val texts = Texts.of(Locale.ENGLISH)
    private var count = 0
    private fun name() = "user-${++count}-${System.nanoTime() % 100_000}"

    private val livePassive = mapOf("FACE_LIVENESS_MODE" to "liveness_passive")

    /** Answers a step with a face, on the screens that the kit opens. */
    private fun showFace(response: MienServiceResponse, consents: Boolean, person: Person = Person()): Awaited<String> {
        val result = Awaited<String>()
        MienIdentityVerification.registerForStatus(object : MienIdentityVerificationStatus {
            override fun verificationCompleted() = result.succeed("completed")
            override fun verificationCanceled() = result.succeed("canceled")
            override fun verificationFail(error: MienException) = result.succeed("failed: ${error.reason}")
        })
        Phone.scene = person
        MienIdentityVerification.start(Phone.application, response.startToken!!.use { it })
        if (consents) Finger.press("I consent")
        return result
    }

    private fun needsFaces() {
        Heads.poses
        val packs = System.getenv("MIEN_HOME")?.let { File(it, "packs").list() }
        if (packs == null || packs.isEmpty()) Testing.skip("needs a model pack: run scripts/setup")
    }

    private fun start(journey: String, session: MienSession? = null) = AwaitedStep().also { Mien.startJourney(journey, StartJourneyOptions(), it, session) }.get()
    private fun answer(option: String, data: Any? = null) = AwaitedStep().also { Mien.submitClientResponse(option, data, it) }.get()
    private fun answer(option: ClientResponseOptionType, data: Any? = null) = answer(option.type, data)

    private fun initialize(server: Server, app: String = "default_application") {
        AndroidDevice.useMainThread()
        Mien.initialize(MienOptions(server.address, app))
    }

    /** Waits for the end of a capture, and leaves the page that says why it failed. */
    private fun finish(result: Awaited<String>, watch: () -> Unit = {}): String {
        repeat(600) {
            result.poll(200)?.let { return it }
            watch()
            if (texts.text("capture_failed_title") in Finger.texts()) {
                println("    ${Finger.texts()}")
                Finger.press(texts.text("button_continue"))
            }
        }
        throw Testing.Failure("the capture does not end, and shows ${Finger.texts()}")
    }

    /** A machine that holds a camera up for half a second ends a live capture: one more try, and it is told. */
    private fun twice(body: () -> Unit) {
        try { body() } catch (error: Testing.Failure) {
            println("    again after: ${error.message}")
            Phone.crashes.clear()
            body()
        }
    }

    /** Signs a user in with the password. */
    private fun session(server: Server, user: String, app: String = "default_application", storage: dev.mien.TokenStorage = TransientTokenStorage(),
                        context: Context? = null, reauthenticator: Reauthenticator? = null): MienSession {
        val session = MienSession(
            MienOptions(server.address, app), storage, context?.let { AndroidDevice.biometrics(it) }, reauthenticator = reauthenticator)
        session.configure()
        session.signIn(passwordToken(server, user, app))
        return session
    }

    private fun passwordToken(server: Server, user: String, app: String): Sensitive<String> {
        val journey = JourneyClient(MienOptions(server.address, app)).start("password-login")
        return journey.respond("password", mapOf("username" to user, "password" to Sensitive(Server.PASSWORD))).token
            ?: throw Testing.Failure("the password was refused: ${journey.response}")
    }

    fun register() {
        test("flow: sign up with a mailed code", "journeys", "sign-up", "one-time code by email") {
            val server = Servers.with(livePassive)
            initialize(server)
            val user = name()
            expectEqual(start("sign-up").journeyStepId, JourneyActionType.LoginForm.type)
            val data = mapOf("username" to user, "email" to "$user@example.org", "password" to Sensitive("a long password $user"), "name" to "Ada")
            val mailed = answer("account", data)
            expectEqual(mailed.journeyStepId, JourneyActionType.EmailOTPAuthentication.type)
            val code = server.mails.code()
            val wrong = answer(ClientResponseOptionType.ClientInput, mapOf("passcode" to (if (code == "000000") "000001" else "000000")))
            expectEqual(wrong.type, MienServiceResponse.ResponseType.ClientInputUpdateRequired)
            expectEqual(wrong.errorCode, MienException.Code.INVALID_CREDENTIALS)
            val consent = answer(ClientResponseOptionType.ClientInput, mapOf("passcode" to code))
            expectEqual(consent.journeyStepId, JourneyActionType.RecordConsent.type)
            val done = answer(ClientResponseOptionType.Cancel)
            expectEqual(done.type, MienServiceResponse.ResponseType.JourneySuccess)
            val session = MienSession(MienOptions(server.address))
            session.configure()
            session.signIn(done.token!!)
            expectEqual(session.userInfo().sub.take(4), "usr_")
            expectError(MienException.Code.NO_ACTIVE_JOURNEY) { answer(ClientResponseOptionType.ClientInput) }
        }
        test("flow: register a face, and log in with it, on the kit's screens", "selfie screens", "face registration", "face sign-in",
            "live capture with guidance and arrows", "screen reader and haptics") {
            needsFaces()
            val server = Servers.with(livePassive)
            initialize(server)
            val user = name()
            server.user(user)
            twice {
                start("face-registration")
                val consent = answer("password", mapOf("username" to user, "password" to Sensitive(Server.PASSWORD)))
                expectEqual(consent.journeyStepId, JourneyActionType.RecordConsent.type)
                val verify = answer(ClientResponseOptionType.ClientInput)
                expectEqual(verify.journeyStepId, JourneyActionType.IdentityVerification.type)
                val registered = showFace(verify, consents = false)
                Finger.press(texts.text("button_camera"))
                expectEqual(finish(registered), "completed")
                val session = verify.data!!.optJSONObject("payload")!!.optString("session")
                val state = verify.data!!.optJSONObject("payload")!!.optString("state")
                expectEqual(answer(ClientResponseOptionType.ClientInput, IDVResult(IDVResponsePayload(session, state))).journeyStepId, JourneyActionType.Success.type)
            }
            expect(Phone.vibrations > 2) { "${Phone.vibrations} vibrations" }
            twice {
                start("face-login")
                val selfie = answer("face", mapOf("user_identifier" to user))
                expectEqual(selfie.journeyStepId, JourneyActionType.SelfieAcquisition.type)
                Phone.announcements.clear()
                val shown = showFace(selfie, consents = false)
                Finger.press(texts.text("button_camera"))
                var arrows = 0
                expectEqual(finish(shown) { if (Finger.seesArrow()) arrows++ }, "completed")
                // One of the movements is always a turn.
                expect(arrows > 0) { "no arrow was drawn" }
                expect(Phone.announcements.any { it == texts.text("action_turn_left") || it == texts.text("action_turn_right") }) { "${Phone.announcements}" }
                val done = answer(ClientResponseOptionType.ClientInput)
                expectEqual(done.journeyStepId, JourneyActionType.Success.type)
                val signedIn = MienSession(MienOptions(server.address))
                signedIn.configure()
                signedIn.signIn(done.token!!)
                expectEqual(signedIn.authenticationMethods.sorted(), listOf("face", "x_live"))
            }
        }
        test("flow: a canceled capture, a denied camera, and a face that nobody shows", "cancel and retry", "“I can’t do this”") {
            needsFaces()
            val server = Servers.with(livePassive)
            initialize(server)
            val user = name()
            server.user(user)
            fun selfie(): MienServiceResponse {
                start("face-login")
                return answer("face", mapOf("user_identifier" to user))
            }
            val canceled = showFace(selfie(), consents = false)
            Finger.press(texts.text("button_cancel"))
            expectEqual(canceled.get(), "canceled")

            Phone.permissions.clear()
            Phone.grantsCamera = false
            val denied = showFace(selfie(), consents = false)
            Finger.press(texts.text("button_camera"))
            Finger.waitFor(texts.text("kit_camera_denied"))
            Phone.permissions.add(android.Manifest.permission.CAMERA)
            Finger.press(texts.text("button_retry"))
            Finger.press(texts.text("button_camera"))
            Finger.press(texts.text("capture_cannot_now"))
            Finger.waitFor(texts.text("capture_cannot_end"))
            Screen.onMain { Screen.top()!!.onBackPressed() }
            expectEqual(denied.get(), "canceled")

            val lost = selfie()
            val shown = showFace(lost, consents = false, person = Person("nobody"))
            Finger.press(texts.text("button_camera"))
            Finger.waitFor(texts.text("guidance_face_not_found"))
            Screen.onMain { Screen.top()!!.stop() }
            expectEqual(shown.get(), "canceled")
            repeat(500) { if (Screen.top() is MienCaptureActivity || Phone.open != null) Thread.sleep(20) }
            expect(Phone.open == null) { "the camera is still open" }
        }
        test("flow: a document session on the same screens, from consent to the result", "document screens", "document sessions") {
            needsFaces()
            val server = Servers.with(mapOf("IDENTITY_SOURCES" to "simulator", "IDENTITY_DOCUMENTS" to "passport"))
            val secret = server.admin("POST", "/v1/apps", mapOf("id" to "bank", "name" to "Bank", "type" to "confidential")).optString("client_secret")
            val access = server.form("/oauth2/token", mapOf("grant_type" to "client_credentials", "client_id" to "bank", "client_secret" to secret)).optString("access_token")
            val bearer = mapOf("authorization" to "Bearer $access")
            val made = server.send("POST", "/verify/api/v1/verification", mapOf(
                "required" to listOf("document"), "mock_behavior" to mapOf("recommendation" to "ALLOW")), bearer)
            initialize(server)
            val result = Awaited<String>()
            MienIdentityVerification.registerForStatus(object : MienIdentityVerificationStatus {
                override fun verificationCompleted() = result.succeed("completed")
                override fun verificationCanceled() = result.succeed("canceled")
                override fun verificationFail(error: MienException) = result.succeed("failed: ${error.reason}")
            })
            Phone.scene = Table()
            MienIdentityVerification.start(Phone.application, made.optString("start_token"))
            Finger.press(texts.text("document_consent_agree"))
            // Every country with passports is there to choose.
            Finger.press(Locale("", "AT").getDisplayCountry(Locale.ENGLISH))
            Finger.press(texts.text("button_continue"))
            Finger.waitFor(texts.text("document_front_title_passport"))
            Finger.waitFor(texts.text("document_step", mapOf("step" to "1", "count" to "1")) + "\n" + texts.text("document_front_text_passport"))
            Finger.press(texts.text("button_camera"))
            var outlines = 0
            repeat(300) {
                if (Finger.seesOutline()) outlines++
                if (texts.text("document_check_title") !in Finger.texts()) Thread.sleep(100)
            }
            expect(outlines > 0) { "no outline was drawn" }
            // One picture is taken again, before everything is sent.
            Finger.press(texts.text("document_retake"))
            Finger.press(texts.text("button_camera"))
            Finger.press(texts.text("document_send"), 60)
            expectEqual(finish(result), "completed")
            val judged = server.send("GET", "/verify/api/v1/verification/${made.optString("session_id")}/result", headers = bearer)
            expectEqual(judged.optString("status") + judged.optString("recommendation"), "completeALLOW")
        }
        test("flow: both sides of a card, with hints before the picture, and a face, on the kit's screens", "front, back, and portrait",
            "hints before a picture is sent") {
            needsFaces()
            val server = Servers.with(mapOf("IDENTITY_SOURCES" to "simulator", "IDENTITY_DOCUMENTS" to "passport,idCard"))
            val app = "shop-card"
            server.app(app, mapOf("liveness" to mapOf("mode" to "image")))
            server.journey(JsonText.read("""{"id": "check-card", "version": 1, "title": "Check a card", "start": "verify", "steps": {
                "verify": {"type": "identity_verification", "config": {"callback_url": "https://app.example/verified"},
                "on": {"allow": "done", "challenge": "more", "deny": "no", "failure": "no"}}, "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}},
                "more": {"type": "reject_access", "config": {"reason": "manual_review"}}, "no": {"type": "reject_access"}}}""".toByteArray())!!)
            initialize(server, app)
            val verify = start("check-card")
            expectEqual(verify.journeyStepId, JourneyActionType.IdentityVerification.type)
            val result = Awaited<String>()
            MienIdentityVerification.registerForStatus(object : MienIdentityVerificationStatus {
                override fun verificationCompleted() = result.succeed("completed")
                override fun verificationCanceled() = result.succeed("canceled")
                override fun verificationFail(error: MienException) = result.succeed("failed: ${error.reason}")
            })
            val desk = Desk()
            Phone.scene = desk
            MienIdentityVerification.start(Phone.application, verify.startToken!!.use { it })
            Finger.press(texts.text("document_consent_agree"))
            Finger.press(Locale("", "AT").getDisplayCountry(Locale.ENGLISH))
            Finger.press(texts.text("button_continue"))
            Finger.press(texts.text("document_type_idCard"))
            Finger.press(texts.text("button_continue"))
            Finger.waitFor(texts.text("document_front_title_idCard"))
            Finger.press(texts.text("button_camera"))
            Finger.waitFor(texts.text("document_guide_no_document_document_front"), 60)
            desk.side = "card_front"
            Finger.waitFor(texts.text("document_back_title_idCard"), 60)
            Finger.press(texts.text("button_camera"))
            desk.side = "card_back"
            Finger.waitFor(texts.text("capture_ready_title"), 60)
            Finger.press(texts.text("button_camera"))
            Finger.press(texts.text("document_send"), 60)
            expectEqual(finish(result), "completed")
            expect(answer(ClientResponseOptionType.ClientInput).type != MienServiceResponse.ResponseType.ClientInputRequired)
        }
        test("flow: the guide's Java code for biometric login, with an attested key and tokens bound to another", "biometric login", "attestation of keys") {
            val roots = File.createTempFile("roots", ".pem").also { it.writeText(Attestation.pem()) }
            val server = Servers.with(mapOf("ATTESTATION_ROOTS" to roots.path))
            val app = "shop-java"
            server.app(app, mapOf("requires_dpop" to true, "biometric" to mapOf(
                "enabled" to true, "attestation" to "required",
                "android_apps" to listOf(mapOf("package" to Attestation.PACKAGE, "signature_digests" to listOf("0".repeat(64)))))))
            val user = name()
            server.user(user)
            val activity = Screen.open(FragmentActivity())
            val shop = MyAwesomeApplication()
            shop.begin(Phone.application, app, server.address)
            expectEqual(shop.events.poll(20, java.util.concurrent.TimeUnit.SECONDS), "configured")
            shop.mien.session.signIn(passwordToken(server, user, app))
            expect(shop.isSupported)
            expect(!shop.mien.isBiometricEnabled())
            Phone.touches.add(Touch.RIGHT)
            shop.enable(activity)
            expectEqual(shop.events.poll(20, java.util.concurrent.TimeUnit.SECONDS), "enabled")
            expect(shop.mien.isBiometricEnabled())
            shop.mien.session.signOut()
            Phone.touches.add(Touch.RIGHT)
            shop.authenticate(activity)
            expectEqual(shop.events.poll(20, java.util.concurrent.TimeUnit.SECONDS), "signed in")
            expectEqual(shop.mien.session.authenticationMethods.sorted(), listOf("hwk", "x_biometric"))
            for ((touch, event) in listOf(Touch.CANCEL to "canceled", Touch.PERMANENT_LOCKOUT to "locked out")) {
                Phone.touches.add(touch)
                shop.authenticate(activity)
                expectEqual(shop.events.poll(20, java.util.concurrent.TimeUnit.SECONDS), event)
            }
            Phone.enroll()
            shop.authenticate(activity)
            expectEqual(shop.events.poll(20, java.util.concurrent.TimeUnit.SECONDS), "set up again")
            expect(!shop.mien.isBiometricEnabled())
        }
        test("flow: biometric login with the PIN or a finger after the app has started again, and a key that the server removed",
            "passcode instead of biometrics") {
            val server = Servers.with(livePassive)
            val app = "shop-pin"
            server.app(app, mapOf("biometric" to mapOf("enabled" to true)))
            val user = name()
            server.user(user)
            val session = session(server, user, app, KeystoreTokenStorage(Phone.application), Phone.application)
            val device = session.device()
            val both = KeyTests.options(Authenticators.BIOMETRIC_STRONG or Authenticators.DEVICE_CREDENTIAL)
            val biometrics = dev.mien.BiometricLogin(session, device)
            Phone.touches.add(Touch.PIN)
            biometrics.enable(both)
            session.signOut()

            // The app starts again. Nobody is signed in, but the key is there.
            val again = MienSession(MienOptions(server.address, app), KeystoreTokenStorage(Phone.application), device)
            again.configure()
            expectEqual(again.state, MienSession.State.SIGNED_OUT_NOT_YET)
            val login = dev.mien.BiometricLogin(again, device)
            Phone.touches.add(Touch.PIN)
            login.authenticate(both)
            expectEqual(again.authenticationMethods.sorted(), listOf("pin", "pop"))
            Phone.touches.add(Touch.RIGHT)
            login.authenticate(both)
            expectEqual(again.authenticationMethods.sorted(), listOf("pop", "x_biometric"))
            expectEqual(device.keys.tags().size, 1)
            val item = server.admin("GET", "/v1/users/${again.userInfo().sub}/authenticators").list("items")!!
                .map { it as JsonObject }.single { it.optString("type") == "native_biometrics" }
            server.admin("DELETE", "/v1/users/${again.userInfo().sub}/authenticators/${item.optString("id")}")
            Phone.touches.add(Touch.RIGHT)
            expectThrows<BiometricPrivateKeyNotFoundException> { login.authenticate(both) }
            expect(!login.isEnabled())
        }
        test("flow: journeys register a device key, sign in with it, and sign a transaction, in the guide's Kotlin", "device keys in journeys") {
            val server = Servers.with(livePassive)
            val app = "shop-journeys"
            server.app(app, mapOf("biometric" to mapOf("enabled" to true)))
            for (journey in listOf("register-device", "device-login")) server.admin("POST", "/v1/journeys/$journey/versions/1/publish", emptyMap())
            val user = name()
            server.user(user)
            initialize(server, app)
            val session = session(server, user, app)
            val step = start("register-device", session)
            expectEqual(step.journeyStepId, JourneyActionType.RegisterNativeBiometrics.type)
            val registered = Awaited<BiometricsRegistrationResult>()
            MienAuthentication.registerNativeBiometrics(Phone.application, step.responseData!!.optString("user_identifier"), object : MienAuthCallback<BiometricsRegistrationResult> {
                override fun success(result: BiometricsRegistrationResult) = registered.succeed(result)
                override fun error(error: DeviceException) = registered.fail(error)
            })
            expectEqual(answer(ClientResponseOptionType.ClientInput, registered.get()).journeyStepId, JourneyActionType.Success.type)

            start("device-login")
            val challenge = answer("native_biometrics", mapOf("user_identifier" to user))
            expectEqual(challenge.journeyStepId, JourneyActionType.NativeBiometricsAuthentication.type)
            Phone.touches.add(Touch.RIGHT)
            val proof = Awaited<BiometricsAuthenticationResult>()
            MienAuthentication.authenticateNativeBiometrics(
                KeyTests.options(), challenge.data!!.optString("user_identifier"), challenge.data!!.optString("challenge"),
                object : MienAuthCallback<BiometricsAuthenticationResult> {
                    override fun success(result: BiometricsAuthenticationResult) = proof.succeed(result)
                    override fun error(error: DeviceException) = proof.fail(error)
                })
            expectEqual(answer(ClientResponseOptionType.ClientInput, proof.get()).journeyStepId, JourneyActionType.Success.type)

            server.journey(JsonText.read("""{"id": "sign-payment", "version": 1, "title": "Pay", "requires_user": true, "start": "sign", "steps": {
                "sign": {"type": "transaction_signing_native_biometrics", "config": {"approval_data": {"amount": "'120.50'", "to": "'CH93'"}},
                "on": {"success": "done", "failure": "no"}}, "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}""".toByteArray())!!)
            val payment = start("sign-payment", session)
            expectEqual(payment.journeyStepId, JourneyActionType.NativeBiometricsTransactionSigning.type)
            Phone.touches.add(Touch.RIGHT)
            val signed = dev.mien.NativeBiometrics(AndroidDevice.biometrics(Phone.application), app).authenticate(payment, KeyTests.options())
            expectEqual(answer(ClientResponseOptionType.ClientInput, signed).journeyStepId, JourneyActionType.Success.type)
        }
        test("flow: one-time codes and a transaction with a PIN, and an approval on this phone", "one-time codes of a token") {
            val server = Servers.with(livePassive)
            val user = name()
            val id = server.user(user)
            val options = MienOptions(server.address)
            val provisioning = OtpProvisioning(options)
            expectError(MienException.Code.INVALID_CREDENTIALS) { provisioning.redeem(Sensitive("otc_wrong"), "Phone") }
            for (kind in listOf("totp", "hotp")) {
                val code = server.admin("POST", "/v1/users/$id/otp/default_application/registrations", mapOf("kind" to kind)).optString("registration_code")
                val token = provisioning.redeem(Sensitive(code), "Phone")
                val vault = AndroidDevice.otpVault(Phone.application)
                val pin = Sensitive("2468")
                vault.keep(token, pin)
                expectEqual(vault.tokens().last().kind, kind)
                expect(!provisioning.confirm(vault.code(token.id, Sensitive("1357")), token.id)) { "a wrong PIN" }
                expect(provisioning.confirm(vault.code(token.id, pin), token.id)) { "the right PIN of $kind" }
                if (kind != "hotp") continue
                vault.changePin(token.id, pin, Sensitive("97531"))
                expect(provisioning.confirm(vault.code(token.id, Sensitive("97531")), token.id)) { "a changed PIN" }

                val session = session(server, user)
                server.journey(JsonText.read("""{"id": "pay-otp", "version": 1, "title": "Pay", "requires_user": true, "start": "sign", "steps": {
                    "sign": {"type": "transaction_signing_otp", "config": {"approval_data": {"amount": "'120.50'", "to": "'CH93'"}},
                    "on": {"success": "done", "failure": "no"}}, "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}""".toByteArray())!!)
                initialize(server)
                val step = start("pay-otp", session)
                expectEqual(step.journeyStepId, JourneyActionType.OTPTransactionSigning.type)
                val data = step.data!!.optJSONObject("approval_data")!!
                val challenge = step.data!!.optString("transaction_challenge")
                val shown = ShownTransaction.of(data, challenge)
                expectEqual(shown.lines.joinToString { it.name + "=" + it.value }, "amount=120.50, to=CH93")
                expectError(MienException.Code.CLIENT_RESPONSE_NOT_VALID) { ShownTransaction.of(JsonObject(data + ("amount" to "1.00")), challenge) }
                val signature = vault.sign(shown, token.id, Sensitive("97531"))
                expectEqual(answer(ClientResponseOptionType.ClientInput, mapOf("passcode" to signature.text)).journeyStepId, JourneyActionType.Success.type)

                server.journey(JsonText.read("""{"id": "approve-otp", "version": 1, "title": "Pay", "requires_user": true, "start": "ask", "steps": {
                    "ask": {"type": "transaction_approval_otp", "config": {"approval_data": {"amount": "'99.00'", "to": "'CH93'"}},
                    "on": {"success": "done", "failure": "no"}}, "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}""".toByteArray())!!)
                val asked = start("approve-otp", session)
                val early = answer(ClientResponseOptionType.ClientInput)
                expectEqual(early.data!!.optJSONObject("error")!!.optString("code"), "not_yet")
                expect(provisioning.transaction("00000-00000", token.id) == null)
                val waiting = provisioning.transaction(asked.data!!.optString("approval_code"), token.id)!!
                expectEqual(waiting.shown.lines[0].value, "99.00")
                expect(provisioning.approve(waiting, vault.sign(waiting.shown, token.id, Sensitive("97531"))))
                expectEqual(answer(ClientResponseOptionType.ClientInput).journeyStepId, JourneyActionType.Success.type)
            }
        }
        test("flow: the sign-in page in a Custom Tab", "sign-in page in the system's browser", "session bound to a key (DPoP)") {
            val server = Servers.with(livePassive)
            val app = "shop-page"
            server.app(app, mapOf("sign_in_page" to true, "redirect_uris" to listOf("com.example.shop://signed-in")))
            val user = name()
            server.user(user)
            Screen.scheme = "com.example.shop"
            Screen.receiver = MienRedirectActivity::class.java
            Screen.browser = Function { url -> Browser(server.address).signIn(url, user, Server.PASSWORD) }
            val activity = Screen.open(FragmentActivity())
            val client = MienClient(Phone.application, app, server.address)
            client.session.configure()
            val result = Awaited<String>()
            fun authenticate() = client.authenticate(activity, "com.example.shop://signed-in", object : OnAuthenticateListener {
                override fun onAuthenticated(userInfo: dev.mien.UserInfo) = result.succeed(userInfo.sub)
                override fun onAuthenticationFailed(throwable: Throwable) = result.fail(throwable)
            })
            authenticate()
            expectEqual(result.get().take(4), "usr_")
            // The tokens are bound to a key: they are no bearer tokens.
            val headers = client.session.authorization("GET", server.address + "/oauth2/userinfo?x=1")
            expect(headers.getValue("authorization").startsWith("DPoP "))
            expectEqual(server.send("GET", "/oauth2/userinfo", headers = headers).optString("sub").take(4), "usr_")
            val bearer = mapOf("authorization" to headers.getValue("authorization").replace("DPoP", "Bearer"))
            expectThrows<Testing.Failure> { server.send("GET", "/oauth2/userinfo", headers = bearer) }
            Screen.browser = Function { null }
            authenticate()
            expectThrows<dev.mien.CancelException> { result.get() }
            Screen.browser = Function { url -> Browser(server.address).signIn(url, user, Server.PASSWORD).replace("state=", "state=x") }
            authenticate()
            expectError(MienException.Code.INVALID_STATE) { result.get() }
        }
        test("flow: a change needs a fresh sign-in, which the app's own screens make; nobody else's is accepted") {
            val server = Servers.with(livePassive)
            val app = "shop-fresh"
            server.app(app, mapOf("biometric" to mapOf("enabled" to true)))
            val (user, other) = Pair(name(), name())
            server.user(user)
            server.user(other)
            var asked: ReauthenticationRequest? = null
            var answering = user
            var calls = 0
            val session = session(server, user, app, reauthenticator = object : Reauthenticator {
                override fun signInAgain(request: ReauthenticationRequest, session: MienSession): Reauthentication {
                    asked = request
                    calls++
                    return Reauthentication.journeyToken(passwordToken(server, answering, app))
                }
            })
            var isRefused = true
            fun change() = session.performing {
                if (isRefused) throw MienException.of(dev.mien.HttpResponse(401, mapOf(
                    "www-authenticate" to "DPoP error=\"insufficient_user_authentication\", max_age=300, acr_values=\"2\""), ByteArray(0)))!!
                "changed"
            }
            answering = other
            expectError(MienException.Code.REAUTHENTICATION_REQUIRED) { change() }
            expectEqual(asked!!.loginHint, session.userInfo().sub)
            expectEqual("${asked!!.maxAgeSeconds} ${asked!!.acrValues}", "300 [2]")
            answering = user
            expectError(MienException.Code.REAUTHENTICATION_REQUIRED) { change() }
            expectEqual(calls, 2)
            isRefused = false
            expectEqual(change(), "changed")
            expectEqual(calls, 2)
        }
        test("flow: tokens, passwords, codes, and faces do not reach the server's log or what the kit prints") {
            val server = Servers.with(livePassive)
            val log = server.logText()
            for (word in listOf(Server.PASSWORD, "grt_", "otc_", "Bearer ", "DPoP ey")) expect(word !in log) { "the log contains “$word”" }
        }
    }
}

/** The session's device, which tests made. */
private fun MienSession.device() = AndroidDevice.biometrics(Phone.application)

private class IDVResponsePayload(val sessionId: String, val state: String) : dev.mien.MienData {
    override fun members() = mapOf("sessionId" to sessionId, "state" to state)
}

private class IDVResult(val payload: IDVResponsePayload) : dev.mien.MienData {
    override fun members() = mapOf("payload" to payload)
}

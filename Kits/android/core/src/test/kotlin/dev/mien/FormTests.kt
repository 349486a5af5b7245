package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.expectThrows
import dev.mien.Testing.test

/** The forms of texts: base64, JSON, addresses, dates, challenges. */
internal object FormTests {
    fun register() {
        test("base64: as Java's, for every length, and strictly back") {
            val random = java.util.Random(1)
            for (size in 0..70) {
                val bytes = ByteArray(size).also { random.nextBytes(it) }
                expectEqual(Base64.encode(bytes), java.util.Base64.getEncoder().encodeToString(bytes))
                expectEqual(Base64.encodeUrl(bytes), java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(bytes))
                expect(Base64.decodeUrl(Base64.encodeUrl(bytes))!!.contentEquals(bytes))
                expect(Base64.decode(Base64.encode(bytes))!!.contentEquals(bytes))
            }
            for (wrong in listOf("A", "AB=", "AB+/", "A\n", "AB", "é", "AAAAA")) expect(Base64.decodeUrl(wrong) == null) { wrong }
        }
        test("JSON: values, escapes, and order come back") {
            val text = """{"a":[1,-2.5,"x\"\\\n\u00e9",true,null,{}],"b":{"c":9007199254740993}}"""
            val read = Json.parse(text)
            expectEqual(Json.write(read), "{\"a\":[1,-2.5,\"x\\\"\\\\\\né\",true,null,{}],\"b\":{\"c\":9007199254740993}}")
            expectEqual(Json.write(mapOf("\ud83d\ude00" to 1, "\uffff" to 2, "b" to 3)), "{\"b\":3,\"\uffff\":2,\"\ud83d\ude00\":1}")
            val nested = object : MienData { override fun members() = mapOf("s" to Sensitive("x")) }
            expectEqual(Json.write(listOf(1L, 1.0, 1.5f, Double.NaN, nested)), "[1,1,1.5,null,{\"s\":\"x\"}]")
            expectError(MienException.Code.CLIENT_RESPONSE_NOT_VALID) { Json.write(mapOf("a" to Thread.currentThread())) }
        }
        test("JSON: everything else is malformed") {
            val wrong = listOf(
                "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "1.", "-", "+1", "\"\t\"", "\"\\x\"", "\"\\u12g4\"", "tru", "1 2", "nul",
                "\"\\ud800\"", "\"\\udc00x\"", "\"\\ud83d\\u0041\"", "[".repeat(40) + "]".repeat(40), "{a:1}", "'a'", "\"a")
            for (text in wrong) expectThrows<Json.Malformed> { Json.parse(text) }
            expect(Json.objectOf("[]".toByteArray()) == null && Json.objectOf(byteArrayOf(-1)) == null)
            // A byte that is not UTF-8, in a text.
            expect(Json.objectOf("{\"a\":\"\u00ff\"}".toByteArray(Charsets.ISO_8859_1)) == null)
            expectEqual(Json.parse("\"\\ud83d\\ude00\""), "\ud83d\ude00")
        }
        test("addresses: https, or this machine; segments cannot leave theirs") {
            for (good in listOf("https://login.example.org", "https://a.b:8443/mien/", "http://127.0.0.1:1", "http://[::1]:8080", "http://LOCALHOST")) {
                expect(ServerAddress.of(good, false).text == good.removeSuffix("/").let { it.replace("HTTP", "http") }) { good }
            }
            val wrong = listOf(
                "login.example.org", "http://login.example.org", "ftp://a", "https://", "https://a:99999", "https://user@a", "https://a?x", "https://a#x",
                "https://a b", "https://é", "https://a:", "https://[::1", "http://127.0.0.1.evil.org")
            for (text in wrong) expectError(MienException.Code.INVALID_INITIALIZATION_OPTIONS) { ServerAddress.of(text, false) }
            ServerAddress.of("http://intranet", true)
            val address = ServerAddress.of("https://a", false)
            expectEqual(address.url(listOf("v1", "a/b ?ü")), "https://a/v1/a%2Fb%20%3F%C3%BC")
            for (segment in listOf("", ".", "..")) expectThrows<MienException> { address.url(listOf(segment)) }
        }
        test("dates and challenges of responses") {
            expectEqual(HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777000L)
            expectEqual(HttpDate.parse("Thu, 29 Feb 2024 23:59:60 GMT"), 1709251200000L)
            for (wrong in listOf("Sun, 06 Nov 1994 08:49:37 UTC", "Wed, 30 Feb 2024 00:00:00 GMT", "Sun, 06 Xxx 1994 08:49:37 GMT", "784111777", "")) {
                expectEqual(HttpDate.parse(wrong), null)
            }
            val found = AuthenticationChallenge.parse("DPoP error=\"use_dpop_nonce\", algs=\"ES256\", Bearer realm = x, error=a\\b")
            expectEqual(found.map { it.scheme }, listOf("dpop", "bearer"))
            expectEqual(found[0].parameters["error"] + found[1].parameters["realm"], "use_dpop_noncex")
            expectEqual(AuthenticationChallenge.parse("a b=\"c\\\"d\"")[0].parameters["b"], "c\"d")
            expect(AuthenticationChallenge.parse("=x").isEmpty() && AuthenticationChallenge.parse("a".repeat(9000)).isEmpty())
        }
        test("redirects: only the page's own answer is accepted") {
            val server = ServerMetadata(Json.objectOf(FakeServer.discovery.body)!!)
            val page = SignInPage("https://login.example.org/x", "com.example.shop://back", "st", "no", Sensitive("ver"))
            val iss = "iss=https%3A%2F%2Flogin.example.org"
            expectEqual(SignInRedirect.check("com.example.shop://back?code=c%2B1&state=st&$iss#x", page, server).code.use { it }, "c+1")
            val wrong = listOf(
                "com.example.shop://back", "com.example.shop://other?code=c&state=st&$iss", "com.example.shop://backx?code=c&state=st&$iss",
                "com.example.shop://back?code=c&state=xx&$iss", "com.example.shop://back?code=c&state=st", "com.example.shop://back?code=c&state=st&iss=x",
                "com.example.shop://back?state=st&$iss", "com.example.shop://back?code=a&code=b&state=st&$iss", "com.example.shop://back?code=%zz&state=st&$iss",
                "com.example.shop://back?code=%4", "com.example.shop://back?code=&state=st&$iss")
            for (url in wrong) expectError(MienException.Code.INVALID_STATE) { SignInRedirect.check(url, page, server) }
            val refused = expectError(MienException.Code.OAUTH_ERROR) { SignInRedirect.check("com.example.shop://back?error=access_denied&state=st&$iss", page, server) }
            expectEqual(refused.oauthError, "access_denied")
        }
        test("tokens: malformed ones have no claims, and stored ones come back") {
            for (text in listOf("", "a.b", "a.!.c", "a." + Base64.encodeUrl("[]".toByteArray()) + ".c")) expect(Jws.claims(Sensitive(text)).isEmpty())
            val tokens = SessionTokens(Sensitive("a"), 4, 5, null, Sensitive("i"), "s", Sensitive("r"), null)
            val again = SessionTokens.fromJson(tokens.toJson())!!
            expect(again.accessToken == tokens.accessToken && again.refreshToken == null && again.idToken == tokens.idToken && again.repeatKey == tokens.repeatKey && again.expiresAt == 5L)
            expect(SessionTokens.fromJson(Sensitive("{}")) == null)
        }
        test("words: the screens have the pages' languages, and English otherwise", "the pages' words and languages") {
            expectEqual(Texts.of(java.util.Locale.ENGLISH).text("action_blink"), "Blink")
            val arabic = Texts.of(java.util.Locale("ar", "EG"))
            expect(arabic.isRightToLeft && arabic.text("action_blink") != "Blink" && arabic.text("kit_camera_denied") != "kit_camera_denied")
            expect(Texts.of(java.util.Locale("es")).text("button_cancel") != "Cancel")
            expectEqual(Texts.of(java.util.Locale.JAPANESE).language, "en")
            expectEqual(Texts.of(java.util.Locale.ENGLISH).text("capture_title", mapOf("app" to "Shop")), "Check that it’s you – Shop")
        }
    }
}

package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.test
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** A session's tokens. */
internal object SessionTests {
    private class World(answer: (HttpRequest, Int) -> HttpResponse?) {
        @Volatile var now = 1_800_000_000_000L
        val storage = TransientTokenStorage()
        val server = FakeServer { request, number -> if (request.url.endsWith("openid-configuration")) FakeServer.discovery else answer(request, number) }
        fun session() = MienSession(server.options(), storage, null, null, null, { now }, {})
    }

    fun register() {
        test("session: tokens are bound to a key, and renewed before they expire, once for all callers") {
            var refreshes = 0
            val world = World { request, _ ->
                val fields = form(request)
                if (fields["grant_type"] == "refresh_token") {
                    Thread.sleep(50)
                    FakeServer.tokens("a${++refreshes}", "r$refreshes")
                } else FakeServer.tokens("a0", "r0")
            }
            val session = world.session()
            expectError(MienException.Code.NOT_INITIALIZED) { session.accessToken() }
            session.configure()
            expectError(MienException.Code.UNAUTHENTICATED_USER) { session.accessToken() }
            session.signIn(Sensitive("journey"))
            expectEqual(session.state, MienSession.State.SIGNED_IN)
            expectEqual(session.authenticationMethods, listOf("pwd"))
            expectEqual(session.accessToken().use { it }, "a0")
            world.now += 271_000
            val pool = Executors.newFixedThreadPool(8)
            val start = CountDownLatch(8)
            val found = (0 until 8).map { pool.submit<String> {
                start.countDown()
                start.await()
                session.accessToken().use { it }
            } }.map { it.get(20, TimeUnit.SECONDS) }
            pool.shutdown()
            expectEqual(found.distinct(), listOf("a1"))
            val last = world.server.requests.last()
            expectEqual(form(last)["refresh_token"], "r0")
            expect(form(last).getValue("repeat_key").length >= 16)
            val thumbprint = session.proofKeyThumbprint()
            expectEqual(world.storage.tokens(session.key)!!.keyThumbprint, thumbprint)
            val headers = session.authorization("GET", "https://api.example.org/orders?id=1#x")
            expectEqual(Jws.claims(Sensitive(headers.getValue("dpop"))).optString("htu"), "https://api.example.org/orders")
            expectEqual(world.session().also { it.configure() }.state, MienSession.State.SIGNED_IN)
        }
        test("session: a refresh whose response was lost is asked for again with the same key; a refused one ends the sign-in") {
            var isLost = true
            val world = World { request, _ ->
                when {
                    form(request)["grant_type"] != "refresh_token" -> FakeServer.tokens("a0", "r0", 10)
                    isLost -> null
                    else -> FakeServer.json(400, mapOf("error" to "invalid_grant", "error_description" to "no"))
                }
            }
            val session = world.session()
            session.configure()
            session.signIn(Sensitive("journey"))
            expectError(MienException.Code.NETWORK_ERROR) { session.accessToken() }
            expectEqual(session.state, MienSession.State.SIGNED_IN)
            isLost = false
            expectError(MienException.Code.UNAUTHENTICATED_USER) { session.accessToken() }
            expectEqual(session.state, MienSession.State.SIGNED_OUT_ENDED)
            val keys = world.server.requests.filter { it.url.endsWith("token") }.mapNotNull { form(it)["repeat_key"] }
            expect(keys.size == 5 && keys.distinct().size == 1)
            expect(world.storage.tokens(session.key) == null)
        }
        test("session: without the key, tokens end; a sign-out forgets them even if the server does not hear of it") {
            val world = World { _, _ -> FakeServer.tokens("a0", "r0") }
            val session = world.session()
            session.configure()
            session.signIn(Sensitive("journey"))
            val stored = world.storage.tokens(session.key)!!
            val elsewhere = TransientTokenStorage()
            elsewhere.store(stored, session.key)
            val other = MienSession(world.server.options(), elsewhere, null, null, null, { world.now }, {})
            other.configure()
            expectEqual(other.state, MienSession.State.SIGNED_OUT_ENDED)
            val states = ArrayList<MienSession.State>()
            session.onState = { states.add(it) }
            session.signOut()
            expectEqual(states, arrayListOf(MienSession.State.SIGNED_OUT_BY_USER))
            expectEqual(world.server.count("/oauth2/revoke"), 1)
        }
        test("session: bound tokens without a key of the session are refused") {
            val world = World { _, _ -> FakeServer.tokens("a0", "r0") }
            val bearer = object : TokenStorage {
                override fun tokens(key: AppKey): SessionTokens? = null
                override fun store(tokens: SessionTokens, key: AppKey) = Unit
                override fun remove(key: AppKey) = Unit
            }
            val session = MienSession(world.server.options(), bearer, null, null, null, { world.now }, {})
            session.configure()
            expectError(MienException.Code.SERVER_ERROR) { session.signIn(Sensitive("journey")) }
            expect("dpop" !in world.server.requests.last().headers)
        }
        test("session: the page's visit has PKCE, state, nonce, and the key; another sign-in's ID token is refused") {
            val world = World { request, _ -> if (request.url.endsWith("token")) FakeServer.tokens("a0", "r0") else FakeServer.json(200, emptyMap()) }
            val session = world.session()
            session.configure()
            val page = session.signInPage("com.example.shop://back")
            val query = page.url.substringAfter('?').split('&').associate { it.substringBefore('=') to Percent.decode(it.substringAfter('='))!! }
            expectEqual(query["code_challenge"], Base64.encodeUrl(sha256(utf8(page.codeVerifier.use { it }))))
            expectEqual(query["dpop_jkt"], session.proofKeyThumbprint())
            expectEqual(query["state"] + query["nonce"], page.state + page.nonce)
            val redirect = "com.example.shop://back?code=c&state=${page.state}&iss=https%3A%2F%2Flogin.example.org"
            expectError(MienException.Code.INVALID_STATE) { session.signIn(page, redirect) }
            expectEqual(world.server.count("/oauth2/revoke"), 1)
            expectEqual(session.state, MienSession.State.SIGNED_OUT_NOT_YET)
        }
    }
}

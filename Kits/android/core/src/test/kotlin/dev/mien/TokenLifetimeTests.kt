package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.test
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** Access tokens on a device whose clock people set. */
internal object TokenLifetimeTests {
    private const val HOUR = 3_600_000L

    /** A device, and a server that knows the true time: tokens are valid for 300 s. */
    private class World(private val refreshes: Boolean = true) {
        @Volatile var now = 1_800_000_000_000L
        @Volatile var elapsed = 50_000L
        @Volatile var accepts = true
        @Volatile var revokes = false
        val storage = TransientTokenStorage()
        private val issued = java.util.concurrent.ConcurrentHashMap<String, Long>()
        private var time = 0L
        private val counts = java.util.Collections.synchronizedList(ArrayList<String>())
        val server = FakeServer { request, _ -> answer(request) }

        fun pass(milliseconds: Long) {
            now += milliseconds
            elapsed += milliseconds
            time += milliseconds
        }

        fun revokeAll() = issued.clear()
        fun count(what: String) = counts.count { it == what }
        /** The session after a start of the app, without what only its memory knows. */
        fun session(): MienSession {
            val stored = object : TokenStorage, ProofKeyStorage by storage {
                override fun tokens(key: AppKey) = storage.tokens(key)?.let { SessionTokens.fromJson(it.toJson()) }
                override fun store(tokens: SessionTokens, key: AppKey) = storage.store(tokens, key)
                override fun remove(key: AppKey) = storage.remove(key)
            }
            return MienSession(server.options(), stored, null, null, null, { now }, {}, { elapsed }).also { it.configure() }
        }

        private fun answer(request: HttpRequest): HttpResponse {
            if (request.url.endsWith("openid-configuration")) return FakeServer.discovery
            if (!request.url.endsWith("/oauth2/token")) return show(request)
            val isRefresh = form(request)["grant_type"] == "refresh_token"
            if (isRefresh && !accepts) return FakeServer.json(400, mapOf("error" to "invalid_grant", "error_description" to "no"))
            if (isRefresh) counts.add("refresh")
            val name = "a${counts.size}-${issued.size}"
            if (!revokes) issued[name] = time
            val answer = FakeServer.tokens(name, "r")
            return if (refreshes) answer else HttpResponse(200, emptyMap(), Json.bytes(Json.objectOf(answer.body)!!.filterKeys { it != "refresh_token" }))
        }

        private fun show(request: HttpRequest): HttpResponse {
            val at = issued[request.headers["authorization"]?.substringAfter(' ') ?: ""]
            if (at != null && time < at + 300_000) return FakeServer.json(200, mapOf("sub" to "usr_1"))
            counts.add("refused")
            return FakeServer.json(401, mapOf("error" to "invalid_token"), mapOf("www-authenticate" to "DPoP realm=\"mien\", error=\"invalid_token\""))
        }
    }

    fun register() {
        test("lifetimes: a session that runs renews its token in time, whatever the clock is set to") {
            for (change in listOf(-HOUR * 24 * 365, -HOUR, -40_000L, 0, 40_000, HOUR)) {
                val world = World()
                val session = world.session()
                session.signIn(Sensitive("journey"))
                world.now += change
                session.userInfo()
                expectEqual(world.count("refresh"), 0)
                world.pass(280_000)
                session.userInfo()
                expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(1, 0))
            }
        }
        test("lifetimes: a stored token from the future is renewed before it is used, after a start of the app and of the device") {
            for (reboots in listOf(false, true)) {
                val world = World()
                world.session().signIn(Sensitive("journey"))
                if (reboots) world.elapsed = 0
                world.session().userInfo()
                expectEqual(world.count("refresh"), 0)
                world.now -= HOUR
                val late = world.session()
                repeat(2) { late.userInfo() }
                expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(1, 0))
                world.now += 2 * HOUR
                world.session().userInfo()
                expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(2, 0))
            }
        }
        test("lifetimes: a token that the server refuses is renewed once, and the request is sent once more, whatever its method") {
            val world = World()
            world.session().signIn(Sensitive("journey"))
            world.pass(400_000)
            world.now -= 350_000
            val session = world.session()
            expectEqual(session.userInfo().sub, "usr_1")
            expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(1, 1))
            world.revokeAll()
            expectEqual(session.send("POST", listOf("v1", "me", "things"))!!.optString("sub"), "usr_1")
            expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(2, 2))
            world.revokes = true
            world.revokeAll()
            expectEqual(expectError(MienException.Code.OAUTH_ERROR) { session.userInfo() }.oauthError, "invalid_token")
            expectEqual(listOf(world.count("refresh"), world.count("refused")), listOf(3, 4))
            expectEqual(session.state, MienSession.State.SIGNED_IN)
        }
        test("lifetimes: a refused token ends the sign-in if its refresh token is refused, too, and without one is an error") {
            val world = World()
            val session = world.session()
            session.signIn(Sensitive("journey"))
            world.revokeAll()
            world.accepts = false
            expectEqual(expectError(MienException.Code.UNAUTHENTICATED_USER) { session.userInfo() }.oauthError, "invalid_grant")
            expectEqual(session.state, MienSession.State.SIGNED_OUT_ENDED)
            val poor = World(refreshes = false)
            val other = poor.session()
            other.signIn(Sensitive("journey"))
            poor.revokeAll()
            expectEqual(expectError(MienException.Code.OAUTH_ERROR) { other.userInfo() }.oauthError, "invalid_token")
            expectEqual(other.state, MienSession.State.SIGNED_IN)
        }
        test("lifetimes: several callers whose token is refused share one renewal") {
            val world = World()
            val session = world.session()
            session.signIn(Sensitive("journey"))
            world.revokeAll()
            val pool = Executors.newFixedThreadPool(8)
            val found = (0 until 8).map { pool.submit<String> { session.userInfo().sub } }.map { it.get(20, TimeUnit.SECONDS) }
            pool.shutdown()
            expectEqual(found.distinct(), listOf("usr_1"))
            expectEqual(world.count("refresh"), 1)
        }
        test("lifetimes: the time of issue is stored; tokens that were stored without one last until they expire") {
            val tokens = SessionTokens(Sensitive("a"), 4, 500_000, null, null, "", null, null)
            expectEqual(SessionTokens.fromJson(tokens.toJson())!!.issuedAt, 4L)
            val old = Json.write(tokens.toJson().use { Json.objectOf(utf8(it))!! }.filterKeys { it != "issuedAt" })
            val read = SessionTokens.fromJson(Sensitive(old))!!
            expect(read.issuedAt == null && TokenLifetime.stored(read).exceeds(0, 3, 0) && !TokenLifetime.stored(tokens).exceeds(0, 3, 0))
        }
    }
}

package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.test

/** Repetitions, refusals, and proofs. */
internal object ConnectionTests {
    private fun connection(server: FakeServer, delays: MutableList<Long> = ArrayList()) =
        server.options().connection(sleep = { delays.add(it) })

    private fun call(method: String = "POST", isRepeatable: Boolean = true, prover: DPoPProver? = null) =
        Connection.Call(method, listOf("v1", "x"), Sensitive("token"), prover, utf8("{}"), isRepeatable = isRepeatable)

    fun register() {
        test("requests: a lost response is asked for again, with the same body, up to four times") {
            val server = FakeServer { _, number -> if (number < 4) null else FakeServer.json(200, emptyMap()) }
            val delays = ArrayList<Long>()
            connection(server, delays).send(call())
            expectEqual(server.requests.size, 4)
            expectEqual(server.requests.map { text(it.body) }.distinct(), listOf("{}"))
            expect(delays.size == 3 && delays.all { it in 0..5 })
            val lost = FakeServer { _, _ -> null }
            expectError(MienException.Code.NETWORK_ERROR) { connection(lost).send(call()) }.let { expect(it.mayHaveArrived) }
            expectEqual(lost.requests.size, 4)
            val once = FakeServer { _, _ -> null }
            expectError(MienException.Code.NETWORK_ERROR) { connection(once).send(call(isRepeatable = false)) }
            expectEqual(once.requests.size, 1)
        }
        test("requests: a token that no header can carry is refused, and not quoted") {
            val server = FakeServer { _, _ -> throw IllegalStateException("sent") }
            for (token in listOf("s3cret\n", "s3cret\r\nx: y", "s3cret s3cret", "s3cret\u00e9", "")) {
                val error = expectError(MienException.Code.INVALID_CREDENTIALS) {
                    connection(server).send(Connection.Call("GET", listOf("v1", "x"), Sensitive(token)))
                }
                expect("s3cret" !in error.toString())
            }
        }
        test("requests: a busy server is asked again after the time it names, but not after a long one") {
            val server = FakeServer { _, number ->
                if (number == 1) FakeServer.json(503, mapOf("code" to "unavailable", "status" to 503, "detail" to "busy"), mapOf("retry-after" to "0"))
                else FakeServer.json(200, emptyMap())
            }
            connection(server).send(call(isRepeatable = false))
            expectEqual(server.requests.size, 2)
            val slow = FakeServer { _, _ -> FakeServer.json(429, mapOf("code" to "too_many_requests", "status" to 429, "detail" to "later"), mapOf("retry-after" to "60")) }
            expectError(MienException.Code.SERVER_ERROR) { connection(slow).send(call()) }.let { expectEqual(it.retryAfterMillis, 60_000L) }
            expectEqual(slow.requests.size, 1)
        }
        test("requests: turned away after a lost response, it is unknown whether it arrived; a repeated deletion has succeeded") {
            val server = FakeServer { _, number -> if (number == 1) null else FakeServer.json(503, mapOf("code" to "unavailable", "status" to 503, "detail" to "busy"), mapOf("retry-after" to "60")) }
            expectError(MienException.Code.NETWORK_ERROR) { connection(server).send(call()) }.let { expect(it.mayHaveArrived) }
            val deleted = FakeServer { _, number -> if (number == 1) null else FakeServer.problem(404, "not_found") }
            expectEqual(connection(deleted).send(call("DELETE")).status, 204)
            val absent = FakeServer { _, _ -> FakeServer.problem(404, "not_found") }
            expectError(MienException.Code.SERVER_ERROR) { connection(absent).send(call("DELETE")) }
        }
        test("refusals: problems, OAuth errors, and neither") {
            fun refusal(status: Int, body: String, headers: Map<String, String> = emptyMap()) = MienException.of(HttpResponse(status, headers, utf8(body)))!!
            expect(MienException.of(HttpResponse(204, emptyMap(), ByteArray(0))) == null)
            val invalid = refusal(422, """{"code":"client_response_not_valid","status":422,"detail":"no","errors":[{"field":"data.username","message":"is missing"}]}""")
            expectEqual(invalid.code, MienException.Code.CLIENT_RESPONSE_NOT_VALID)
            expectEqual(invalid.message, "client_response_not_valid: no · data.username: is missing")
            expectEqual(refusal(400, """{"error":"invalid_grant","error_description":"InvalidCredentials\u202e"}""").message, "oauth_error: invalid_grant: InvalidCredentials")
            expectEqual(refusal(401, """{"error":"invalid_client"}""").code, MienException.Code.INVALID_CREDENTIALS)
            val long = refusal(409, "{\"code\":\"conflict\",\"status\":409,\"detail\":\"${"x".repeat(9000)}\\u202e\\n\"}")
            expect((long.message ?: "").let { it.length in 1..600 && "\n" !in it })
            expect(refusal(500, "<html>").mayHaveArrived && !refusal(404, "").mayHaveArrived)
            val fresh = refusal(401, "", mapOf("www-authenticate" to "DPoP error=\"insufficient_user_authentication\", acr_values=\"2\", max_age=\"300\""))
            expectEqual(fresh.code, MienException.Code.REAUTHENTICATION_REQUIRED)
            expectEqual(fresh.reauthentication, ReauthenticationRequest(300, listOf("2")))
        }
        test("proofs: each attempt has its own; a nonce and the server's clock are learned, once") {
            var now = 1_000_000_000_000L
            val prover = DPoPProver(JcaSigner.generate(), "https://login.example.org/") { now }
            val server = FakeServer { request, number ->
                val claims = Jws.claims(Sensitive(request.headers.getValue("dpop")))
                when {
                    number == 1 -> HttpResponse(401, mapOf("www-authenticate" to "DPoP error=\"use_dpop_nonce\"", "dpop-nonce" to "n1"), ByteArray(0))
                    claims.string("nonce") != "n1" -> FakeServer.problem(400, "invalid_request")
                    else -> FakeServer.json(200, emptyMap())
                }
            }
            val connection = connection(server)
            connection.send(call(prover = prover))
            connection.send(call(prover = prover))
            val proofs = server.requests.map { Jws.claims(Sensitive(it.headers.getValue("dpop"))) }
            expectEqual(proofs.size, 3)
            expectEqual(proofs.map { it.optString("jti") }.distinct().size, 3)
            expectEqual(proofs[0].optString("htu") + proofs[0].optString("htm"), "https://login.example.org/v1/xPOST")
            expectEqual(proofs[0].optString("ath"), Base64.encodeUrl(sha256(utf8("token"))))
            expectEqual(server.requests[0].headers["authorization"], "DPoP token")

            now = 0
            val late = FakeServer { request, _ ->
                val seconds = Jws.claims(Sensitive(request.headers.getValue("dpop"))).integer("iat")!!
                if (seconds < 784_111_000) HttpResponse(400, mapOf("date" to "Sun, 06 Nov 1994 08:49:37 GMT"), utf8("""{"error":"invalid_dpop_proof"}"""))
                else FakeServer.json(200, emptyMap())
            }
            connection(late).send(call(prover = prover))
            expectEqual(late.requests.size, 2)
            val stubborn = FakeServer { _, _ -> HttpResponse(401, mapOf("www-authenticate" to "DPoP error=\"use_dpop_nonce\"", "dpop-nonce" to Randomness.text()), ByteArray(0)) }
            Testing.expectThrows<MienException> { connection(stubborn).send(call(prover = prover)) }
            expectEqual(stubborn.requests.size, 2)
        }
        test("transport: a real connection that answers too much, too late, or not at all") {
            val socket = java.net.ServerSocket(0, 50, java.net.InetAddress.getByName("127.0.0.1"))
            val answers = java.util.concurrent.LinkedBlockingQueue<ByteArray>()
            Thread {
                while (!socket.isClosed) try {
                    socket.accept().use { client ->
                        client.getInputStream().read(ByteArray(4096))
                        val answer = answers.take()
                        if (answer.isEmpty()) Thread.sleep(1500)
                        client.getOutputStream().write(answer)
                    }
                } catch (_: java.io.IOException) {}
            }.apply { isDaemon = true }.start()
            fun send(answer: String, timeout: Long = 60_000): HttpResponse {
                answers.add(utf8(answer))
                return UrlConnectionTransport().send(HttpRequest("POST", "http://127.0.0.1:${socket.localPort}/x", mapOf("a" to "b"), utf8("{}"), timeout, 100))
            }
            fun code(answer: String, timeout: Long = 60_000) = Testing.expectThrows<HttpTransportException> { send(answer, timeout) }.code
            val good = send("HTTP/1.1 401 No\r\nWWW-Authenticate: DPoP error=\"x\"\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            expectEqual("${good.status} ${good.headers["www-authenticate"]} ${text(good.body)}", "401 DPoP error=\"x\" {}")
            expectEqual(send("HTTP/1.1 303 See\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").status, 303)
            expectEqual(code("HTTP/1.1 200 OK\r\nContent-Length: 200\r\nConnection: close\r\n\r\n" + "x".repeat(200)), HttpTransportException.Code.ANSWER_TOO_LARGE)
            expectEqual(code("HTTP/1.1 200 OK\r\nContent-Length: 50\r\nConnection: close\r\n\r\nshort"), HttpTransportException.Code.INTERRUPTED)
            expectEqual(code("", 300), HttpTransportException.Code.TIMED_OUT)
            socket.close()
            expectEqual(code("x"), HttpTransportException.Code.UNREACHABLE)
        }
        test("transport: an answer that drips in byte by byte ends with the time for the request") {
            for (head in listOf("HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")) {
                val socket = java.net.ServerSocket(0, 50, java.net.InetAddress.getByName("127.0.0.1"))
                Thread {
                    try {
                        socket.accept().use { client ->
                            client.getInputStream().read(ByteArray(4096))
                            client.getOutputStream().write(utf8(head))
                            while (true) {
                                client.getOutputStream().write('x'.number)
                                Thread.sleep(50)
                            }
                        }
                    } catch (_: java.io.IOException) {}
                }.apply { isDaemon = true }.start()
                val error = Testing.expectThrows<HttpTransportException> {
                    UrlConnectionTransport().send(HttpRequest("POST", "http://127.0.0.1:${socket.localPort}/x", emptyMap(), utf8("{}"), 500, 1 shl 20))
                }
                expectEqual(error.code, HttpTransportException.Code.TIMED_OUT)
                socket.close()
            }
        }
    }
}

package dev.mien.android

import dev.mien.HttpRequest
import dev.mien.JsonObject
import dev.mien.JsonText
import dev.mien.Testing
import dev.mien.UrlConnectionTransport
import java.io.File
import java.net.ServerSocket
import java.util.concurrent.LinkedBlockingQueue

/** A real `mien serve` on this machine, with temporary data. */
class Server(settings: Map<String, String> = emptyMap()) {
    private val folder = File.createTempFile("mien-android", "").also {
        it.delete()
        it.mkdirs()
    }
    val mails = Mails()
    private val log = File(folder, "log")
    private val process: Process
    val address: String
    private val adminAddress: String
    private val credential: String

    init {
        val program = System.getenv("MIEN_PROGRAM") ?: Testing.skip("needs MIEN_PROGRAM, a built mien")
        val builder = ProcessBuilder(program, "serve", "--with-samples").redirectErrorStream(true).redirectOutput(log)
        val environment = builder.environment()
        environment.keys.filter { it.startsWith("MIEN_") && it != "MIEN_HOME" }.forEach { environment.remove(it) }
        val home = System.getenv("MIEN_HOME")
        if (home != null) environment["MIEN_FACE_CACHE"] = "$home/cache/networks"
        val all = mapOf(
            "HOST" to "localhost", "PORT" to "0", "ADMIN_LISTEN" to "127.0.0.1:0", "DATA" to "$folder/data",
            // Passwords are cheap, and limits are far away.
            "PASSWORD_MEMORY_KIB" to "8192", "PASSWORD_PASSES" to "1", "LIMIT_LIVE_CAPTURES_PER_MINUTE" to "1000",
            "LIMIT_GUESSES_PER_MINUTE" to "1000", "LIMIT_STARTS_PER_MINUTE" to "10000", "CAPTURE_LIVE_SESSIONS" to "100",
            // A drawn face is none to the network against prints, and every session of one looks alike.
            "FACE_PRECISION" to "f32", "FACE_PRESENTATION" to "off", "FACE_LIVENESS_REPLAY_DAYS" to "0",
            "MAIL_HOST" to "127.0.0.1", "MAIL_PORT" to "${mails.port}", "MAIL_SECURITY" to "none", "MAIL_FROM" to "login@example.org") + settings
        for ((name, value) in all) environment["MIEN_$name"] = value
        process = builder.start()
        Runtime.getRuntime().addShutdownHook(Thread { stop() })
        address = wait("Listening on (\\S+)")
        adminAddress = wait("Admin API on (\\S+)")
        credential = wait("(adm_[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)")
    }

    private fun wait(pattern: String): String {
        val form = Regex(pattern)
        repeat(1200) {
            form.find(log.readText())?.let { return it.groupValues[1] }
            if (!process.isAlive) throw Testing.Failure("the server ended: " + log.readText().takeLast(2000))
            Thread.sleep(100)
        }
        throw Testing.Failure("the server did not start: " + log.readText().takeLast(2000))
    }

    fun stop() {
        process.destroy()
        process.waitFor()
        folder.deleteRecursively()
    }

    fun logText() = log.readText()

    /** A request of the test. */
    fun send(method: String, path: String, body: Map<String, Any?>? = null, headers: Map<String, String> = emptyMap(), admin: Boolean = false): JsonObject {
        val all = LinkedHashMap(headers)
        if (admin) all["authorization"] = "Bearer $credential"
        if (body != null) all["content-type"] = "application/json"
        val response = UrlConnectionTransport().send(HttpRequest(
            method, (if (admin) adminAddress else address) + path, all, if (body == null) ByteArray(0) else JsonText.write(body), 60_000, 1 shl 22))
        if (response.status !in 200..299) throw Testing.Failure("$method $path: ${response.status} " + String(response.body))
        return if (response.body.isEmpty()) JsonObject(emptyMap()) else JsonText.read(response.body) ?: JsonObject(emptyMap())
    }

    fun form(path: String, fields: Map<String, String>): JsonObject {
        val body = fields.entries.joinToString("&") { it.key + "=" + java.net.URLEncoder.encode(it.value, "UTF-8") }
        val headers = mapOf("content-type" to "application/x-www-form-urlencoded")
        val response = UrlConnectionTransport().send(HttpRequest("POST", address + path, headers, body.toByteArray(), 60_000, 1 shl 20))
        if (response.status !in 200..299) throw Testing.Failure("$path: ${response.status} " + String(response.body))
        return JsonText.read(response.body)!!
    }

    fun admin(method: String, path: String, body: Map<String, Any?>? = null) = send(method, path, body, admin = true)

    fun user(name: String, password: String = PASSWORD): String =
        admin("POST", "/v1/users", mapOf("username" to name, "email" to "$name@example.org", "password" to password)).optString("id")

    fun app(id: String, settings: Map<String, Any?> = emptyMap(), isFirstParty: Boolean = true) =
        admin("POST", "/v1/apps", mapOf("id" to id, "name" to "Shop", "type" to "public", "first_party" to isFirstParty, "settings" to settings))

    fun journey(definition: JsonObject) {
        val path = "/v1/journeys/${definition.optString("id")}/versions/1"
        admin("PUT", path, definition)
        admin("POST", "$path/publish", emptyMap())
    }

    companion object {
        const val PASSWORD = "correct horse battery"

        fun sample(name: String): JsonObject =
            JsonText.read(File(System.getenv("MIEN_REPOSITORY"), "Examples/Journeys/$name.json").readBytes())!!
    }
}

/** Takes mails as a relay does, and keeps their texts. */
class Mails {
    private val socket = ServerSocket(0, 50, java.net.InetAddress.getByName("127.0.0.1"))
    private val texts = LinkedBlockingQueue<String>()
    val port: Int get() = socket.localPort

    init {
        Thread {
            while (true) {
                val client = socket.accept()
                Thread { client.use { talk(it) } }.apply { isDaemon = true }.start()
            }
        }.apply { isDaemon = true }.start()
    }

    private fun talk(client: java.net.Socket) {
        val lines = client.getInputStream().bufferedReader()
        val out = client.getOutputStream()
        fun say(text: String) {
            out.write("$text\r\n".toByteArray())
            out.flush()
        }
        say("220 tests")
        while (true) {
            val line = lines.readLine() ?: return
            when (line.take(4).let { upper(it) }) {
                "DATA" -> {
                    say("354 go on")
                    val text = StringBuilder()
                    while (true) {
                        val part = lines.readLine() ?: return
                        if (part == ".") break
                        text.append(part).append('\n')
                    }
                    texts.add(text.toString())
                    say("250 taken")
                }
                "QUIT" -> return say("221 bye")
                else -> say("250 tests")
            }
        }
    }

    private fun upper(text: String) = text.map { if (it in 'a'..'z') it - 32 else it }.joinToString("")

    /** The code of the next mail that has one. */
    fun code(): String {
        while (true) {
            val text = texts.poll(30, java.util.concurrent.TimeUnit.SECONDS) ?: throw Testing.Failure("no mail came")
            Regex("\\b[0-9]{6}\\b").find(text.substringAfter("\n\n"))?.let { return it.value }
        }
    }
}

package dev.mien.android

import dev.mien.Testing
import java.net.HttpURLConnection
import java.net.URL
import java.net.URLEncoder

/** A browser with cookies, in which somebody fills in the sign-in page. */
internal class Browser(private val origin: String) {
    private val cookies = LinkedHashMap<String, String>()

    private class Answer(val status: Int, val location: String?, val body: String)

    private fun send(url: String, form: Map<String, String>?): Answer {
        val connection = URL(url).openConnection() as HttpURLConnection
        connection.instanceFollowRedirects = false
        connection.setRequestProperty("cookie", cookies.entries.joinToString("; ") { it.key + "=" + it.value })
        if (form != null) {
            connection.requestMethod = "POST"
            connection.doOutput = true
            connection.setRequestProperty("origin", origin)
            connection.setRequestProperty("content-type", "application/x-www-form-urlencoded")
            val body = form.entries.joinToString("&") { it.key + "=" + URLEncoder.encode(it.value, "UTF-8") }
            connection.outputStream.use { it.write(body.toByteArray()) }
        }
        val status = connection.responseCode
        for ((name, values) in connection.headerFields) {
            if (!"set-cookie".equals(name, ignoreCase = true)) continue
            for (value in values) cookies[value.substringBefore('=')] = value.substringAfter('=').substringBefore(';')
        }
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        return Answer(status, connection.getHeaderField("location"), stream?.use { String(it.readBytes()) } ?: "")
    }

    /** Returns where the page redirects to. */
    fun signIn(page: String, user: String, password: String): String {
        var url = page
        var answer = send(url, null)
        while (answer.status in 300..399 && answer.location!!.startsWith("/")) {
            url = origin + answer.location
            answer = send(url, null)
        }
        val csrf = Regex("name=\"csrf\" value=\"([^\"]+)\"").find(answer.body)?.groupValues?.get(1) ?: throw Testing.Failure("no form: ${answer.status}")
        answer = send(url, mapOf("csrf" to csrf, "turn" to "0", "option" to "password", "f_username" to user, "f_password" to password))
        return answer.location ?: throw Testing.Failure("the page did not redirect: ${answer.status}")
    }
}

package dev.mien

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.ConnectException
import java.net.HttpURLConnection
import java.net.SocketTimeoutException
import java.net.URL
import java.net.UnknownHostException
import java.util.concurrent.ScheduledThreadPoolExecutor
import java.util.concurrent.ThreadFactory
import java.util.concurrent.TimeUnit
import javax.net.ssl.SSLException

/** The transport that Java and Android have. Certificates are verified, and redirects are not followed. */
class UrlConnectionTransport : HttpTransport {
    override fun send(request: HttpRequest): HttpResponse {
        val end = System.nanoTime() + request.timeoutMillis * 1_000_000
        val connection = URL(request.url).openConnection() as HttpURLConnection
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        connection.connectTimeout = request.timeoutMillis.toInt()
        connection.readTimeout = request.timeoutMillis.toInt()
        // The connection's own time limits begin again with each byte of the head.
        val deadline = watch.schedule(Runnable { connection.disconnect() }, request.timeoutMillis, TimeUnit.MILLISECONDS)
        try {
            connection.requestMethod = request.method
            for ((name, value) in request.headers) connection.setRequestProperty(name, value)
            // A transparent compression would change the bytes, and hide their number.
            connection.setRequestProperty("accept-encoding", "identity")
            if (request.body.isNotEmpty() || request.method == "POST" || request.method == "PUT") {
                connection.doOutput = true
                if (isAndroid) connection.setFixedLengthStreamingMode(request.body.size)
                connection.outputStream.use { it.write(request.body) }
            }
            val status = connection.responseCode
            // Reading the body looks at the clock itself.
            deadline.cancel(false)
            val stream: InputStream? = if (status < 400) connection.inputStream else connection.errorStream
            val body = stream?.use { read(it, request.maxResponseBytes, end) } ?: ByteArray(0)
            // Java does not tell that a connection has ended early.
            val length = connection.getHeaderField("content-length")?.toLongOrNull()
            if (length != null && body.size < length) throw interrupted()
            val headers = LinkedHashMap<String, String>()
            for ((name, values) in connection.headerFields) {
                if (name != null) headers[lower(name)] = values.joinToString(", ")
            }
            return HttpResponse(status, headers, body)
        } catch (error: HttpTransportException) {
            connection.disconnect()
            throw error
        } catch (error: IOException) {
            connection.disconnect()
            throw if (System.nanoTime() > end) late() else translated(error)
        } catch (error: RuntimeException) {
            connection.disconnect()
            // A connection that was cut may have been in use.
            throw if (System.nanoTime() > end) late() else error
        } finally { deadline.cancel(false) }
    }

    private fun read(stream: InputStream, limit: Int, end: Long): ByteArray {
        val out = ByteArrayOutputStream()
        val part = ByteArray(8192)
        while (true) {
            val count = stream.read(part)
            if (count < 0) return out.toByteArray()
            if (out.size() + count > limit) {
                throw HttpTransportException(HttpTransportException.Code.ANSWER_TOO_LARGE, "The response has more than $limit bytes.")
            }
            if (System.nanoTime() > end) throw late()
            out.write(part, 0, count)
        }
    }

    private fun late() = HttpTransportException(HttpTransportException.Code.TIMED_OUT, "The response did not come in time.")

    // Messages of the system may quote the address, so they are not passed on.
    private fun translated(error: IOException): HttpTransportException = when (error) {
        is SocketTimeoutException -> late()
        is UnknownHostException -> HttpTransportException(HttpTransportException.Code.UNREACHABLE, "The server's name was not found.")
        is ConnectException -> HttpTransportException(HttpTransportException.Code.UNREACHABLE, "The server does not accept connections.")
        is SSLException -> HttpTransportException(HttpTransportException.Code.UNREACHABLE, "The connection is not secure: the server's certificate was not accepted.")
        else -> interrupted()
    }

    private fun interrupted() = HttpTransportException(HttpTransportException.Code.INTERRUPTED, "The connection ended before the response did.")

    private companion object {
        /**
         * When a connection ends before a response, the system sends a request again on its own: with a proof that is valid once,
         * and whether or not it may be repeated. Android does not if the body is streamed. Java would lose the body of each
         * response 401 then, but has a property, which its first connection reads.
         */
        val isAndroid = System.getProperty("java.vm.name") == "Dalvik"

        init { if (!isAndroid) System.setProperty("sun.net.http.retryPost", "false") }

        val watch = ScheduledThreadPoolExecutor(1, ThreadFactory { Thread(it, "mien-deadlines").apply { isDaemon = true } })
            .apply { removeOnCancelPolicy = true }
    }
}

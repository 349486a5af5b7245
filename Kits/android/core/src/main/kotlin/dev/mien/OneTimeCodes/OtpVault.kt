package dev.mien

import java.io.File
import java.util.concurrent.locks.ReentrantLock

/**
 * The OTP tokens of this device, under PINs that the device cannot check: a wrong PIN gives a wrong code, and only the server,
 * which counts, can tell. What is stored tells nobody which PIN is right.
 *
 *     val vault = OtpVault(file, secrets)
 *     vault.keep(token, Sensitive(chosen))
 *     val code = vault.code(token.id, Sensitive(typed))
 *
 * Every 32 bytes are a possible secret, and each PIN yields some: `secret xor HMAC(device key, ID, salt, PBKDF2(PIN, salt))`. A
 * counter is stored before its code is shown.
 *
 * @param file in a folder that backups leave out: a restored file would repeat codes.
 */
class OtpVault internal constructor(
    private val file: File, private val secrets: DeviceSecrets, private val now: () -> Long, private val iterations: Int
) {
    constructor(file: File, secrets: DeviceSecrets) : this(file, secrets, System::currentTimeMillis, ITERATIONS)

    class Info internal constructor(val id: String, val app: String, val kind: String, val digits: Int, val periodSeconds: Int) {
        override fun toString() = "token $id"
    }

    /** Stores a token under a PIN of 4 to 12 digits. */
    fun keep(token: OtpToken, pin: Sensitive<String>) {
        check(pin)
        change { stored ->
            if (stored.any { it.string("id") == token.id }) throw bad("A token with this ID exists.")
            if (stored.size >= MAX_TOKENS) throw bad("The vault has $MAX_TOKENS tokens. Remove one.")
            stored.add(hidden(JsonObject(linkedMapOf(
                "id" to token.id, "app" to token.app, "kind" to token.kind, "hash" to token.hash, "digits" to token.digits.toLong(),
                "period" to token.period.toLong(), "counter" to token.counter)), token.secret, pin))
        }
    }

    fun tokens(): List<Info> = locked { read() }.map {
        Info(it.optString("id"), it.optString("app"), it.optString("kind"), it.integer("digits")!!.toInt(), it.integer("period")!!.toInt())
    }

    fun remove(id: String) = change { stored -> stored.remove(find(stored, id)) }

    /** Removes all tokens, also those that do not open: of another device, or changed. */
    fun reset() = locked { Files.delete(file) }

    /** A code to sign in. A counter is used up, even with a wrong PIN. */
    fun code(id: String, pin: Sensitive<String>): OneTimeCode {
        check(pin)
        var counter = 0L
        val token = locked {
            val stored = read()
            val found = find(stored, id)
            if (found.string("kind") == "totp") counter = Otp.step(now(), found.integer("period")!!.toInt())
            else {
                counter = found.integer("counter")!!
                if (counter == Long.MAX_VALUE) throw bad("The token's last counter has been used. Get a new token.")
                stored[stored.indexOf(found)] = JsonObject(found + ("counter" to counter + 1))
                // Before the code is shown, so that no counter is ever used twice.
                write(stored)
            }
            found
        }
        return OneTimeCode(Otp.code(token.optString("hash"), secret(token, pin), counter, token.integer("digits")!!.toInt()))
    }

    /** Signs a transaction whose lines the owner has seen. */
    fun sign(shown: ShownTransaction, id: String, pin: Sensitive<String>): OneTimeCode {
        check(pin)
        val token = locked { find(read(), id) }
        return OneTimeCode(shown.response(secret(token, pin)))
    }

    /**
     * Changes the PIN. With a wrong old one, the token gives wrong codes forever, and nothing tells: have the server check a code
     * first ([OtpProvisioning.confirm]).
     */
    fun changePin(id: String, old: Sensitive<String>, new: Sensitive<String>) {
        check(old)
        check(new)
        change { stored ->
            val found = find(stored, id)
            stored[stored.indexOf(found)] = hidden(found, secret(found, old), new)
        }
    }

    // The secret

    private fun hidden(token: JsonObject, secret: ByteArray, pin: Sensitive<String>): JsonObject {
        val salt = Randomness.bytes(16)
        val new = JsonObject(token + mapOf("salt" to Base64.encodeUrl(salt), "iterations" to iterations.toLong()))
        return JsonObject(new + ("hidden" to Base64.encodeUrl(masked(new, secret, pin))))
    }

    private fun secret(token: JsonObject, pin: Sensitive<String>): ByteArray =
        masked(token, Base64.decodeUrl(token.optString("hidden")) ?: throw damaged(), pin)

    private fun masked(token: JsonObject, bytes: ByteArray, pin: Sensitive<String>): ByteArray {
        val salt = Base64.decodeUrl(token.optString("salt")) ?: throw damaged()
        val rounds = token.integer("iterations")?.takeIf { it in 1..10_000_000 } ?: throw damaged()
        if (bytes.size != SECRET_SIZE) throw damaged()
        val name = utf8(token.optString("id"))
        val mask = secrets.mac(byteArrayOf((name.size shr 8).toByte(), name.size.toByte()) + name + salt + stretched(pin, salt, rounds.toInt()))
        return ByteArray(SECRET_SIZE) { (bytes[it].toInt() xor mask[it].toInt()).toByte() }
    }

    /** PBKDF2 with HMAC-SHA-256 (RFC 8018), one block. Android has it since version 8. */
    private fun stretched(pin: Sensitive<String>, salt: ByteArray, rounds: Int): ByteArray {
        val mac = javax.crypto.Mac.getInstance("HmacSHA256")
        pin.use { mac.init(javax.crypto.spec.SecretKeySpec(utf8(it), "HmacSHA256")) }
        mac.update(salt)
        var block = mac.doFinal(byteArrayOf(0, 0, 0, 1))
        val sum = block.copyOf()
        for (round in 1 until rounds) {
            block = mac.doFinal(block)
            for (i in sum.indices) sum[i] = (sum[i].toInt() xor block[i].toInt()).toByte()
        }
        return sum
    }

    private fun check(pin: Sensitive<String>) {
        if (!pin.use { text -> text.length in 4..12 && text.all { it in '0'..'9' } }) throw bad("A PIN needs 4 to 12 digits.")
    }

    // The file

    private fun <T> locked(body: () -> T): T {
        lock.lock()
        try { return body() } finally { lock.unlock() }
    }

    private fun change(body: (MutableList<JsonObject>) -> Unit) = locked {
        val stored = read()
        body(stored)
        write(stored)
    }

    private fun read(): MutableList<JsonObject> {
        val sealed = Files.read(file, MAX_BYTES) ?: return ArrayList()
        val content = secrets.open(sealed, CONTEXT)
            ?: throw DeviceException(DeviceException.Code.STORAGE, "These tokens belong to another device, or were changed. Call reset(), and get new ones.")
        val tokens = Json.objectOf(content)?.takeIf { it.integer("version") == 1L }?.list("tokens") ?: throw damaged()
        return tokens.mapTo(ArrayList<JsonObject>()) { it as? JsonObject ?: throw damaged() }
    }

    private fun write(tokens: List<JsonObject>) =
        Files.replace(file, secrets.seal(Json.bytes(mapOf("version" to 1, "tokens" to tokens)), CONTEXT))

    private fun find(tokens: List<JsonObject>, id: String) = tokens.firstOrNull { it.string("id") == id } ?: throw bad("There is no token with this ID.")

    private fun bad(reason: String) = DeviceException(DeviceException.Code.BAD_ARGUMENT, reason)
    private fun damaged() = DeviceException(DeviceException.Code.STORAGE, "A stored token is malformed. Remove it and get a new one.")

    internal companion object {
        /** Several vaults may use one file. */
        private val lock = ReentrantLock()
        const val SECRET_SIZE = 32
        const val MAX_TOKENS = 100
        const val MAX_BYTES = 1 shl 20
        const val CONTEXT = "mien/v1/tokens"
        /** The device's key is what keeps others from guessing; this only slows down somebody who can use it. */
        const val ITERATIONS = 120_000
    }
}

package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.Testing.test
import java.io.File
import javax.crypto.Cipher
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec

/** Codes against the standards' vectors, and the vault that hides their secrets. */
internal object OneTimeCodeTests {
    /** Two keys in memory. */
    class Secrets : DeviceSecrets {
        private val key = Randomness.bytes(32)
        override fun mac(message: ByteArray) = hmac("HmacSHA256", key, message)
        override fun seal(content: ByteArray, context: String): ByteArray {
            val iv = Randomness.bytes(12)
            return iv + cipher(Cipher.ENCRYPT_MODE, iv, context).doFinal(content)
        }
        override fun open(sealed: ByteArray, context: String): ByteArray? = try {
            cipher(Cipher.DECRYPT_MODE, sealed.copyOf(12), context).doFinal(sealed, 12, sealed.size - 12)
        } catch (_: java.security.GeneralSecurityException) { null }
        private fun cipher(mode: Int, iv: ByteArray, context: String) = Cipher.getInstance("AES/GCM/NoPadding").apply {
            init(mode, SecretKeySpec(key, "AES"), GCMParameterSpec(128, iv))
            updateAAD(utf8(context))
        }
    }

    private fun hex(text: String) = ByteArray(text.length / 2) { text.substring(2 * it, 2 * it + 2).toInt(16).toByte() }

    fun register() {
        test("codes: RFC 4226, RFC 6238, and a transaction of docs/one-time-codes.md") {
            val secret = utf8("12345678901234567890")
            val codes = listOf("755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489")
            codes.forEachIndexed { i, code -> expectEqual(Otp.code("SHA1", secret, i.toLong(), 6), code) }
            val sha256 = utf8("12345678901234567890123456789012")
            for ((time, code) in listOf(59L to "46119246", 1111111109L to "68084774", 20000000000L to "77737706")) {
                expectEqual(Otp.code("SHA256", sha256, Otp.step(time * 1000, 30), 8), code)
            }
            val text = "mien/v1/dynamic-signature\n000691234568\naccount=CH9300762011623852957\namount=120.5\ncurrency=CHF"
            val question = sha256(utf8(text)).joinToString("") { (it.toInt() and 255).toString(16).padStart(2, '0') }
            expectEqual(Otp.response(ByteArray(32) { it.toByte() }, question), "62473334")
        }
        test("codes: HPKE opens what its own sender sealed, and nothing that was changed") {
            // RFC 9180 has no vector of this suite; a sender after its text makes one, and the flows open a server's.
            val (own, sender) = Pair(P256.newPair(), P256.newPair())
            val sealed = HpkeSender.seal(sender, PublicKey.of(own.public), utf8("info"), utf8("secret"))
            val enc = PublicKey.of(sender.public).point
            val key = PublicKey.of(own.public)
            expectEqual(text(Hpke.open(own.private, key, enc, utf8("info"), sealed)!!), "secret")
            expect(Hpke.open(own.private, key, enc, utf8("other"), sealed) == null)
            expect(Hpke.open(own.private, key, enc, utf8("info"), sealed.copyOf().also { it[0] = (it[0].toInt() xor 1).toByte() }) == null)
            expect(Hpke.open(own.private, key, enc.copyOf(64), utf8("info"), sealed) == null)
            expect(Hpke.open(own.private, key, enc.copyOf().also { it[64] = (it[64].toInt() xor 1).toByte() }, utf8("info"), sealed) == null) { "a point off the curve" }
        }
        test("vault: two vaults of one file use no counter twice, and reset makes a file of another device usable") {
            val file = File.createTempFile("vault", "").also { it.delete() }
            val secrets = Secrets()
            fun vault(secrets: DeviceSecrets) = OtpVault(file, secrets, { 0 }, 1)
            val token = OtpToken("aut_1", "shop", "hotp", "SHA1", 10, 0, 0, ByteArray(32))
            vault(secrets).keep(token, Sensitive("1234"))
            val codes = java.util.Collections.synchronizedSet(HashSet<String>())
            val threads = List(4) { Thread { repeat(25) { codes.add(vault(secrets).code("aut_1", Sensitive("1234")).text) } }.apply { start() } }
            threads.forEach { it.join() }
            expectEqual(codes.size, 100)
            val other = Secrets()
            expectEqual(expectThrows<DeviceException> { vault(other).tokens() }.code, DeviceException.Code.STORAGE)
            vault(other).reset()
            vault(other).reset()
            vault(other).keep(token, Sensitive("1234"))
            expectEqual(vault(other).tokens().size, 1)
            file.delete()
        }
        test("vault: a wrong PIN gives a wrong code, and the stored bytes are those of another secret under it") {
            val folder = File.createTempFile("vault", "").also {
                it.delete()
                it.mkdirs()
            }
            val secrets = Secrets()
            var now = 59_000L
            val file = File(folder, "tokens")
            fun vault() = OtpVault(file, secrets, { now }, 2)
            val secret = utf8("12345678901234567890123456789012")
            vault().keep(OtpToken("aut_1", "shop", "totp", "SHA256", 8, 30, 0, secret), Sensitive("1234"))
            expectEqual(vault().code("aut_1", Sensitive("1234")).text, "46119246")
            val wrong = vault().code("aut_1", Sensitive("4321")).text
            expect(wrong.length == 8 && wrong != "46119246")
            vault().changePin("aut_1", Sensitive("1234"), Sensitive("999999"))
            expectEqual(vault().code("aut_1", Sensitive("999999")).text, "46119246")
            now = 1111111109_000L
            expectEqual(vault().code("aut_1", Sensitive("999999")).text, "68084774")

            vault().keep(OtpToken("aut_2", "shop", "hotp", "SHA1", 6, 0, 0, secret), Sensitive("1234"))
            expect(vault().code("aut_2", Sensitive("0000")).text != vault().code("aut_2", Sensitive("1234")).text)
            expectEqual(vault().code("aut_2", Sensitive("1234")).text, Otp.code("SHA1", secret, 2, 6))
            expectEqual(vault().tokens().map { it.id + it.kind + it.digits }, listOf("aut_1totp8", "aut_2hotp6"))

            // A counter that cannot be stored gives no code, and is not used up.
            val part = File(file.path + ".part").also { it.mkdirs() }
            expectEqual(expectThrows<DeviceException> { vault().code("aut_2", Sensitive("1234")) }.code, DeviceException.Code.STORAGE)
            part.delete()
            expectEqual(vault().code("aut_2", Sensitive("1234")).text, Otp.code("SHA1", secret, 3, 6))
            folder.deleteRecursively()
        }
        test("vault: wrong PINs, IDs, files, and a folder that cannot be written") {
            val folder = File.createTempFile("vault", "").also {
                it.delete()
                it.mkdirs()
            }
            val file = File(folder, "tokens")
            val vault = OtpVault(file, Secrets(), { 0L }, 2)
            val token = OtpToken("aut_1", "shop", "hotp", "SHA256", 6, 0, 7, ByteArray(32))
            for (pin in listOf("", "123", "1234567890123", "12a4", "١٢٣٤")) {
                expectEqual(expectThrows<DeviceException> { vault.keep(token, Sensitive(pin)) }.code, DeviceException.Code.BAD_ARGUMENT)
            }
            vault.keep(token, Sensitive("1234"))
            expectThrows<DeviceException> { vault.keep(token, Sensitive("1234")) }
            expectThrows<DeviceException> { vault.code("aut_2", Sensitive("1234")) }
            val other = OtpVault(file, Secrets(), { 0L }, 2)
            expectEqual(expectThrows<DeviceException> { other.tokens() }.code, DeviceException.Code.STORAGE)
            file.writeBytes(file.readBytes().also { it[20] = (it[20].toInt() xor 1).toByte() })
            expectEqual(expectThrows<DeviceException> { vault.tokens() }.code, DeviceException.Code.STORAGE)
            val nowhere = OtpVault(File(folder, "missing/tokens"), Secrets(), { 0L }, 2)
            expectEqual(expectThrows<DeviceException> { nowhere.keep(token, Sensitive("1234")) }.code, DeviceException.Code.STORAGE)
            folder.deleteRecursively()
        }
        test("provisioning: a code is redeemed again with the key of a response that was lost, after the app was ended, too") {
            val key = OtpProvisioningKey()
            val again = OtpProvisioningKey.of(key.bytes)!!
            expectEqual(again.publicKey, key.publicKey)
            expectEqual(key.toString() + key.bytes, "‹sensitive›‹sensitive›")
            val asked = ArrayList<String>()
            val secret = ByteArray(32) { it.toByte() }
            val server = FakeServer { request, _ ->
                val jwk = Json.objectOf(request.body)!!.optJSONObject("public_key")!!
                asked.add(jwk.optString("x"))
                if (asked.size <= 4) null else {
                    val to = PublicKey(Base64.decodeUrl(jwk.optString("x"))!!, Base64.decodeUrl(jwk.optString("y"))!!)
                    val sender = P256.newPair()
                    FakeServer.json(200, mapOf(
                        "token_id" to "aut_1", "app_id" to "shop", "kind" to "hotp", "digits" to 6, "algorithm" to "SHA1", "counter" to 0, "signature_suite" to Otp.SUITE,
                        "encapsulated_key" to Base64.encodeUrl(PublicKey.of(sender.public).point),
                        "encrypted_secret" to Base64.encodeUrl(HpkeSender.seal(sender, to, utf8("mien/v1/otp-secret shop aut_1"), secret))))
                }
            }
            val provisioning = OtpProvisioning(server.options().connection(sleep = {}))
            Testing.expectError(MienException.Code.NETWORK_ERROR) { provisioning.redeem(Sensitive("code"), "phone", provisioningKey = key) }
            expect(provisioning.redeem(Sensitive("code"), "phone", provisioningKey = again).secret.contentEquals(secret))
            expectEqual(asked.distinct(), listOf(Base64.encodeUrl(key.publicKey.x)))
            val bytes = key.bytes.use { it }
            for (wrong in listOf(ByteArray(0), bytes.drop(1).toByteArray(), bytes.copyOf().also { it[40] = (it[40] + 1).toByte() },
                bytes.copyOf().also { it[20] = (it[20] + 1).toByte() }, ByteArray(96))) {
                expect(OtpProvisioningKey.of(Sensitive(wrong)) == null)
            }
        }
        test("transactions: only printable lines with their own challenge are shown") {
            val data = JsonObject(mapOf("amount" to "120.50", "to" to "CH93"))
            val hash = Base64.encodeUrl(sha256(Json.bytes(data)))
            expectEqual(ShownTransaction.of(data, "chl_1.$hash").lines.map { it.name }, listOf("amount", "to"))
            val wrong = listOf<Pair<JsonObject, String>>(
                data to "chl_1.x", data to hash, data to "a.b.$hash", data to "ü.$hash", JsonObject(emptyMap()) to "chl_1.$hash",
                JsonObject(mapOf("a" to 1L)) to "chl_1.$hash", JsonObject(mapOf("a" to "\u202e1")) to "chl_1." + Base64.encodeUrl(sha256(Json.bytes(mapOf("a" to "\u202e1")))))
            for ((lines, challenge) in wrong) Testing.expectError(MienException.Code.CLIENT_RESPONSE_NOT_VALID) { ShownTransaction.of(lines, challenge) }
        }
    }

    /** The sending side (RFC 9180 §5.1.1), written for the test. */
    private object HpkeSender {
        fun seal(sender: java.security.KeyPair, to: PublicKey, info: ByteArray, plain: ByteArray): ByteArray {
            val agreement = javax.crypto.KeyAgreement.getInstance("ECDH")
            agreement.init(sender.private)
            agreement.doPhase(P256.publicKey(to.x, to.y), true)
            val kem = utf8("KEM") + hex("0010")
            val suite = utf8("HPKE") + hex("001000010002")
            fun extract(suite: ByteArray, salt: ByteArray, label: String, value: ByteArray) = hmac("HmacSHA256", salt + ByteArray(32 - salt.size), utf8("HPKE-v1") + suite + utf8(label) + value)
            fun expand(suite: ByteArray, key: ByteArray, label: String, info: ByteArray, size: Int) =
                hmac("HmacSHA256", key, byteArrayOf(0, size.toByte()) + utf8("HPKE-v1") + suite + utf8(label) + info + byteArrayOf(1)).copyOf(size)
            val none = ByteArray(0)
            val shared = expand(kem, extract(kem, none, "eae_prk", agreement.generateSecret()), "shared_secret", PublicKey.of(sender.public).point + to.point, 32)
            val context = byteArrayOf(0) + extract(suite, none, "psk_id_hash", none) + extract(suite, none, "info_hash", info)
            val secret = extract(suite, shared, "secret", none)
            val cipher = Cipher.getInstance("AES/GCM/NoPadding")
            cipher.init(Cipher.ENCRYPT_MODE, SecretKeySpec(expand(suite, secret, "key", context, 32), "AES"), GCMParameterSpec(128, expand(suite, secret, "base_nonce", context, 12)))
            return cipher.doFinal(plain)
        }
    }
}

package dev.mien.android

import dev.mien.AppKey
import dev.mien.DeviceException
import dev.mien.Sensitive
import dev.mien.SessionTokens
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.fake.KeyStoreProvider
import dev.mien.fake.Phone
import java.io.File

/** Storage on the phone. */
internal object StorageTests {
    private val key = AppKey("https://login.example.org", "shop")

    private fun tokens(access: String) = SessionTokens.fromJson(Sensitive(
        """{"accessToken":"$access","expiresAt":1,"refreshToken":"grt_secret","scope":"openid","keyThumbprint":"thumb"}"""))!!

    fun register() {
        test("storage: tokens outlast the app, sealed; another app's are others", "device tokens in the system's store", "refresh tokens in the system's store") {
            KeystoreTokenStorage(Phone.application).store(tokens("secret-a"), key)
            val again = KeystoreTokenStorage(Phone.application)
            val found = again.tokens(key)!!
            expectEqual(found.accessToken.use { it }, "secret-a")
            expectEqual(found.refreshToken!!.use { it } + found.keyThumbprint, "grt_secretthumb")
            expect(again.tokens(AppKey(key.server, "other")) == null)
            again.storeDeviceToken(Sensitive("dev_secret"), key)
            expectEqual(again.deviceToken(key)!!.use { it }, "dev_secret")
            val content = Phone.files.walk().filter { it.isFile }.joinToString { String(it.readBytes(), Charsets.ISO_8859_1) }
            expect("secret" !in content && "grt_" !in content)
            again.remove(key)
            expect(again.tokens(key) == null && again.deviceToken(key) != null)
        }
        test("storage: a changed file, and one from another phone, count as empty") {
            val storage = KeystoreTokenStorage(Phone.application)
            storage.store(tokens("a"), key)
            val file = File(Phone.files, "mien-tokens")
            val good = file.readBytes()
            for (at in listOf(0, 12, good.size - 1)) {
                file.writeBytes(good.copyOf().also { it[at] = (it[at].toInt() xor 1).toByte() })
                expect(storage.tokens(key) == null)
            }
            file.writeBytes(good.copyOf(20))
            expect(storage.tokens(key) == null)
            file.writeBytes(good)
            expect(storage.tokens(key) != null)
            KeyStoreProvider.entries.clear()
            expect(storage.tokens(key) == null)
            storage.store(tokens("b"), key)
            expectEqual(storage.tokens(key)!!.accessToken.use { it }, "b")
        }
        test("storage: a key store that does not respond for a moment loses nothing") {
            val storage = KeystoreTokenStorage(Phone.application)
            storage.store(tokens("a"), key)
            Phone.isKeyStoreBusy = true
            expectEqual(expectThrows<DeviceException> { storage.tokens(key) }.code, DeviceException.Code.HARDWARE)
            expectThrows<DeviceException> { storage.storeDeviceToken(Sensitive("d"), key) }
            Phone.isKeyStoreBusy = false
            expectEqual(storage.tokens(key)!!.accessToken.use { it }, "a")
        }
        test("storage: threads that seal at the same time share one key from the first time on") {
            repeat(10) { round ->
                KeyStoreProvider.entries.clear()
                val sealed = java.util.concurrent.ConcurrentLinkedQueue<ByteArray>()
                val macs = java.util.Collections.synchronizedSet(HashSet<List<Byte>>())
                val threads = List(8) {
                    Thread {
                        sealed.add(AndroidSecrets().seal(byteArrayOf(round.toByte()), "test"))
                        macs.add(AndroidSecrets().mac(byteArrayOf(1)).toList())
                    }.apply { start() }
                }
                threads.forEach { it.join() }
                expectEqual(sealed.count { AndroidSecrets().open(it, "test") != null }, 8)
                expectEqual(macs.size, 1)
            }
        }
        test("storage: the key that tokens are bound to stays in the key store, and is one for each app and server") {
            val first = KeystoreTokenStorage(Phone.application).proofKeyOrNew(key)
            val again = KeystoreTokenStorage(Phone.application).proofKey(key)!!
            expectEqual(first.publicKey, again.publicKey)
            expectEqual(again.sign(byteArrayOf(1)).size, 64)
            expect(KeystoreTokenStorage(Phone.application).proofKeyOrNew(AppKey(key.server, "other")).publicKey != first.publicKey)
            expect(KeyStoreProvider.entries.keys.none { it.startsWith("mien.") })
        }
    }
}

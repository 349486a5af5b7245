package dev.mien

import java.io.File

/**
 * A file of secrets by name, sealed by the device. What another device sealed, or somebody changed, counts as absent: nothing in it
 * is worth more than signing in again.
 *
 * @param context what the file is for. A file of another purpose does not open.
 */
class SealedFile(private val file: File, private val secrets: DeviceSecrets, private val context: String) {
    fun get(name: String): Sensitive<String>? = synchronized(lock) { read()[name] as? String }?.let { Sensitive(it) }

    /** Stores a secret in place of an earlier one; `null` removes it. */
    fun put(name: String, value: Sensitive<String>?) {
        synchronized(lock) {
            val entries = LinkedHashMap<String, Any?>(read())
            if (value != null) entries[name] = value
            else if (entries.remove(name) == null) return
            Files.replace(file, secrets.seal(Json.bytes(entries), context))
        }
    }

    private fun read(): Map<String, Any?> {
        val sealed = Files.read(file, MAX_BYTES) ?: return emptyMap()
        return secrets.open(sealed, context)?.let { Json.objectOf(it) } ?: emptyMap()
    }

    private companion object {
        const val MAX_BYTES = 1 shl 20
        /** Several storages may use one file. */
        val lock = Any()
    }
}

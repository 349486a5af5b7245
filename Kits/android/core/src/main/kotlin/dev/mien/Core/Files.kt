package dev.mien

import java.io.File
import java.io.FileOutputStream
import java.io.IOException

/** Replaces files as a whole, so that an app that is ended meanwhile finds the old or the new content. */
internal object Files {
    fun read(file: File, maxBytes: Int): ByteArray? {
        if (!file.exists()) return null
        if (file.length() > maxBytes) throw DeviceException(DeviceException.Code.STORAGE, "${file.name} is larger than $maxBytes bytes.")
        try { return file.readBytes() } catch (_: IOException) {
            throw DeviceException(DeviceException.Code.STORAGE, "${file.name} cannot be read.")
        }
    }

    fun replace(file: File, content: ByteArray) {
        val part = File(file.path + ".part")
        try {
            FileOutputStream(part).use { out ->
                out.write(content)
                out.fd.sync()
            }
            part.setReadable(false, false)
            part.setReadable(true, true)
            if (!part.renameTo(file)) throw IOException()
        } catch (_: IOException) {
            part.delete()
            throw DeviceException(DeviceException.Code.STORAGE, "${file.name} cannot be written.")
        }
    }

    /** Does nothing if there is no such file. */
    fun delete(file: File) {
        if (!file.delete() && file.exists()) throw DeviceException(DeviceException.Code.STORAGE, "${file.name} cannot be deleted.")
    }
}

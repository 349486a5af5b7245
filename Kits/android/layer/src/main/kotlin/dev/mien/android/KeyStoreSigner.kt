package dev.mien.android

import dev.mien.DeviceException
import dev.mien.EcdsaSignatures
import dev.mien.PublicKey
import dev.mien.Signer
import java.security.GeneralSecurityException
import java.security.ProviderException
import java.security.Signature

/** A signature that the person has unlocked. It signs once. */
internal class KeyStoreSigner(override val publicKey: PublicKey, private val signature: Signature) : Signer {
    override fun sign(message: ByteArray): ByteArray = try {
        signature.update(message)
        EcdsaSignatures.raw(signature.sign())
    } catch (_: GeneralSecurityException) {
        throw refused()
    } catch (_: ProviderException) {
        throw refused()
    }

    private fun refused() = DeviceException(DeviceException.Code.HARDWARE, "The key store refused the signature.")
}

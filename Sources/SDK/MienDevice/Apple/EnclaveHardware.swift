#if canImport(CryptoKit) && canImport(Security)
internal import Crypto
internal import CryptoKit
internal import Foundation
internal import MienCore

/// The Secure Enclave as the hardware that a device's data is bound to, and counters in the keychain,
/// because the enclave has none.
///
/// A sealed secret is encrypted for a P-256 key that only this device's enclave can use: ECDH with a
/// key made for it, HKDF-SHA256, AES-256-GCM. The blob is the length of the enclave's reference to
/// its key (2 bytes, big-endian), that reference, the other public key (65 bytes), and the ciphertext
/// with nonce and tag.
///
/// A counter is not in a backup of files, and one that is restored on another device is gone. A
/// backup of this device, restored on it, restores both.
struct EnclaveHardware: DeviceHardware {
    private let keychain = DeviceKeychain()
    private static let pointSize = 65

    var source: DeviceBindingSource { .secureEnclave }

    func isThere() async throws -> Bool { SecureEnclave.isAvailable }

    func seal(_ secret: Sensitive<[UInt8]>, auth: Sensitive<[UInt8]>) async throws -> [UInt8] {
        do {
            let key = try SecureEnclave.P256.KeyAgreement.PrivateKey()
            let other = P256.KeyAgreement.PrivateKey()
            let shared = try other.sharedSecretFromKeyAgreement(with: key.publicKey)
            let reference = Array(key.dataRepresentation)
            let point = Array(other.publicKey.x963Representation)
            let box = try secret.use {
                try AES.GCM.seal($0, using: Self.key(shared, auth, point))
            }
            guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return [UInt8(reference.count >> 8), UInt8(reference.count & 0xff)] + reference
                + point + Array(sealed)
        } catch { throw Self.failed(error) }
    }

    func unseal(_ blob: [UInt8], auth: Sensitive<[UInt8]>) async throws -> Sensitive<[UInt8]> {
        let count = blob.count < 2 ? 0 : Int(blob[0]) << 8 | Int(blob[1])
        guard count > 0, blob.count > 2 + count + Self.pointSize else {
            throw FaceAuthError(.storage, "The sealed key is damaged. Restore it, or reset.")
        }
        let reference = Data(blob[2..<2 + count])
        let point = Array(blob[(2 + count)..<(2 + count + Self.pointSize)])
        let key: SecureEnclave.P256.KeyAgreement.PrivateKey
        do {
            key = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: reference)
        } catch { throw Self.refused(error) }
        do {
            let shared = try key.sharedSecretFromKeyAgreement(
                with: P256.KeyAgreement.PublicKey(x963Representation: Data(point)))
            let box = try AES.GCM.SealedBox(combined: Data(blob[(2 + count + Self.pointSize)...]))
            return Sensitive(Array(try AES.GCM.open(box, using: Self.key(shared, auth, point))))
        } catch { throw Self.failed(error) }
    }

    private static func key(
        _ shared: SharedSecret, _ auth: Sensitive<[UInt8]>, _ point: [UInt8]
    ) -> SymmetricKey {
        auth.use {
            shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: $0,
                sharedInfo: Array("mien/v1/device-binding/enclave/".utf8) + point,
                outputByteCount: 32)
        }
    }

    /// The reason that the enclave did not open a reference to a key. Only an error about the reference
    /// says that the data is another device's: a person would reset for it, and an enclave that does
    /// not respond now may do so later.
    private static func refused(_ error: any Error) -> FaceAuthError {
        let known = error as? CryptoKitError, other = error as NSError
        let isForeign =
            (other.domain, other.code) == ("CryptoTokenKit", tokenCorruptedData)
            || known.map { if case .authenticationFailure = $0 { true } else { false } } ?? false
        let isDamaged =
            known.map {
                switch $0 {
                case .incorrectKeySize, .incorrectParameterSize: true
                default: false
                }
            } ?? false
        guard SecureEnclave.isAvailable, isForeign || isDamaged else { return failed(error) }
        return isDamaged
            ? FaceAuthError(.storage, "The sealed key is damaged. Restore it, or reset.")
            : FaceAuthError(
                .otherDevice,
                "This data is bound to another Secure Enclave. It was copied here, or this device was erased. Reset, and enroll here."
            )
    }

    /// `TKError.corruptedData`: the enclave cannot decrypt the reference.
    private static let tokenCorruptedData = -3

    private static func failed(_ error: any Error) -> FaceAuthError {
        FaceAuthError(
            .bindingUnavailable,
            "The Secure Enclave failed. Unlock the device, and try again: \(error)")
    }

    // MARK: Counters

    var counters: ClosedRange<UInt32> { 0...UInt32(Int32.max) }

    func makeCounter(_ index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64 {
        if let value = try await increment(counter: index, auth: auth) { return value }
        // Later than any former counter of this index could have come.
        let first = UInt64(max(1, SystemTime.now().milliseconds))
        _ = try keychain.add(Self.bytes(first), as: Self.name(index))
        return first
    }

    func value(ofCounter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64? {
        guard let bytes = try keychain.read(Self.name(index)), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func increment(counter index: UInt32, auth: Sensitive<[UInt8]>) async throws -> UInt64? {
        guard let value = try await value(ofCounter: index, auth: auth) else { return nil }
        try keychain.replace(Self.name(index), by: Self.bytes(value + 1))
        return value + 1
    }

    func removeCounter(_ index: UInt32) async throws { try keychain.remove(Self.name(index)) }

    private static func name(_ index: UInt32) -> String { "counter \(index)" }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
#endif

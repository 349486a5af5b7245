#if canImport(DeviceCheck)
internal import DeviceCheck
internal import Foundation
internal import MienKeys

/// Attests that this app created a key, with App Attest.
enum AppAttester {
    /// - Throws: ``DeviceError`` `.hardware` if this device has no App Attest or Apple's server
    ///   cannot be reached.
    static func attest(
        _ key: DevicePublicKey, _ challenge: String
    ) async throws -> DeviceKeyAttestation {
        let service = DCAppAttestService.shared
        guard service.isSupported else {
            throw DeviceError(.hardware, "This device does not support App Attest.")
        }
        let hash = DeviceKeyAttestation.appleClientDataHash(challenge: challenge, key: key)
        do {
            let keyID = try await service.generateKey()
            let object = try await service.attestKey(keyID, clientDataHash: Data(hash))
            return .appleAppAttest(object: [UInt8](object), keyID: keyID)
        } catch let error as CancellationError { throw error } catch {
            throw DeviceError(.hardware, "App Attest failed: \(error.localizedDescription)")
        }
    }
}
#endif

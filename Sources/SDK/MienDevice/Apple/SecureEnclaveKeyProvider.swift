#if canImport(Security) && canImport(LocalAuthentication)
internal import Dispatch
internal import Foundation
internal import LocalAuthentication
public import MienKeys
internal import Security

/// Device keys in the Secure Enclave, which itself asks for the face, the finger, or the passcode.
/// The keychain stores references to them.
public struct SecureEnclaveKeyProvider: DeviceKeyProvider {
    private let keychain: EnclaveKeychain
    private let queue = DispatchQueue(label: "mien.keys")

    /// - Parameter prefix: The text before each tag in the keychain, so that the app's other keys
    ///   are not touched.
    public init(prefix: String = "mien.device-key.") { keychain = EnclaveKeychain(prefix: prefix) }

    public func makeKey(tag: DeviceKeyTag, protection: BiometricAccessConstraint) async throws
        -> DevicePublicKey
    {
        try await blocking { try keychain.make(tag, protection) }
    }

    public func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey {
        try await blocking {
            try EnclaveKeychain.publicKey(of: keychain.find(tag, context: nil).key)
        }
    }

    public func sign(_ message: [UInt8], tag: DeviceKeyTag, unlocking prompt: UnlockPrompt)
        async throws -> [UInt8]
    {
        let protection = try await blocking { try keychain.find(tag, context: nil).protection }
        let policy =
            protection == .userPresence ? prompt.policy : .deviceOwnerAuthenticationWithBiometrics
        let unlocked = try await UnlockedContext(reason: prompt.reason, policy: policy)
        return try await blocking {
            try EnclaveKeychain.sign(
                message, with: keychain.find(tag, context: unlocked.context).key)
        }
    }

    public func deleteKey(tag: DeviceKeyTag) async throws {
        try await blocking { try keychain.delete(tag) }
    }

    public func listTags() async throws -> [DeviceKeyTag] {
        try await blocking { try keychain.tags() }
    }

    /// Runs a keychain call outside the cooperative pool, because it blocks until the user
    /// responds.
    private func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
#endif

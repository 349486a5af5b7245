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
    private let attestsApp: Bool
    private let queue = DispatchQueue(label: "mien.keys")

    /// - Parameters:
    ///   - prefix: The text before each tag in the keychain, so that the app's other keys are not
    ///     touched.
    ///   - attestsApp: Whether new keys get an App Attest attestation. It proves the app, which
    ///     names the key; keys in the Secure Enclave have no attestation of their own. Needs a
    ///     connection to Apple when a key is created.
    public init(prefix: String = "mien.device-key.", attestsApp: Bool = false) {
        (keychain, self.attestsApp) = (EnclaveKeychain(prefix: prefix), attestsApp)
    }

    public func makeKey(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey {
        let key = try await blocking { try keychain.make(request) }
        guard attestsApp, let challenge = request.challenge else { return MadeDeviceKey(key) }
        do {
            return MadeDeviceKey(key, attestation: try await AppAttester.attest(key, challenge))
        } catch {
            try await deleteKey(tag: request.tag)
            throw error
        }
    }

    public func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey {
        try await blocking {
            try EnclaveKeychain.publicKey(of: keychain.find(tag, context: nil).key)
        }
    }

    public func unlock(tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey {
        let (publicKey, protection) = try await blocking {
            let found = try keychain.find(tag, context: nil)
            // A key that accepts the passcode stays usable with it.
            if found.protection.isInvalidated(by: SystemAuthenticator.enrollment),
                found.protection.policy == .deviceOwnerAuthenticationWithBiometrics
            {
                try keychain.delete(tag)
                throw Self.invalidated
            }
            return (try EnclaveKeychain.publicKey(of: found.key), found.protection)
        }
        let policy = prompt.policy.narrowed(to: protection.policy, protection.constraint)
        let unlocked = try await UnlockedContext(
            UnlockPrompt(reason: prompt.reason, policy: policy, texts: prompt.texts))
        return UnlockedKey(publicKey: publicKey, method: unlocked.method) { message in
            try await blocking {
                do {
                    return try EnclaveKeychain.sign(
                        message, with: keychain.find(tag, context: unlocked.context).key)
                } catch let error as DeviceError
                    where error.code == .notRecognized
                    && protection.constraint == .biometryCurrentSet && unlocked.method != .passcode
                {
                    // The system has recognized the owner, and the enclave refuses: the key belongs
                    // to another enrollment.
                    try keychain.delete(tag)
                    throw Self.invalidated
                }
            }
        }
    }

    private static let invalidated = DeviceError(
        .biometricPrivateKeyNotFound,
        "Another face or finger was enrolled since the key was made, so that the key is useless and was deleted. Enable biometric login again."
    )

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

internal import Foundation
internal import MienCore
public import MienHardware
public import MienKeys
public import MienVault

/// Device keys in a TPM 2.0. The key's auth value, 32 random bytes, is locked with the
/// authenticator and released only after a passed check.
public struct TPMKeyProvider: DeviceKeyProvider {
    private let keys: StoredKeys

    /// - Parameters:
    ///   - folder: The folder of the records. It is created with mode 0700 if missing and must be
    ///     accessible to its owner only.
    ///   - keyPath: The path of the key file that seals them.
    public init(
        tpm: TPM, folder: String, keyPath: String, authenticator: any SecretLocker,
        files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) {
        keys = StoredKeys(
            folder: KeyFolder(folder: folder, keyPath: keyPath, files: files, random: random),
            authenticator: authenticator,
            maker: TPMKeyMaker(tpm: tpm, random: random))
    }

    public func makeKey(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey {
        try await keys.make(request)
    }
    public func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey {
        try await keys.publicKey(tag)
    }
    public func unlock(tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey {
        try await keys.unlock(tag, prompt)
    }
    public func deleteKey(tag: DeviceKeyTag) async throws { try await keys.delete(tag) }
    public func listTags() async throws -> [DeviceKeyTag] { try await keys.tags() }
}

private struct TPMKeyMaker: KeyMaker {
    let tpm: TPM
    let random: RandomSource

    func make() async throws -> (publicKey: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>) {
        // A TPM ignores trailing zeros, so the last byte is never zero.
        let auth = Sensitive(random.bytes(31) + [1])
        let key = try await translated { try await tpm.makeSigningKey(auth: auth) }
        return (key.publicKey, key.blob.bytes, auth)
    }

    func sign(digest: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>) async throws -> [UInt8] {
        try await translated {
            try await tpm.sign(digest: digest, with: TPMBlob(bytes: blob), auth: secret)
        }
    }

    private func translated<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as TPMError {
            // The TPM was replaced or cleared, so the key is permanently unusable.
            if error.code == .blobRefused {
                throw DeviceError(.biometricPrivateKeyNotFound, "\(error)")
            }
            throw DeviceError(.hardware, "\(error)")
        }
    }
}

internal import Crypto
internal import MienCore
public import MienKeys
public import MienVault

/// Device keys for machines without a TPM. The private key is locked with the authenticator, and
/// its record is sealed. A copy of the whole disk contains both.
public struct SoftwareKeyProvider: DeviceKeyProvider {
    private let keys: StoredKeys

    /// - Parameters:
    ///   - folder: The folder of the records. It is created with mode 0700 if missing and must be
    ///     accessible to its owner only.
    ///   - keyPath: The path of the key file that seals them.
    public init(
        folder: String, keyPath: String, authenticator: any SecretLocker,
        files: any FileSystem = POSIXFileSystem(), random: RandomSource = .system
    ) {
        keys = StoredKeys(
            folder: KeyFolder(folder: folder, keyPath: keyPath, files: files, random: random),
            authenticator: authenticator, maker: SoftwareKeyMaker()
        )
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

private struct SoftwareKeyMaker: KeyMaker {
    func make() -> (publicKey: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>) {
        let key = P256.Signing.PrivateKey()
        return (
            Array(key.publicKey.x963Representation), [], Sensitive(Array(key.rawRepresentation))
        )
    }

    func sign(digest: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>) throws -> [UInt8] {
        let key: P256.Signing.PrivateKey
        do { key = try secret.use { try P256.Signing.PrivateKey(rawRepresentation: $0) } } catch {
            throw DeviceError(.storage, "The authenticator released something other than a key.")
        }
        return Array(try key.signature(for: Digest(digest)).rawRepresentation)
    }

    /// A digest computed elsewhere, in the form that swift-crypto signs.
    private struct Digest: Crypto.Digest {
        static let byteCount = 32
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            unsafe try bytes.withUnsafeBytes(body)
        }
        func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
        static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes }
        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
        var description: String { "digest" }
    }
}

internal import Crypto
internal import Foundation
internal import MienCore
internal import MienHardware
internal import MienKeys
internal import MienVault

/// Creates keys, and signs with them once the secret is released.
protocol KeyMaker: Sendable {
    func make() async throws -> (publicKey: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>)
    func sign(digest: [UInt8], blob: [UInt8], secret: Sensitive<[UInt8]>) async throws -> [UInt8]
}

/// The part that all providers share: records on disk, with secrets locked by the authenticator.
actor StoredKeys {
    private let executor = ThreadExecutor(name: "mien.keys")
    private let folder: KeyFolder
    private let authenticator: any SecretLocker
    private let maker: any KeyMaker

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init(folder: KeyFolder, authenticator: any SecretLocker, maker: any KeyMaker) {
        (self.folder, self.authenticator, self.maker) = (folder, authenticator, maker)
    }

    /// Creates a key. These stores cannot attest keys.
    func make(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey {
        let tag = request.tag
        guard try folder.record(tag) == nil else { throw KeyFolder.inUse }
        let made = try await maker.make(), publicKey = try Self.key(x963: made.publicKey)
        let secret = try await authenticator.lock(
            made.secret, for: request.protection, policy: request.policy, context: tag.text)
        try Task.checkCancellation()
        try folder.add(
            KeyRecord(
                tag: tag, protection: request.protection, policy: request.policy,
                publicKey: Data(made.publicKey), blob: Data(made.blob), secret: secret))
        return MadeDeviceKey(publicKey)
    }

    func publicKey(_ tag: DeviceKeyTag) async throws -> DevicePublicKey {
        try Self.key(x963: Array(try await record(tag).publicKey))
    }

    func unlock(_ tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey {
        let record = try await record(tag), released: ReleasedSecret
        do {
            released = try await authenticator.release(
                record.secret, for: record.protection, policy: record.policy,
                context: tag.text, unlocking: prompt)
        } catch let error as DeviceError where error.code == .biometricPrivateKeyNotFound {
            try removeIfSame(record)
            throw error
        }
        try Task.checkCancellation()
        // The key may have been deleted while the user was asked, so the confirmed key no longer
        // exists.
        guard try folder.record(tag)?.publicKey == record.publicKey else { throw Self.notFound }
        return UnlockedKey(
            publicKey: try Self.key(x963: Array(record.publicKey)), method: released.method
        ) { [maker] message in
            try await maker.sign(
                digest: Array(SHA256.hash(data: message)), blob: Array(record.blob),
                secret: released.secret)
        }
    }

    func delete(_ tag: DeviceKeyTag) throws { try folder.remove(tag) }

    func tags() throws -> [DeviceKeyTag] { try folder.tags() }

    private static let notFound = DeviceError(
        .biometricPrivateKeyNotFound, "No key with this tag exists. Register again.")

    /// Returns the record. A record that is bound to an enrollment that is gone is deleted.
    private func record(_ tag: DeviceKeyTag) async throws -> KeyRecord {
        guard let record = try folder.record(tag) else { throw Self.notFound }
        if record.protection == .biometryCurrentSet,
            try await authenticator.enrollmentGeneration() != record.secret.generation
        {
            try removeIfSame(record)
            throw DeviceError(
                .biometricPrivateKeyNotFound,
                "The enrolled face has changed since the key was created. Register again.")
        }
        return record
    }

    private static func key(x963 bytes: [UInt8]) throws -> DevicePublicKey {
        guard bytes.count == 65, bytes[0] == 4,
            let key = try? DevicePublicKey(.p256(x: Array(bytes[1..<33]), y: Array(bytes[33...])))
        else {
            throw DeviceError(.storage, "The stored public key is not a P-256 point.")
        }
        return key
    }

    private func removeIfSame(_ record: KeyRecord) throws {
        if try folder.record(record.tag)?.publicKey == record.publicKey {
            try folder.remove(record.tag)
        }
    }
}

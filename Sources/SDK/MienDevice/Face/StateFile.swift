#if canImport(MienTPM)
internal import Foundation
internal import MienKeys
internal import MienVault

extension SealPurpose {
    /// The enrolled face, the PIN's hash, the counts and the keys of a device's face authenticator.
    static let deviceAuthenticator = SealPurpose(label: "mien/v1/device-authenticator")
    /// A device key's record.
    static let deviceKey = SealPurpose(label: "mien/v1/device-key")
}

/// One sealed file that is read, changed and replaced under a lock, so that several processes may
/// share it and a crash leaves it old or new, whole.
///
/// What it cannot see: an old version put back in its place by somebody who may write the folder.
struct StateFile: Sendable {
    static let sizeLimit = 1 << 20
    static let name = "authenticator.sealed"

    let folder: String
    let keyPath: String
    let files: any FileSystem
    let random: RandomSource

    /// - Throws: what `body` throws, and then nothing is written; ``DeviceError`` `.storage`.
    func update<T>(_ body: (inout AuthenticatorState) throws -> T) throws -> T {
        try withLock { sealer in
            var state = try read(sealer) ?? AuthenticatorState(random: random)
            let result = try body(&state)
            try write(state, sealer)
            return result
        }
    }

    func read() throws -> AuthenticatorState { try withLock { try read($0) } ?? update { $0 } }

    /// Forgets the face, the PIN and everything locked. The key file stays: other records may need
    /// it.
    func reset() throws {
        try withLock { try write(AuthenticatorState(random: random), $0) }
    }

    private var path: String { "\(folder)/\(Self.name)" }
    private static let identity = Array("authenticator".utf8)

    private func withLock<T>(_ body: (RecordSealer) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyPath: keyPath, files: files, random: random)
            defer { vault.lock.release() }
            return try body(
                RecordSealer(key: vault.key, purpose: .deviceAuthenticator, random: random))
        } catch let error as FileSystemError { throw DeviceError(.storage, "\(error)") }
    }

    private func read(_ sealer: RecordSealer) throws -> AuthenticatorState? {
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
        guard found.isRegular, found.size <= Self.sizeLimit else {
            throw DeviceError(.storage, "\(path) is no regular file of at most 1 MiB")
        }
        do {
            return try JSONDecoder().decode(
                AuthenticatorState.self,
                from: Data(sealer.open(found.bytes, identity: Self.identity)))
        } catch let error
            as SealError
        { throw DeviceError(.storage, "\(path): \(error)") } catch {
            throw DeviceError(.storage, "\(path) does not hold an authenticator's state")
        }
    }

    private func write(_ state: AuthenticatorState, _ sealer: RecordSealer) throws {
        let content = Array(try JSONEncoder().encode(state))
        let temporary = "\(folder)/.\(hexadecimal(random.bytes(8)))\(temporarySuffix)"
        try files.replaceFile(
            path, with: sealer.seal(content, identity: Self.identity), by: temporary)
    }
}

/// A folder of sealed records that nobody but its owner may enter.
enum DeviceFolder {
    static let recordSuffix = ".sealed"

    /// Makes it when it is missing, takes its lock and its key, and sweeps what an interrupted
    /// process left.
    static func locked(
        _ folder: String, keyPath: String, files: any FileSystem, random: RandomSource
    ) throws -> (lock: any FileLock, key: MasterKey) {
        do {
            try files.ensureFolder(folder)
            if let mode = try files.mode(ofFolder: folder), mode & 0o077 != 0 {
                throw DeviceError(
                    .storage,
                    "others may enter \(folder), whose mode is 0\(String(mode, radix: 8)). Run: chmod 700 \(folder)"
                )
            }
            let lock = try files.lock("\(folder)/lock", .exclusive)
            do {
                try files.sweep(folder)
                let recordsExist =
                    try files.list(folder)?.contains { $0.hasSuffix(recordSuffix) } ?? false
                return (
                    lock,
                    try KeyFile(path: keyPath, files: files).loadOrCreate(
                        sealedRecordsExist: recordsExist, random: random)
                )
            } catch {
                lock.release()
                throw error
            }
        } catch let error as FileSystemError { throw DeviceError(.storage, "\(error)") } catch let
            error as KeyFileError
        {
            throw DeviceError(.storage, "\(error)")
        }
    }
}
#endif

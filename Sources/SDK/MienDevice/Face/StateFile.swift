internal import Foundation
internal import MienKeys
package import MienVault

extension SealPurpose {
    /// The state of a device's PIN and confirmed people: hashes, counters, and keys.
    static let deviceAuthenticator = SealPurpose(label: "mien/v1/device-authenticator")
}

/// One sealed file that is read, changed, and replaced under a lock. Several processes may share
/// it, and a crash leaves either the old or the new version complete.
///
/// It cannot detect that someone with write access to the folder restored an old version.
package struct StateFile: Sendable {
    static let sizeLimit = 1 << 20
    static let name = "authenticator.sealed"

    let folder: String
    let keyStore: any DeviceKeyStore
    let files: any FileSystem
    let random: RandomSource

    /// - Throws: errors of `body`, after which nothing is written; ``DeviceError`` `.storage`.
    package func update<T>(_ body: (inout AuthenticatorState) throws -> T) throws -> T {
        try withLock { sealer in
            var state = try read(sealer) ?? AuthenticatorState()
            let result = try body(&state)
            try write(state, sealer)
            return result
        }
    }

    package func read() throws -> AuthenticatorState {
        // A device without a state needs no folder and no key file.
        guard try exists() else { return AuthenticatorState() }
        return try withLock { try read($0) } ?? AuthenticatorState()
    }

    private func exists() throws -> Bool {
        do throws(FileSystemError) { return try files.read(path, atMost: 0) != nil } catch {
            throw DeviceError(.storage, "\(error)")
        }
    }

    /// Removes the PIN, all confirmations, and everything locked. The key file stays, because other
    /// records may need it.
    package func reset() throws { try withLock { try write(AuthenticatorState(), $0) } }

    /// Removes the file, even if it cannot be opened.
    func remove() throws {
        do throws(FileSystemError) {
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw DeviceError(.storage, "\(error)") }
    }

    private var path: String { "\(folder)/\(Self.name)" }
    private static let identity = Array("authenticator".utf8)

    private func withLock<T>(_ body: (RecordSealer) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyStore: keyStore, files: files, random: random)
            defer { vault.lock.release() }
            return try body(
                RecordSealer(key: vault.key, purpose: .deviceAuthenticator, random: random))
        } catch let error as FileSystemError { throw DeviceError(.storage, "\(error)") }
    }

    private func read(_ sealer: RecordSealer) throws -> AuthenticatorState? {
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
        guard found.isRegular, found.size <= Self.sizeLimit else {
            throw DeviceError(.storage, "\(path) is not a regular file of at most 1 MiB.")
        }
        do {
            return try JSONDecoder().decode(
                AuthenticatorState.self,
                from: Data(sealer.open(found.bytes, identity: Self.identity)))
        } catch let error
            as SealError
        { throw DeviceError(.storage, "\(path): \(error)") } catch {
            throw DeviceError(.storage, "\(path) does not contain an authenticator's state.")
        }
    }

    private func write(_ state: AuthenticatorState, _ sealer: RecordSealer) throws {
        let content = Array(try JSONEncoder().encode(state))
        try files.replaceFile(
            path, with: sealer.seal(content, identity: Self.identity), random: random)
    }
}

/// A folder of sealed records that only its owner can access.
package enum DeviceFolder {
    package static let recordSuffix = ".sealed"

    /// Creates the folder if it is missing, takes its lock and its key, and removes leftovers of an
    /// interrupted process.
    package static func locked(
        _ folder: String, keyStore: any DeviceKeyStore, files: any FileSystem,
        random: RandomSource
    ) throws -> (lock: any FileLock, key: MasterKey) {
        do {
            try files.ensureFolder(folder)
            if let mode = try files.mode(ofFolder: folder), mode & 0o077 != 0 {
                throw DeviceError(
                    .storage,
                    "Other users can access \(folder), whose mode is 0\(String(mode, radix: 8)). Run: chmod 700 \(folder)"
                )
            }
            let lock = try files.lock("\(folder)/lock", .exclusive)
            do {
                try files.sweep(folder)
                let recordsExist =
                    try files.list(folder)?.contains { $0.hasSuffix(recordSuffix) } ?? false
                return (
                    lock,
                    try keyStore.loadOrCreate(sealedRecordsExist: recordsExist, random: random)
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

internal import Foundation
internal import MienDevice
internal import MienKeys
internal import MienVault

extension SealPurpose {
    /// A device key's record.
    static let deviceKey = SealPurpose(label: "mien/v1/device-key")
}

/// Key records in a folder (0700), each a sealed file (0600) whose name reveals nothing. After a
/// crash a record is either there or not, never half written.
struct KeyFolder: Sendable {
    static let sizeLimit = 64 << 10
    static let maxKeys = 1000

    let folder: String
    let keyPath: String
    let files: any FileSystem
    let random: RandomSource

    func record(_ tag: DeviceKeyTag) throws -> KeyRecord? {
        try withLock { key in try read(name(tag, key), key) }
    }

    /// - Throws: `DeviceError` `.tagInUse`, `.storage`.
    func add(_ record: KeyRecord) throws {
        try withLock { key in
            guard try read(name(record.tag, key), key) == nil else { throw Self.inUse }
            guard try names().count < Self.maxKeys else {
                throw DeviceError(
                    .storage, "\(folder) contains \(Self.maxKeys) keys, which is the limit.")
            }
            let name = name(record.tag, key), content = Array(try JSONEncoder().encode(record))
            let sealed = RecordSealer(key: key, purpose: .deviceKey, random: random).seal(
                content, identity: Array(name.utf8))
            try files.replaceFile(
                "\(folder)/\(name)", with: sealed, random: random)
        }
    }

    func remove(_ tag: DeviceKeyTag) throws {
        try withLock { key in
            let path = "\(folder)/\(name(tag, key))"
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        }
    }

    func tags() throws -> [DeviceKeyTag] {
        try withLock { key in try names().compactMap { try read($0, key)?.tag }.sorted() }
    }

    static let inUse = DeviceError(
        .tagInUse, "A key with this tag already exists. Delete it first.")

    private func names() throws -> [String] {
        try (files.list(folder) ?? []).filter { $0.hasSuffix(Self.suffix) }
    }

    private static let suffix = ".key\(DeviceFolder.recordSuffix)"

    private func name(_ tag: DeviceKeyTag, _ key: MasterKey) -> String {
        hexadecimal(key.code(for: tag.text.utf8, purpose: .deviceKey)) + Self.suffix
    }

    private func read(_ name: String, _ key: MasterKey) throws -> KeyRecord? {
        let path = "\(folder)/\(name)"
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
        guard found.isRegular, found.size <= Self.sizeLimit else {
            throw DeviceError(.storage, "\(path) is not a regular file of at most 64 KiB.")
        }
        do {
            let content = try RecordSealer(key: key, purpose: .deviceKey, random: random).open(
                found.bytes, identity: Array(name.utf8))
            return try JSONDecoder().decode(KeyRecord.self, from: Data(content))
        } catch let error as SealError { throw DeviceError(.storage, "\(path): \(error)") } catch {
            throw DeviceError(.storage, "\(path) does not contain a device key.")
        }
    }

    private func withLock<T>(_ body: (MasterKey) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyStore: KeyFile(path: keyPath, files: files), files: files,
                random: random)
            defer { vault.lock.release() }
            return try body(vault.key)
        } catch let error as FileSystemError { throw DeviceError(.storage, "\(error)") }
    }
}

internal import Foundation
internal import MienKeys
internal import MienVault

extension SealPurpose {
    /// The number of failed tries for each enrolled face of a device.
    static let faceLockouts = SealPurpose(label: "mien/v1/face-lockouts")
}

/// Counts the failed tries in a row for each enrolled face. Five lock the face. Tries are counted durably before they begin, so killing the process
/// gains none.
///
/// Tries are counted per enrollment, not per name, because a name has several spellings. The counts
/// are one sealed file under the key file.
struct FaceLockouts: Sendable {
    static let name = "lockouts.sealed"
    static let sizeLimit = 64 << 10
    /// The maximum number of entries. Removed enrollments may leave entries; the oldest are
    /// dropped.
    static let maxEntries = 256
    private static let identity = Array("lockouts".utf8)

    private struct Entry: Codable, Equatable {
        /// SHA-256 of the template with which the enrollment began.
        let enrollment: Data
        var failures: Int

        private enum CodingKeys: String, CodingKey { case enrollment = "enrolment", failures }
    }

    private struct Record: Codable, Equatable {
        var version = 1
        var entries: [Entry] = []
    }

    let folder: String
    let keyStore: any DeviceKeyStore
    let files: any FileSystem
    let random: RandomSource

    /// Counts a try that begins now.
    ///
    /// - Returns: whether the try may proceed. If not, nothing was counted.
    /// - Throws: ``FaceAuthError`` `.storage`.
    func begin(_ mode: FaceAuthMode) throws -> Bool {
        try update(mode) { failures in
            guard failures < AuthenticatorState.maxFaceFailures else { return false }
            failures += 1
            return true
        }
    }

    /// Resets the count after the right face.
    func succeed(_ mode: FaceAuthMode) throws { try update(mode) { $0 = 0 } }

    /// Uncounts a try in which nobody was judged.
    func abandon(_ mode: FaceAuthMode) throws { try update(mode) { $0 = max(0, $0 - 1) } }

    func isLockedOut(_ mode: FaceAuthMode) throws -> Bool {
        guard try exists() else { return false }
        return try update(mode) { $0 >= AuthenticatorState.maxFaceFailures }
    }

    /// Removes all counts. Needs no key.
    func reset() throws {
        do throws(FileSystemError) {
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw FaceAuthError(.storage, "\(error)") }
    }

    // MARK: The file

    private var path: String { "\(folder)/\(Self.name)" }

    private func exists() throws -> Bool {
        do throws(FileSystemError) { return try files.read(path, atMost: 0) != nil } catch {
            throw FaceAuthError(.storage, "\(error)")
        }
    }

    private func update<T>(_ mode: FaceAuthMode, _ body: (inout Int) -> T) throws -> T {
        let enrollment = Data(mode.enrollment)
        return try withLock { sealer in
            let before = try read(sealer)
            var record = before
            let index = record.entries.firstIndex { $0.enrollment == enrollment }
            var failures = index.map { record.entries[$0].failures } ?? 0
            let result = body(&failures)
            if let index { record.entries.remove(at: index) }
            if failures > 0 {
                record.entries.insert(
                    Entry(enrollment: enrollment, failures: failures),
                    at: index ?? record.entries.endIndex)
            }
            record.entries.removeFirst(max(0, record.entries.count - Self.maxEntries))
            if record != before { try write(record, sealer) }
            return result
        }
    }

    private func read(_ sealer: RecordSealer) throws -> Record {
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return Record() }
        guard found.isRegular, found.size <= Self.sizeLimit,
            let content = try? sealer.open(found.bytes, identity: Self.identity),
            let record = try? JSONDecoder().decode(Record.self, from: Data(content)),
            record.version == 1
        else {
            throw FaceAuthError(
                .storage,
                "\(path) does not contain counts of version 1 of this device. Restore it, or reset the service."
            )
        }
        return record
    }

    private func write(_ record: Record, _ sealer: RecordSealer) throws {
        let content = Array(try JSONEncoder().encode(record))
        try files.replaceFile(
            path, with: sealer.seal(content, identity: Self.identity), random: random)
    }

    private func withLock<T>(_ body: (RecordSealer) throws -> T) throws -> T {
        do {
            let vault = try DeviceFolder.locked(
                folder, keyStore: keyStore, files: files, random: random)
            defer { vault.lock.release() }
            return try body(RecordSealer(key: vault.key, purpose: .faceLockouts, random: random))
        } catch let error as DeviceError { throw FaceAuthError(.storage, error.reason) } catch let
            error as FileSystemError
        {
            throw FaceAuthError(.storage, "\(error)")
        }
    }
}

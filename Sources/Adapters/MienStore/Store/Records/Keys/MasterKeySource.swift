internal import MienCore
package import MienVault

/// The file from which a server read its master keys, and in which it stores those that it takes over.
/// Servers may share one.
package final class MasterKeySource: Sendable {
    private struct Stored {
        /// The bytes of the file, as this server last read or wrote them.
        var bytes: [UInt8]?
        var names: Set<SealedKeyName>
        /// The versions of the key that seals, and of the last one.
        var active, newest: UInt32
    }

    private let file: KeyFile?
    private let stored: Locked<Stored>

    /// - Parameters:
    ///   - file: `nil` for keys that are stored nowhere, as in tests.
    ///   - ring: What the file contains.
    package init(_ file: KeyFile?, containing ring: KeyRing) {
        self.file = file
        stored = Locked(Self.stored(ring, try? file?.storedBytes()))
    }

    private static func stored(_ ring: KeyRing, _ bytes: [UInt8]?) -> Stored {
        let keys = ring.keys
        return Stored(
            bytes: bytes, names: Set(keys.map(\.name)), active: ring.active.version,
            newest: keys.last?.version ?? 0)
    }

    /// The newest version in the file.
    package var newest: UInt32 { stored.withLock { $0.newest } }

    /// Whether the file lacks a key of this ring, or contains a key that is not used anymore. A server
    /// that shares the file may have stored more.
    func isOutdated(_ ring: KeyRing, _ phases: MasterKeyPhases) -> Bool {
        let names = ring.keys.map(\.name), active = ring.active.version
        return stored.withLock { stored in
            !stored.names.isSuperset(of: names) || stored.active < active
                || !stored.names.isDisjoint(with: phases.ended)
        }
    }

    /// Stores keys durably. After a crash, the file has either the old keys or the new ones.
    ///
    /// - Throws: ``KeyFileError``; then the file is as before.
    package func store(_ ring: KeyRing) throws(KeyFileError) {
        try file?.store(ring)
        let new = Self.stored(ring, try file?.storedBytes())
        stored.withLock { $0 = new }
    }

    /// Reads the file again.
    ///
    /// - Returns: `nil` if there is none.
    package func load() throws(KeyFileError) -> KeyRing? {
        guard let file, let ring = try file.loadRing() else { return nil }
        let new = Self.stored(ring, try file.storedBytes())
        stored.withLock { $0 = new }
        return ring
    }

    /// Whether another process has replaced the file.
    package func hasChanged() throws(KeyFileError) -> Bool {
        guard let file else { return false }
        let bytes = try file.storedBytes()
        return stored.withLock { $0.bytes != bytes }
    }

    /// The remedy for keys that are too old.
    package static let advice =
        "Copy the file of the master keys (master.key in the data folder, or what key.path names) from a server that runs on this database, with what protects it, or restore it from a backup of the keys"

    /// The error of a server whose keys do not open what the others seal.
    func tooOld(_ version: UInt32) -> StoreError {
        StoreError(
            .foreignKey,
            "the records are sealed under version \(version) of the master key, which \(file?.path ?? "this server") lacks"
        )
    }
}

internal import MienVault

/// Refuses to store what a removed master key has sealed.
///
/// A server that was paused may still seal with a former key, and records that it has sealed may wait
/// for their transaction. Both are harmless until the key is removed: from then on nobody could open
/// them. The transaction itself reads whether that has happened, so that no pause lies between.
final class MasterKeyFence: WriteFence {
    private let ring: KeyRing
    /// The names of keys that have not been removed before this transaction.
    private var passed: Set<SealedKeyName> = []
    /// The keys that the next statement is the first to use.
    private var pending: Set<SealedKeyName> = []

    init(_ ring: KeyRing) { self.ring = ring }

    func require(for values: [SQLValue], on connection: any SQLConnection) throws(StoreError)
        -> Bool
    {
        pending = []
        for case .blob(let bytes) in values where bytes.count >= RecordSealer.overhead {
            guard let name = SealedKeyName(of: bytes), !passed.contains(name), ring.hasHeld(name),
                pending.insert(name).inserted
            else { continue }
            // The server takes over the key in use, or stops, within a second.
            try connection.require(
                nothing: "SELECT 1 FROM master_key WHERE name = ? AND state = ?",
                [.blob(name.bytes), .text(MasterKeyPhases.State.removed.rawValue)],
                else: StoreError(
                    .busy, "the record is sealed under a master key that was removed meanwhile"))
        }
        return !pending.isEmpty
    }

    func pass() { passed.formUnion(pending) }
}

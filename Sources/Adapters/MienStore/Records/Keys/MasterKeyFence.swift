internal import MienSealing

/// A connection that refuses to store what a removed master key has sealed.
///
/// A server that was paused may still seal with a former key, and records that it has sealed may wait
/// for their transaction. Both are harmless until the key is removed: from then on nobody could open
/// them. The transaction itself reads whether that has happened, so that no pause lies between.
final class MasterKeyFence: SQLConnection {
    private let connection: any SQLConnection
    private let ring: KeyRing
    /// The names of keys that have not been removed before this transaction.
    private var passed: Set<SealedKeyName> = []

    init(_ connection: any SQLConnection, _ ring: KeyRing) {
        (self.connection, self.ring) = (connection, ring)
    }

    var skippingLocked: String { connection.skippingLocked }
    func leaveNoTrace() { connection.leaveNoTrace() }

    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        try connection.notify(channel, payload)
    }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try require(values)
        return try connection.execute(sql, values)
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        try require(values)
        return try connection.rows(sql, values)
    }

    private func require(_ values: [SQLValue]) throws(StoreError) {
        for case .blob(let bytes) in values where bytes.count >= RecordSealer.overhead {
            guard let name = SealedKeyName(of: bytes), !passed.contains(name), ring.hasHeld(name)
            else { continue }
            let removed = try connection.row(
                "SELECT 1 FROM master_key WHERE name = ? AND state = ?", .blob(name.bytes),
                .text(MasterKeyPhases.State.removed.rawValue))
            guard removed == nil else {
                // The server takes over the key in use, or stops, within a second.
                throw StoreError(
                    .busy, "the record is sealed under a master key that was removed meanwhile")
            }
            passed.insert(name)
        }
    }
}

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

    func require(nothing sql: String, _ values: [SQLValue], else error: StoreError)
        throws(StoreError)
    { try connection.require(nothing: sql, values, else: error) }

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        let names = try require(values)
        let changed = try connection.execute(sql, values)
        passed.formUnion(names)
        return changed
    }

    func executeLater(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        let names = try require(values)
        guard names.isEmpty else {
            try connection.execute(sql, values)
            return passed.formUnion(names)
        }
        try connection.executeLater(sql, values)
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        let names = try require(values)
        let rows = try connection.rows(sql, values)
        passed.formUnion(names)
        return rows
    }

    /// Lets a statement run only if the keys that have sealed its values are not removed.
    ///
    /// - Returns: the keys that it is the first to use. They have passed once it has succeeded.
    private func require(_ values: [SQLValue]) throws(StoreError) -> Set<SealedKeyName> {
        var names: Set<SealedKeyName> = []
        for case .blob(let bytes) in values where bytes.count >= RecordSealer.overhead {
            guard let name = SealedKeyName(of: bytes), !passed.contains(name), ring.hasHeld(name),
                names.insert(name).inserted
            else { continue }
            // The server takes over the key in use, or stops, within a second.
            try connection.require(
                nothing: "SELECT 1 FROM master_key WHERE name = ? AND state = ?",
                [.blob(name.bytes), .text(MasterKeyPhases.State.removed.rawValue)],
                else: StoreError(
                    .busy, "the record is sealed under a master key that was removed meanwhile"))
        }
        return names
    }
}

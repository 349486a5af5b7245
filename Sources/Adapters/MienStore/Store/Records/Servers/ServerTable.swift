public import MienCore

/// The servers that share the database, and where each takes requests about its live captures. The
/// address of one that takes none is empty.
public struct ServerTable {
    let connection: any SQLConnection

    /// Records that a server is alive.
    ///
    /// - Parameters:
    ///   - address: Where it takes requests of the others.
    ///   - host: Where an operator finds it: the machine and the process.
    ///   - keys: How far it is with the master keys.
    ///   - holdsFaces: Whether it holds faces in memory, which others may let it search.
    public func announce(
        _ name: String, at address: String, host: String = "", keys: ServerKeyReport? = nil,
        holdsFaces: Bool = false, seen now: Instant
    ) throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO server (name, address, seen_at, host, key_stored, key_active, key_fault, galleries)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at, host = excluded.host,
              key_stored = excluded.key_stored, key_active = excluded.key_active, key_fault = excluded.key_fault,
              galleries = excluded.galleries
            """, .text(name), .text(address), .time(now), .text(host),
            keys.map { .integer(Int64($0.stored)) } ?? .null,
            keys.map { .integer(Int64($0.active)) } ?? .null, .text(keys?.fault ?? ""),
            .flag(holdsFaces))
    }

    /// The servers that have been seen at or after `time`, by name.
    public func living(since time: Instant) throws(StoreError) -> [LivingServer] {
        try connection.rows(
            "SELECT name, host, key_stored, key_active, key_fault FROM server WHERE seen_at >= ? ORDER BY name",
            .time(time)
        ).map { row throws(StoreError) in
            var keys: ServerKeyReport?
            if let stored = try row.optionalInteger(2), let active = try row.optionalInteger(3) {
                keys = ServerKeyReport(
                    stored: UInt32(clamping: stored), active: UInt32(clamping: active),
                    fault: try row.text(4))
            }
            return LivingServer(name: try row.text(0), host: try row.text(1), keys: keys)
        }
    }

    /// The names of the servers that hold faces in memory, can be reached, and have been seen at or
    /// after `time`.
    public func holdingFaces(seenSince time: Instant) throws(StoreError) -> [String] {
        try connection.rows(
            "SELECT name FROM server WHERE galleries = 1 AND address <> '' AND seen_at >= ? ORDER BY name",
            .time(time)
        ).map { row throws(StoreError) in try row.text(0) }
    }

    /// The address of a server that has been seen at or after `time`.
    public func address(of name: String, seenSince time: Instant) throws(StoreError) -> String? {
        try connection.row(
            "SELECT address FROM server WHERE name = ? AND seen_at >= ?", .text(name), .time(time)
        )?.text(0)
    }

    /// Removes a server that stops.
    public func remove(_ name: String) throws(StoreError) {
        try connection.execute("DELETE FROM server WHERE name = ?", .text(name))
    }

    /// Removes servers that have not been seen since `time`.
    ///
    /// - Returns: how many.
    public func sweep(unseenSince time: Instant, atMost count: Int) throws(StoreError) -> Int {
        try connection.execute(
            "DELETE FROM server WHERE name IN (SELECT name FROM server WHERE seen_at < ? LIMIT ?)",
            .time(time), .integer(Int64(count)))
    }
}

/// How far a server is with the master keys.
public struct ServerKeyReport: Sendable, Hashable {
    /// The newest version that it has stored durably.
    public var stored: UInt32
    /// The version under which it seals.
    public var active: UInt32
    /// Why it cannot store a newer one; empty if it can.
    public var fault: String

    public init(stored: UInt32, active: UInt32, fault: String = "") {
        (self.stored, self.active, self.fault) = (stored, active, fault)
    }
}

/// A server that has said that it lives.
public struct LivingServer: Sendable, Hashable {
    public let name: String
    /// The machine and the process.
    public let host: String
    /// `nil` until the server has said so.
    public let keys: ServerKeyReport?

    public init(name: String, host: String, keys: ServerKeyReport?) {
        (self.name, self.host, self.keys) = (name, host, keys)
    }
}

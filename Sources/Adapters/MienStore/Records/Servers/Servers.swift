public import MienCore

/// The servers that share the database, and where each takes requests about its live captures. The
/// address of one that takes none is empty.
public struct ServerTable {
    let connection: any SQLConnection

    /// The part that a server takes in galleries. Servers of versions before this one take none.
    private enum Galleries: Int64 {
        case none = 0
        case notesChanges = 1
        case holdsFaces = 2
    }

    /// Says that a server lives.
    ///
    /// - Parameter holdsFaces: Whether it holds faces in memory, which others may let it search.
    public func announce(
        _ name: String, at address: String, holdsFaces: Bool = false, seen now: Instant
    ) throws(StoreError) {
        let galleries: Galleries = holdsFaces ? .holdsFaces : .notesChanges
        try connection.execute(
            """
            INSERT INTO server (name, address, seen_at, galleries) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET
              address = excluded.address, seen_at = excluded.seen_at, galleries = excluded.galleries
            """, .text(name), .text(address), .time(now), .integer(galleries.rawValue))
    }

    /// The names of the servers that hold faces in memory, can be reached, and have been seen at or
    /// after `time`.
    public func holdingFaces(seenSince time: Instant) throws(StoreError) -> [String] {
        try connection.rows(
            "SELECT name FROM server WHERE galleries = ? AND address <> '' AND seen_at >= ? ORDER BY name",
            .integer(Galleries.holdsFaces.rawValue), .time(time)
        ).map { row throws(StoreError) in try row.text(0) }
    }

    /// Whether a server may use the database that does not note changes of faces. One that died is
    /// listed until it is swept, because it may only have been paused.
    public func hasEarlierVersions() throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM server WHERE galleries = ? LIMIT 1",
            .integer(Galleries.none.rawValue)) != nil
    }

    /// The address of a server that has been seen at or after `time`.
    public func address(of name: String, seenSince time: Instant) throws(StoreError) -> String? {
        try connection.row(
            "SELECT address FROM server WHERE name = ? AND seen_at >= ?", .text(name), .time(time)
        )?.text(0)
    }

    /// Whether a server other than `name` has been seen at or after `time`.
    public func hasOthers(than name: String, seenSince time: Instant) throws(StoreError) -> Bool {
        try connection.row(
            "SELECT 1 FROM server WHERE name <> ? AND seen_at >= ? LIMIT 1", .text(name),
            .time(time)) != nil
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

public import MienCore

/// One version of a journey.
public struct JourneyRecord: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The version can be changed but not started.
        case draft
        /// New runs use this version. A journey has at most one published version.
        case published
        /// Existing runs continue on this version.
        case retired
    }

    public let id: JourneyID
    public let version: Int
    public let state: State
    /// The definition in JSON; see `docs/spec/journeys.md`.
    public let definition: String
    public let updatedAt: Instant
}

public struct JourneyTable {
    let connection: any SQLConnection
    private static let columns = "id, version, state, definition, updated_at"

    /// Creates or replaces a draft.
    ///
    /// - Throws: ``StoreError`` `.conflict` if that version is published or retired.
    public func putDraft(_ id: JourneyID, version: Int, definition: String, at now: Instant)
        throws(StoreError)
    {
        let changed = try connection.execute(
            "UPDATE journey SET definition = ?, updated_at = ? WHERE id = ? AND version = ? AND state = 'draft'",
            .text(definition), .time(now),
            .id(id), .integer(Int64(version)))
        if changed == 1 { return }
        try connection.execute(
            "INSERT INTO journey (id, version, state, definition, created_at, updated_at) VALUES (?, ?, 'draft', ?, ?, ?)",
            .id(id),
            .integer(Int64(version)), .text(definition), .time(now), .time(now))
    }

    /// Publishes a draft, or a retired version again. The version that was published is retired.
    ///
    /// - Returns: `false` if that version does not exist or is published already.
    public func publish(_ id: JourneyID, version: Int, at now: Instant) throws(StoreError) -> Bool {
        guard let state = try find(id, version: version)?.state, state != .published else {
            return false
        }
        try ChangeVersionTable(connection: connection).grow(.journeys)
        try connection.execute(
            "UPDATE journey SET state = 'retired', updated_at = ? WHERE id = ? AND state = 'published'",
            .time(now), .id(id))
        try connection.execute(
            "UPDATE journey SET state = 'published', updated_at = ? WHERE id = ? AND version = ?",
            .time(now), .id(id), .integer(Int64(version)))
        return true
    }

    /// - Returns: `false` if that version is not published.
    public func retire(_ id: JourneyID, version: Int, at now: Instant) throws(StoreError) -> Bool {
        try ChangeVersionTable(connection: connection).grow(.journeys)
        return try connection.execute(
            "UPDATE journey SET state = 'retired', updated_at = ? WHERE id = ? AND version = ? AND state = 'published'",
            .time(now), .id(id),
            .integer(Int64(version))) == 1
    }

    public func published(_ id: JourneyID) throws(StoreError) -> JourneyRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM journey WHERE id = ? AND state = 'published'", .id(id)
        )
        .map { row throws(StoreError) in try Self.record(row) }
    }

    public func find(_ id: JourneyID, version: Int) throws(StoreError) -> JourneyRecord? {
        try connection.row(
            "SELECT \(Self.columns) FROM journey WHERE id = ? AND version = ?", .id(id),
            .integer(Int64(version))
        )
        .map { row throws(StoreError) in try Self.record(row) }
    }

    public func all() throws(StoreError) -> [JourneyRecord] {
        try connection.rows("SELECT \(Self.columns) FROM journey ORDER BY id, version").map {
            row throws(StoreError) in try Self.record(row)
        }
    }

    private static func record(_ row: SQLRow) throws(StoreError) -> JourneyRecord {
        JourneyRecord(
            id: try row.identifier(0), version: Int(try row.integer(1)), state: try row.word(2),
            definition: try row.text(3),
            updatedAt: try row.instant(4))
    }
}

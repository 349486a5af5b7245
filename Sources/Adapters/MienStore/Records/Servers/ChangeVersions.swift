/// Something that servers keep in memory until it changes.
public enum ChangeTopic: String, Sendable, CaseIterable {
    case apps, journeys, pages
    case signingKeys = "signing-keys"
    case captureTrails = "capture-trails"
}

extension StoreChannel {
    /// Says that the version of a topic has grown.
    public static let changes: StoreChannel = "changes"
}

/// A number for each topic that grows with every change, in the transaction that makes it. A server
/// compares it to learn whether another one has changed what it keeps.
public struct ChangeVersionTable {
    let connection: any SQLConnection

    /// The number of changes so far.
    public func version(of topic: ChangeTopic) throws(StoreError) -> Int64 {
        try connection.row(
            "SELECT version FROM change_version WHERE topic = ?", .text(topic.rawValue))?
            .integer(0) ?? 0
    }

    /// Counts a change, and tells the servers of it.
    ///
    /// - Returns: the new number.
    @discardableResult
    func grow(_ topic: ChangeTopic) throws(StoreError) -> Int64 {
        if topic != .captureTrails { try connection.notify(.changes, topic.rawValue) }
        return try connection.row(
            """
            INSERT INTO change_version (topic, version) VALUES (?, 1)
            ON CONFLICT (topic) DO UPDATE SET version = change_version.version + 1 RETURNING version
            """, .text(topic.rawValue))?.integer(0) ?? 0
    }
}

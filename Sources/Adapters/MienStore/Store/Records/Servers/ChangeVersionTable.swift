internal import MienCore

/// Something whose changes are counted, because servers keep it in memory or work on it.
public enum ChangeTopic: String, Sendable, CaseIterable {
    case apps, journeys, pages
    case signingKeys = "signing-keys"
    case captureTrails = "capture-trails"
    /// The hashes of passwords that were imported: ``AuthenticatorTable/importedHashes()``.
    case importedHashes = "imported-hashes"
    /// The requests for passes of ``MasterKeyTable``.
    case masterKeyPass = "master-key-pass"

    /// Whether servers look at once when it changes, without being asked for it.
    var isAnnounced: Bool {
        switch self {
        case .apps, .journeys, .pages, .signingKeys: true
        case .captureTrails, .importedHashes, .masterKeyPass: false
        }
    }
}

extension StoreChannel {
    /// Notifies other servers that the version of a topic has grown.
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

    /// The number of changes so far of everything.
    func all() throws(StoreError) -> [ChangeTopic: Int64] {
        var versions: [ChangeTopic: Int64] = [:]
        for row in try connection.rows("SELECT topic, version FROM change_version") {
            // A newer server may have more topics.
            guard let topic = ChangeTopic(rawValue: try row.text(0)) else { continue }
            versions[topic] = try row.integer(1)
        }
        return versions
    }

    /// Counts a change, and tells the servers of it.
    ///
    /// - Returns: the new number.
    @discardableResult
    func grow(_ topic: ChangeTopic) throws(StoreError) -> Int64 {
        if topic.isAnnounced { try connection.notify(.changes, topic.rawValue) }
        return try connection.row(
            """
            INSERT INTO change_version (topic, version) VALUES (?, 1)
            ON CONFLICT (topic) DO UPDATE SET version = change_version.version + 1 RETURNING version
            """, .text(topic.rawValue))?.integer(0) ?? 0
    }
}

/// Lets callers that ask at the same time share one read.
final class ChangeVersionReader: Sendable {
    typealias Versions = [ChangeTopic: Int64]

    private enum Turn {
        /// The caller reads, for itself and for these.
        case reading([CheckedContinuation<Turn, any Error>])
        case read(Versions)
    }

    /// Those that wait for the next read, because one is under way that may have begun before the
    /// change they must see; `nil` if none is.
    private let waiting = Locked<[CheckedContinuation<Turn, any Error>]?>(nil)

    /// The number of those that wait for the next read.
    var waitingCount: Int { waiting.withLock { $0?.count ?? 0 } }

    /// Returns versions at least as new as this call.
    ///
    /// - Parameter read: Reads them.
    func versions(_ read: () async throws -> Versions) async throws -> Versions {
        switch try await turn() {
        case .read(let versions): return versions
        case .reading(let others):
            do {
                let versions = try await read()
                passOn()
                for other in others { other.resume(returning: .read(versions)) }
                return versions
            } catch {
                // Give this error to all that wait for the next read: each would fail in the same
                // way after the same wait.
                let later = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting ?? []
                }
                for other in others + later { other.resume(throwing: error) }
                throw error
            }
        }
    }

    private func turn() async throws -> Turn {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                waiting?.append(continuation)
                defer { waiting = waiting ?? [] }
                return waiting == nil
            }
            if isFirst { continuation.resume(returning: .reading([])) }
        }
    }

    /// Lets the first that waits read for all that do.
    private func passOn() {
        let next = waiting.withLock { waiting in
            let all = waiting ?? []
            waiting = all.isEmpty ? nil : []
            return all
        }
        next.first?.resume(returning: .reading(Array(next.dropFirst())))
    }
}

public import MienCore

/// Assumptions of a request about what the database holds: what its server keeps in memory is unchanged,
/// and so is the run that it read earlier. The first write of the request requires this, so a request
/// that only writes needs no query beforehand.
///
/// See ``Store/assuming(_:_:)``.
public final class Assumptions: Sendable {
    /// A run of a journey and the revision that its server keeps.
    public struct Run: Sendable {
        public let id: InstanceID
        public let revision: Int

        public init(_ id: InstanceID, revision: Int) { (self.id, self.revision) = (id, revision) }
    }

    @TaskLocal private static var ofTask: Assumptions?

    /// The assumptions of the request that this task handles, until it ends.
    static var current: Assumptions? { ofTask.flatMap { $0.isOver ? nil : $0 } }

    private struct State {
        /// Whether the request has ended. A task that it started may go on.
        var isOver = false
        /// The versions that the request has used.
        var versions: [ChangeTopic: Int64] = [:]
        /// Whether they held when the request wrote something.
        var hasWritten = false
        /// The versions in the database when the request asked.
        var confirmed: [ChangeTopic: Int64]?
    }

    private let run: Run?
    private let state = Locked(State())

    init(_ run: Run?) { self.run = run }

    /// Returns the version to use of a topic that is kept at version `known`.
    func version(of topic: ChangeTopic, known: Int64) -> Int64? {
        state.withLock { state in
            if let confirmed = state.confirmed { return confirmed[topic] ?? 0 }
            if state.hasWritten { return state.versions[topic] }
            // The oldest version used must still hold.
            state.versions[topic] = min(known, state.versions[topic] ?? known)
            return known
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// Compares the assumptions with the database, unless it has done so already.
    ///
    /// - Throws: ``Outdated``.
    func confirm(_ read: () async throws -> (revision: Int?, versions: [ChangeTopic: Int64]))
        async throws
    {
        if state.withLock({ $0.confirmed != nil || ($0.hasWritten && run == nil) }) { return }
        let (revision, versions) = try await read()
        guard run == nil || revision == run?.revision else { throw Outdated() }
        try state.withLock { state in
            let holds = state.versions.allSatisfy { versions[$0.key] ?? 0 <= $0.value }
            guard holds || state.hasWritten else { throw Outdated() }
            state.confirmed = versions
        }
    }

    /// Lets the next statement run only if the versions hold.
    ///
    /// - Returns: whether there is one to compare.
    func require(on connection: any SQLConnection) throws(StoreError) -> Bool {
        let versions = state.withLock {
            $0.confirmed == nil && !$0.hasWritten ? $0.versions : [:]
        }
        guard !versions.isEmpty else { return false }
        let topics = versions.sorted { $0.key.rawValue < $1.key.rawValue }
        let terms = topics.map { _ in "(topic = ? AND version > ?)" }.joined(separator: " OR ")
        try connection.require(
            nothing: "SELECT 1 FROM change_version WHERE \(terms)",
            topics.flatMap { [.text($0.key.rawValue), .integer($0.value)] },
            else: StoreError(.stale, "another server has changed what this one keeps in memory"))
        return true
    }

    /// Notes that a write of the request was committed. Its assumptions held at that time, and the
    /// request must not be repeated.
    func noteWrite() { state.withLock { $0.hasWritten = true } }

    private var hasWritten: Bool { state.withLock { $0.hasWritten } }

    /// The revision of the run, and the versions of everything.
    func read(_ tables: Tables) throws(StoreError) -> (Int?, [ChangeTopic: Int64]) {
        guard let run else { return (nil, try tables.changes.all()) }
        let rows = try tables.connection.rows(
            """
            SELECT '', revision FROM journey_run WHERE id = ?
            UNION ALL SELECT topic, version FROM change_version
            """, .id(run.id))
        var revision: Int?, versions: [ChangeTopic: Int64] = [:]
        for row in rows {
            let name = try row.text(0), number = try row.integer(1)
            if name.isEmpty { revision = Int(number) }
            if let topic = ChangeTopic(rawValue: name) { versions[topic] = number }
        }
        return (revision, versions)
    }

    /// Runs `body` with these assumptions.
    ///
    /// - Returns: `nil` if they do not hold, or `body` throws ``Outdated``.
    func during<Output>(
        _ body: () async throws -> Output, confirming confirm: () async throws -> Void
    ) async throws -> Output? {
        defer { state.withLock { $0.isOver = true } }
        return try await Self.$ofTask.withValue(self) {
            do { return try await body() } catch {
                if error is Outdated { return nil }
                // An uncertain write may have been committed.
                guard !hasWritten, (error as? StoreError)?.code != .uncertain else { throw error }
                // A refusal must not rest on outdated data either.
                do { try await confirm() } catch is Outdated { return nil }
                throw error
            }
        }
    }

    /// Another server has changed what a request assumed. A body may throw it, too.
    public struct Outdated: Error {
        public init() {}
    }
}

/// Lets the first statement of a write run only if what the request assumes holds.
final class AssumptionFence: WriteFence {
    private let assumptions: Assumptions
    /// Whether a statement has succeeded.
    private(set) var hasPassed = false

    init(_ assumptions: Assumptions) { self.assumptions = assumptions }

    func require(for values: [SQLValue], on connection: any SQLConnection) throws(StoreError)
        -> Bool
    {
        if hasPassed { return false }
        return try assumptions.require(on: connection)
    }

    func pass() { hasPassed = true }
}

extension Store {
    /// Runs `body`, the handling of a request, on what this server keeps in memory. Before the first
    /// effect that is not a write, it calls ``confirmAssumptions()``.
    ///
    /// - Returns: the output of `body`; `nil` if another server has changed what it used, in which case
    ///   it has written nothing, or if it throws ``Assumptions/Outdated``. It may then run again without
    ///   assumptions.
    /// - Throws: the error of `body`, if what it used is unchanged or it has written something.
    public func assuming<Output>(
        _ run: Assumptions.Run? = nil, _ body: () async throws -> Output
    ) async throws -> Output? {
        // A server alone on its database knows of every change.
        guard isShared else {
            do { return try await body() } catch is Assumptions.Outdated { return nil }
        }
        return try await Assumptions(run).during(body) { try await confirmAssumptions() }
    }

    /// Asks whether another server has changed what the request has used so far, unless it has asked
    /// before.
    ///
    /// - Throws: an error that ends the `body` of ``assuming(_:_:)``.
    public func confirmAssumptions() async throws {
        guard let assumptions = Assumptions.current else { return }
        try await assumptions.confirm {
            try await readOne { tables in try assumptions.read(tables) }
        }
    }
}

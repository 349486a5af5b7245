internal import MienCore
internal import MienJourney
internal import MienStore
internal import Synchronization

/// Definitions, read and parsed once. A version that was published never changes; which one is
/// published is asked anew after each change.
final class JourneyCatalog: Sendable {
    private struct State {
        var published: [JourneyID: JourneyDefinition] = [:]
        /// Counts what was forgotten: what was read before is not kept after.
        var changes = 0
        var versions: [String: JourneyDefinition] = [:]
    }

    /// Definitions kept in memory; each has at most 256 KB.
    private static let maxKept = 256

    private let store: Store
    private let state = Mutex(State())

    init(store: Store) { self.store = store }

    /// What new runs follow.
    func published(_ id: JourneyID) async throws -> JourneyDefinition? {
        let (known, changes) = state.withLock { ($0.published[id], $0.changes) }
        if let known { return known }
        let definition = try await store.read { try $0.journeys.published(id) }.map {
            try Self.parsed($0)
        }
        state.withLock { state in
            // Names nobody published are not kept: anybody can think of more.
            guard state.changes == changes, let definition else { return }
            if state.published.count >= Self.maxKept { state.published = [:] }
            state.published[id] = definition
        }
        return definition
    }

    /// What a run that has begun follows.
    func version(_ id: JourneyID, _ version: Int) async throws -> JourneyDefinition {
        let key = "\(id.text) \(version)"
        if let known = state.withLock({ $0.versions[key] }) { return known }
        guard let record = try await store.read({ try $0.journeys.find(id, version: version) })
        else {
            throw StoreError(.corrupt, "a run follows a journey that is gone")
        }
        let definition = try Self.parsed(record)
        state.withLock { state in
            if state.versions.count >= Self.maxKept { state.versions = [:] }
            state.versions[key] = definition
        }
        return definition
    }

    /// The authenticators that published journeys ask for.
    ///
    /// - Parameter journeys: those that an app may start; `nil` for all.
    func authenticators(askedBy journeys: [JourneyID]?) async throws -> Set<AuthenticatorType> {
        let published = try await store.read { try $0.journeys.all() }.filter {
            $0.state == .published
        }.map(\.id)
        var types: Set<AuthenticatorType> = []
        for id in published where journeys?.contains(id) ?? true {
            guard let definition = try await self.published(id) else { continue }
            types.formUnion(definition.authenticatorsAsked)
        }
        return types
    }

    /// Something was published or retired.
    func forget(_ id: JourneyID) {
        state.withLock {
            $0.published[id] = nil
            $0.changes += 1
        }
    }

    private static func parsed(_ record: JourneyRecord) throws -> JourneyDefinition {
        do { return try JourneyDefinition.parse(Array(record.definition.utf8)) } catch {
            throw StoreError(
                .corrupt,
                "journey \(record.id.text) version \(record.version) is no longer understood: \(error)"
            )
        }
    }
}

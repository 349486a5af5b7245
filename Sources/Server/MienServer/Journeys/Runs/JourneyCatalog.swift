package import MienCore
internal import MienJourney
package import MienStore
internal import Synchronization

/// Parsed journey definitions, cached. A published version never changes; which version is
/// published is read again after each change. Where several servers share a database, it is compared
/// with the store at each use, so that a journey that was withdrawn starts nowhere.
package final class JourneyCatalog: Sendable {
    private struct State {
        var published: [JourneyID: JourneyDefinition] = [:]
        /// Incremented by each ``forget(_:)``, so that a definition read before the change is not
        /// cached after it.
        var changes = 0
        var versions: [String: JourneyDefinition] = [:]
        /// The version of the journeys in the store that is cached.
        var version: Int64 = -1
    }

    /// The maximum number of definitions in each cache. A definition has at most 256 KB.
    private static let maxKept = 256

    private let store: Store
    private let state = Mutex(State())

    package init(store: Store) { self.store = store }

    /// Returns the definition that new runs follow.
    func published(_ id: JourneyID) async throws -> JourneyDefinition? {
        try await check()
        let (known, changes) = state.withLock { ($0.published[id], $0.changes) }
        if let known { return known }
        let definition = try await store.read { try $0.journeys.published(id) }.map {
            try Self.parsed($0)
        }
        state.withLock { state in
            // Do not cache misses: a client can invent any number of names.
            guard state.changes == changes, let definition else { return }
            if state.published.count >= Self.maxKept { state.published = [:] }
            state.published[id] = definition
        }
        return definition
    }

    /// Returns the definition that a started run follows.
    func version(_ id: JourneyID, _ version: Int) async throws -> JourneyDefinition {
        let key = "\(id.text) \(version)"
        if let known = state.withLock({ $0.versions[key] }) { return known }
        guard let record = try await store.read({ try $0.journeys.find(id, version: version) })
        else {
            throw StoreError(.corrupt, "The definition of a run's journey is missing.")
        }
        let definition = try Self.parsed(record)
        state.withLock { state in
            if state.versions.count >= Self.maxKept { state.versions = [:] }
            state.versions[key] = definition
        }
        return definition
    }

    /// Returns the authenticators that published journeys use.
    ///
    /// - Parameter journeys: The journeys that an app may start; `nil` for all.
    package func authenticators(askedBy journeys: [JourneyID]?) async throws -> Set<
        AuthenticatorType
    > {
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

    /// A step of a published version that answers `challenge` instead of `allow`, because nobody
    /// checks documents and the step does not accept that.
    package struct UncheckedDocuments: Sendable, Hashable {
        package let journey: JourneyID
        package let version: Int
        package let step: String
    }

    /// Returns such steps of versions that were published before the linter reported them. Skips
    /// versions that can no longer be parsed, which fail when they are started.
    ///
    /// - Parameter checksDocuments: Whether this server checks documents; then there are none.
    package func uncheckedDocuments(checksDocuments: Bool) async throws -> [UncheckedDocuments] {
        let records = try await store.read { try $0.journeys.all() }.filter {
            $0.state == .published
        }
        return records.flatMap { record in
            let findings =
                (try? Self.parsed(record)).map {
                    JourneyLinter.lint($0, checksDocuments: checksDocuments)
                } ?? []
            return findings.filter { $0.code == .documentsUnchecked }.map {
                UncheckedDocuments(
                    journey: record.id, version: record.version, step: $0.step?.text ?? "")
            }
        }
    }

    /// Drops what is cached about published versions if another server has changed one since.
    private func check() async throws {
        guard store.isShared else { return }
        let version = try await store.changeVersion(
            of: .journeys, known: state.withLock { $0.version })
        state.withLock { state in
            guard version > state.version else { return }
            state.version = version
            state.published = [:]
            state.changes += 1
        }
    }

    /// Drops the cached definition after a version was published or retired.
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
                "Journey \(record.id.text) version \(record.version) can no longer be parsed: \(error)"
            )
        }
    }
}

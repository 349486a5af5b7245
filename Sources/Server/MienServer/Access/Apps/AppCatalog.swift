package import MienAPI
package import MienCore
package import MienStore
internal import Synchronization

/// Caches apps until they change.
///
/// Where several servers share a database, what decides who may do something is compared with the
/// store at each use, so that an app's new secret or party counts everywhere at once. The rest is
/// compared every second (``ChangeWatch``).
package final class AppCatalog: Sendable {
    private static let maxKept = 10_000

    private let store: Store
    private struct State {
        var known: [AppID: AppRecord] = [:]
        /// The strictest lock policy of all apps, by method.
        var strictest: [AuthenticatorType: LockPolicy] = [:]
        /// The strictest lock policy of faces of each group of apps that share them.
        var ofGroups: [FaceGroupID: LockPolicy] = [:]
        /// The apps that texts of consent name, by app; `nil` for an app that shares no faces.
        var sharing: [AppID: FaceSharing?] = [:]
        /// The origins of web pages that apps list.
        var origins: [AppID: Set<String>]?
        /// Counts invalidations. A record that was read before an invalidation is not cached after
        /// it.
        var changes = 0
        /// The version of the apps in the store that is cached.
        var version: Int64 = -1

        mutating func forgetAll() {
            known = [:]
            forgetCommon()
        }

        mutating func forgetCommon() {
            (strictest, ofGroups, sharing, origins) = ([:], [:], [:], nil)
            changes += 1
        }
    }

    private let state = Mutex(State())

    package init(store: Store) { self.store = store }

    /// Returns the app that a client has authenticated as.
    ///
    /// - Throws: The same ``Problem`` for an unknown app, a wrong secret, a missing secret, and an
    ///   app that has a key instead.
    package func authenticated(id: String, secret: String?) async throws -> AppRecord {
        guard let id = AppID(id), let app = try await load(id) else { throw Self.refusal }
        RequestFacts.note(claimed: id)
        if app.type == .confidential {
            guard app.settings.hasSecret(app.type), let expected = app.secretHash, let secret,
                let parsed = BearerSecret.parse(secret, AppKind.self), parsed.id == id,
                isSame(store.keys.hash(ofSecret: parsed.secret), expected)
            else { throw Self.refusal }
        }
        RequestFacts.note(app: id)
        return app
    }

    /// Returns the app of a run.
    package func find(_ id: AppID) async throws -> AppRecord {
        guard let app = try await load(id) else {
            throw Problem(.noActiveJourney, "The app was deleted.")
        }
        RequestFacts.note(app: id)
        return app
    }

    /// Returns the apps that share faces with this one, as texts of consent name them.
    package func sharing(of id: AppID) async throws -> FaceSharing? {
        try await check()
        let (known, changes) = state.withLock { ($0.sharing[id], $0.changes) }
        if let known { return known }
        let found = try await store.read { try $0.faceGroups.sharing(of: id) }
        state.withLock { state in
            guard state.changes == changes else { return }
            if state.sharing.count >= Self.maxKept { state.sharing = [:] }
            state.sharing[id] = .some(found)
        }
        return found
    }

    /// Returns the lock policy of a face that a group shares: the strictest of its apps.
    private func lockPolicy(of group: FaceGroupID) async throws -> LockPolicy {
        try await check()
        let (known, changes) = state.withLock { ($0.ofGroups[group], $0.changes) }
        if let known { return known }
        let apps = try await store.read { tables in
            try (tables.faceGroups.find(group)?.apps.keys.sorted() ?? []).compactMap {
                try tables.apps.find($0)
            }
        }
        let strictest =
            LockPolicy.strictest(of: apps.map { $0.settings.lockPolicy(for: .face) })
            ?? AuthenticatorType.face.defaultLockPolicy
        state.withLock { if $0.changes == changes { $0.ofGroups[group] = strictest } }
        return strictest
    }

    /// Returns the lock policy of an authenticator: its app's policy, or the strictest policy of
    /// all apps if the authenticator serves them all, or of those that share it.
    package func lockPolicy(for type: AuthenticatorType, app: AppID?) async throws -> LockPolicy {
        if let group = FaceGroupID(space: app) { return try await lockPolicy(of: group) }
        if let app {
            return try await load(app)?.settings.lockPolicy(for: type) ?? type.defaultLockPolicy
        }
        let (known, changes) = state.withLock { ($0.strictest[type], $0.changes) }
        if let known { return known }
        let all = try await store.read { try $0.apps.all() }
        let strictest =
            LockPolicy.strictest(of: all.map { $0.settings.lockPolicy(for: type) })
            ?? type.defaultLockPolicy
        state.withLock { if $0.changes == changes { $0.strictest[type] = strictest } }
        return strictest
    }

    /// Whether an app lists the origin of a web page; without an app, whether any does.
    package func isListed(origin: String, of app: AppID?) async throws -> Bool {
        let (known, changes) = state.withLock { ($0.origins, $0.changes) }
        let origins: [AppID: Set<String>]
        if let known {
            origins = known
        } else {
            let all = try await store.read { try $0.apps.all() }
            let listed = all.filter { !$0.settings.webOrigins.isEmpty }.map {
                ($0.id, Set($0.settings.webOrigins))
            }
            origins = Dictionary(uniqueKeysWithValues: listed)
            state.withLock { if $0.changes == changes { $0.origins = origins } }
        }
        guard let app else { return origins.values.contains { $0.contains(origin) } }
        return origins[app]?.contains(origin) ?? false
    }

    /// Drops everything cached. Call this whenever a group of apps was added, changed, or removed.
    package func forgetAll() { state.withLock { $0.forgetAll() } }

    /// Removes an app from the cache. Call this whenever an app was added, changed, or removed.
    package func forget(_ id: AppID) {
        state.withLock {
            $0.known[id] = nil
            $0.forgetCommon()
        }
    }

    /// Drops what is cached if another server has changed an app since.
    package func check() async throws {
        guard store.isShared else { return }
        let version = try await store.changeVersion(
            of: .apps, known: state.withLock { $0.version })
        state.withLock { state in
            guard version > state.version else { return }
            state.version = version
            state.forgetAll()
        }
    }

    private func load(_ id: AppID) async throws -> AppRecord? {
        try await check()
        let (app, changes) = state.withLock { ($0.known[id], $0.changes) }
        if let app { return app }
        let found = try await store.read { try $0.apps.find(id) }
        state.withLock { state in
            guard state.changes == changes, let found else { return }
            if state.known.count >= Self.maxKept { state.known = [:] }
            state.known[id] = found
        }
        return found
    }

    private static var refusal: Problem {
        Problem(
            .invalidCredentials,
            "The client_id is unknown, or the client_secret is wrong.")
    }
}

package import MienAPI
package import MienCore
package import MienStore
internal import Synchronization

/// How pages look where an app does not say: the look that administrators set for the whole server.
/// Kept in memory, because every page needs it.
package final class PageDefaults: Sendable {
    private let store: Store
    private let current = Mutex(Stored(settings: PageSettings(), version: -1))

    /// The look, and which of its changes made it.
    package struct Stored: Sendable {
        package let settings: PageSettings
        let version: Int64

        /// Names the change. A replacement that names an earlier one is refused.
        package var revision: String { String(version) }
    }

    package init(store: Store) { self.store = store }

    /// The look of all pages of no app.
    package var settings: PageSettings { stored.settings }
    package var stored: Stored { current.withLock { $0 } }

    /// Returns the look of an app's pages.
    package func look(of app: AppRecord?) -> PageSettings {
        app.map { $0.settings.pages.completed(by: settings) } ?? settings
    }

    /// Reads what is stored.
    package func reload() async throws {
        let (stored, version) = try await store.read {
            (try $0.defaultChoices.pages(), try $0.changes.version(of: .pages))
        }
        keep(Stored(settings: stored, version: version))
    }

    /// Reads it again if another server on the same data has changed it.
    package func check() async throws {
        let version = try await store.changeVersion(of: .pages)
        guard version > current.withLock({ $0.version }) else { return }
        try await reload()
    }

    /// Replaces the look.
    ///
    /// - Parameter revision: The revision of the look to replace; `nil` for any.
    /// - Throws: ``Problem`` if another administrator has changed the look since.
    package func set(
        _ settings: PageSettings, replacing revision: String?, by actor: String, at now: Instant
    ) async throws -> Stored {
        let stored = try await store.write { tables in
            let version = try tables.changes.version(of: .pages)
            guard revision == nil || revision == String(version) else {
                throw Problem(
                    .conflict,
                    "Somebody has changed the look since. Look at it as it is now, and make the changes again."
                )
            }
            let detail = AuditChanges.detail(
                from: Self.members(try tables.defaultChoices.pages()), to: Self.members(settings))
            try tables.defaultChoices.setPages(settings)
            try tables.audit.append(
                AuditEvent("pages.changed", actor: actor, detail: detail), at: now)
            return Stored(settings: settings, version: try tables.changes.version(of: .pages))
        }
        keep(stored)
        return stored
    }

    private static func members(_ settings: PageSettings) -> [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            "brand": text(settings.brand), "brand_dark": text(settings.brandDark),
            "logo": text(settings.logo), "language": text(settings.language),
            "texts": .object(
                settings.texts.mapValues { .object($0.mapValues { .string($0) }) }),
        ]
    }

    /// Keeps a look unless a newer one is kept.
    private func keep(_ stored: Stored) {
        current.withLock { if stored.version >= $0.version { $0 = stored } }
    }
}

package import MienAccess
package import MienCore
package import MienStore
internal import Synchronization

/// How pages look where an app does not say: the look that administrators set for the whole server.
/// Kept in memory, because every page needs it.
package final class PageDefaults: Sendable {
    private let store: Store
    private let current = Mutex(PageSettings())

    package init(store: Store) { self.store = store }

    /// The look of all pages of no app.
    package var settings: PageSettings { current.withLock { $0 } }

    /// Returns the look of an app's pages.
    package func look(of app: AppRecord?) -> PageSettings {
        app.map { $0.settings.pages.completed(by: settings) } ?? settings
    }

    /// Reads what is stored. Another server on the same data may have changed it.
    package func reload() async throws {
        let stored = try await store.read { try $0.defaultChoices.pages() }
        current.withLock { $0 = stored }
    }

    /// Replaces the look.
    package func set(_ settings: PageSettings, by actor: String, at now: Instant) async throws {
        try await store.write { tables in
            try tables.defaultChoices.setPages(settings)
            try tables.audit.append(AuditEvent("pages.changed", actor: actor), at: now)
        }
        current.withLock { $0 = settings }
    }
}

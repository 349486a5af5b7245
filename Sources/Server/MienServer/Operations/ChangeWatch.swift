package import Logging
package import MienStore
internal import ServiceLifecycle

/// Refreshes cached state on notification, and every second in case a notification was lost.
///
/// It bounds how long a server may act on what was true before. Values that must count at once,
/// such as an app's secret, are compared with the store at each use.
package struct ChangeWatch: Service, NamedByType {
    /// Compares one thing with the store, and reads it again if it has changed.
    package typealias Check = @Sendable () async throws -> Void

    private let store: Store
    private let checks: [(name: String, check: Check)]
    private let pause: Duration
    private let logger: Logger

    /// - Parameter pause: The time between two checks without a notification.
    package init(
        store: Store, checks: [(name: String, check: Check)], pause: Duration = .seconds(1),
        logger: Logger
    ) {
        (self.store, self.checks, self.pause, self.logger) = (store, checks, pause, logger)
    }

    package func run() async throws {
        // A server that is alone makes all changes itself.
        guard store.isShared else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                tasks.addTask {
                    for await _ in store.notifications([.changes]) { await check() }
                }
                while !Task.isCancelled {
                    await check()
                    try? await Task.sleep(for: pause)
                }
            }
        }
    }

    package func check() async {
        for (name, check) in checks {
            do { try await check() } catch {
                logger.error(
                    "changes by other servers could not be read; retrying in a second",
                    metadata: ["change.topic": "\(name)", "error.type": "\(type(of: error))"])
            }
        }
    }
}

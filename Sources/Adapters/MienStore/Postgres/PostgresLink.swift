internal import Foundation
internal import MienCore

/// A thread's connection, which is opened when it is needed and again after it was lost.
final class PostgresLink {
    private let settings: PostgresSettings
    private var connection: PostgresConnection?

    init(_ settings: PostgresSettings) { self.settings = settings }

    /// Returns the connection. Tries to open one until `deadline`, at least once.
    func open(until deadline: ContinuousClock.Instant) throws(PostgresFailure)
        -> PostgresConnection
    {
        var pause = Duration.milliseconds(20)
        while true {
            if let connection { return connection }
            do throws(PostgresFailure) {
                let opened = try PostgresConnection(settings)
                connection = opened
                return opened
            } catch {
                guard error.mayPass, .now + pause < deadline else { throw error }
            }
            Thread.sleep(pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, .seconds(1))
        }
    }

    func close() { connection = nil }

    /// Ends a transaction that failed.
    func rollBack() {
        perform { connection throws(PostgresFailure) in try connection.rollBack() }
    }

    /// Prepares all statements again.
    func forgetStatements() {
        perform { connection throws(PostgresFailure) in try connection.forgetStatements() }
    }

    private func perform(_ body: (PostgresConnection) throws(PostgresFailure) -> Void) {
        guard let connection else { return }
        do { try body(connection) } catch { close() }
    }
}

extension Thread {
    static func sleep(_ duration: Duration) {
        sleep(forTimeInterval: Double(duration.milliseconds) / 1000)
    }
}

extension PostgresFailure {
    /// Whether a connection may be refused only for the moment, such as during a restart. A wrong
    /// password or a missing database stays.
    var mayPass: Bool {
        guard state.isEmpty, isLost else { return false }
        let passing = [
            "starting up", "shutting down", "recovery", "not yet accepting", "too many clients",
            "connection slots", "read-write", "read-only",
        ]
        return !reason.contains("FATAL") || passing.contains { reason.contains($0) }
    }
}

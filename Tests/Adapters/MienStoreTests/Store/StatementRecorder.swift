import MienStore
import Synchronization

/// A driver that notes the statements that read, with their values.
final class StatementRecorder: SQLDriver {
    struct Statement: Sendable {
        let sql: String
        let values: [SQLValue]
    }

    private let driver: any SQLDriver
    private let noted = Mutex<[Statement]>([])

    init(_ driver: any SQLDriver) { self.driver = driver }

    var dialect: SQLDialect { driver.dialect }
    var isShared: Bool { driver.isShared }
    var waitingWrites: Int { driver.waitingWrites }
    var maxWaitingWrites: Int { driver.maxWaitingWrites }
    var reads: Int { driver.reads }
    var readers: Int { driver.readers }

    func write<Output: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await driver.write(durability, body) }

    func read<Output: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Output)
        async throws -> Output
    {
        try await driver.read { connection in
            try body(RecordingConnection(connection: connection) { self.note($0, $1) })
        }
    }

    func changeSchema<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output { try await driver.changeSchema(body) }

    func notifications(_ channels: Set<StoreChannel>) -> AsyncStream<StoreNotification> {
        driver.notifications(channels)
    }

    func close() throws { try driver.close() }

    private func note(_ sql: String, _ values: [SQLValue]) {
        noted.withLock { $0.append(Statement(sql: sql, values: values)) }
    }

    /// Returns the statements since the last call.
    func take() -> [Statement] {
        noted.withLock { noted in
            defer { noted = [] }
            return noted
        }
    }

    /// Returns how the database carries a statement out, a line for each step.
    func plan(of statement: Statement) async throws -> [String] {
        try await driver.read {
            try $0.rows("EXPLAIN QUERY PLAN \(statement.sql)", statement.values).map {
                try $0.text(3)
            }
        }
    }
}

private struct RecordingConnection: SQLConnection {
    let connection: any SQLConnection
    let note: (String, [SQLValue]) -> Void

    func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try connection.execute(sql, values)
    }
    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        note(sql, values)
        return try connection.rows(sql, values)
    }
    func leaveNoTrace() { connection.leaveNoTrace() }
    func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
        try connection.notify(channel, payload)
    }
}

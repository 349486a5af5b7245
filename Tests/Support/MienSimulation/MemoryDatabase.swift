import GRDB
import MienStore

/// A database in memory with one connection, for simulations: calls do not wait, a power loss is one
/// call, and everything can be undone.
final class MemoryDatabase: Sendable {
    private let queue: DatabaseQueue

    init() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        // Savepoints stay open between calls.
        configuration.allowsUnsafeTransactions = true
        configuration.label = "mien.simulation"
        queue = try DatabaseQueue(configuration: configuration)
    }

    /// Runs `body` in a transaction. What earlier `.process` transactions wrote survives a power loss
    /// once an `.always` transaction was committed, because a log is synced as a whole.
    ///
    /// - Throws: the error of `body`, in which case nothing was written.
    func write<Output>(
        _ durability: Durability, _ body: (any SQLConnection) throws -> Output
    ) throws -> Output {
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "SAVEPOINT job")
            let output: Output
            do { output = try body(SQLiteDriver.connection(on: database)) } catch {
                try database.execute(sql: "ROLLBACK TO job; RELEASE job")
                throw error
            }
            try database.execute(sql: "RELEASE job")
            if durability == .always, database.isInsideTransaction {
                try database.execute(sql: "RELEASE synced; SAVEPOINT synced")
            }
            return output
        }
    }

    /// Runs `body`, which must not write.
    func read<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        try queue.writeWithoutTransaction { try body(SQLiteDriver.connection(on: $0)) }
    }

    /// Begins what ``endTrial()`` undoes. Power losses are possible from here on.
    func beginTrial() throws {
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "BEGIN IMMEDIATE; SAVEPOINT synced")
        }
    }

    /// Undoes everything since ``beginTrial()``.
    func endTrial() throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }

    /// Loses what was written since the last `.always` transaction.
    func losePower() throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK TO synced") }
    }
}

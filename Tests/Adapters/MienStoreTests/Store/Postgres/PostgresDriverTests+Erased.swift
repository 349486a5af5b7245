import Foundation
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

/// Data that was deleted and must leave PostgreSQL's tables.
extension PostgresDriverTests {
    @Test func `the tables of erased data are vacuumed`() async throws {
        _ = try await driver.changeSchema {
            try $0.execute(
                "CREATE TABLE page (note TEXT REFERENCES note (id) ON DELETE CASCADE)", [])
        }
        _ = await note("a")
        _ = try await driver.write(.always) { connection in
            try connection.execute("INSERT INTO page VALUES ('a')", [])
        }
        try await driver.write(.always) { connection in
            try connection.execute("DELETE FROM note WHERE id = 'a'", [])
            connection.leaveNoTrace()
        }
        let found = try await Patience.see {
            try await cluster.sql(
                "SELECT COUNT(*) FROM pg_stat_user_tables WHERE vacuum_count > 0 AND relname IN ('note', 'page')",
                in: database)
        } until: {
            $0 == "2"
        }
        #expect(found == "2", "also the table whose rows were deleted with theirs")
        // The cleaner deletes the notes of tables that it has vacuumed.
        try await vanish("SELECT COUNT(*) FROM store_trace")
    }

    @Test
    func
        `deletions that leave no trace are noted with them, and not before a reader has let them go`()
        async throws
    {
        for name in ["a", "b", "c", "d"] { _ = await note(name) }
        @Sendable func erase(_ name: String, _ connection: any SQLConnection) throws {
            try connection.execute("DELETE FROM note WHERE id = ?", [.text(name)])
            connection.leaveNoTrace()
        }
        func noted() async throws -> String {
            try await cluster.sql("SELECT COUNT(*) FROM store_trace", in: database)
        }
        await #expect(throws: StoreError.self) {
            try await driver.write(.always) { connection in
                try erase("a", connection)
                throw StoreError(.stale, "")
            }
        }
        #expect(try await noted() == "0", "it was undone")
        // A reader that sees what is deleted next. Its transaction has no number.
        let hasBegun = DispatchSemaphore(value: 0), ends = DispatchSemaphore(value: 0)
        let writer = driver
        var settings = try PostgresSettings(cluster.url(database), connections: 3)
        // PostgreSQL ends a transaction that does nothing for so long.
        settings.statementTimeout = .seconds(600)
        let other = try await PostgresDriver(settings)
        defer { other.close() }
        let reader = Task {
            try await other.read { connection in
                let before = try connection.rows("SELECT COUNT(*) FROM note", [])[0].integer(0)
                hasBegun.signal()
                ends.wait()
                return before
            }
        }
        try await WorkerThread.run(name: "test.wait") { hasBegun.wait() }
        // Some of them share a transaction.
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for name in ["b", "c", "d"] {
                tasks.addTask { try await writer.write(.always) { try erase(name, $0) } }
            }
            try await tasks.waitForAll()
        }
        #expect(try await noted() != "0")
        try await Task.sleep(for: .seconds(6))
        #expect(try await noted() != "0", "the reader still needs the rows")
        ends.signal()
        #expect(try await reader.value == 4)
        try await vanish("SELECT COUNT(*) FROM store_trace")
        // From the dump of a database whose numbers were higher, and of a table that is gone.
        _ = try await cluster.sql(
            "INSERT INTO store_trace VALUES ('900000000000', 'note'), ('900000000000', 'gone')",
            in: database)
        try await driver.write(.always) { try erase("a", $0) }
        try await vanish("SELECT COUNT(*) FROM store_trace")
    }

    @Test func `what a dead server has not vacuumed, the next one does`() async throws {
        _ = await note("a")
        driver.close()
        // Its deletion was committed, and it died before the vacuum.
        _ = try await cluster.sql(
            """
            BEGIN; DELETE FROM note WHERE id = 'a'; INSERT INTO store_trace (name) VALUES ('note'); COMMIT
            """, in: database)
        let next = try await PostgresDriver(PostgresSettings(cluster.url(database)))
        try await vanish("SELECT COUNT(*) FROM store_trace")
        try await vanish(
            "SELECT COUNT(*) FROM pg_stat_user_tables WHERE relname = 'note' AND vacuum_count = 0")
        next.close()
    }

    /// Waits until a query finds 0.
    private func vanish(_ sql: String) async throws {
        let found = try await Patience.see(within: .seconds(120)) {
            try await cluster.sql(sql, in: database)
        } until: {
            $0 == "0"
        }
        #expect(found == "0", "\(sql)")
    }
}

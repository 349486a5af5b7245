import Foundation
import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

@Suite(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"))
struct StoreCopyTests {
    let folder: ScratchFolder
    let source: TestStore
    let target: PostgresDriver

    init() async throws {
        folder = try ScratchFolder()
        source = try await TestStore(.sqlite)
        target = try await PostgresTestDatabases.driver(for: folder)
    }

    private func copy(isLast: Bool = false) async throws -> StoreCopy.Report {
        let snapshot = folder("\(UUID().uuidString)").path
        try DatabaseCopy.make(of: source.folder("mien.sqlite").path, at: snapshot)
        return try await StoreCopy(of: snapshot, to: target).run(isLast: isLast)
    }

    private func event(_ name: String) async throws {
        try await source.store.write {
            try $0.audit.append(AuditEvent(name, actor: "system"), at: .start)
        }
    }

    @Test func `a copy made while the server writes is completed when it has stopped`() async throws
    {
        try await source.app(.shop)
        let ana = try await source.account("ana"), eve = try await source.account("eve")
        let face = try await source.authenticator("1", of: ana)
        _ = try await source.device("d1", of: eve.id)
        for index in 0..<1_100 { _ = try await source.account("n\(index)") }
        try await event("one")

        let first = try await copy()
        #expect(
            first.inserted == first.rows && first.updated == 0 && first.deleted == 0, "\(first)")
        #expect(first.tables.first { $0.name == "account" }?.rows == 1_102)
        // No server starts on it.
        #expect(await refusal { try await StoreCopy.requireFinished(target) } == .incomplete)

        // Every kind of change, also of rows that refer to others.
        try await source.sql("DELETE FROM account WHERE id = 'usr_eve'")
        try await source.sql(
            "UPDATE account_name SET account_id = 'usr_ana' WHERE account_id = 'usr_n5'")
        try await source.sql("DELETE FROM account WHERE id = 'usr_n5'")
        try await source.sql("UPDATE authenticator SET info = '{}' WHERE id = ?", .id(face.id))
        for index in 0..<300 { _ = try await source.account("later\(index)") }
        try await event("two")

        let second = try await copy(isLast: true)
        #expect(second.deleted >= 3 && second.updated >= 1 && second.inserted >= 600)
        #expect(second.inserted < 700, "what is there already is not copied again")
        try await StoreCopy.requireFinished(target)

        // The server goes on with it.
        let store = try await Store(target, keys: TestStore.keys)
        try await store.write { tables in
            #expect(try tables.accounts.find(identifier: "later299")?.id == UserID("usr_later299"))
            #expect(try tables.accounts.find(identifier: "eve") == nil)
            #expect(try tables.accounts.find(identifier: "n5")?.id == ana.id)
            let found = try #require(try tables.accounts.find(ana.id))
            #expect(try tables.authenticators.all(of: found).map(\.content.shown) == [[1, 2, 3]])
            try tables.audit.append(AuditEvent("three", actor: "system"), at: .start)
            guard case .whole(entries: 3, _) = try tables.audit.verify() else {
                Issue.record("the audit log is not whole")
                return
            }
        }
        // Nothing is overwritten afterwards.
        #expect(await refusal { _ = try await copy() } == .conflict)
    }

    @Test func `every table is copied, and the same rows have the same hash`() async throws {
        try await event("one")
        let report = try await copy(isLast: true)
        let tables = try await Set(
            source.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            ).map { try $0.text(0) })
        #expect(Set(report.tables.map(\.name)).union(["schema_step"]) == tables)
        // SHA-256 of nothing.
        let empty = report.tables.first { $0.rows == 0 }?.sha256.prefix(4)
        #expect(empty == [0xE3, 0xB0, 0xC4, 0x42])
        let audit = try #require(report.tables.first { $0.name == "audit" })
        #expect(audit.rows == 1 && audit.sha256.prefix(4) != empty)
    }

    @Test func `a copy that fails changes nothing and can be repeated`() async throws {
        _ = try await source.account("ana")
        // A text that PostgreSQL cannot hold.
        try await source.sql(
            "INSERT INTO default_choice (name, choice) VALUES (CAST(X'6100' AS TEXT), 'x')")
        #expect(await refusal { _ = try await copy() } == .corrupt)
        #expect(
            try await target.read { try $0.rows("SELECT COUNT(*) FROM account", [])[0][0] } == 0)
        try await source.sql("DELETE FROM default_choice WHERE choice = 'x'")
        #expect(try await copy(isLast: true).inserted > 0)
    }

    @Test func `a copy of another file is not mixed in`() async throws {
        try await event("one")
        _ = try await copy()
        let other = try await TestStore(.sqlite)
        try await other.store.write {
            try $0.audit.append(AuditEvent("other", actor: "system"), at: .start)
        }
        let snapshot = folder("other").path
        try DatabaseCopy.make(of: other.folder("mien.sqlite").path, at: snapshot)
        #expect(
            await refusal { _ = try await StoreCopy(of: snapshot, to: target).run(isLast: true) }
                == .conflict)
        #expect(try await copy(isLast: true).rows > 0)
    }

    @Test func `a database that servers use is never overwritten`() async throws {
        _ = try await Store(target, keys: TestStore.keys)
        #expect(await refusal { _ = try await copy() } == .conflict)
    }

    @Test func `a last run that could not say that it succeeded is recognized`() async throws {
        try await event("one")
        func isFinished(_ store: TestStore) async throws -> Bool {
            let snapshot = folder(UUID().uuidString).path
            try DatabaseCopy.make(of: store.folder("mien.sqlite").path, at: snapshot)
            return try await StoreCopy(of: snapshot, to: target).isFinished()
        }
        #expect(try await !isFinished(source), "nothing is there")
        _ = try await copy()
        #expect(try await !isFinished(source), "servers may not use it yet")
        _ = try await copy(isLast: true)
        #expect(try await isFinished(source))
        let other = try await TestStore(.sqlite)
        #expect(try await !isFinished(other), "an empty file")
        try await event("two")
        #expect(try await !isFinished(source), "the file went on")
    }

    @Test func `a file that lacks what its server committed is not moved`() async throws {
        try await event("one")
        let path = source.folder("mien.sqlite").path, old = folder("old.sqlite").path
        try DatabaseCopy.make(of: path, at: old, isForMove: true)
        try await event("two")
        try source.kind.close(source.driver)
        try DatabaseCopy.make(of: path, at: folder("whole").path, isForMove: true)
        // An earlier copy in place of the file, beside what its server has noted since.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: old, toPath: path)
        #expect(
            await refusal {
                try DatabaseCopy.make(of: path, at: folder("older").path, isForMove: true)
            } == .incomplete)
        try DatabaseCopy.make(of: path, at: folder("backup").path)
        try StoreCopy.markFile(path, as: .moved)
        #expect(
            await refusal {
                try DatabaseCopy.make(of: path, at: folder("again").path, isForMove: true)
            } == .moved)
    }

    @Test func `no server starts on a file whose last copy was interrupted, until it is repeated`()
        async throws
    {
        try await event("one")
        let path = source.folder("mien.sqlite").path
        try source.kind.close(source.driver)
        try StoreCopy.markFile(path, as: .moving)
        #expect(await refusal { _ = try SQLiteDriver(path: path) } == .moved)
        // The last run can be repeated, and says that it is done.
        try DatabaseCopy.make(of: path, at: folder("again").path, isForMove: true)
        try StoreCopy.markFile(path, as: .unused)
        try SQLiteDriver(path: path).close()
        try StoreCopy.markFile(path, as: .moving)
        try SQLiteDriver(path: path, acceptsLoss: true).close()
        try SQLiteDriver(path: path).close()
    }

    @Test func `no server starts on a file that was moved, unless it accepts the loss`()
        async throws
    {
        let path = source.folder("mien.sqlite").path
        try source.kind.close(source.driver)
        try StoreCopy.markFile(path, as: .moved)
        #expect(await refusal { _ = try SQLiteDriver(path: path) } == .moved)
        #expect(try StoreStatus.of(file: path).missing.isEmpty, "it can still be read")
        try SQLiteDriver(path: path, acceptsLoss: true).close()
        try SQLiteDriver(path: path).close()
    }
}

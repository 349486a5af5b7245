import Foundation
import MienAPI
import MienCore
import MienStore
import MienTesting
import Testing

/// A database that lacks what its server had committed is refused.
@Suite struct DatabaseStateTests {
    private let test: TestStore

    init() async throws { test = try await TestStore(.sqlite) }

    private func note(_ count: Int) async throws {
        for _ in 0..<count {
            try await test.store.write {
                try $0.audit.append(AuditEvent("note", actor: "test"), at: .start)
            }
        }
    }

    /// Copies files of the database to another folder, and opens the database there.
    private func opened(_ suffixes: [String], acceptsLoss: Bool = false) async throws
        -> StoreError.Code?
    {
        let folder = try ScratchFolder()
        for suffix in suffixes {
            try folder.write(
                Data(contentsOf: test.folder("mien.sqlite\(suffix)")), to: "mien.sqlite\(suffix)")
        }
        return await refusal {
            let driver = try SQLiteDriver(
                path: folder("mien.sqlite").path, acceptsLoss: acceptsLoss)
            #expect(driver.acceptedFlaw == nil || acceptsLoss)
            try driver.close()
        }
    }

    @Test func `a copy of a database in use opens only with its log`() async throws {
        try await note(3)
        #expect(try await opened(["", "-wal", "-head"]) == nil)
        #expect(try await opened(["", "-wal"]) == nil)
        #expect(try await opened([""]) == .incomplete)
        #expect(try await opened(["", "-head"]) == .incomplete)
        #expect(try await opened([""], acceptsLoss: true) == nil)
    }

    @Test func `a refused copy is refused again, until its loss is accepted`() async throws {
        try await note(3)
        let folder = try ScratchFolder()
        try folder.write(Data(contentsOf: test.folder("mien.sqlite")), to: "mien.sqlite")
        for _ in 0..<2 {
            #expect(
                await refusal { _ = try SQLiteDriver(path: folder("mien.sqlite").path) }
                    == .incomplete)
        }
        #expect(try folder.names() == ["mien.sqlite"])
        let driver = try SQLiteDriver(path: folder("mien.sqlite").path, acceptsLoss: true)
        #expect(driver.acceptedFlaw != nil)
        try driver.close()
    }

    @Test func `a copy of a closed database is complete without a log`() async throws {
        try await note(3)
        try test.kind.close(test.driver)
        for suffixes in [[""], ["", "-head"]] { #expect(try await opened(suffixes) == nil) }
    }

    @Test
    func `a killed server's database opens although its log was folded into it by another program`()
        async throws
    {
        try await note(2)
        // As after `sqlite3 mien.sqlite .tables`: the mark is still there, the log is not.
        try await test.driver.read { _ in }
        let copy = try ScratchFolder()
        for suffix in ["", "-wal", "-head"] {
            try copy.write(
                Data(contentsOf: test.folder("mien.sqlite\(suffix)")), to: "mien.sqlite\(suffix)")
        }
        try await ProgramRun.output(
            of: "/usr/bin/python3",
            [
                "-c",
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT COUNT(*) FROM audit').fetchone(); c.close()",
                copy("mien.sqlite").path,
            ])
        #expect(try copy.names() == ["mien.sqlite", "mien.sqlite-head"])
        try SQLiteDriver(path: copy("mien.sqlite").path).close()
    }

    @Test func `an older database in the place of a newer one is refused`() async throws {
        try await note(1)
        let older = try Data(contentsOf: test.folder("mien.sqlite")),
            olderLog = try Data(contentsOf: test.folder("mien.sqlite-wal"))
        try await note(1)
        let folder = try ScratchFolder()
        try folder.write(older, to: "mien.sqlite")
        try folder.write(olderLog, to: "mien.sqlite-wal")
        try folder.write(
            Data(contentsOf: test.folder("mien.sqlite-head")), to: "mien.sqlite-head")
        #expect(
            await refusal { _ = try SQLiteDriver(path: folder("mien.sqlite").path) } == .incomplete)
        // Once accepted, the database counts as it is.
        let driver = try SQLiteDriver(path: folder("mien.sqlite").path, acceptsLoss: true)
        #expect(driver.acceptedFlaw?.contains("entry 2") == true)
        try driver.close()
        try SQLiteDriver(path: folder("mien.sqlite").path).close()
    }

    @Test func `a torn or foreign head says nothing`() async throws {
        try await note(2)
        try test.kind.close(test.driver)
        for bytes in [[], Array("MIENHD1\n".utf8), [UInt8](repeating: 0, count: 80)] {
            let folder = try ScratchFolder()
            try folder.write(Data(contentsOf: test.folder("mien.sqlite")), to: "mien.sqlite")
            try folder.write(bytes, to: "mien.sqlite-head")
            try SQLiteDriver(path: folder("mien.sqlite").path).close()
        }
    }

    @Test func `a log that was pruned completely still has its last entry`() async throws {
        try await note(3)
        let end = Instant(milliseconds: Instant.start.milliseconds + 1)
        _ = try await test.store.write { try $0.audit.prune(before: end, atMost: 100, at: end) }
        try await note(0)
        try test.kind.close(test.driver)
        _ = try await TestStore(.sqlite, in: test.folder)
    }
}

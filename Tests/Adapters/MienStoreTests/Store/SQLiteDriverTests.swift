import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienStore

/// Tests of SQLite's single writer, which commits waiting writes together.
@Suite struct SQLiteDriverTests {
    let folder: ScratchFolder
    let driver: SQLiteDriver

    init() async throws {
        folder = try ScratchFolder()
        driver = try SQLiteDriver(path: folder("mien.sqlite").path)
        _ = try await driver.write(.always) {
            try $0.execute("CREATE TABLE note (text TEXT PRIMARY KEY)", [])
        }
    }

    /// Blocks the writer until the gate opens. Writes that arrive meanwhile wait and are committed
    /// together.
    private func hold() async -> Gate {
        let gate = Gate()
        let held = Task.detached { [driver] in try await driver.write(.process) { _ in gate.pass() }
        }
        await gate.arrival()
        _ = held
        return gate
    }

    private func note(_ text: String, _ durability: Durability = .process) async -> StoreError.Code?
    {
        await refusal {
            _ = try await driver.write(durability) {
                try $0.execute("INSERT INTO note VALUES (?)", [.text(text)])
            }
        }
    }

    private func notes() async throws -> Int {
        Int(try await driver.read { try $0.rows("SELECT COUNT(*) FROM note", [])[0].integer(0) })
    }

    @Test func `reads are counted while they run`() async throws {
        #expect(driver.reads == 0 && driver.readers == SQLiteDriver.maxReaders)
        let during = try await driver.read { [driver] _ in driver.reads }
        #expect(during == 1)
        #expect(driver.reads == 0)
        await #expect(throws: StoreError.self) {
            try await driver.read { _ = try $0.rows("SELECT * FROM missing", []) }
        }
        #expect(driver.reads == 0, "a failed read has ended, too")
    }

    @Test func `with a full queue, further writes are rejected and waiting ones are committed`()
        async throws
    {
        let gate = await hold(), surplus = 40
        try await withThrowingTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<GroupWriter.maxWaiting + surplus {
                group.addTask { await note("\(index)") }
            }
            // No other job can have finished yet.
            for _ in 0..<surplus { #expect(try await group.next() == .busy) }
            gate.open()
            for try await code in group { #expect(code == nil) }
        }
        #expect(try await notes() == GroupWriter.maxWaiting)
    }

    @Test func `a failed commit fails all of its jobs, and later jobs succeed`()
        async throws
    {
        _ = try await driver.write(.always) {
            try $0.execute("CREATE TABLE page (note TEXT REFERENCES note (text))", [])
        }
        let gate = await hold()
        let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<20 { group.addTask { await note("\(index)") } }
            group.addTask {
                await refusal {
                    try await driver.write(.process) { connection in
                        // Checked only by COMMIT.
                        try connection.execute("PRAGMA defer_foreign_keys = ON", [])
                        try connection.execute("INSERT INTO page VALUES ('none')", [])
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
            gate.open()
            return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        // All waiting jobs were in one transaction. A job that arrived too late for it was in the
        // next.
        let refused = codes.filter { $0 == .unreachable }.count
        #expect(
            refused >= 1 && codes.count == 21
                && codes.allSatisfy { $0 == nil || $0 == .unreachable })
        #expect(try await notes() == 21 - refused)
        #expect(await note("later", .always) == nil)
    }

    @Test func `a job that breaks the transaction fails with all other jobs in it`() async throws {
        let gate = await hold()
        let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<10 { group.addTask { await note("\(index)") } }
            group.addTask {
                await refusal {
                    _ = try await driver.write(.process) { try $0.execute("ROLLBACK", []) }
                }
            }
            for index in 10..<20 { group.addTask { await note("\(index)") } }
            try? await Task.sleep(for: .milliseconds(100))
            gate.open()
            return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        let refused = codes.filter { $0 != nil }.count
        #expect(refused >= 1)
        #expect(
            try await notes() == 21 - refused, "what was acknowledged is there, what was not is not"
        )
    }

    @Test func `a transaction uses the strictest durability of its jobs`() async throws {
        func level(_ durability: Durability) async throws -> Int64 {
            try await driver.write(durability) {
                try $0.rows("PRAGMA synchronous", [])[0].integer(0)
            }
        }
        for _ in 0..<2 {
            #expect(try await level(.always) == 2, "FULL")
            #expect(try await level(.process) == 1, "NORMAL")
        }
        let gate = await hold()
        async let careful = level(.always)
        async let quick = level(.process)
        try await Task.sleep(for: .milliseconds(100))
        gate.open()
        #expect(try await [careful, quick] == [2, 2])
    }

    @Test func `a closed database rejects new jobs and has finished the waiting ones`() async throws
    {
        let gate = await hold()
        let written = await withTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<500 { group.addTask { await note("\(index)") } }
            try? await Task.sleep(for: .milliseconds(50))
            let closing = Task {
                try await WorkerThread.run(name: "test.close") { try driver.close() }
            }
            try? await Task.sleep(for: .milliseconds(50))
            gate.open()
            _ = await closing.result
            return await group.reduce(0) { $0 + ($1 == nil ? 1 : 0) }
        }
        #expect(await note("late") == .unreachable)
        #expect(await refusal { _ = try await notes() } == .unreachable)
        let again = try SQLiteDriver(path: folder("mien.sqlite").path)
        #expect(
            try await again.read { try $0.rows("SELECT COUNT(*) FROM note", [])[0].integer(0) }
                == Int64(written))
        try again.close()
    }

    @Test func `notifications arrive after the commit, and only of committed writes`() async throws
    {
        let stream = driver.notifications(["settings"])
        let gate = await hold()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                group.addTask {
                    _ = try? await driver.write(.process) { connection in
                        try connection.notify("settings", "\(index)")
                        try connection.notify("unheard", "\(index)")
                        if index % 2 == 1 { throw StoreError(.stale, "") }
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
            gate.open()
        }
        _ = try? await driver.write(.process) { connection in
            try connection.notify("settings", "alone")
            throw StoreError(.stale, "")
        }
        try driver.close()
        var heard: [StoreNotification] = []
        for await notification in stream { heard.append(notification) }
        #expect(heard.first == .resynchronize)
        #expect(
            Set(heard.dropFirst())
                == Set(["0", "2", "4"].map { .sent(channel: "settings", payload: $0) }))
    }

    @Test func `a listener that is too slow is told to read everything again`() async throws {
        let stream = driver.notifications(["settings"])
        try await driver.write(.process) { connection in
            for index in 0..<NotificationHub.maxWaiting + 10 {
                try connection.notify("settings", "\(index)")
            }
        }
        try await driver.write(.process) { try $0.notify("settings", "last") }
        try driver.close()
        var heard: [StoreNotification] = []
        for await notification in stream { heard.append(notification) }
        #expect(heard.count == NotificationHub.maxWaiting)
        #expect(heard.contains(.resynchronize))
        #expect(heard.last == .sent(channel: "settings", payload: "last"))
    }

    @Test func `closing checkpoints the log into the database`() async throws {
        #expect(await note("one", .always) == nil)
        try driver.close()
        for name in try folder.names() where name.hasSuffix("-wal") {
            #expect(try Data(contentsOf: folder(name)).isEmpty)
        }
        let copy = try folder.write(Data(contentsOf: folder("mien.sqlite")), to: "copy/mien.sqlite")
        #expect(
            try await SQLiteDriver(path: copy.path).read {
                try $0.rows("SELECT text FROM note", [])[0].text(0)
            } == "one")
    }

    @Test func `releasing a driver commits waiting writes`() async throws {
        let path = folder("other.sqlite").path
        var other: SQLiteDriver? = try SQLiteDriver(path: path)
        _ = try await other?.write(.process) { try $0.execute("CREATE TABLE note (text TEXT)", []) }
        other = nil
        let again = try SQLiteDriver(path: path)
        #expect(try await again.read { try $0.rows("SELECT * FROM note", []).count } == 0)
    }

    @Test func `the database files are accessible only to their owner`() throws {
        for name in try folder.names() {
            let mode =
                try FileManager.default.attributesOfItem(atPath: folder(name).path)[
                    .posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600, "\(name)")
        }
        #expect(try folder.names().contains("mien.sqlite-wal"))
    }

    @Test func `a file that is not a database, or a missing path, is unreachable`() async throws {
        try folder.write(Array(repeating: UInt8(ascii: "x"), count: 5000), to: "text.sqlite")
        for name in ["text.sqlite", "none/mien.sqlite", "."] {
            let path = folder(name).path
            #expect(await refusal { _ = try SQLiteDriver(path: path) } == .unreachable, "\(name)")
        }
    }

    @Test func `a string with invalid UTF-8 or a NUL is not mistaken for another`() async throws {
        for blob in ["X'6100'", "X'610062'", "X'FF'", "X'C3'"] {
            #expect(
                await refusal {
                    _ = try await driver.read { try $0.rows("SELECT CAST(\(blob) AS TEXT)", []) }
                } == .corrupt, "\(blob)")
        }
        let values = try await driver.read {
            try $0.rows("SELECT '', 'é', X'', X'00', 1, 1.5, NULL", [])[0]
        }
        #expect((0..<7).map { values[$0] } == ["", "é", .blob([]), .blob([0]), 1, .real(1.5), nil])
        #expect(throws: StoreError.self) { try values.integer(0) }
        #expect(throws: StoreError.self) { try values.text(4) }
        #expect(throws: StoreError.self) { try values.blob(1) }
        #expect(
            try values.optionalText(6) == nil && values.optionalBlob(6) == nil
                && values.optionalInteger(6) == nil && values.optionalText(1) == "é")
    }
}

/// Blocks a thread until it is opened: the writer's, and never one of those that run tasks and
/// reads.
private final class Gate: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let arrived: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation) =
        AsyncStream.makeStream()

    func pass() {
        arrived.continuation.finish()
        opened.wait()
    }

    func arrival() async { for await _ in arrived.stream {} }
    func open() { opened.signal() }
}

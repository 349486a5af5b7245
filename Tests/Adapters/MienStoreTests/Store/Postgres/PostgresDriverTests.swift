import Foundation
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

@Suite(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"))
struct PostgresDriverTests {
    let folder: ScratchFolder
    let cluster: PostgresCluster
    let database: String
    let driver: PostgresDriver

    /// How long a driver waits for PostgreSQL while thousands of tests keep the machine busy.
    private static let amongOtherTests = Duration.seconds(120)

    init() async throws {
        folder = try ScratchFolder()
        cluster = try await PostgresCluster.shared()
        database = try await cluster.database(for: folder)
        driver = try await PostgresDriver(
            PostgresSettings(cluster.url(database), connections: 5))
        try await Self.makeTable(driver)
    }

    private static func makeTable(_ driver: PostgresDriver) async throws {
        _ = try await driver.changeSchema {
            try $0.execute(
                "CREATE TABLE note (id TEXT COLLATE \"C\" PRIMARY KEY, number BIGINT)", [])
        }
    }

    func note(
        _ id: String, _ durability: Durability = .always, by driver: PostgresDriver? = nil
    ) async -> StoreError.Code? {
        await refusal {
            _ = try await (driver ?? self.driver).write(durability) {
                try $0.execute("INSERT INTO note VALUES (?, 0)", [.text(id)])
            }
        }
    }

    private func ids(_ driver: PostgresDriver? = nil) async throws -> Set<String> {
        try await Set(
            (driver ?? self.driver).read {
                try $0.rows("SELECT id FROM note", []).map { try $0.text(0) }
            })
    }

    @Test func `values come back as they were written`() async throws {
        let values: [SQLValue] = [
            .null, 0, .integer(.min), .integer(.max), .real(-0.0), .real(.infinity),
            .real(Double(bitPattern: 1)), "", "é ? ' \" \\ $1", .blob([]), .blob([0, 255]),
            .blob([UInt8](repeating: 7, count: 100_000)),
        ]
        for value in values {
            let type =
                switch value {
                case .null, .integer: "BIGINT"
                case .real: "DOUBLE PRECISION"
                case .text: "TEXT"
                case .blob: "BYTEA"
                }
            let back = try await driver.write(.process) { connection in
                try connection.execute("CREATE TABLE value (v \(type))", [])
                try connection.execute("INSERT INTO value VALUES (?)", [value])
                defer { _ = try? connection.execute("DROP TABLE value", []) }
                return try connection.rows("SELECT v FROM value", [])[0][0]
            }
            #expect(back == value)
        }
        let row = try await driver.read {
            try $0.rows(
                "SELECT 1 IS NULL, 2 > 1, SUM(v), CAST(7 AS smallint), 1.5, CAST('a' AS varchar(9)) FROM (VALUES (CAST(3 AS BIGINT)), (4)) t (v)",
                [])[0]
        }
        #expect((0..<6).map { row[$0] } == [0, 1, 7, 7, .real(1.5), "a"])
        #expect(await note("a\0b") == .corrupt)
    }

    @Test func `a job that fails takes back only its own changes`() async throws {
        _ = await note("taken")
        let codes = await withTaskGroup(of: (Int, StoreError.Code?).self) { group in
            for index in 0..<200 {
                group.addTask {
                    let code = await refusal {
                        _ = try await driver.write(.always) {
                            try $0.execute("INSERT INTO note VALUES (?, 0)", [.text("\(index)")])
                            if index % 3 == 0 {
                                try $0.execute("INSERT INTO note VALUES ('taken', 0)", [])
                            }
                        }
                    }
                    return (index, code)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect((0..<200).allSatisfy { codes[$0] == ($0 % 3 == 0 ? .conflict : nil) })
        #expect(try await ids().count == 1 + (0..<200).count { $0 % 3 != 0 })
    }

    @Test(arguments: [Durability.always, .process])
    func `a body may go on after a failed statement, as in SQLite`(durability: Durability)
        async throws
    {
        _ = await note("taken")
        // Alone, and together with others.
        for count in [1, 50] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    group.addTask {
                        try await driver.write(durability) { connection in
                            try connection.execute(
                                "INSERT INTO note VALUES (?, 1)", [.text("\(count) \(index) a")])
                            #expect(throws: StoreError(.conflict, "")) {
                                try connection.execute("INSERT INTO note VALUES ('taken', 1)", [])
                            }
                            try connection.execute(
                                "INSERT INTO note VALUES (?, 1)", [.text("\(count) \(index) b")])
                            // The last statement may fail, too.
                            _ = try? connection.execute("INSERT INTO note VALUES ('taken', 1)", [])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await ids().count { $0.hasPrefix("\(count) ") } == 2 * count)
        }
    }

    @Test func `concurrent changes of one row by two servers are all kept`() async throws {
        let other = try await PostgresDriver(
            PostgresSettings(cluster.url(database), connections: 5))
        _ = await note("counter")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<24 {
                group.addTask {
                    for _ in 0..<10 {
                        // Reads, decides, writes: the isolation keeps it right.
                        try await (index % 2 == 0 ? driver : other).write(
                            index % 4 < 2 ? .always : .process
                        ) { connection in
                            let number = try connection.rows(
                                "SELECT number FROM note WHERE id = 'counter'", [])[0].integer(0)
                            try connection.execute(
                                "UPDATE note SET number = ? WHERE id = 'counter'",
                                [.integer(number + 1)])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let number = try await driver.read {
            try $0.rows("SELECT number FROM note WHERE id = 'counter'", [])[0].integer(0)
        }
        #expect(number == 240)
        other.close()
    }

    @Test func `decisions on what another transaction writes are not both taken`() async throws {
        // Each may insert only if the other has not: write skew, which snapshots alone allow.
        for round in 0..<20 {
            let done = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        (try? await driver.write(.process) { connection in
                            let others = try connection.rows(
                                "SELECT id FROM note WHERE number = ?",
                                [.integer(Int64(100 + round))])
                            guard others.isEmpty else { return false }
                            try connection.execute(
                                "INSERT INTO note VALUES (?, ?)",
                                [.text("\(round) \(index)"), .integer(Int64(100 + round))])
                            return true
                        }) ?? false
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(done == 1, "round \(round)")
        }
    }

    @Test func `a read sees one state, whatever is written meanwhile`() async throws {
        _ = await note("a")
        try await driver.read { connection in
            let before = try connection.rows("SELECT COUNT(*) FROM note", [])[0].integer(0)
            // On the driver's own thread.
            _ = try cluster.blockingSQL("INSERT INTO note VALUES ('b', 1)", in: database)
            #expect(try connection.rows("SELECT COUNT(*) FROM note", [])[0].integer(0) == before)
        }
        await #expect(throws: StoreError.self) {
            try await driver.read { _ = try $0.execute("DELETE FROM note", []) }
        }
        #expect(try await ids() == ["a", "b"])
    }

    @Test(arguments: CuttingProxy.Cut.allCases)
    func `a commit whose answer is lost is done once`(cut: CuttingProxy.Cut) async throws {
        let proxy = try CuttingProxy(to: cluster.folder)
        defer { proxy.stop() }
        var settings = try PostgresSettings(
            "postgresql://mien@/\(database)?host=\(proxy.folder.path)", connections: 3)
        settings.patience = Self.amongOtherTests
        let cutOff = try await PostgresDriver(settings)
        for (index, durability) in [Durability.always, .process, .always].enumerated() {
            proxy.cutNext(cut)
            let code = await refusal {
                try await cutOff.write(durability) { connection in
                    let count = try connection.rows("SELECT COUNT(*) FROM note", [])[0].integer(0)
                    try connection.execute(
                        "INSERT INTO note VALUES (?, ?)", [.text("cut \(index)"), .integer(count)])
                }
            }
            #expect(code == nil)
            #expect(proxy.count == index + 1)
            #expect(try await ids().count == index + 1)
        }
        cutOff.close()
    }

    @Test func `how a transaction ended is found out afterwards`() async throws {
        let settings = try PostgresSettings(cluster.url(database))
        let link = PostgresLink(settings)
        func outcome(
            _ timeline: String? = nil, recovery: String? = nil,
            _ end: (PostgresConnection) throws -> Void
        ) throws -> PostgresCommit.Outcome {
            let connection = try PostgresConnection(settings)
            connection.begin(.beside)
            try connection.command("SELECT 1")
            try end(connection)
            return PostgresCommit(
                .init(
                    id: connection.transactionID, processID: connection.processID,
                    timeline: timeline ?? connection.timeline,
                    recovery: recovery ?? connection.recovery), settings
            ).outcome(link)
        }
        #expect(try outcome { try $0.command("COMMIT") } == .committed)
        #expect(try outcome { try $0.command("ROLLBACK") } == .aborted)
        // It could still commit: its process is ended first.
        #expect(try outcome { _ in } == .aborted)
        // A standby that took over may count its transactions from an earlier number.
        #expect(try outcome("00000099") { try $0.command("COMMIT") } == .unknown)
        // After a crash, a transaction whose log was lost may have left its number to another one.
        #expect(try outcome(recovery: "earlier") { try $0.command("COMMIT") } == .unknown)
        #expect(try outcome(recovery: "earlier") { try $0.command("ROLLBACK") } == .aborted)
    }

    @Test func `a transaction whose first statement fails has a number of its own`() throws {
        let connection = try PostgresConnection(PostgresSettings(cluster.url(database)))
        connection.begin(.beside)
        _ = try connection.run(PostgresQuery("INSERT INTO note VALUES ('taken', 0)"))
        try connection.commit()
        let before = connection.transactionID
        connection.begin(.beside)
        #expect(connection.transactionID == "")
        connection.sendAhead(["SAVEPOINT job"])
        #expect(throws: PostgresFailure.self) {
            try connection.run(PostgresQuery("INSERT INTO note VALUES ('taken', 0)"))
        }
        connection.sendAhead(["ROLLBACK TO SAVEPOINT job"])
        let id = try connection.text("SELECT pg_current_xact_id()")
        #expect(connection.transactionID == id && id != before)
        try connection.commit()
    }

    @Test func `full tables of prepared statements end no transaction`() async throws {
        for round in 0..<2 {
            for durability in [Durability.always, .process] {
                // More than a connection keeps, in transactions that begin, fail, and go on.
                for start in stride(from: 0, to: 900, by: 100) {
                    try await driver.write(durability) { connection in
                        for index in start..<start + 100 {
                            _ = try connection.rows("SELECT \(index) + \(round)", [])
                        }
                        try connection.execute(
                            "INSERT INTO note VALUES (?, 0)",
                            [.text("\(round) \(durability) \(start)")])
                        #expect(throws: StoreError.self) {
                            try connection.rows("SELECT 1 / (\(start) - \(start))", [])
                        }
                    }
                }
            }
        }
        #expect(try await ids().count == 36)
    }

    @Test func `a recovery from a crash is noticed, and a clean restart is none`() async throws {
        let cluster = try await PostgresCluster.start()
        defer { cluster.stop() }
        func recovery() async throws -> String {
            let settings = try PostgresSettings(cluster.url("postgres"))
            return try await WorkerThread.run(name: "test.recovery") {
                try PostgresConnection(settings).recovery
            }
        }
        let first = try await recovery()
        #expect(!first.isEmpty)
        try await cluster.control("-m fast restart")
        #expect(try await recovery() == first)
        try await cluster.control("-m immediate restart")
        #expect(try await recovery() != first)
    }

    @Test(.timeLimit(.minutes(10)))
    func `after a crash of PostgreSQL, every acknowledged write is there, and work goes on`()
        async throws
    {
        // A cluster of its own: others work in the shared one.
        let cluster = try await PostgresCluster.start()
        defer { cluster.stop() }
        let name = try await cluster.database(for: folder)
        var settings = try PostgresSettings(cluster.url(name), connections: 5)
        settings.patience = Self.amongOtherTests
        let driver = try await PostgresDriver(settings)
        _ = try await driver.changeSchema {
            try $0.execute("CREATE TABLE note (id TEXT PRIMARY KEY, number BIGINT)", [])
        }
        let isOver = Locked(false), acknowledged = Locked(0)
        /// Waits until 20 more writes are acknowledged, however busy the machine is.
        func workGoesOn() async throws {
            let before = acknowledged.withLock { $0 }
            while acknowledged.withLock({ $0 }) < before + 20 {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let written = try await withThrowingTaskGroup(of: (Set<String>, Set<StoreError.Code>).self)
        {
            group in
            for index in 0..<8 {
                group.addTask {
                    var done: Set<String> = [], codes: Set<StoreError.Code> = []
                    var number = 0
                    while !isOver.withLock({ $0 }) {
                        number += 1
                        let id = "\(index) \(number)"
                        let code = await note(id, index % 2 == 0 ? .always : .process, by: driver)
                        if let code {
                            codes.insert(code)
                        } else {
                            done.insert(id)
                            acknowledged.withLock { $0 += 1 }
                        }
                    }
                    return (done, codes)
                }
            }
            for _ in 0..<3 {
                try await workGoesOn()
                try await cluster.control("-m immediate restart")
            }
            try await workGoesOn()
            isOver.withLock { $0 = true }
            return try await group.reduce(into: (Set<String>(), Set<StoreError.Code>())) {
                $0.0.formUnion($1.0)
                $0.1.formUnion($1.1)
            }
        }
        let stored = try await Set(
            driver.read { try $0.rows("SELECT id FROM note", []).map { try $0.text(0) } })
        #expect(written.0.count > 50 && written.0.isSubset(of: stored))
        // Restarts are only waited for. Of a commit whose answer is lost in a crash, nobody can say later
        // whether its number was used again.
        #expect(written.1.isSubset(of: [.uncertain]))
        driver.close()
    }

    @Test func `a process of PostgreSQL that answers no longer is left, and another one serves`()
        async throws
    {
        let cluster = try await PostgresCluster.start()
        defer { cluster.stop() }
        var settings = try PostgresSettings(cluster.url("postgres"), connections: 3)
        (settings.statementTimeout, settings.lockTimeout) = (.seconds(1), .seconds(1))
        settings.patience = Self.amongOtherTests
        let driver = try await PostgresDriver(settings)
        try await Self.makeTable(driver)
        for durability in [Durability.always, .process] {
            let process = try await driver.write(durability) {
                try $0.rows("SELECT pg_backend_pid()", [])[0].integer(0)
            }
            kill(pid_t(process), SIGSTOP)
            defer { kill(pid_t(process), SIGCONT) }
            #expect(await note("\(durability)", durability, by: driver) == nil)
        }
        #expect(try await ids(driver) == ["always", "process"])
        driver.close()
    }

    @Test func `while PostgreSQL is away, requests fail after a while, and not before`()
        async throws
    {
        let cluster = try await PostgresCluster.start()
        defer { cluster.stop() }
        var settings = try PostgresSettings(cluster.url("postgres"), connections: 3)
        settings.patience = .milliseconds(600)
        let driver = try await PostgresDriver(settings)
        try await cluster.control("-m fast stop")
        let begun = ContinuousClock.now
        #expect(
            await refusal { _ = try await driver.read { try $0.rows("SELECT 1", []) } }
                == .unreachable)
        #expect(await refusal { try await driver.write(.always) { _ in } } == .unreachable)
        #expect(ContinuousClock.now - begun > .milliseconds(800))
        try await cluster.control("start")
        #expect(try await driver.read { try $0.rows("SELECT 1", [])[0][0] } == 1)
        driver.close()
    }

    @Test func `a lock that is held for too long makes writes busy, and reads go on`() async throws
    {
        var settings = try PostgresSettings(cluster.url(database), connections: 3)
        settings.lockTimeout = .milliseconds(200)
        let driver = try await PostgresDriver(settings)
        // PostgreSQL ends transactions that are idle for the longest time of a statement.
        settings.statementTimeout = .seconds(600)
        let holder = try PostgresConnection(settings)
        try holder.command(PostgresTurn.alone.begin.joined(separator: "; "))
        #expect(await note("a", .always, by: driver) == .busy)
        #expect(await note("a", .process, by: driver) == .busy)
        #expect(try await driver.read { try $0.rows("SELECT COUNT(*) FROM note", [])[0][0] } == 0)
        try holder.command("ROLLBACK")
        #expect(await note("a", .always, by: driver) == nil)
        driver.close()
    }

    @Test func `a statement prepared before a change of the schema works after it`() async throws {
        #expect(try await driver.read { try $0.rows("SELECT * FROM note", []).count } == 0)
        _ = try await driver.write(.process) { try $0.rows("SELECT * FROM note", []) }
        try await cluster.sql("ALTER TABLE note ADD COLUMN more BIGINT DEFAULT 7", in: database)
        try await cluster.sql("INSERT INTO note VALUES ('a', 1)", in: database)
        for _ in 0..<6 {
            #expect(
                try await driver.read { try $0.rows("SELECT * FROM note", [])[0].integer(2) } == 7)
            #expect(
                try await driver.write(.process) {
                    try $0.rows("SELECT * FROM note", [])[0].integer(2)
                } == 7)
        }
    }

    @Test func `more statements than a connection keeps prepared work, too`() async throws {
        for index in 0..<900 {
            #expect(
                try await driver.write(.always) {
                    try $0.rows("SELECT \(index % 450) + ?", [1])[0].integer(0)
                } == Int64(index % 450 + 1))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a wrong database or user is reported without waiting for it`() async throws {
        for url in [
            "postgresql://mien@/missing?host=\(cluster.folder.path)",
            "postgresql://nobody@/\(database)?host=\(cluster.folder.path)",
        ] {
            #expect(
                await refusal { _ = try await PostgresDriver(PostgresSettings(url)) }
                    == .unreachable)
        }
    }

    @Test func `a closed driver rejects new jobs and has finished the waiting ones`() async throws {
        let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<300 { group.addTask { await note("\(index)") } }
            try? await Task.sleep(for: .milliseconds(30))
            driver.close()
            return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        let done = codes.count { $0 == nil }
        #expect(codes.allSatisfy { $0 == nil || $0 == .unreachable })
        #expect(await note("late") == .unreachable)
        #expect(try await cluster.sql("SELECT COUNT(*) FROM note", in: database) == "\(done)")
        driver.close()
    }

    @Test
    func `notifications arrive after the commit, on every server, and only of committed writes`()
        async throws
    {
        let other = try await PostgresDriver(
            PostgresSettings(cluster.url(database), connections: 3))
        let streams = [driver, other].map { $0.notifications(["settings", "keys"]) }
        let heard = streams.map { stream in
            Task {
                var heard: [StoreNotification] = []
                for await notification in stream {
                    heard.append(notification)
                    if heard.count == 3 { break }
                }
                return heard
            }
        }
        // Both listen.
        for stream in [driver, other].map({ $0.notifications(["x"]) }) {
            for await _ in stream { break }
        }
        try await driver.write(.always) { connection in
            try connection.notify("settings", "1 é")
            try connection.notify("unheard", "2")
        }
        _ = try? await other.write(.process) { connection in
            try connection.notify("settings", "3")
            throw StoreError(.stale, "")
        }
        try await other.write(.process) { try $0.notify("keys", "") }
        for task in heard {
            #expect(
                await task.value == [
                    .resynchronize, .sent(channel: "settings", payload: "1 é"),
                    .sent(channel: "keys", payload: ""),
                ])
        }
        other.close()
    }
}

import MienStore
import MienTesting
import Testing

/// Promises of a driver about single statements.
@Suite struct StatementContract {
    private static let insert = "INSERT INTO note (name, value) VALUES (?, ?)"
    /// Returns a database with the table of notes.
    private func database(_ kind: StoreKind) async throws -> TestStore {
        let test = try await TestStore(kind)
        _ = try await test.driver.changeSchema {
            try $0.execute(
                "CREATE TABLE note (name \(test.driver.dialect.text) PRIMARY KEY, value TEXT)", [])
        }
        return test
    }
    private static let refused = StoreError(.busy, "refused")

    /// Requires that there is no note with `name`, and adds `added`.
    private static func add(
        _ added: String, unless name: String, _ connection: any SQLConnection
    ) throws {
        try connection.require(
            nothing: "SELECT 1 FROM note WHERE name = ?", [.text(name)], else: refused)
        try connection.execute(insert, [.text(added), "v"])
    }

    private func names(_ test: TestStore) async throws -> [String] {
        try await test.rows("SELECT name FROM note ORDER BY name").map { try $0.text(0) }
    }

    @Test(arguments: StoreKind.allCases, [Durability.always, .process])
    func `a statement whose condition is not met leaves nothing, even if the body goes on`(
        kind: StoreKind, durability: Durability
    ) async throws {
        let test = try await database(kind)
        _ = try await test.driver.write(durability) { try $0.execute(Self.insert, ["taken", "v"]) }
        // Alone, and together with others.
        for count in [1, 40] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    group.addTask {
                        let name = "\(count) \(index)"
                        let code = await refusal {
                            try await test.driver.write(durability) {
                                try Self.add("\(name) refused", unless: "taken", $0)
                            }
                        }
                        #expect(code == .busy)
                        try await test.driver.write(durability) {
                            try Self.add("\(name) first", unless: "free", $0)
                            try? Self.add("\(name) refused", unless: "taken", $0)
                            // The condition was for that statement only.
                            try $0.execute(Self.insert, [.text("\(name) last"), "v"])
                            try? Self.add("\(name) refused", unless: "taken", $0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await names(test).filter { $0.hasPrefix("\(count) ") }
            #expect(found.count == 2 * count)
            #expect(!found.contains { $0.hasSuffix("refused") })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a condition sees what the transaction has written before`(kind: StoreKind) async throws {
        let test = try await database(kind)
        let code = await refusal {
            try await test.driver.write(.always) {
                try Self.add("first", unless: "second", $0)
                try Self.add("second", unless: "first", $0)
            }
        }
        #expect(code == .busy)
        #expect(try await names(test) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a single query sees what was committed, and may find nothing, fail, or be left out`(
        kind: StoreKind
    ) async throws {
        struct Stop: Error {}
        let test = try await database(kind)
        func find(_ name: String) async throws -> String? {
            try await test.driver.readOne {
                try $0.rows("SELECT value FROM note WHERE name = ?", [.text(name)]).first?
                    .text(0)
            }
        }
        for index in 0..<20 {
            _ = try await test.driver.write(.process) {
                try $0.execute(Self.insert, [.text("\(index)"), .text("v\(index)")])
            }
            #expect(try await find("\(index)") == "v\(index)")
            #expect(try await find("none") == nil)
            #expect(
                await refusal {
                    _ = try await test.driver.readOne {
                        try $0.rows("SELECT value FROM no_such_table", [])
                    }
                } == .unreachable)
            await #expect(throws: Stop.self) { try await test.driver.readOne { _ in throw Stop() } }
        }
        #expect(try await test.driver.readOne { _ in 7 } == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `a transaction that runs no statement succeeds, and the next one works`(kind: StoreKind)
        async throws
    {
        struct Stop: Error {}
        let test = try await database(kind)
        for durability in [Durability.always, .process] {
            #expect(try await test.driver.write(durability) { _ in 7 } == 7)
            await #expect(throws: Stop.self) {
                try await test.driver.write(durability) { _ in throw Stop() }
            }
            let name = "\(durability)"
            _ = try await test.driver.write(durability) {
                try $0.execute(Self.insert, [.text(name), "v"])
            }
        }
        #expect(try await test.driver.read { _ in 7 } == 7)
        await #expect(throws: Stop.self) { try await test.driver.read { _ in throw Stop() } }
        #expect(try await names(test) == ["always", "process"])
    }

    @Test(arguments: StoreKind.allCases, [Durability.always, .process])
    func `a statement that may run later runs before the next one and before the commit`(
        kind: StoreKind, durability: Durability
    ) async throws {
        struct Stop: Error {}
        let test = try await database(kind)
        let update = "UPDATE note SET value = ? WHERE name = ?"
        _ = try await test.driver.write(durability) { connection in
            for index in 0..<40 {
                try connection.execute(Self.insert, [.text("\(index)"), "v"])
            }
        }
        // Alone, and together with others that fail.
        for count in [1, 40] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    group.addTask {
                        let name = SQLValue.text("\(index)")
                        try await test.driver.write(durability) {
                            try $0.executeLater(update, ["first", name])
                            let seen = try $0.rows("SELECT value FROM note WHERE name = ?", [name])
                            #expect(try seen.first?.text(0) == "first")
                            try $0.executeLater(update, ["second", name])
                            try $0.executeLater(update, [.text("\(count)"), name])
                        }
                        await #expect(throws: Stop.self) {
                            try await test.driver.write(durability) {
                                try $0.executeLater(update, ["undone", name])
                                throw Stop()
                            }
                        }
                        // The transaction runs nothing else.
                        try await test.driver.write(durability) {
                            try $0.executeLater(
                                Self.insert, [.text("\(count) \(index) only"), "v"])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await test.rows("SELECT value FROM note WHERE name NOT LIKE '% only'")
                .map { try $0.text(0) }
            #expect(values.count { $0 == "\(count)" } == count)
            #expect(!values.contains("undone"))
            #expect(
                try await test.rows("SELECT 1 FROM note WHERE name LIKE '\(count) % only'").count
                    == count)
        }
    }
}

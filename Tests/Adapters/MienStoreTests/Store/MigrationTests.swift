import Crypto
import MienAPI
import MienCore
import MienServerTesting
import MienTesting
import Testing

@testable import MienStore

/// Upgrades from the first schema. A step that is made up stands for those of later versions.
@Suite struct MigrationTests {
    private static let later = Migration(
        "2-later", isCompatible: true,
        """
        -- A comment; not a statement.
        CREATE TABLE later (id BIGINT PRIMARY KEY, name TEXT);
          -- Another one;
        ALTER TABLE account ADD COLUMN later BIGINT NOT NULL DEFAULT 7;
        """)
    private static let muchLater = Migration("3-much-later", "DROP TABLE later;")

    /// Returns a database of the first version, with some records.
    private static func first(_ kind: StoreKind) async throws -> (
        folder: ScratchFolder, driver: any SQLDriver
    ) {
        let folder = try ScratchFolder(), driver = try await kind.driver(in: folder)
        try await Migrator.migrate(driver, to: [FirstSchema.migration])
        try await driver.write(.always) { try insertRecords($0) }
        return (folder, driver)
    }

    /// Inserts records as the first version did.
    private static func insertRecords(_ connection: any SQLConnection) throws {
        let keys = TestStore.keys, id = UserID("usr_ana")!
        let account = AccountRecord.new(
            id, AccountProfile(username: "ana"), keys: keys, at: .start)
        let key = account.record.key
        let profile = account.record.profile.use {
            key.seal(JSONColumn.bytes($0), .accountProfile, for: id.text)
        }
        try connection.execute(
            """
            INSERT INTO account (id, state, is_test, epoch, key_sealed, profile_sealed, created_at, updated_at)
            VALUES (?, 'active', 0, 0, ?, ?, ?, ?)
            """,
            [.id(id), .blob(account.sealedKey), .blob(profile), .time(.start), .time(.start)])
        try connection.execute(
            "INSERT INTO account_name (kind, name_hash, identifier_hash, account_id) VALUES ('username', ?, ?, ?)",
            [
                .blob(keys.hash(of: "username", "ana")), .blob(keys.hash(of: "identifier", "ana")),
                .id(id),
            ])
        try connection.execute(
            """
            INSERT INTO authenticator (id, account_id, type, app_id, pack, content_sealed, info, created_at, updated_at)
            VALUES ('aut_1', ?, 'password', '', '', ?, '{}', ?, ?)
            """,
            [
                .id(id), .blob(key.seal([1], .authenticator, for: "aut_1 password ")),
                .time(.start), .time(.start),
            ])
        let entry = AuditChain.Entry(
            at: Instant.start.milliseconds, event: "e", actor: "system", account: "", app: "",
            detail: "{}")
        try connection.execute(
            "INSERT INTO audit (number, at, event, actor, account_id, app_id, detail, hash) VALUES (1, ?, 'e', 'system', '', '', '{}', ?)",
            [.integer(entry.at), .blob(AuditChain.start.appending(entry)!.hash)])
    }

    @Test(arguments: StoreKind.allCases, 1...Migrations.all.count)
    func `a database of the first version is upgraded, by way of any other, and keeps its records`(
        kind: StoreKind, steps: Int
    ) async throws {
        let (folder, driver) = try await Self.first(kind)
        try await Migrator.migrate(driver, to: Array(Migrations.all.prefix(steps)))
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        try await test.store.write { tables in
            let ana = try #require(try tables.accounts.find(identifier: "ana"))
            #expect(try tables.authenticators.all(of: ana).map(\.content.shown) == [[1]])
            let eve = AccountRecord.new(
                UserID("usr_eve")!, AccountProfile(), keys: TestStore.keys, at: .start)
            let taken = [try LoginName("Ana", kind: .externalID)]
            #expect(throws: StoreError(.conflict, "")) {
                try tables.accounts.insert(eve, names: taken)
            }
            try tables.audit.append(AuditEvent("f", actor: "system"), at: .start)
            guard case .whole(let entries, _) = try tables.audit.verify() else {
                throw StoreError(.corrupt, "broken")
            }
            #expect(entries == 2)
        }
        #expect(
            try await test.rows("SELECT name FROM schema_step ORDER BY name").map {
                try $0.text(0)
            } == Migrations.all.map(\.name).sorted())
        // Another start changes nothing.
        _ = try await test.reopened()
    }

    /// As `mien store status` and `mien store migrate` do.
    @Test(.enabled(if: PostgresCluster.isInstalled), arguments: 0...Migrations.all.count)
    func `the status names the steps that migrating adds`(steps: Int) async throws {
        let folder = try ScratchFolder(), names = Migrations.all.map(\.name)
        let driver = try await PostgresTestDatabases.driver(for: folder)
        defer { withExtendedLifetime(folder) { driver.close() } }
        if steps > 0 {
            try await Migrator.migrate(driver, to: Array(Migrations.all.prefix(steps)))
        }
        let status = try await StoreStatus.of(driver, product: "")
        #expect(
            status.schema == names.prefix(steps).last
                && status.missing == Array(names.dropFirst(steps)))
        #expect(try await Store.migrate(driver, from: status) == status.missing)
        let after = try await StoreStatus.of(driver, product: "")
        #expect(after.schema == names.last && after.missing.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a program works beside a later step that allows it, and is refused after another one`(
        kind: StoreKind
    ) async throws {
        let (folder, driver) = try await Self.first(kind)
        #expect(Self.later.statements.count == 2)
        for _ in 0..<2 { try await Migrator.migrate(driver, to: Migrations.all + [Self.later]) }
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        _ = try await test.account("bo")
        #expect(
            try await test.rows("SELECT later FROM account").map { try $0.integer(0) } == [7, 7])
        #expect(try await test.count("schema_step") == Migrations.all.count + 1)
        try await Migrator.migrate(
            test.driver, to: Migrations.all + [Self.later, Self.muchLater])
        try kind.close(test.driver)
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .tooNew)
    }

    @Test(arguments: StoreKind.allCases)
    func `a database of a development version is refused, with what to do`(kind: StoreKind)
        async throws
    {
        let folder = try ScratchFolder(), driver = try await kind.driver(in: folder),
            dialect = driver.dialect
        try await driver.write(.always) { connection in
            // The other column came with a later step of those versions.
            try connection.execute(
                dialect.schema("CREATE TABLE schema_step (name TEXT PRIMARY KEY)"), [])
            try connection.execute(
                "INSERT INTO schema_step (name) VALUES ('1-accounts'), ('2-journeys')", [])
        }
        try kind.close(driver)
        let error = try await #require(throws: StoreError.self) {
            _ = try await TestStore(kind, in: folder)
        }
        #expect(error.code == .tooOld && error.reason.contains("Start with an empty database"))
    }

    @Test(arguments: StoreKind.allCases) func `a failed step is rolled back completely`(
        kind: StoreKind
    ) async throws {
        let (folder, driver) = try await Self.first(kind)
        let failing = Migration(
            "2-failing",
            "CREATE TABLE later (id BIGINT PRIMARY KEY); CREATE TABLE account (id BIGINT);")
        #expect(
            await refusal { try await Migrator.migrate(driver, to: Migrations.all + [failing]) }
                == .unreachable)
        let steps = try await driver.read {
            try $0.rows("SELECT name FROM schema_step", []).map { try $0.text(0) }
        }
        #expect(!steps.contains("2-failing"))
        // The first table was not created.
        try await Migrator.migrate(driver, to: Migrations.all + [Self.later])
        try kind.close(driver)
        _ = try await TestStore(kind, in: folder)
    }

    /// Servers of the version before write rows without what such a step adds.
    @Test func `a step that is called compatible only adds, or replaces an index`() {
        for step in (Migrations.all + [Self.later]).filter(\.isCompatible) {
            for (index, statement) in step.statements.enumerated() {
                if statement.hasPrefix("CREATE TABLE ") || statement.hasPrefix("CREATE INDEX ") {
                    continue
                } else if let added = statement.wholeMatch(of: /ALTER TABLE \w+ ADD COLUMN \w+ .+/)
                {
                    #expect(
                        !added.output.contains("NOT NULL") || added.output.contains(" DEFAULT "),
                        "\(statement)")
                } else if let unique = statement.firstMatch(
                    of: /^CREATE UNIQUE INDEX \w+ ON (\w+) \((\w+)\)$/)
                {
                    // Those rows have NULL there, and NULL equals nothing.
                    let column = "ALTER TABLE \(unique.1) ADD COLUMN \(unique.2) "
                    #expect(
                        step.statements[..<index].contains {
                            $0.hasPrefix(column) && !$0.contains("NOT NULL")
                        }, "\(statement)")
                } else if let dropped = statement.firstMatch(of: /^DROP INDEX (\w+)$/) {
                    #expect(
                        step.statements[(index + 1)...].contains {
                            $0.hasPrefix("CREATE INDEX \(dropped.1) ON ")
                        }, "\(statement)")
                } else {
                    Issue.record("neither adds something nor replaces an index: \(statement)")
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `servers that start at once on an empty database migrate it once`(kind: StoreKind)
        async throws
    {
        let folder = try ScratchFolder(), driver = try await kind.driver(in: folder)
        let others =
            kind == .sqlite ? [driver, driver] : [driver, try await kind.driver(in: folder)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for driver in others {
                group.addTask { _ = try await Store(driver, keys: TestStore.keys) }
            }
            try await group.waitForAll()
        }
        let count = try await driver.read {
            try $0.rows("SELECT COUNT(*) FROM schema_step", [])[0].integer(0)
        }
        #expect(Int(count) == Migrations.all.count)
        for driver in others { try? driver.close() }
    }

    /// A released step never changes. Each new one gets a line.
    @Test func `the steps are those that were released`() {
        let steps = Migrations.all.map { step in
            let hash = SHA256.hash(data: Array(step.statements.joined(separator: "\n").utf8))
            let digits = hash.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
            return "\(step.name) \(digits)"
        }
        #expect(
            steps == [
                "1-first 51ab073457ba4b6295e4976d15341b9aaadc4fbddc41ac0b8c1c39de31318a6f"
            ])
    }
}

import MienAccess
import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct MigrationTests {
    /// A database as it was after `count` steps.
    static func old(_ kind: StoreKind, _ count: Int) async throws -> (folder: ScratchFolder, driver: any SQLDriver) {
        let folder = try ScratchFolder(), driver = try kind.driver(in: folder)
        try await driver.write(.always) { connection in
            try connection.execute("CREATE TABLE schema_step (name TEXT PRIMARY KEY)", [])
            for step in Migrations.all.prefix(count) {
                for statement in step.statements { try connection.execute(statement.replacing("{blob}", with: kind.blob), []) }
                try connection.execute("INSERT INTO schema_step (name) VALUES (?)", [.text(step.name)])
            }
        }
        return (folder, driver)
    }

    @Test(arguments: StoreKind.allCases, 0...Migrations.all.count)
    func `from every earlier schema the newest is reached and the data is still there`(kind: StoreKind, steps: Int) async throws {
        let (folder, driver) = try await Self.old(kind, steps)
        let ana = AccountRecord.new(UserID("usr_ana")!, AccountProfile(username: "ana"), keys: TestStore.keys, at: .start)
        try await driver.write(.always) { connection in
            let tables = Tables(connection: connection, keys: TestStore.keys)
            if steps >= 1 {
                // As a program of those days did.
                try tables.accounts.insertRow(ana)
                try connection.execute(
                    "INSERT INTO account_name (kind, name_hash, account_id) VALUES ('username', ?, ?)",
                    [.blob(TestStore.keys.hash(of: "username", "ana")), .id(ana.record.id)])
                try tables.authenticators.insert(
                    AuthenticatorRecord(
                        id: AuthenticatorID("aut_1")!, account: ana.record.id, type: .face, app: .shop, content: [1], createdAt: .start),
                    of: ana.record)
            }
            if steps >= 2 {
                try tables.runs.insert(JourneyContract.run("1"))
                try tables.journeys.putDraft(JourneyContract.login, version: 1, definition: "d", at: .start)
            }
            if steps >= 3 {
                // As a program of those days did: it knew no anchor.
                let entry = AuditChain.Entry(at: Instant.start.milliseconds, event: "e", actor: "system", account: "", app: "", detail: "{}")
                try connection.execute(
                    "INSERT INTO audit (number, at, event, actor, account_id, app_id, detail, hash) VALUES (1, ?, 'e', 'system', '', '', '{}', ?)",
                    [.integer(entry.at), .blob(AuditChain.start.appending(entry)!.hash)])
            }
        }
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        try await test.store.write { tables in
            let found = try tables.accounts.find(identifier: "ana")
            #expect((found != nil) == (steps >= 1))
            if let found { #expect(try tables.authenticators.all(of: found).map(\.content.shown) == [[1]]) }
            let eve = AccountRecord.new(UserID("usr_eve")!, AccountProfile(), keys: TestStore.keys, at: .start)
            let names = [try LoginName("Ana", kind: .externalID)]
            if steps >= 1 { #expect(throws: StoreError(.conflict, "")) { try tables.accounts.insert(eve, names: names) } }
            #expect(try (tables.runs.find(InstanceID("run_1")!) != nil) == (steps >= 2))
            #expect(try tables.journeys.all().count == (steps >= 2 ? 1 : 0))
            try tables.audit.append(AuditEvent("f", actor: "system"), at: .start)
            guard case .whole(let entries, _) = try tables.audit.verify() else { throw StoreError(.corrupt, "broken") }
            #expect(entries == (steps >= 3 ? 2 : 1))
        }
        // As text, 10 comes before 2.
        #expect(try await test.rows("SELECT name FROM schema_step").map { try $0.text(0) }.sorted() == Migrations.all.map(\.name).sorted())
        // Once more changes nothing.
        _ = try await test.reopened()
    }

    @Test(arguments: StoreKind.allCases) func `names of before are completed, those of a damaged account as far as it goes`(kind: StoreKind)
        async throws
    {
        let (folder, driver) = try await Self.old(kind, 4)
        try await driver.write(.always) { connection in
            for index in 0..<1203 {
                let account = AccountRecord.new(
                    UserID("usr_\(index)")!, AccountProfile(username: "n\(index)"), keys: TestStore.keys, at: .start)
                try Tables(connection: connection, keys: TestStore.keys).accounts.insertRow(account)
                try connection.execute(
                    "INSERT INTO account_name (kind, name_hash, account_id) VALUES ('username', ?, ?)",
                    [.blob(TestStore.keys.hash(of: "username", "n\(index)")), .id(account.record.id)])
            }
            try connection.execute("UPDATE account SET profile_sealed = ? WHERE id = 'usr_7'", [.blob([1, 2, 3])])
        }
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        let (empty, own) = try await (
            test.rows("SELECT account_id FROM account_name WHERE identifier_hash IS NULL"),
            test.rows("SELECT account_id FROM account_name WHERE identifier_hash = name_hash")
        )
        #expect(empty.isEmpty)
        #expect(try own.map { try $0.text(0) } == ["usr_7"])
    }

    @Test(arguments: StoreKind.allCases) func `a database of a newer program is left alone`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        try await test.sql("INSERT INTO schema_step (name) VALUES ('7-something-new')")
        try kind.close(test.driver)
        let folder = test.folder
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .tooNew)
    }

    @Test(arguments: StoreKind.allCases) func `a step that fails leaves nothing half done`(kind: StoreKind) async throws {
        let (folder, driver) = try await Self.old(kind, 1)
        // In the way of the second step's last statements.
        _ = try await driver.write(.always) { try $0.execute("CREATE TABLE one_time_code (id TEXT)", []) }
        try kind.close(driver)
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .unreachable)
        let again = try kind.driver(in: folder)
        #expect(try await again.read { try $0.rows("SELECT name FROM schema_step", []).map { try $0.text(0) } } == [Migrations.all[0].name])
        _ = try await again.write(.always) { try $0.execute("DROP TABLE one_time_code", []) }
        try kind.close(again)
        _ = try await TestStore(kind, in: folder)
    }

    /// A step that has shipped is never changed.
    @Test func `the names of the steps are in order`() {
        #expect(
            Migrations.all.map(\.name) == [
                "1-accounts", "2-journeys", "3-operation", "4-tokens", "5-identifiers", "6-passkeys", "7-refresh-marks", "8-otp",
                "9-capture-trails", "10-licences", "11-mailed-links", "12-recovery-codes", "13-recoveries", "14-credentials",
                "15-audit-retention",
            ])
    }
}

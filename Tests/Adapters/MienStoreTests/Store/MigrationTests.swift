import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct MigrationTests {
    /// Returns a database in the state after `count` steps.
    static func old(_ kind: StoreKind, _ count: Int) async throws -> (
        folder: ScratchFolder, driver: any SQLDriver
    ) {
        let folder = try ScratchFolder(), driver = try await kind.driver(in: folder),
            dialect = driver.dialect
        try await driver.write(.always) { connection in
            try connection.execute(
                dialect.schema("CREATE TABLE schema_step (name TEXT PRIMARY KEY)"), [])
            for step in Migrations.all.prefix(count) {
                for statement in step.statements {
                    try connection.execute(dialect.schema(statement), [])
                }
                try connection.execute(
                    "INSERT INTO schema_step (name) VALUES (?)", [.text(step.name)])
            }
        }
        return (folder, driver)
    }

    /// Inserts a row as the first schema defined it.
    static func insert(_ account: NewAccount, _ connection: any SQLConnection) throws {
        let record = account.record
        let profile = record.profile.use {
            record.key.seal(JSONColumn.bytes($0), .accountProfile, for: record.id.text)
        }
        try connection.execute(
            "INSERT INTO account (id, state, key_sealed, profile_sealed, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .id(record.id), .text(record.state.rawValue), .blob(account.sealedKey),
                .blob(profile), .time(record.createdAt),
                .time(record.createdAt),
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func
        `older addresses stay attached only if an administrator set them or a code was entered`(
            kind: StoreKind
        ) async throws
    {
        let step = try #require(Migrations.all.firstIndex { $0.name.hasSuffix("-sign-ups") })
        let (folder, driver) = try await Self.old(kind, step)
        try await driver.write(.always) { connection in
            let tables = Tables(connection: connection, keys: TestStore.keys)
            for (name, actor, event) in [
                ("by-admin", "adm_1", "user.created"), ("by-journey", "journey", "user.created"),
                ("proved", "journey", "email_code.accepted"),
                ("sent", "journey", "code.sent"), ("suspended-later", "adm_1", "user.changed"),
            ] {
                let id = UserID("usr_\(name)")!,
                    profile = AccountProfile(username: name, email: "\(name)@example.org")
                try Self.insert(
                    AccountRecord.new(id, profile, keys: TestStore.keys, at: .start), connection)
                for kind in ["username", "email"] {
                    let text = kind == "email" ? "\(name)@example.org" : name
                    try connection.execute(
                        "INSERT INTO account_name (kind, name_hash, account_id, identifier_hash) VALUES (?, ?, ?, ?)",
                        [
                            .text(kind), .blob(TestStore.keys.hash(of: kind, text)), .id(id),
                            .blob(TestStore.keys.hash(of: "identifier", text)),
                        ])
                }
                try tables.audit.append(AuditEvent(event, actor: actor, account: id), at: .start)
            }
        }
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        #expect(try await test.store.detachUnverifiedEmails(at: .start + .seconds(1)) == 3)
        #expect(try await test.store.detachUnverifiedEmails(at: .start + .seconds(2)) == 0, "once")
        for (name, isKept) in [
            ("by-admin", true), ("proved", true), ("by-journey", false), ("sent", false),
            ("suspended-later", false),
        ] {
            let address = "\(name)@example.org"
            let byAddress = try await test.store.read {
                try $0.accounts.find(identifier: address)?.id.text
            }
            #expect(byAddress == (isKept ? "usr_\(name)" : nil), "\(name)")
            let profile = try #require(
                try await test.store.read { try $0.accounts.find(identifier: name)?.profile.shown })
            #expect(
                profile.email == (isKept ? address : nil)
                    && profile.claimedEmail == (isKept ? nil : address), "\(name)")
        }
        let entries = try await test.store.read {
            try $0.audit.page(after: 0, count: 100).filter {
                $0.event.event == "user.email-detached"
            }
        }
        #expect(entries.count == 3)
    }

    /// Inserts an authenticator as a program of an earlier version did.
    private static func insert(
        _ record: AuthenticatorRecord, of account: AccountRecord, _ connection: any SQLConnection
    ) throws {
        let identity = "\(record.id.text) \(record.type.rawValue) \(record.app?.text ?? "")"
        try connection.execute(
            """
            INSERT INTO authenticator (id, account_id, type, app_id, content_sealed, info, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, '{}', ?, ?)
            """,
            [
                .id(record.id), .id(account.id), .text(record.type.rawValue), .id(record.app),
                .blob(account.key.seal(record.content.shown, .authenticator, for: identity)),
                .time(record.createdAt), .time(record.updatedAt),
            ])
    }

    /// Inserts a run of a journey as a program of an earlier version did.
    private static func insert(_ run: JourneyRunRecord, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO journey_run (id, app_id, journey_id, revision, token_hash, state_sealed, expires_at)
            VALUES (?, ?, ?, 0, ?, ?, ?)
            """,
            [
                .id(run.id), .id(run.app), .id(run.journey), .blob(run.tokenHash),
                .blob(TestStore.keys.seal(run.state.shown, .journeyRun, for: run.id.text)),
                .time(run.expiresAt),
            ])
    }

    @Test(arguments: StoreKind.allCases, 0...Migrations.all.count)
    func `every earlier schema migrates to the newest and keeps the data`(
        kind: StoreKind, steps: Int
    ) async throws {
        let (folder, driver) = try await Self.old(kind, steps)
        let ana = AccountRecord.new(
            UserID("usr_ana")!, AccountProfile(username: "ana"), keys: TestStore.keys, at: .start)
        try await driver.write(.always) { connection in
            let tables = Tables(connection: connection, keys: TestStore.keys)
            if steps >= 1 {
                // As a program of that version did.
                try Self.insert(ana, connection)
                try connection.execute(
                    "INSERT INTO account_name (kind, name_hash, account_id) VALUES ('username', ?, ?)",
                    [.blob(TestStore.keys.hash(of: "username", "ana")), .id(ana.record.id)])
                try Self.insert(
                    AuthenticatorRecord(
                        id: AuthenticatorID("aut_1")!, account: ana.record.id, type: .face,
                        app: .shop, content: [1], createdAt: .start),
                    of: ana.record, connection)
            }
            if steps >= 2 {
                try Self.insert(JourneyContract.run("1"), connection)
                try tables.journeys.putDraft(
                    JourneyContract.login, version: 1, definition: "d", at: .start)
            }
            if steps >= 3 {
                // As a program of that version did, which knew no anchor.
                let entry = AuditChain.Entry(
                    at: Instant.start.milliseconds, event: "e", actor: "system", account: "",
                    app: "", detail: "{}")
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
            if let found {
                #expect(try tables.authenticators.all(of: found).map(\.content.shown) == [[1]])
            }
            let eve = AccountRecord.new(
                UserID("usr_eve")!, AccountProfile(), keys: TestStore.keys, at: .start)
            let names = [try LoginName("Ana", kind: .externalID)]
            if steps >= 1 {
                #expect(throws: StoreError(.conflict, "")) {
                    try tables.accounts.insert(eve, names: names)
                }
            }
            #expect(try (tables.runs.find(InstanceID("run_1")!) != nil) == (steps >= 2))
            #expect(try tables.journeys.all().count == (steps >= 2 ? 1 : 0))
            try tables.audit.append(AuditEvent("f", actor: "system"), at: .start)
            guard case .whole(let entries, _) = try tables.audit.verify() else {
                throw StoreError(.corrupt, "broken")
            }
            #expect(entries == (steps >= 3 ? 2 : 1))
        }
        // As text, 10 would come before 2.
        #expect(
            try await test.rows("SELECT name FROM schema_step").map { try $0.text(0) }.sorted()
                == Migrations.all.map(\.name).sorted())
        // Another migration changes nothing.
        _ = try await test.reopened()
    }

    @Test(arguments: StoreKind.allCases)
    func `older names are completed, as far as possible for a damaged account`(
        kind: StoreKind
    )
        async throws
    {
        let (folder, driver) = try await Self.old(kind, 4)
        try await driver.write(.always) { connection in
            for index in 0..<1203 {
                let account = AccountRecord.new(
                    UserID("usr_\(index)")!, AccountProfile(username: "n\(index)"),
                    keys: TestStore.keys, at: .start)
                try Self.insert(account, connection)
                try connection.execute(
                    "INSERT INTO account_name (kind, name_hash, account_id) VALUES ('username', ?, ?)",
                    [
                        .blob(TestStore.keys.hash(of: "username", "n\(index)")),
                        .id(account.record.id),
                    ])
            }
            try connection.execute(
                "UPDATE account SET profile_sealed = ? WHERE id = 'usr_7'", [.blob([1, 2, 3])])
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

    @Test(arguments: StoreKind.allCases)
    func
        `older counters become counts of the method; manual locks stay; no device keeps a counter`(
            kind: StoreKind
        )
        async throws
    {
        let step = try #require(Migrations.all.firstIndex { $0.name.hasSuffix("-locks") })
        let (folder, driver) = try await Self.old(kind, step)
        let ana = AccountRecord.new(
            UserID("usr_ana")!, AccountProfile(username: "ana"), keys: TestStore.keys, at: .start)
        func record(_ id: String, _ type: AuthenticatorType, _ app: AppID?) -> AuthenticatorRecord {
            AuthenticatorRecord(
                id: AuthenticatorID(id)!, account: ana.record.id, type: type, app: app,
                content: [1], createdAt: .start)
        }
        let face = record("aut_1", .face, .shop), one = record("aut_2", .passkey, nil),
            two = record("aut_3", .passkey, nil)
        try await driver.write(.always) { connection in
            try Self.insert(ana, connection)
            for record in [face, one, two] {
                try Self.insert(record, of: ana.record, connection)
            }
            let counters: [(String, String, Int64, SQLValue, Int64)] = [
                ("aut_1", "", 5, .integer(7), 0), ("aut_1", "dev_x", 2, .null, 0),
                ("aut_2", "", .max, .null, 1), ("aut_3", "", .max, .null, 1),
                ("aut_3", "*", 0, .null, 1),
            ]
            for (id, scope, failures, until, isDisabled) in counters {
                try connection.execute(
                    "INSERT INTO lock_counter (authenticator_id, scope, failures, locked_until, is_disabled) VALUES (?, ?, ?, ?, ?)",
                    [.text(id), .text(scope), .integer(failures), until, .integer(isDisabled)])
            }
        }
        try kind.close(driver)
        let test = try await TestStore(kind, in: folder)
        try await test.store.read { tables throws in
            let old = try tables.locks.lock(of: face, device: nil)
            #expect(
                old.total == 7
                    && old.unknownDevices
                        == LockCounter(failures: 5, lockedUntil: Instant(milliseconds: 7))
                    && old.holders == [])
            #expect(try tables.locks.devices(of: face.lockSubject).isEmpty)
            let passkey = try tables.locks.lock(of: one, device: nil)
            #expect(
                passkey.statusOfUnknownDevices(under: .secret, at: .start) == .disabled
                    && passkey.holders == [])
            #expect(try tables.locks.holders(of: two.id) == [.administrator])
        }
    }

    /// Also after a restart, when there are users in both.
    @Test(arguments: StoreKind.allCases)
    func `new installations require the presentation check, those with users observe it`(
        kind: StoreKind
    ) async throws {
        let step = try #require(
            Migrations.all.firstIndex { $0.name.hasSuffix("-default-choices") })
        for (isThere, expected) in [(false, PresentationMode.require), (true, .observe)] {
            let (folder, driver) = try await Self.old(kind, step)
            let ana = AccountRecord.new(
                UserID("usr_ana")!, AccountProfile(username: "ana"), keys: TestStore.keys,
                at: .start)
            if isThere { try await driver.write(.always) { try Self.insert(ana, $0) } }
            try kind.close(driver)
            let test = try await TestStore(kind, in: folder)
            #expect(
                try await test.store.read { try $0.defaultChoices.presentation() } == expected)
            let eve = AccountRecord.new(
                UserID("usr_eve")!, AccountProfile(), keys: TestStore.keys, at: .start)
            try await test.store.write { try $0.accounts.insert(eve, names: []) }
            let again = try await test.reopened()
            #expect(
                try await again.store.read { try $0.defaultChoices.presentation() } == expected)
        }
    }

    @Test(arguments: StoreKind.allCases) func `a database of a newer program is not changed`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.sql("INSERT INTO schema_step (name) VALUES ('7-something-new')")
        try kind.close(test.driver)
        let folder = test.folder
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .tooNew)
    }

    @Test(arguments: StoreKind.allCases) func `a failed step is rolled back completely`(
        kind: StoreKind
    ) async throws {
        let (folder, driver) = try await Self.old(kind, 1)
        // Blocks the second step's last statements.
        _ = try await driver.write(.always) {
            try $0.execute("CREATE TABLE one_time_code (id TEXT)", [])
        }
        try kind.close(driver)
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .unreachable)
        let again = try await kind.driver(in: folder)
        #expect(
            try await again.read {
                try $0.rows("SELECT name FROM schema_step", []).map { try $0.text(0) }
            } == [Migrations.all[0].name])
        _ = try await again.write(.always) { try $0.execute("DROP TABLE one_time_code", []) }
        try kind.close(again)
        _ = try await TestStore(kind, in: folder)
    }

    @Test(arguments: StoreKind.allCases)
    func `a step of a newer program is accepted if it says that older ones work beside it`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.sql("CREATE TABLE something_new (id BIGINT PRIMARY KEY)")
        try await test.sql(
            "INSERT INTO schema_step (name, compatible) VALUES ('999-something-new', 1)")
        let again = try await test.reopened()
        #expect(try await again.count("schema_step") == Migrations.all.count + 1)
        _ = try await again.account("ana")
        try await again.sql(
            "INSERT INTO schema_step (name, compatible) VALUES ('999-something-else', 0)")
        try kind.close(again.driver)
        let folder = test.folder
        #expect(await refusal { _ = try await TestStore(kind, in: folder) } == .tooNew)
    }

    @Test func `only steps after the one that records it are called compatible`() throws {
        let names = Migrations.all.map(\.name)
        let first = try #require(names.firstIndex(of: "39-schema-compatibility"))
        #expect(Migrations.compatible.isSubset(of: names[(first + 1)...]))
    }

    /// Servers of the version before write rows without what such a step adds.
    @Test(arguments: Migrations.all.filter { Migrations.compatible.contains($0.name) }.map(\.name))
    func `a step that is called compatible only adds, or replaces an index`(name: String) throws {
        let statements = try #require(Migrations.all.first { $0.name == name }).statements
        for (index, statement) in statements.enumerated() {
            if statement.hasPrefix("CREATE TABLE ") || statement.hasPrefix("CREATE INDEX ") {
                continue
            } else if let added = statement.wholeMatch(of: /ALTER TABLE \w+ ADD COLUMN \w+ .+/) {
                #expect(
                    !added.output.contains("NOT NULL") || added.output.contains(" DEFAULT "),
                    "\(statement)")
            } else if let unique = statement.firstMatch(
                of: /^CREATE UNIQUE INDEX \w+ ON (\w+) \((\w+)\)$/)
            {
                // Those rows have NULL there, and NULL equals nothing.
                let column = "ALTER TABLE \(unique.1) ADD COLUMN \(unique.2) "
                #expect(
                    statements[..<index].contains {
                        $0.hasPrefix(column) && !$0.contains("NOT NULL")
                    }, "\(statement)")
            } else if let dropped = statement.firstMatch(of: /^DROP INDEX (\w+)$/) {
                #expect(
                    statements[(index + 1)...].contains {
                        $0.hasPrefix("CREATE INDEX \(dropped.1) ON ")
                    }, "\(statement)")
            } else {
                Issue.record("neither adds something nor replaces an index: \(statement)")
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

    /// A released step never changes.
    @Test func `the names of the steps are in order`() {
        #expect(
            Migrations.all.map(\.name) == [
                "1-accounts", "2-journeys", "3-operation", "4-tokens", "5-identifiers",
                "6-passkeys", "7-refresh-marks", "8-otp",
                "9-capture-trails", "10-licences", "11-mailed-links", "12-recovery-codes",
                "13-recoveries", "14-credentials",
                "15-audit-retention", "16-locks", "17-sign-ups", "18-registration-codes",
                "19-own-accounts", "20-logout-notices", "21-activity", "22-approvals",
                "23-default-choices", "24-face-packs", "25-shadow-templates", "26-web",
                "27-identities", "28-registry", "29-registry-numbers", "30-duplicate-faces",
                "31-identity-uploads", "32-identity-jobs", "33-verification-sessions",
                "34-administrator-role", "35-administrator-sign-in", "36-identity-job-app",
                "37-verification-session-end", "38-audit-search", "39-schema-compatibility",
                "40-capture-account", "41-organizations",
                "42-pages", "43-setup-code-credential", "44-test-accounts",
                "45-outbox", "46-servers", "47-trail-bands", "48-gallery-parts", "49-master-keys",
                "50-run-account", "51-otp-resynchronization", "52-verification-origin",
                "60-waiting-owner",
            ])
    }
}

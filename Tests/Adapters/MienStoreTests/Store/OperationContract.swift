import MienAPI
import MienCore
import MienStore
import Testing

@Suite struct OperationContract {
    @Test(arguments: StoreKind.allCases) func `an app is read back unchanged`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let settings = AppSettings(
            redirectURIs: ["https://shop.example/"], locks: ["face": .secret], faceThreshold: 50,
            tokenSeconds: 60)
        var app = AppRecord(
            id: .shop, name: "Shop “é”", type: .confidential, secretHash: [1], settings: settings,
            createdAt: .start)
        let bank = AppRecord(
            id: .bank, name: "", type: .public, settings: AppSettings(),
            createdAt: .start + .seconds(1))
        let first = app
        try await test.store.write { tables in
            try tables.apps.insert(bank)
            try tables.apps.insert(first)
        }
        #expect(
            await refusal { try await test.store.write { try $0.apps.insert(first) } } == .conflict)
        (app.name, app.secretHash, app.settings.locks) = ("Store", nil, [:])
        let changed = app
        try await test.store.write { tables in
            let found = try #require(try tables.apps.find(.shop))
            #expect(
                found.name == "Shop “é”" && found.settings == settings && found.secretHash == [1]
                    && found.type == .confidential)
            #expect(try tables.apps.all().map(\.id) == [.shop, .bank], "oldest first")
            #expect(try tables.apps.update(changed, at: .start))
            let after = try #require(try tables.apps.find(.shop))
            #expect(
                after.name == "Store" && after.secretHash == nil && after.settings.locks.isEmpty
                    && after.createdAt == .start)
            #expect(
                try tables.apps.delete(.shop) && !tables.apps.delete(.shop)
                    && !tables.apps.update(changed, at: .start))
            #expect(try tables.apps.find(.shop) == nil && tables.apps.find(.bank)?.name == "")
        }
    }

    @Test(arguments: StoreKind.allCases) func `an admin is found by a token that is not stored`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), hash = test.store.keys.hash(ofSecret: [7])
        try await test.store.write { tables in
            #expect(try tables.admins.isEmpty())
            try tables.admins.insert(
                AdminRecord(id: AdminID("adm_1")!, name: "root", role: .owner, createdAt: .start),
                tokenHash: hash)
            #expect(
                try !tables.admins.isEmpty() && tables.admins.find(tokenHash: hash)?.name == "root"
                    && tables.admins.find(tokenHash: [7]) == nil)
            try tables.admins.insert(
                AdminRecord(
                    id: AdminID("adm_2")!, name: "second", role: .auditor,
                    createdAt: .start + .seconds(1)),
                tokenHash: [8])
            #expect(try tables.admins.all().map(\.name) == ["root", "second"])
            #expect(try tables.admins.all().map(\.role) == [.owner, .auditor])
            #expect(try tables.admins.change(AdminID("adm_2")!, to: .reviewer))
            #expect(try tables.admins.find(tokenHash: [8])?.role == .reviewer)
            #expect(try !tables.admins.change(AdminID("adm_3")!, to: .owner))
            #expect(try tables.admins.remove(AdminID("adm_1")!))
            #expect(try !tables.admins.remove(AdminID("adm_1")!))
            #expect(try tables.admins.find(tokenHash: hash) == nil)
            #expect(try tables.admins.all().map(\.createdAt) == [.start + .seconds(1)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a job that throws rolls back only its own writes`(kind: StoreKind) async throws {
        struct Stop: Error {}
        let test = try await TestStore(kind)
        await withTaskGroup { group in
            for index in 0..<300 {
                group.addTask {
                    let code = await refusal {
                        try await test.store.write(index % 2 == 0 ? .always : .process) { tables in
                            try tables.codes.put("\(index)", hash: [1], expiresAt: .start)
                            try tables.audit.append(
                                AuditEvent("e\(index)", actor: "system"), at: .start)
                            if index % 3 == 0 { throw Stop() }
                            // A failure that the job handles.
                            if index % 3 == 1 {
                                try? tables.apps.insert(
                                    AppRecord(
                                        id: .shop, name: "", type: .public, settings: .init(),
                                        createdAt: .start))
                            }
                        }
                    }
                    #expect(code == nil)
                }
            }
        }
        for (table, count) in [("one_time_code", 200), ("audit", 200), ("app", 1)] {
            #expect(try await test.count(table) == count, "\(table)")
        }
        #expect(
            try await test.rows("SELECT id FROM one_time_code").allSatisfy {
                try Int($0.text(0))! % 3 != 0
            })
        guard case .whole(200, _) = try await test.store.read({ try $0.audit.verify() }) else {
            Issue.record("concurrent appends left a gap")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a reader sees a consistent snapshot that includes earlier acknowledged writes`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        for index in 0..<50 {
            try await test.store.write(.process) { tables in
                try tables.codes.put("a\(index)", hash: [1], expiresAt: .start)
                try tables.codes.put("b\(index)", hash: [1], expiresAt: .start)
            }
            async let later: Void = test.store.write(.process) {
                try $0.codes.put("c\(index)", hash: [1], expiresAt: .start)
            }
            let counts = try await test.driver.read { connection in
                try (0..<2).map { _ in
                    try connection.rows(
                        "SELECT COUNT(*) FROM one_time_code WHERE id NOT LIKE 'c%'", [])[0].integer(
                            0)
                }
            }
            #expect(counts == [Int64(2 * index + 2), Int64(2 * index + 2)])
            try await later
        }
    }

    @Test(arguments: StoreKind.allCases) func `a reader cannot write`(kind: StoreKind) async throws
    {
        let test = try await TestStore(kind)
        #expect(
            await refusal {
                try await test.store.read { try $0.codes.put("c", hash: [1], expiresAt: .start) }
            } == .unwritable)
    }

    @Test(arguments: StoreKind.allCases) func `a string with a NUL is rejected`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.codes.put("a\0b", hash: [1], expiresAt: .start)
                }
            } == .corrupt)
        #expect(try await test.count("one_time_code") == 0)
        let event = AuditEvent("e", actor: "system", detail: ["text": "a\0b"])
        try await test.store.write { try $0.audit.append(event, at: .start) }
        #expect(
            try await test.store.read { try $0.audit.page(after: 0, count: 1)[0].event } == event,
            "JSON can escape it")
    }

    @Test(arguments: StoreKind.allCases)
    func `unknown words and invalid values are errors, never defaults`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana)
        let app = AppRecord(
            id: .shop, name: "", type: .public, settings: AppSettings(), createdAt: .start)
        let capture = JourneyContract.capture("1"), run = JourneyContract.run("1"),
            login = JourneyContract.login, device = DeviceID("dev_1")!
        try await test.store.write { tables in
            try tables.apps.insert(app)
            try tables.captures.insert(capture)
            try tables.runs.insert(run)
            try tables.journeys.putDraft(login, version: 1, definition: "", at: .start)
            try tables.devices.insert(
                KnownDevice(id: device, account: ana.id, app: .shop), tokenHash: [1], at: .start)
            try tables.locks.setCounts(
                AuthenticatorLock(total: 1, device: LockCounter(failures: 1)), of: face.lockSubject,
                device: device)
            try tables.locks.hold(face.id, by: .journey)
        }
        let reads: [(String, String, @Sendable (Tables) throws -> Void)] = [
            ("account", "state = 'frozen'", { _ = try $0.accounts.find(ana.id) }),
            ("account", "state = 'Active'", { _ = try $0.accounts.page(after: nil, count: 9) }),
            ("authenticator", "type = 'smile'", { _ = try $0.authenticators.all(of: ana) }),
            ("authenticator", "info = '[]'", { _ = try $0.authenticators.all(of: ana) }),
            (
                "authenticator", "app_id = 'a b'",
                { _ = try $0.authenticators.find(face.id, of: ana) }
            ),
            ("app", "type = ''", { _ = try $0.apps.find(.shop) }),
            ("app", "settings = '{\"token_seconds\": true}'", { _ = try $0.apps.all() }),
            ("capture", "state = 'done'", { _ = try $0.captures.find(capture.id) }),
            ("journey", "state = 'live'", { _ = try $0.journeys.all() }),
            ("journey_run", "journey_id = ''", { _ = try $0.runs.find(run.id) }),
            ("lock_count", "total = -1", { _ = try $0.locks.lock(of: face, device: nil) }),
            (
                "lock_count", "unknown_failures = -1",
                { _ = try $0.locks.lock(of: face, device: nil) }
            ),
            ("lock_device", "failures = -1", { _ = try $0.locks.lock(of: face, device: device) }),
            ("authenticator_hold", "holder = 'nobody'", { _ = try $0.locks.isHeld(face.id) }),
        ]
        for (table, change, read) in reads {
            #expect(await refusal { try await test.store.read(read) } == nil, "\(table)")
            let columns = "\(change.prefix { $0 != " " })"
            let before = try await test.rows("SELECT \(columns) FROM \(table)")[0][0]
            try await test.sql("UPDATE \(table) SET \(change)")
            #expect(
                await refusal { try await test.store.read(read) } == .corrupt, "\(table): \(change)"
            )
            try await test.sql("UPDATE \(table) SET \(columns) = ?", before)
        }
    }

    @Test func `errors have stable codes and compare by code`() {
        #expect(
            StoreError.Code.allCases.map(\.rawValue) == [
                "store.busy", "store.corrupt", "store.foreign-key", "store.unreachable",
                "store.unwritable", "store.conflict", "store.stale", "store.too-new",
                "store.too-old",
                "store.incomplete", "store.moved", "store.uncertain",
            ])
        #expect(
            StoreError(.busy, "a") == StoreError(.busy, "b")
                && "\(StoreError(.busy, "a"))" == "store.busy: a")
    }
}

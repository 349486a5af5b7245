import MienAccess
import MienCore
import MienStore
import Testing

@Suite struct AuthenticatorContract {
    @Test(arguments: StoreKind.allCases) func `authenticators are found by id, by type and app, and all together`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        let password = try await test.authenticator("1", .password, of: ana, app: nil, content: Array("hash".utf8))
        let shop = try await test.authenticator("2", of: ana, content: [2]),
            bank = try await test.authenticator("3", of: ana, app: .bank, content: [3])
        try await test.store.read { tables in
            #expect(try tables.authenticators.all(of: ana).map(\.id) == [password.id, shop.id, bank.id])
            #expect(try tables.authenticators.find(.password, of: ana, app: nil)?.content.shown == Array("hash".utf8))
            #expect(try tables.authenticators.find(.face, of: ana, app: .bank)?.content.shown == [3])
            #expect(try tables.authenticators.find(.face, of: ana, app: nil) == nil)
            #expect(try tables.authenticators.find(.face, of: bruno, app: .shop) == nil)
            #expect(try tables.authenticators.find(shop.id, of: bruno) == nil, "an id alone is not enough")
            let found = try #require(try tables.authenticators.find(shop.id, of: ana))
            #expect(found.info == ["photos": 1] && found.createdAt == .start && found.updatedAt == .start && found.app == .shop)
        }
    }

    @Test(arguments: StoreKind.allCases) func `an update is made on what was read, or not at all`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), read = try await test.authenticator("1", .password, of: ana, app: nil)
        var new = read, again = read
        new.content = Sensitive([9])
        again.content = Sensitive([7])
        let (first, second) = (new, again)
        // In the very millisecond in which it was made, too.
        try await test.store.write { try $0.authenticators.update(first, of: ana, at: .start) }
        #expect(await refusal { try await test.store.write { try $0.authenticators.update(second, of: ana, at: .start) } } == .stale)
        #expect(try await test.store.read { try $0.authenticators.find(read.id, of: ana)?.content.shown } == [9])
    }

    @Test(arguments: StoreKind.allCases) func `an authenticator is removed by its owner alone, with its counters`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno"), face = try await test.authenticator("1", of: ana)
        try await test.store.write { try $0.locks.set(LockCounter(failures: 3), of: face.id, scope: "x") }
        #expect(try await test.store.write { try !$0.authenticators.delete(face.id, of: bruno.id) })
        #expect(try await test.store.read { try $0.authenticators.find(face.id, of: ana)?.content.shown } == [1, 2, 3], "untouched")
        #expect(try await test.store.write { try $0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.store.write { try !$0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.count("lock_counter") == 0)
    }

    @Test(arguments: StoreKind.allCases) func `with an app go its faces, and the password stays`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana")
        _ = try await test.authenticator("1", .password, of: ana, app: nil)
        _ = try await test.authenticator("2", of: ana)
        _ = try await test.authenticator("3", of: ana, app: .bank)
        try await test.store.write { try $0.authenticators.deleteAll(ofApp: .shop) }
        #expect(try await test.store.read { try $0.authenticators.all(of: ana).map(\.id.text) } == ["aut_1", "aut_3"])
    }

    @Test(arguments: StoreKind.allCases) func `counters are kept for each caller apart`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana).id
        let locked = LockCounter(failures: 5, lockedUntil: .start), disabled = LockCounter(failures: .max, isDisabled: true)
        try await test.store.write { tables in
            #expect(try tables.locks.counter(of: face, scope: LockTable.strangers) == LockCounter())
            try tables.locks.set(LockCounter(failures: 1), of: face, scope: LockTable.strangers)
            try tables.locks.set(locked, of: face, scope: LockTable.strangers)
            try tables.locks.set(disabled, of: face, scope: "dev_1")
        }
        try await test.store.read { tables throws in
            #expect(try tables.locks.counter(of: face, scope: LockTable.strangers) == locked)
            #expect(try tables.locks.counter(of: face, scope: "dev_2") == LockCounter())
            #expect(try tables.locks.all(of: face).map(\.scope) == ["", "dev_1"] && tables.locks.all(of: face).map(\.counter) == [locked, disabled])
        }
        try await test.store.write { try $0.locks.set(LockCounter(), of: face, scope: "dev_1") }
        #expect(try await test.count("lock_counter") == 1, "nothing to remember is not remembered")
        try await test.store.write { try $0.locks.unlock(face) }
        #expect(try await test.count("lock_counter") == 0)
    }

    /// As the gate does: looked at and counted in one transaction.
    @Test(arguments: StoreKind.allCases) func `parallel guesses do not outrun the counter`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana).id
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await test.store.write { tables in
                        var counter = try tables.locks.counter(of: face, scope: LockTable.strangers)
                        guard counter.begin(under: .face, at: .start) else { return false }
                        try tables.locks.set(counter, of: face, scope: LockTable.strangers)
                        return true
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == LockPolicy.face.failedAttempts)
    }

    @Test(arguments: StoreKind.allCases) func `consents are added and ended, never changed`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana").id
        func consent(_ id: String, _ app: AppID, _ version: String, _ seconds: Int) -> ConsentRecord {
            ConsentRecord(id: id, account: ana, app: app, purpose: "face", textVersion: version, givenAt: .start + .seconds(seconds))
        }
        let records = [consent("1", .shop, "v1", 0), consent("2", .shop, "v2", 1), consent("3", .bank, "v1", 2)]
        try await test.store.write { tables in
            for record in records { try tables.consents.insert(record) }
            #expect(try tables.consents.current(of: ana, app: .shop, purpose: "face")?.textVersion == "v2", "the newest")
            #expect(try tables.consents.current(of: ana, app: .shop, purpose: "voice") == nil)
            #expect(try tables.consents.withdraw(of: ana, app: .shop, purpose: "face", at: .start + .seconds(9)) == 2)
            #expect(try tables.consents.withdraw(of: ana, app: .shop, purpose: "face", at: .start + .seconds(10)) == 0)
            #expect(try tables.consents.current(of: ana, app: .shop, purpose: "face") == nil)
            #expect(try tables.consents.current(of: ana, app: .bank, purpose: "face")?.id == "3")
            let all = try tables.consents.all(of: ana)
            #expect(all.map(\.id) == ["1", "2", "3"] && all.map(\.withdrawnAt) == [.start + .seconds(9), .start + .seconds(9), nil])
        }
        #expect(await refusal { try await test.store.write { try $0.consents.insert(records[0]) } } == .conflict)
    }

    @Test(arguments: StoreKind.allCases) func `a device is known by its token`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana").id, hash = test.store.keys.hash(ofSecret: [1, 2, 3])
        let device = KnownDevice(id: DeviceID("dev_1")!, account: ana, app: .shop)
        try await test.store.write { try $0.devices.insert(device, tokenHash: hash, at: .start) }
        #expect(await refusal { try await test.store.write { try $0.devices.insert(device, tokenHash: hash, at: .start) } } == .conflict)
        let found = try await test.store.read { try $0.devices.find(tokenHash: hash) }
        #expect(found?.id == device.id && found?.account == ana && found?.app == .shop)
        #expect(try await test.store.read { try $0.devices.find(tokenHash: [1, 2, 3]) } == nil, "the token itself is not what is kept")
        try await test.store.write { try $0.devices.deleteAll(of: ana) }
        #expect(try await test.store.read { try $0.devices.find(tokenHash: hash) } == nil)
    }
}

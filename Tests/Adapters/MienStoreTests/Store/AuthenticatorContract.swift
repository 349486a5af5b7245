import MienAPI
import MienCore
import MienStore
import Testing

@Suite struct AuthenticatorContract {
    @Test(arguments: StoreKind.allCases)
    func `authenticators are found by ID, by type and app, and as a list`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        let password = try await test.authenticator(
            "1", .password, of: ana, app: nil, content: Array("hash".utf8))
        let shop = try await test.authenticator("2", of: ana, content: [2]),
            bank = try await test.authenticator("3", of: ana, app: .bank, content: [3])
        try await test.store.read { tables in
            #expect(
                try tables.authenticators.all(of: ana).map(\.id) == [password.id, shop.id, bank.id])
            #expect(
                try tables.authenticators.find(.password, of: ana, app: nil)?.content.shown
                    == Array("hash".utf8))
            #expect(
                try tables.authenticators.find(.face, of: ana, app: .bank)?.content.shown == [3])
            #expect(try tables.authenticators.find(.face, of: ana, app: nil) == nil)
            #expect(try tables.authenticators.find(.face, of: bruno, app: .shop) == nil)
            #expect(
                try tables.authenticators.find(shop.id, of: bruno) == nil,
                "an ID alone is not enough")
            let found = try #require(try tables.authenticators.find(shop.id, of: ana))
            #expect(
                found.info == ["photos": 1] && found.createdAt == .start
                    && found.updatedAt == .start && found.app == .shop)
        }
    }

    @Test(arguments: StoreKind.allCases) func `an update applies only to the version that was read`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"),
            read = try await test.authenticator("1", .password, of: ana, app: nil)
        var new = read, again = read
        new.content = Sensitive([9])
        again.content = Sensitive([7])
        let (first, second) = (new, again)
        // Also within the millisecond of its creation.
        try await test.store.write { try $0.authenticators.update(first, of: ana, at: .start) }
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.authenticators.update(second, of: ana, at: .start)
                }
            } == .stale)
        #expect(
            try await test.store.read {
                try $0.authenticators.find(read.id, of: ana)?.content.shown
            } == [9])
    }

    @Test(arguments: StoreKind.allCases)
    func `only its owner can remove an authenticator; its manual locks go and its failures stay`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno"),
            face = try await test.authenticator("1", of: ana)
        try await test.store.write { tables in
            try tables.locks.setCounts(
                AuthenticatorLock(total: 3), of: face.lockSubject, device: nil)
            try tables.locks.hold(face.id, by: .administrator)
        }
        #expect(try await test.store.write { try !$0.authenticators.delete(face.id, of: bruno.id) })
        #expect(
            try await test.store.read {
                try $0.authenticators.find(face.id, of: ana)?.content.shown
            } == [1, 2, 3], "untouched")
        #expect(try await test.store.write { try $0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.store.write { try !$0.authenticators.delete(face.id, of: ana.id) })
        let again = try await test.authenticator("2", of: ana)
        #expect(
            try await test.store.read { try $0.locks.lock(of: again, device: nil) }
                == AuthenticatorLock(total: 3))
    }

    @Test(arguments: StoreKind.allCases)
    func `deleting an app deletes its faces and keeps the password`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana")
        _ = try await test.authenticator("1", .password, of: ana, app: nil)
        _ = try await test.authenticator("2", of: ana)
        _ = try await test.authenticator("3", of: ana, app: .bank)
        try await test.store.write { try $0.authenticators.deleteAll(ofApp: .shop) }
        #expect(
            try await test.store.read { try $0.authenticators.all(of: ana).map(\.id.text) } == [
                "aut_1", "aut_3",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func
        `failures are counted by account, method, and app, and separately for devices with their own counter`(
            kind: StoreKind
        )
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        let shop = try await test.authenticator("1", of: ana),
            bank = try await test.authenticator("2", of: ana, app: .bank)
        let other = try await test.authenticator("3", of: bruno),
            password = try await test.authenticator("4", .password, of: ana, app: nil)
        let phone = try await test.device("phone", of: ana.id),
            laptop = try await test.device("laptop", of: ana.id)
        let counted = AuthenticatorLock(
            total: 9, unknownDevices: LockCounter(failures: 5, lockedUntil: .start),
            device: LockCounter(failures: 4, lockedUntil: .start))
        try await test.store.write { tables in
            #expect(try tables.locks.lock(of: shop, device: phone) == AuthenticatorLock())
            try tables.locks.setCounts(
                AuthenticatorLock(total: 1), of: shop.lockSubject, device: phone)
            try tables.locks.setCounts(counted, of: shop.lockSubject, device: phone)
        }
        let shared = AuthenticatorLock(total: 9, unknownDevices: counted.unknownDevices)
        try await test.store.read { tables throws in
            #expect(try tables.locks.lock(of: shop, device: phone) == counted)
            #expect(
                try tables.locks.lock(of: shop, device: laptop) == shared
                    && tables.locks.lock(of: shop, device: nil) == shared)
            for apart in [bank, other, password] {
                #expect(try tables.locks.lock(of: apart, device: phone) == AuthenticatorLock())
            }
            #expect(
                try tables.locks.hasOwnCounter(phone, shop.lockSubject)
                    && !tables.locks.hasOwnCounter(laptop, shop.lockSubject))
            #expect(
                try !tables.locks.hasOwnCounter(phone, password.lockSubject),
                "earned for one method only")
        }
        try await test.store.write { try $0.locks.earn(laptop, shop.lockSubject) }
        let devices = try await test.store.read { try $0.locks.devices(of: shop.lockSubject) }
        #expect(
            devices.map(\.device) == [laptop, phone] && devices.map(\.counter.failures) == [0, 4])
        try await test.store.write { try $0.locks.forgetFailures(of: shop.lockSubject) }
        #expect(
            try await test.store.read { try $0.locks.lock(of: shop, device: phone) }
                == AuthenticatorLock(device: LockCounter()))
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed device, or another account's, gets no counter`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno"),
            face = try await test.authenticator("1", of: ana)
        let phone = try await test.device("phone", of: ana.id),
            foreign = try await test.device("foreign", of: bruno.id)
        for device in [foreign, DeviceID("dev_nowhere")!] {
            try await test.store.write { try $0.locks.earn(device, face.lockSubject) }
            #expect(
                try await test.store.read { try !$0.locks.hasOwnCounter(device, face.lockSubject) })
        }
        try await test.store.write { tables in
            try tables.locks.earn(phone, face.lockSubject)
            try tables.devices.deleteAll(of: ana.id)
        }
        #expect(try await test.count("lock_device") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func
        `a manual lock records its holders, and only an administrator releases an administrator's lock`(
            kind: StoreKind
        )
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"),
            one = try await test.authenticator("1", .passkey, of: ana, app: nil)
        let two = try await test.authenticator("2", .passkey, of: ana, app: nil)
        try await test.store.write { tables in
            for holder in [LockHolder.administrator, .journey, .administrator] {
                try tables.locks.hold(one.id, by: holder)
            }
            try tables.locks.setCounts(
                AuthenticatorLock(total: 7), of: one.lockSubject, device: nil)
            #expect(
                try tables.locks.isHeld(one.id) && !tables.locks.isHeld(two.id),
                "one of two passkeys")
            #expect(try tables.locks.holders(of: one.id) == [.administrator, .journey])
            #expect(try !tables.locks.release(one, by: .journey))
            #expect(
                try tables.locks.lock(of: one, device: nil)
                    == AuthenticatorLock(total: 7, holders: [.administrator, .journey]))
            #expect(try tables.locks.release(one, by: .administrator))
            #expect(try tables.locks.lock(of: two, device: nil) == AuthenticatorLock())
        }
    }

    @Test(arguments: StoreKind.allCases) func `deleting an app deletes its counts`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), shop = try await test.authenticator("1", of: ana)
        let bank = try await test.authenticator("2", of: ana, app: .bank),
            phone = try await test.device("phone", of: ana.id)
        try await test.store.write { tables in
            for record in [shop, bank] {
                try tables.locks.setCounts(
                    AuthenticatorLock(total: 2, device: LockCounter(failures: 2)),
                    of: record.lockSubject, device: phone)
            }
            try tables.locks.deleteAll(ofApp: .shop)
            #expect(try tables.locks.lock(of: shop, device: phone) == AuthenticatorLock())
            #expect(
                try tables.locks.lock(of: bank, device: phone).total == 2
                    && tables.locks.hasOwnCounter(phone, bank.lockSubject))
        }
    }

    /// Like the gate: checked and counted in one transaction.
    @Test(arguments: StoreKind.allCases) func `parallel guesses do not outrun the counter`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana)
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await test.store.write { tables in
                        try tables.locks.change(face, device: nil) {
                            $0.begin(under: .face, at: .start)
                        } != nil
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == LockPolicy.face.failedAttempts)
    }

    @Test(arguments: StoreKind.allCases)
    func
        `excess devices are removed by fewest methods first, then by longest disuse`(
            kind: StoreKind
        )
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"),
            password = LockSubject(ana.id, .password, app: nil),
            otp = LockSubject(ana.id, .otp, app: .shop)
        let own = try await test.device("own", of: ana.id, earned: [password, otp], at: .start)
        // An attacker who knows only the password.
        for index in 0..<50 {
            _ = try await test.device(
                "thief\(index)", of: ana.id, earned: [password], at: .start + .seconds(index + 1))
        }
        let left = try await test.rows("SELECT id FROM known_device").map { try $0.text(0) }
        #expect(
            left.count == 20 && left.contains(own.text) && left.contains("dev_thief49")
                && !left.contains("dev_thief0"))
        // Using it again keeps it ahead of other devices of its kind.
        try await test.store.write {
            try $0.devices.touch(DeviceID("dev_thief31")!, at: .start + .seconds(999))
        }
        _ = try await test.device("last", of: ana.id, earned: [], at: .start + .seconds(1000))
        let after = try await test.rows("SELECT id FROM known_device").map { try $0.text(0) }
        #expect(
            after.count == 20 && after.contains("dev_thief31") && !after.contains("dev_thief32")
                && after.contains("dev_last"))
    }

    @Test(arguments: StoreKind.allCases) func `consents are added and ended, never changed`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana").id
        func consent(_ id: String, _ app: AppID, _ version: String, _ seconds: Int) -> ConsentRecord
        {
            ConsentRecord(
                id: id, account: ana, app: app, purpose: "face", textVersion: version,
                givenAt: .start + .seconds(seconds))
        }
        let records = [
            consent("1", .shop, "v1", 0), consent("2", .shop, "v2", 1),
            consent("3", .bank, "v1", 2),
        ]
        try await test.store.write { tables in
            for record in records { try tables.consents.insert(record) }
            #expect(
                try tables.consents.current(of: ana, app: .shop, purpose: "face")?.textVersion
                    == "v2", "the newest")
            #expect(try tables.consents.current(of: ana, app: .shop, purpose: "voice") == nil)
            #expect(
                try tables.consents.withdraw(
                    of: ana, app: .shop, purpose: "face", at: .start + .seconds(9)) == 2)
            #expect(
                try tables.consents.withdraw(
                    of: ana, app: .shop, purpose: "face", at: .start + .seconds(10)) == 0)
            #expect(try tables.consents.current(of: ana, app: .shop, purpose: "face") == nil)
            #expect(try tables.consents.current(of: ana, app: .bank, purpose: "face")?.id == "3")
            let all = try tables.consents.all(of: ana)
            #expect(
                all.map(\.id) == ["1", "2", "3"]
                    && all.map(\.withdrawnAt) == [.start + .seconds(9), .start + .seconds(9), nil])
        }
        #expect(
            await refusal { try await test.store.write { try $0.consents.insert(records[0]) } }
                == .conflict)
    }

    @Test(arguments: StoreKind.allCases) func `a device is found by its token`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana").id,
            hash = test.store.keys.hash(ofSecret: [1, 2, 3])
        let device = KnownDevice(id: DeviceID("dev_1")!, account: ana, app: .shop)
        try await test.store.write { try $0.devices.insert(device, tokenHash: hash, at: .start) }
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.devices.insert(device, tokenHash: hash, at: .start)
                }
            } == .conflict)
        let found = try await test.store.read { try $0.devices.find(tokenHash: hash) }
        #expect(found?.id == device.id && found?.account == ana && found?.app == .shop)
        #expect(
            try await test.store.read { try $0.devices.find(tokenHash: [1, 2, 3]) } == nil,
            "the token itself is not stored")
        try await test.store.write { try $0.devices.deleteAll(of: ana) }
        #expect(try await test.store.read { try $0.devices.find(tokenHash: hash) } == nil)
    }
}

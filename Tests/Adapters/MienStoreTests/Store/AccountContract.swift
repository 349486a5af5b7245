import MienAPI
import MienCore
import Testing

@testable import MienStore

@Suite struct AccountContract {
    @Test(arguments: StoreKind.allCases)
    func `an account is read back unchanged, by ID and by each name`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let profile = AccountProfile(
            externalID: "CRM-1", username: "Ana", email: "Ana@Example.org",
            attributes: ["tier": "gold", "age": 41, "tags": ["a", nil]])
        let account = AccountRecord.new(
            UserID("usr_1")!, profile, keys: test.store.keys, at: .start)
        try await test.store.write { try $0.accounts.insert(account, names: profile.names()) }
        let found = try await test.store.read { tables in
            [try tables.accounts.find(account.record.id)]
                + (try ["crm-1", "CRM-1", "ANA", "ana@example.org", "nobody", ""].map {
                    try tables.accounts.find(identifier: $0)
                })
        }
        #expect(
            found.map { $0?.id.text } == ["usr_1", nil, "usr_1", "usr_1", "usr_1", nil, nil],
            "external IDs are not normalized")
        let first = try #require(found[0])
        #expect(
            first.profile.shown == profile && first.state == .active && first.createdAt == .start)
    }

    @Test(arguments: StoreKind.allCases) func `a name of one kind belongs to one account`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        _ = try await test.account("ana")
        let other = AccountRecord.new(
            UserID("usr_2")!, AccountProfile(username: "ＡＮＡ"), keys: test.store.keys, at: .start)
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.accounts.insert(other, names: [LoginName("ＡＮＡ", kind: .username)])
                }
            } == .conflict)
        #expect(try await test.count("account") == 1, "nothing was written")
        try await test.store.write {
            try $0.accounts.insert(other, names: [LoginName("anna", kind: .externalID)])
        }
        // The same ID again.
        #expect(
            await refusal {
                try await test.store.write { try $0.accounts.insert(other, names: []) }
            } == .conflict)
    }

    @Test(arguments: StoreKind.allCases)
    func `an external ID cannot equal another account's user name or address in any case`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        func add(_ id: String, _ names: [(String, LoginName.Kind)]) async -> StoreError.Code? {
            await refusal {
                let account = AccountRecord.new(
                    UserID("usr_\(id)")!, AccountProfile(), keys: test.store.keys, at: .start)
                let names = try names.map { try LoginName($0, kind: $1) }
                try await test.store.write { try $0.accounts.insert(account, names: names) }
            }
        }
        #expect(await add("ana", [("Ana", .username), ("ana@example.org", .email)]) == nil)
        #expect(await add("crm", [("CRM-1", .externalID)]) == nil)
        #expect(await add("bo", [("Bo@Example.org", .externalID)]) == nil)
        for (text, kind) in [
            ("ana", LoginName.Kind.externalID), ("ANA", .externalID),
            ("Ana@Example.org", .externalID), ("ＡＮＡ", .externalID), ("crm-1", .username),
            ("CRM-1", .username), ("bo@example.org", .email),
        ] {
            #expect(await add("eve", [(text, kind)]) == .conflict, "\(kind) \(text)")
            #expect(
                await add("eve", [("eve", .username), (text, kind)]) == .conflict,
                "with another name")
        }
        #expect(try await test.count("account") == 3, "nothing was written")
        // External IDs remain case-sensitive. One person may use one name in every kind, and names
        // that became free may be used again.
        #expect(await add("crm2", [("crm-1", .externalID)]) == nil)
        #expect(await add("cleo", [("cleo", .username), ("Cleo", .externalID)]) == nil)
        #expect(
            try await test.store.read { try $0.accounts.find(identifier: "Cleo")?.id.text }
                == "usr_cleo")
        let cleo = try #require(
            try await test.store.read { try $0.accounts.find(identifier: "cleo") })
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.accounts.update(
                        cleo, names: [LoginName("crm-1", kind: .username)], at: .start)
                }
            }
                == .conflict)
        #expect(try await test.store.write { try $0.accounts.delete(UserID("usr_ana")!) })
        #expect(await add("eve", [("Ana", .externalID)]) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `an identifier shared by two accounts finds neither`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bo = try await test.account("bo")
        try await test.sql(
            "INSERT INTO account_name (kind, name_hash, identifier_hash, account_id) VALUES ('external_id', ?, ?, ?)",
            .blob(TestStore.keys.hash(of: "external_id", "Ana")), .blob([1]),
            .text(bo.id.text))
        let found = try await test.store.read { tables in
            try ["ana", "Ana", "bo"].map { try tables.accounts.find(identifier: $0)?.id }
        }
        #expect(found == [ana.id, nil, bo.id])
    }

    @Test(arguments: StoreKind.allCases)
    func `an update replaces profile, state, and names together or not at all`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        var ana = try await test.account("ana")
        _ = try await test.account("bruno")
        ana.profile = Sensitive(AccountProfile(username: "anita"))
        ana.state = .suspended
        let changed = ana
        try await test.store.write {
            try $0.accounts.update(
                changed, names: [LoginName("anita", kind: .username)], at: .start + .seconds(1))
        }
        // One account at a time: the optimizer of Swift 6.3.1 crashes on a pair of them.
        let found = try #require(
            try await test.store.read { try $0.accounts.find(identifier: "anita") })
        #expect(
            found.state == .suspended && found.profile.shown.username == "anita"
                && found.createdAt == .start)
        let old = try await test.store.read { try $0.accounts.find(identifier: "ana")?.id }
        #expect(old == nil)
        let taken = await refusal {
            try await test.store.write {
                try $0.accounts.update(
                    changed, names: [LoginName("bruno", kind: .username)], at: .start)
            }
        }
        #expect(taken == .conflict)
        #expect(
            try await test.store.read { try $0.accounts.find(identifier: "anita")?.id }
                == changed.id, "the old names are restored")
    }

    @Test(arguments: StoreKind.allCases)
    func `a pending account holds its names until it expires and is removed then`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let names = [
            try LoginName("eve", kind: .username), try LoginName("CRM-9", kind: .externalID),
        ]
        func add(_ id: String, at now: Instant, until end: Instant?) async -> StoreError.Code? {
            await refusal {
                let account = AccountRecord.new(
                    UserID("usr_\(id)")!,
                    AccountProfile(
                        username: "eve", claimedEmail: "eve@example.org",
                        signUp: SignUp(isDecoy: false)),
                    keys: test.store.keys, at: now, pendingUntil: end)
                try await test.store.write { try $0.accounts.insert(account, names: names) }
            }
        }
        let end = Instant.start + .seconds(60)
        #expect(await add("1", at: .start, until: end) == nil)
        let found = try #require(
            try await test.store.read { try $0.accounts.find(identifier: "eve") })
        #expect(
            found.state == .pending && found.expiresAt == end
                && found.profile.shown.signUp == SignUp(isDecoy: false))
        #expect(
            try await test.store.read { try $0.accounts.find(identifier: "eve@example.org") }
                == nil, "a claimed address does not name the account")
        for (text, kind) in [
            ("EVE", LoginName.Kind.username), ("eve", .externalID), ("crm-9", .username),
            ("CRM-9", .externalID),
        ] {
            let name = try LoginName(text, kind: kind)
            #expect(
                try await test.store.read { try $0.accounts.holder(of: name, at: .start)?.text }
                    == "usr_1", "\(kind) \(text)")
            #expect(
                try await test.store.read {
                    try $0.accounts.holder(of: name, except: UserID("usr_1")!, at: .start)
                } == nil)
            #expect(
                try await test.store.read { try $0.accounts.holder(of: name, at: end) } == nil,
                "the sign-up has expired")
        }
        #expect(await add("2", at: .start + .seconds(59), until: nil) == .conflict)
        #expect(
            try await test.store.write {
                try $0.accounts.sweepPending(at: .start + .seconds(59), atMost: 10)
            } == 0)
        // The expired account has not been swept, but its name is free.
        #expect(await add("2", at: end, until: nil) == nil)
        #expect(try await test.count("account") == 1)
        #expect(
            try await test.store.write {
                try $0.accounts.sweepPending(at: end + .seconds(3600), atMost: 10)
            } == 0, "an active account stays")
    }

    @Test(arguments: StoreKind.allCases)
    func `expired sign-ups are swept in batches`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        for index in 0..<5 {
            let account = AccountRecord.new(
                UserID("usr_\(index)")!, AccountProfile(), keys: test.store.keys, at: .start,
                pendingUntil: .start + .seconds(Int64(index)))
            let names = [try LoginName("n\(index)", kind: .username)]
            // A decoy stands in for a name but holds none.
            try await test.store.write {
                if index == 0 {
                    try $0.accounts.insertNameless(account, inPlaceOf: names)
                } else {
                    try $0.accounts.insert(account, names: names)
                }
            }
        }
        #expect(try await test.store.read { try $0.accounts.find(identifier: "n0") } == nil)
        #expect(try await test.count("account_name") == 5)
        let sweep: @Sendable (Int) async throws -> Int = { count in
            try await test.store.write {
                try $0.accounts.sweepPending(at: .start + .seconds(3), atMost: count)
            }
        }
        #expect(try await sweep(3) == 3)
        #expect(try await sweep(3) == 1)
        #expect(try await sweep(3) == 0)
        #expect(try await test.count("account") == 1)
        #expect(try await test.count("account_name") == 1)
    }

    @Test(arguments: StoreKind.allCases) func `a deleted account cannot be written`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana)
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.store.write { try !$0.accounts.delete(ana.id) })
        #expect(
            await refusal {
                try await test.store.write { try $0.accounts.update(ana, names: [], at: .start) }
            } == .stale)
        #expect(
            await refusal {
                try await test.store.write { try $0.authenticators.insert(face, of: ana) }
            } == .stale)
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.authenticators.update(face, of: ana, at: .start)
                }
            } == .stale)
        #expect(try await test.store.read { try $0.accounts.find(identifier: "ana") } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `deleting an account deletes all of the person's data and nobody else's`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        for name in ["ana", "bruno"] {
            let account = try await test.account(name),
                face = try await test.authenticator(name, of: account)
            try await test.store.write { tables in
                try tables.consents.insert(
                    ConsentRecord(
                        id: "con_\(name)", account: account.id, app: .shop, purpose: "face",
                        textVersion: "1", givenAt: .start))
                let device = KnownDevice(
                    id: DeviceID("dev_\(name)")!, account: account.id, app: .shop)
                try tables.devices.insert(
                    device, tokenHash: Array(name.utf8), earned: [face.lockSubject], at: .start)
                try tables.locks.setCounts(
                    AuthenticatorLock(total: 1), of: face.lockSubject, device: nil)
                try tables.locks.hold(face.id, by: .journey)
            }
        }
        let tables = [
            "account", "account_name", "authenticator", "lock_count", "lock_device",
            "authenticator_hold", "consent", "known_device",
        ]
        for table in tables { #expect(try await test.count(table) == 2, "\(table)") }
        #expect(try await test.store.write { try $0.accounts.delete(UserID("usr_ana")!) })
        for table in tables { #expect(try await test.count(table) == 1, "\(table)") }
        let bruno = try await test.store.read { try $0.accounts.find(identifier: "bruno") }
        #expect(
            try await test.store.read {
                try $0.authenticators.all(of: #require(bruno)).map(\.id.text)
            } == ["aut_bruno"])
        // The name is free again.
        _ = try await test.account("ana")
    }

    @Test(arguments: StoreKind.allCases) func `pages list all accounts, oldest first`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        // Two accounts per millisecond.
        for index in (0..<7).reversed() {
            _ = try await test.account("p\(index)", at: .start + .milliseconds(index / 2))
        }
        var last: UserID?, seen: [String] = []
        while true {
            let page = try await test.store.read { [last] in
                try $0.accounts.page(after: last, count: 3)
            }
            seen += page.map(\.id.text)
            last = page.last?.id
            if page.count < 3 { break }
        }
        #expect(seen == (0..<7).map { "usr_p\($0)" })
        let gone = UserID("usr_nobody")!
        #expect(
            await refusal {
                _ = try await test.store.read { try $0.accounts.page(after: gone, count: 3) }
            } == .stale)
    }
}

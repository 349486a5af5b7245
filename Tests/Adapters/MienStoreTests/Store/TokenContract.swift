import MienAPI
import MienCore
import MienStore
import MienVault
import Testing

@Suite struct TokenContract {
    private static func grant(
        _ id: String, of account: UserID, by authenticator: AuthenticatorID? = nil,
        app: AppID = .shop
    ) -> TokenGrantRecord {
        TokenGrantRecord(
            id: GrantID("grt_\(id)")!, account: account, app: app, authenticator: authenticator,
            nonce: Array("nonce \(id)".utf8),
            scope: .standard, resources: ["https://api.example.org"],
            methods: ["hwk", "x_biometric"], keyThumbprint: "print",
            signedInAt: .start,
            family: RefreshFamily(under: TokenLifetimes(refreshSeconds: 600), at: .start))
    }

    @Test(arguments: StoreKind.allCases) func `a grant is read back unchanged and can be updated`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        var grant = Self.grant("1", of: ana.id, by: AuthenticatorID("aut_1"))
        let first = grant
        try await test.store.write { try $0.grants.insert(first) }
        #expect(
            await refusal { try await test.store.write { try $0.grants.insert(first) } }
                == .conflict)
        _ = grant.family.use(0, mark: [1, 2, 3], at: .start + .seconds(5))
        let turned = grant
        try await test.store.write { try $0.grants.update(turned) }
        let found = try #require(try await test.store.read { try $0.grants.find(turned.id) })
        #expect(
            found.family == turned.family && found.family.usersMark == [1, 2, 3]
                && found.scope == .standard && found.resources == first.resources
                && found.methods == first.methods)
        #expect(
            found.account == ana.id && found.app == .shop && found.authenticator?.text == "aut_1"
                && found.keyThumbprint == "print")
        #expect(found.claims == GrantClaims())
        #expect(found.nonce == first.nonce && found.signedInAt == .start)
        #expect(try await test.store.read { try $0.grants.find(GrantID("grt_2")!) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the sign-ins of a browser are found by account and mark, its own first`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let bob = try await test.account("bob"), mark: [UInt8] = [7, 8, 9]
        try await test.app(.shop)
        func grant(
            _ id: String, _ account: UserID, _ app: AppID?, _ mark: [UInt8]?, _ second: Int64
        )
            -> TokenGrantRecord
        {
            let now = Instant.start + .seconds(second)
            return TokenGrantRecord(
                id: GrantID("grt_\(id)")!, account: account, app: app, authenticator: nil,
                nonce: [1], scope: .standard, resources: [], methods: ["pwd"], keyThumbprint: nil,
                signedInAt: now,
                family: RefreshFamily(under: TokenLifetimes(refreshSeconds: 600), at: now),
                browserMark: mark)
        }
        let all = [
            grant("own", ana.id, nil, mark, 0), grant("first", ana.id, .shop, mark, 1),
            grant("second", ana.id, .shop, mark, 2), grant("elsewhere", ana.id, .shop, [1], 3),
            grant("direct", ana.id, .shop, nil, 4), grant("bob", bob.id, .shop, mark, 5),
        ]
        try await test.store.write { tables in for one in all { try tables.grants.insert(one) } }
        func found(_ count: Int) async throws -> [String] {
            try await test.store.read {
                try $0.grants.all(of: ana.id, inBrowser: mark, atMost: count).map(\.id.text)
            }
        }
        #expect(try await found(9) == ["grt_own", "grt_second", "grt_first"])
        #expect(try await found(2) == ["grt_own", "grt_second"])
        let own = try #require(try await test.store.read { try $0.grants.find(all[0].id) })
        #expect(own.app == nil && own.browserMark == mark)
        #expect(
            try await test.store.write {
                try $0.grants.revoke(all[1].id, of: ana.id, at: .start + .seconds(6))
            })
        #expect(try await found(9) == ["grt_own", "grt_second"])
        // The sign-in of the browser outlives the apps.
        #expect(try await test.store.write { try $0.apps.delete(.shop) })
        #expect(try await found(9) == ["grt_own"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the claims of a grant are sealed and read back`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let claims = GrantClaims(
            userInfo: ["name"], idToken: ["email"], journey: ["shift": "NIGHT-MARKER"])
        let grant = TokenGrantRecord(
            id: GrantID("grt_1")!, account: ana.id, app: .shop, authenticator: nil, nonce: [1],
            scope: .standard, resources: [], methods: ["pwd"], keyThumbprint: nil,
            signedInAt: .start,
            family: RefreshFamily(under: TokenLifetimes(refreshSeconds: 600), at: .start),
            claims: claims)
        try await test.store.write { try $0.grants.insert(grant) }
        #expect(try await test.store.read { try $0.grants.find(grant.id)?.claims } == claims)
        #expect(
            try await test.store.read { try $0.grants.live(of: ana.id, at: .start) }.first?.claims
                == claims)
        let row = try await test.rows("SELECT claims_sealed FROM token_grant")[0]
        #expect(
            !String(decoding: try row.blob(0), as: UTF8.self).contains("NIGHT-MARKER"))
    }

    @Test func `a weaker step-up changes neither the methods nor the time of a sign-in`() {
        var grant = Self.grant("1", of: UserID("usr_1")!)
        let weak = SignInProof(methods: ["pwd"], at: .start + .seconds(600))
        #expect(weak.assurance < SignInProof(methods: grant.methods, at: .start).assurance)
        grant.stepUp(weak, with: [AuthenticatorID("aut_2")!])
        #expect(grant.methods == ["hwk", "x_biometric"] && grant.signedInAt == .start)
        #expect(grant.proofs.last?.methods == ["pwd"])
        #expect(grant.authenticators.map(\.text) == ["aut_2"])
        let strong = SignInProof(methods: ["face", "pwd"], at: .start + .seconds(700))
        grant.stepUp(strong, with: [])
        #expect(grant.methods == ["face", "pwd"] && grant.signedInAt == strong.at)
    }

    @Test(arguments: StoreKind.allCases)
    func `one sign-in rests on the replacement of its authenticator, and others end`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let old = AuthenticatorID("aut_1")!, new = AuthenticatorID("aut_2")!
        let kept = Self.grant("1", of: ana.id, by: old),
            other = Self.grant("2", of: ana.id, by: old)
        try await test.store.write { tables in
            for grant in [kept, other] { try tables.grants.insert(grant) }
            try tables.grants.replace(old, with: new, in: kept.id)
            _ = try tables.grants.revokeAll(by: old, at: .start)
        }
        let (first, second) = try await test.store.read {
            (try $0.grants.find(kept.id), try $0.grants.find(other.id))
        }
        #expect(first?.authenticators == [new] && first?.authenticator == new)
        #expect(first?.family.revokedAt == nil && second?.family.revokedAt == .start)
    }

    @Test(arguments: StoreKind.allCases)
    func `grants are revoked by account, app, and key, and swept`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        for app in [AppID.shop, .bank] { try await test.app(app) }
        let key = AuthenticatorID("aut_1")!
        let all = [
            Self.grant("1", of: ana.id, by: key), Self.grant("2", of: ana.id),
            Self.grant("3", of: ana.id, app: .bank), Self.grant("4", of: bruno.id),
        ]
        try await test.store.write { tables in for grant in all { try tables.grants.insert(grant) }
        }
        @Sendable func live() async throws -> [String] {
            try await test.store.read { tables in
                try all.filter { try tables.grants.find($0.id)?.family.revokedAt == nil }.map {
                    String($0.id.text.last!)
                }
            }
        }
        #expect(try await test.store.write { try $0.grants.revokeAll(by: key, at: .start) } == 1)
        #expect(
            try await test.store.write { try $0.grants.revokeAll(by: key, at: .start) } == 0, "once"
        )
        #expect(try await live() == ["2", "3", "4"])
        #expect(
            try await test.store.write {
                try $0.grants.revokeAll(of: ana.id, app: .bank, at: .start)
            } == 1)
        #expect(try await live() == ["2", "4"])
        #expect(try await test.store.write { try $0.grants.revokeAll(of: ana.id, at: .start) } == 1)
        #expect(try await live() == ["4"])
        #expect(
            try await test.store.write {
                try $0.grants.sweep(at: .start + .seconds(599), atMost: 10)
            } == 0)
        #expect(
            try await test.store.write {
                try $0.grants.sweep(at: .start + .seconds(600), atMost: 3)
            } == 3)
        #expect(
            try await test.store.write {
                try $0.grants.sweep(at: .start + .seconds(600), atMost: 3)
            } == 1)
        #expect(try await test.count("token_grant") == 0)
    }

    @Test(arguments: StoreKind.allCases) func `deleting an account deletes its grants and keys`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let authenticator = try await test.authenticator("1", .nativeBiometrics, of: ana)
        try await test.store.write { tables in
            try tables.grants.insert(Self.grant("1", of: ana.id))
            try tables.deviceKeys.insert(
                DeviceKeyRecord(
                    app: .shop, keyID: "key-0001", authenticator: authenticator.id, account: ana.id,
                    deviceHash: nil))
        }
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("token_grant") == 0)
        #expect(try await test.count("device_key") == 0)
    }

    @Test(arguments: StoreKind.allCases) func `a challenge is valid once, in time, for its purpose`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), end = Instant.start + .seconds(300)
        try await test.store.write { tables in
            for mark in 1...4 {
                try tables.challenges.insert(
                    [UInt8(mark)], purpose: "p", binding: "b", expiresAt: end)
            }
        }
        @Sendable func take(
            _ mark: UInt8, _ purpose: String = "p", _ binding: String = "b",
            at now: Instant = .start
        ) async throws -> Bool {
            try await test.store.write {
                try $0.challenges.take([mark], purpose: purpose, binding: binding, at: now)
            }
        }
        #expect(try await take(1))
        #expect(try await take(1) == false, "used up")
        #expect(try await take(2, "q") == false)
        #expect(try await take(2, "p", "c") == false)
        #expect(
            try await take(2) == true,
            "a request for another purpose does not use it up, so guessing gains nothing")
        #expect(try await take(3, at: end) == false)
        #expect(try await take(3) == false, "late, but used up")
        #expect(try await take(9) == false)
        #expect(try await test.store.write { try $0.challenges.sweep(at: end, atMost: 10) } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `of many concurrent uses of one challenge, one succeeds`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.store.write {
            try $0.challenges.insert(
                [1], purpose: "p", binding: "", expiresAt: .start + .seconds(9))
        }
        let wins = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<64 {
                tasks.addTask {
                    try await test.store.write {
                        try $0.challenges.take([1], purpose: "p", binding: "", at: .start)
                    }
                }
            }
            var wins = 0
            for try await won in tasks where won { wins += 1 }
            return wins
        }
        #expect(wins == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `an authorization code is fresh, then reused, then unknown`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), end = Instant.start + .seconds(60)
        try await test.store.write {
            try $0.authorizationCodes.insert([1], content: Sensitive([7, 7]), expiresAt: end)
        }
        @Sendable func take(_ grant: String, at now: Instant = .start) async throws -> String {
            let use: AuthorizationCodeTable.Use = try await test.store.write {
                try $0.authorizationCodes.take([1], for: GrantID(grant)!, at: now)
            }
            return switch use {
            case .fresh(let content): "fresh \(content.use { $0 })"
            case .reused(let grant): "reused \(grant?.text ?? "")"
            case .unknown: "unknown"
            }
        }
        #expect(try await take("grt_1") == "fresh [7, 7]")
        #expect(try await take("grt_2") == "reused grt_1")
        #expect(try await take("grt_2", at: end) == "unknown")
        #expect(
            try await test.store.write { try $0.authorizationCodes.sweep(at: end, atMost: 10) } == 1
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `spent items stay spent until they expire, separately for each kind`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), end = Instant.start + .seconds(60)
        #expect(try await test.store.write { try $0.spent.spend(.proof, [1], until: end) })
        #expect(try await test.store.write { try $0.spent.spend(.proof, [1], until: end) } == false)
        #expect(try await test.store.write { try $0.spent.spend(.exchange, [1], until: end) })
        #expect(try await test.store.read { try $0.spent.contains(.access, [1]) } == false)
        #expect(try await test.store.write { try $0.spent.sweep(at: .start, atMost: 10) } == 0)
        #expect(try await test.store.write { try $0.spent.sweep(at: end, atMost: 1) } == 1)
        #expect(try await test.store.write { try $0.spent.sweep(at: end, atMost: 10) } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a device key is found by its ID in its app and is deleted with its authenticator`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        for app in [AppID.shop, .bank] { try await test.app(app) }
        let shop = try await test.authenticator("1", .nativeBiometrics, of: ana)
        let key = DeviceKeyRecord(
            app: .shop, keyID: "key-0001", authenticator: shop.id, account: ana.id, deviceHash: [5])
        try await test.store.write { try $0.deviceKeys.insert(key) }
        #expect(
            await refusal { try await test.store.write { try $0.deviceKeys.insert(key) } }
                == .conflict)
        try await test.store.read { tables in
            let found = try tables.deviceKeys.find("key-0001", app: .shop)
            #expect(found == key)
            #expect(try tables.deviceKeys.find("key-0001", app: .bank) == nil)
            #expect(try tables.deviceKeys.find(shop.id) == key)
            #expect(try tables.deviceKeys.all(of: ana.id, app: .shop) == [key])
        }
        #expect(try await test.store.write { try $0.authenticators.delete(shop.id, of: ana.id) })
        #expect(try await test.count("device_key") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func
        `a passkey belongs to one account, is found by its credential, and is deleted with its authenticator or account`(
            kind: StoreKind
        ) async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        func passkey(_ credential: UInt8, _ id: String, of account: AccountRecord) async throws
            -> PasskeyRecord
        {
            let authenticator = try await test.authenticator(id, .passkey, of: account, app: nil)
            return PasskeyRecord(
                credentialHash: test.store.keys.hash(ofCredential: [credential]),
                authenticator: authenticator.id, account: account.id)
        }
        let first = try await passkey(1, "1", of: ana), second = try await passkey(2, "2", of: ana),
            same = try await passkey(1, "3", of: bruno)
        try await test.store.write { tables in
            for passkey in [first, second] { try tables.passkeys.insert(passkey) }
        }
        #expect(
            await refusal { try await test.store.write { try $0.passkeys.insert(same) } }
                == .conflict, "registered by another account")
        #expect(try await test.store.read { try $0.passkeys.find(first.credentialHash) } == first)
        #expect(
            try await test.store.read { try $0.passkeys.find([1]) } == nil,
            "found by its hash, not by the credential ID")
        #expect(try await test.store.read { try $0.passkeys.find(second.authenticator) } == second)
        #expect(try await test.store.read { try $0.passkeys.find(same.authenticator) } == nil)
        #expect(
            try await test.store.write {
                try $0.authenticators.delete(first.authenticator, of: ana.id)
            })
        #expect(try await test.store.read { try $0.passkeys.find(first.credentialHash) } == nil)
        #expect(try await test.store.read { try $0.passkeys.find(second.credentialHash) } == second)
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("passkey") == 0)
    }

    @Test func `a decoy depends only on its name and number`() {
        let keys = TestStore.keys,
            decoys = ["ana", "bruno"].flatMap { name in
                (0..<3).map { keys.decoy(of: name, number: $0) }
            }
        #expect(Set(decoys).count == 6 && decoys.allSatisfy { $0.count == 32 })
        #expect(keys.decoy(of: "ana", number: 0) == decoys[0])
        #expect(StoreKeys(MasterKey(bytes: Array(2...33))).decoy(of: "ana", number: 0) != decoys[0])
        #expect(keys.hash(ofCredential: Array("0 ana".utf8)) != decoys[0])
    }
}

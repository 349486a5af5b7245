import MienAPI
import MienCore
import MienStore
import Testing

@Suite struct OTPContract {
    private static func registration(
        _ id: String, of account: UserID, app: AppID = .shop, for seconds: Int = 600
    ) -> OTPRegistrationRecord {
        OTPRegistrationRecord(
            id: id, account: account, app: app, kind: "hotp", digits: 8,
            expiresAt: .start + .seconds(seconds),
            madeWith: [AuthenticatorID("aut_1")!, AuthenticatorID("aut_2")!])
    }

    @Test(arguments: StoreKind.allCases)
    func `a registration is redeemed once, in time, with its code`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let record = Self.registration("otc_1", of: ana.id)
        try await test.store.write { try $0.otpRegistrations.put(record, hash: [1]) }
        @Sendable func take(_ id: String, _ hash: [UInt8], after seconds: Int = 0) async throws
            -> OTPRegistrationRecord?
        {
            try await test.store.write {
                try $0.otpRegistrations.take(id, hash: hash, at: .start + .seconds(seconds))
            }
        }
        #expect(try await take("otc_1", [2]) == nil)
        #expect(try await take("otc_2", [1]) == nil)
        #expect(try await take("otc_1", [1], after: 599) == record)
        #expect(try await take("otc_1", [1]) == nil)
        try await test.store.write { try $0.otpRegistrations.put(record, hash: [1]) }
        #expect(try await take("otc_1", [1], after: 600) == nil)
        #expect(try await take("otc_1", [1]) == nil, "used up even when expired")
    }

    @Test(arguments: StoreKind.allCases)
    func `a newer registration replaces an older one of the same user and app`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        for app in [AppID.shop, .bank] { try await test.app(app) }
        try await test.store.write { tables in
            try tables.otpRegistrations.put(Self.registration("otc_1", of: ana.id), hash: [1])
            try tables.otpRegistrations.put(
                Self.registration("otc_2", of: ana.id, app: .bank), hash: [2])
            try tables.otpRegistrations.put(
                Self.registration("otc_3", of: bruno.id, for: 60), hash: [3])
            try tables.otpRegistrations.put(Self.registration("otc_4", of: ana.id), hash: [4])
        }
        #expect(try await test.count("otp_registration") == 3)
        #expect(
            try await test.store.write {
                try $0.otpRegistrations.take("otc_1", hash: [1], at: .start)
            } == nil)
        #expect(
            try await test.store.write {
                try $0.otpRegistrations.sweep(at: .start + .seconds(60), atMost: 10)
            } == 1)
        #expect(
            try await test.store.write {
                try $0.otpRegistrations.sweep(at: .start + .seconds(600), atMost: 1)
            } == 1)
        #expect(try await test.count("otp_registration") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a position is spent once, with all earlier ones, and is deleted with its authenticator`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let id = AuthenticatorID("aut_1")!, other = AuthenticatorID("aut_2")!
        try await test.store.write { tables in
            for (authenticator, registration) in [(id, "otc_1"), (other, "otc_2")] {
                try tables.authenticators.insert(
                    AuthenticatorRecord(
                        id: authenticator, account: ana.id, type: .otp, app: .shop, content: [1],
                        createdAt: .start), of: ana)
                try tables.otpTokens.insert(authenticator, registration: registration)
            }
        }
        @Sendable func advance(_ counter: Int64) async throws -> Bool {
            try await test.store.write { try $0.otpTokens.advance(id, past: counter) }
        }
        #expect(try await advance(0))
        #expect(try await !advance(0))
        #expect(try await advance(7))
        for counter: Int64 in [0, 5, 7] { #expect(try await !advance(counter)) }
        #expect(try await !advance(.max))
        #expect(
            try await test.store.read {
                try [$0.otpTokens.position(of: id), $0.otpTokens.position(of: other)]
            } == [8, 0])
        @Sendable func awaited() async throws -> Int64?? {
            try await test.store.read { try $0.otpTokens.counters(of: id)?.awaited }
        }
        try await test.store.write { try $0.otpTokens.expect(50, of: id) }
        #expect(try await awaited() == .some(50))
        #expect(try await advance(50))
        #expect(try await awaited() == .some(nil), "a spent code resynchronizes nothing")
        #expect(try await test.store.read { try $0.otpTokens.find(registration: "otc_1") } == id)
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { try await advance(100) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try await test.store.write { try $0.authenticators.delete(id, of: ana.id) })
        #expect(try await test.store.read { try $0.otpTokens.position(of: id) } == nil)
        #expect(try await test.store.read { try $0.otpTokens.find(registration: "otc_1") } == nil)
        #expect(try await !advance(200))
    }
}

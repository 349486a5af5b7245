import MienAPI
import MienCore
import MienStore
import Testing

@Suite struct RecoveryContract {
    @Test(arguments: StoreKind.allCases)
    func
        `a recovery code is accepted once, for one of 64 concurrent calls, and is deleted with its set`(
            kind: StoreKind
        )
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let set = try await test.authenticator("1", .recoveryCode, of: ana, app: nil),
            other = try await test.authenticator("2", .recoveryCode, of: ana, app: nil)
        try await test.store.write { tables in
            try tables.recoveryCodes.replace(set.id, with: [[9]])
            try tables.recoveryCodes.replace(set.id, with: [[1], [2], [3]])
            try tables.recoveryCodes.replace(other.id, with: [[1]])
        }
        @Sendable func take(_ hash: [UInt8]) async throws -> Bool {
            try await test.store.write { try $0.recoveryCodes.take(hash, of: set.id) }
        }
        #expect(try await !take([9]), "replaced")
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { try await take([1]) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(
            try await test.store.read {
                try [$0.recoveryCodes.count(of: set.id), $0.recoveryCodes.count(of: other.id)]
            } == [2, 1])
        #expect(try await test.store.write { try $0.authenticators.delete(set.id, of: ana.id) })
        #expect(try await test.count("recovery_code") == 1)
    }

    private static func record(
        _ id: String, of account: UserID, app: AppID = .shop, at seconds: Int = 0
    ) -> RecoveryRecord {
        RecoveryRecord(
            id: RecoveryID("rcv_\(id)")!, account: account, app: app,
            methods: ["otp", "face", "otp"],
            request: RecoveryRequest(at: .start + .seconds(seconds), hold: .seconds(3600)))
    }

    @Test(arguments: StoreKind.allCases)
    func `a recovery ends once, in one way, and is kept while it counts as recent`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        try await test.app(.shop)
        let records = [
            Self.record("1", of: ana.id), Self.record("2", of: ana.id, at: 10),
            Self.record("3", of: bruno.id),
        ]
        try await test.store.write { tables in
            for record in records { try tables.recoveries.insert(record) }
        }
        #expect(
            try await test.store.read { try $0.recoveries.all(of: ana.id) } == Array(records[..<2]))
        #expect(records[0].methods == ["face", "otp"])
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let how = RecoveryRequest.Ending.allCases[
                        number % RecoveryRequest.Ending.allCases.count]
                    return try await test.store.write {
                        try $0.recoveries.end(records[0].id, how, at: .start + .seconds(5))
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        let ended = try await test.store.read { try $0.recoveries.all(of: ana.id) }
        #expect(
            ended[0].request.end?.at == .start + .seconds(5) && ended[1].request.end == nil)
        let end = Instant.start + .seconds(3600) + RecoveryRequest.window
        #expect(
            try await test.store.write {
                try $0.recoveries.sweep(at: end - .milliseconds(1), atMost: 10)
            } == 0)
        #expect(try await test.store.write { try $0.recoveries.sweep(at: end, atMost: 10) } == 2)
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("recovery") == 0)
    }

    @Test(arguments: StoreKind.allCases) func `a new epoch of the account ends its open recoveries`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        try await test.app(.shop)
        try await test.store.write { tables in
            try tables.recoveries.insert(Self.record("1", of: ana.id))
            try tables.recoveries.insert(Self.record("2", of: ana.id))
            try tables.recoveries.insert(Self.record("3", of: bruno.id))
            _ = try tables.recoveries.end(RecoveryID("rcv_1")!, .canceledByLink, at: .start)
            try tables.accounts.endSignIns(of: ana.id, at: .start + .seconds(1))
        }
        #expect(
            try await test.store.read { try $0.recoveries.all(of: ana.id).map(\.request.end?.how) }
                == [.canceledByLink, .canceledByEpoch])
        #expect(
            try await test.store.read {
                try $0.recoveries.all(of: bruno.id).map(\.request.end?.how)
            }
                == [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `a new epoch ends known devices and registration codes of its account only`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        try await test.app(.shop)
        try await test.store.write { tables in
            for (number, account) in [ana, bruno].enumerated() {
                let device = KnownDevice(
                    id: DeviceID("dev_\(number)")!, account: account.id, app: .shop)
                try tables.devices.insert(device, tokenHash: [UInt8(number)], at: .start)
                try tables.otpRegistrations.put(
                    OTPRegistrationRecord(
                        id: "otc_\(number)", account: account.id, app: .shop, kind: "totp",
                        digits: 6, expiresAt: .start + .seconds(600)),
                    hash: [UInt8(number)])
            }
            try tables.accounts.endSignIns(of: ana.id, at: .start + .seconds(1))
        }
        let devices = try await test.store.read { tables in
            try [[0], [1]].map { try tables.devices.find(tokenHash: $0) != nil }
        }
        #expect(devices == [false, true])
        let codes = try await test.store.write { tables in
            try (0..<2).map { number in
                try tables.otpRegistrations.take(
                    "otc_\(number)", hash: [UInt8(number)], at: .start + .seconds(2)) != nil
            }
        }
        #expect(codes == [false, true])
        let epochs = try await test.store.read { tables in
            try [ana, bruno].map { try tables.accounts.standing(of: $0.id)?.epoch }
        }
        #expect(epochs == [1, 0])
    }

    @Test(arguments: StoreKind.allCases) func `a device records its first sign-in`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.app(.shop)
        let device = KnownDevice(id: DeviceID("dev_1")!, account: ana.id, app: .shop)
        try await test.store.write {
            try $0.devices.insert(device, tokenHash: [1], at: .start + .seconds(7))
        }
        let found = try await test.store.read { try $0.devices.firstSeen(tokenHash: [1]) }
        #expect(found?.device.id == device.id && found?.at == .start + .seconds(7))
        #expect(try await test.store.read { try $0.devices.firstSeen(tokenHash: [2]) } == nil)
    }
}

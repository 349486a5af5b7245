import MienCore
import MienStore
import Testing

@Suite struct MailedLinkContract {
    private static func link(_ subject: String, of account: UserID, at seconds: Int = 0)
        -> MailedLinkRecord
    {
        MailedLinkRecord(
            purpose: .removeAuthenticator, subject: subject, account: account,
            createdAt: .start + .seconds(seconds),
            expiresAt: .start + .seconds(seconds + 600))
    }

    @Test(arguments: StoreKind.allCases)
    func `a link is used once, in time, by one of 64 concurrent calls`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.store.write {
            try $0.mailedLinks.insert(Self.link("aut_1", of: ana.id), hash: [1])
        }
        @Sendable func take(_ hash: [UInt8], after seconds: Int) async throws -> Bool {
            try await test.store.write {
                try $0.mailedLinks.take(hash: hash, at: .start + .seconds(seconds))
            }
        }
        #expect(try await !take([2], after: 0))
        #expect(try await !take([1], after: 600))
        #expect(
            try await test.store.read {
                try $0.mailedLinks.find(hash: [1], at: .start + .seconds(600))
            } == nil)
        #expect(
            try await test.store.read { try $0.mailedLinks.find(hash: [1], at: .start) }
                == Self.link("aut_1", of: ana.id))
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { try await take([1], after: 599) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(
            try await test.store.read { try $0.mailedLinks.find(hash: [1], at: .start)?.endedAt }
                == .start + .seconds(599))
    }

    @Test(arguments: StoreKind.allCases)
    func `a newer link ends older links about the same subject only`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        try await test.store.write { tables in
            try tables.mailedLinks.insert(Self.link("aut_1", of: ana.id), hash: [1])
            try tables.mailedLinks.insert(Self.link("aut_2", of: ana.id), hash: [2])
            try tables.mailedLinks.insert(Self.link("aut_1", of: ana.id, at: 10), hash: [3])
        }
        func isOpen(_ hash: [UInt8]) async throws -> Bool? {
            try await test.store.read { try $0.mailedLinks.find(hash: hash, at: .start) }.map {
                $0.endedAt == nil
            }
        }
        #expect(try await [isOpen([1]), isOpen([2]), isOpen([3])] == [false, true, true])
        try await test.store.write { try $0.mailedLinks.end(.cancelRecovery, "aut_2", at: .start) }
        #expect(try await isOpen([2]) == true, "another purpose")
        try await test.store.write {
            try $0.mailedLinks.end(.removeAuthenticator, "aut_2", at: .start)
        }
        #expect(try await isOpen([2]) == false)
        #expect(
            try await test.store.write {
                try $0.mailedLinks.sweep(at: .start + .seconds(600), atMost: 10)
            } == 2)
        #expect(try await test.count("mailed_link") == 1)
        #expect(try await test.store.write { try $0.accounts.delete(ana.id) })
        #expect(try await test.count("mailed_link") == 0)
    }
}

import MienAPI
import MienCore
import MienTesting
import MienVault
import Testing

@testable import MienStore

@Suite struct OutboxContract {
    private static let bank = AppID("bank")!, minute = Duration.seconds(60)

    private static func message(
        _ id: String, _ kind: OutboxMessage.Kind = .identity, of app: AppID? = .shop,
        _ text: String = "{}", at time: Instant = .start
    ) -> OutboxMessage {
        OutboxMessage(
            id: id, kind: kind, app: app, content: Sensitive(Array(text.utf8)), createdAt: time)
    }

    private static func store(_ kind: StoreKind) async throws -> TestStore {
        let test = try await TestStore(kind)
        try await test.app(.shop)
        try await test.app(bank)
        return test
    }

    @Test(arguments: StoreKind.allCases)
    func `a message that failed delays those of its app, and old ones are found`(kind: StoreKind)
        async throws
    {
        let test = try await Self.store(kind)
        try await test.store.write { tables in
            let outbox = tables.outbox
            for (id, app) in [("dlv_1", AppID.shop), ("dlv_2", .shop), ("dlv_3", Self.bank)] {
                try outbox.insert(Self.message(id, of: app))
            }
            try outbox.insert(Self.message("dlv_4", .mail, of: nil))
            func claim(_ time: Instant) throws -> [OutboxMessage] {
                try outbox.claim(.identity, at: time, until: time, atMost: 9)
            }
            #expect(try outbox.isDue(.identity, at: .start))
            let due = try claim(.start)
            #expect(due.map(\.id) == ["dlv_1", "dlv_2", "dlv_3"])
            #expect(try outbox.postpone(due[0], until: .start + .seconds(10)))
            #expect(try claim(.start).map(\.id) == ["dlv_3"])
            let later = try claim(.start + .seconds(10))
            #expect(
                later.first { $0.id == "dlv_1" }?.failures == 1
                    && later.first { $0.id == "dlv_2" }?.failures == 0)
            let now = Instant.start + .seconds(5)
            try outbox.releaseAll(.identity)
            #expect(try outbox.isOutdated(.identity, createdBefore: now, at: now))
            #expect(
                try outbox.claimOutdated(
                    .identity, createdBefore: now, at: now, until: now, atMost: 9
                ).map(\.id) == ["dlv_1", "dlv_2"])
            #expect(try outbox.count(.identity) == 3 && outbox.count(.mail) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of claims that overlap, each message has one, and the last claim alone finishes it`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind), until = Instant.start + Self.minute
        try await test.store.write { try $0.outbox.insert(Self.message("dlv_1")) }
        @Sendable func claim(at time: Instant) async throws -> OutboxMessage? {
            try await test.store.write {
                try $0.outbox.claim(.identity, at: time, until: time + Self.minute, atMost: 9).first
            }
        }
        let claimed = try await withThrowingTaskGroup(of: OutboxMessage?.self) { tasks in
            for _ in 0..<64 { tasks.addTask { try await claim(at: .start) } }
            return try await tasks.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        #expect(claimed.count == 1)
        let first = try #require(claimed.first)
        // The server that claimed it is paused, and another one delivers it.
        #expect(try await claim(at: until - .milliseconds(1)) == nil)
        let second = try #require(try await claim(at: until))
        #expect(second.id == first.id && second.claims == first.claims + 1)
        try await test.store.write { tables in
            #expect(try !tables.outbox.remove(first), "its claim has ended")
            #expect(try !tables.outbox.postpone(first, until: until + Self.minute))
            try tables.outbox.release(first)
            #expect(try !tables.outbox.isDue(.identity, at: until))
            try tables.outbox.release(second)
            #expect(try tables.outbox.isDue(.identity, at: until))
            #expect(try tables.outbox.remove(second))
            #expect(try tables.outbox.count(.identity) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func
        `a message is undone with its transaction, sealed in the database, and gone when delivered`(
            kind: StoreKind
        ) async throws
    {
        let test = try await Self.store(kind), secret = "ada@example.org 123456"
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await test.store.write { tables in
                try tables.outbox.insert(Self.message("dlv_0", .mail, of: nil, secret))
                throw Undone()
            }
        }
        #expect(try await test.count("outbox") == 0)
        try await test.store.write { tables in
            try tables.outbox.pretend(Self.message("dlv_0", .mail, of: nil, secret))
        }
        #expect(try await test.count("outbox") == 0)
        try await test.store.write {
            try $0.outbox.insert(Self.message("dlv_1", .mail, of: nil, secret))
        }
        if let bytes = try test.kind.bytes(in: test.folder) {
            #expect(!bytes.contains(Array(secret.utf8)))
        }
        let message = try #require(
            try await test.store.write {
                try $0.outbox.claim(.mail, at: .start, until: .start, atMost: 1).first
            })
        #expect(message.content.shown == Array(secret.utf8))
        #expect(try await test.store.write { try $0.outbox.remove(message) })
        #expect(try await test.count("outbox") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a message that cannot be decrypted is removed and keeps no other waiting`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind)
        try await test.store.write { tables in
            for id in ["dlv_1", "dlv_2"] { try tables.outbox.insert(Self.message(id)) }
        }
        try await test.sql("UPDATE outbox SET content_sealed = ? WHERE id = 'dlv_1'", .blob([1]))
        let claimed = try await test.store.write {
            try $0.outbox.claim(.identity, at: .start, until: .start, atMost: 9).map(\.id)
        }
        #expect(claimed == ["dlv_2"])
        #expect(try await test.count("outbox") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a message under a master key that another server has stays for that server`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind)
        try await test.store.write { try $0.outbox.insert(Self.message("dlv_1")) }
        let other = StoreKeys(MasterKey(bytes: Array(101...132))).seal(
            Array("theirs".utf8), .outbox, for: "dlv_1")
        try await test.sql("UPDATE outbox SET content_sealed = ?", .blob(other))
        let later = Instant.start + .seconds(60)
        let claimed = try await test.store.write {
            try $0.outbox.claim(.identity, at: .start, until: later, atMost: 9)
        }
        #expect(claimed.isEmpty)
        #expect(try await test.count("outbox") == 1)
        let isDue = try await test.store.read { try $0.outbox.isDue(.identity, at: later) }
        #expect(isDue, "the claim ends")
    }

    @Test(arguments: StoreKind.allCases)
    func `an account's mail is erased with it, and apps still learn of its sign-ins' end`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind)
        let ana = try await test.account("ana"), eve = try await test.account("eve")
        try await test.store.write { tables in
            for (id, kind, account) in [
                ("dlv_1", OutboxMessage.Kind.mail, ana.id), ("dlv_2", .noticeMail, ana.id),
                ("dlv_3", .logout, ana.id), ("dlv_4", .noticeMail, eve.id),
            ] {
                try tables.outbox.insert(
                    OutboxMessage(
                        id: id, kind: kind, account: account, content: Sensitive([1]),
                        createdAt: .start))
            }
            #expect(try tables.accounts.delete(ana.id))
        }
        let left = try await test.store.write { tables in
            try OutboxMessage.Kind.allCases.flatMap {
                try tables.outbox.claim($0, at: .start, until: .start, atMost: 9).map(\.id)
            }
        }
        #expect(left.sorted() == ["dlv_3", "dlv_4"])
    }
}

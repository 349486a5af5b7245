import MienAPI
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienStore

@Suite struct DuplicateContract {
    private static let pack = try! PackID("mien-basic-1")
    private static let reviewer = AdminID("adm_bob")!

    private static func record(
        _ id: String, _ account: AccountRecord, _ other: AccountRecord, app: AppID = .shop,
        at time: Instant = .start
    ) -> DuplicateCaseRecord {
        DuplicateCaseRecord(
            duplicate: DuplicateCase(
                id: DuplicateCaseID("dup_\(id)")!, needsSecondReviewer: false), app: app,
            account: account.id, other: other.id, score: MatchScore(63.4), openedAt: time)
    }

    /// Inserts a face of the pack.
    private static func face(
        _ id: String, of account: AccountRecord, app: AppID = .shop, pack: PackID = pack,
        _ test: TestStore
    ) async throws -> AuthenticatorRecord {
        let record = AuthenticatorRecord(
            id: AuthenticatorID("aut_\(id)")!, account: account.id, type: .face, app: app,
            content: Array("template \(id)".utf8), info: ["pack": .string(pack.text)],
            createdAt: .start)
        try await test.store.write { try $0.authenticators.insert(record, of: account) }
        return record
    }

    @Test(arguments: StoreKind.allCases)
    func `two accounts have one case in each app, decided once`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        try await test.app(.shop)
        try await test.app(.bank)
        func insert(_ record: DuplicateCaseRecord) async throws -> Bool {
            try await test.store.write { try $0.duplicateCases.insert(record) }
        }
        let first = Self.record("1", bruno, ana, at: .start + .seconds(1))
        #expect(try await insert(first))
        #expect(try await !insert(Self.record("2", bruno, ana)))
        #expect(try await !insert(Self.record("3", ana, bruno)), "the same two people")
        #expect(try await insert(Self.record("4", ana, bruno, app: .bank)))
        func queue() async throws -> [String] {
            try await test.store.read {
                try $0.duplicateCases.queue(atMost: 10).map(\.duplicate.id.text)
            }
        }
        #expect(try await queue() == ["dup_4", "dup_1"], "the oldest first")
        #expect(
            try await test.store.read { try $0.duplicateCases.find(first.duplicate.id) } == first)

        var decided = first
        _ = try decided.duplicate.decide(.distinct, by: Self.reviewer, at: .start)
        decided.closedAt = .start
        let changed = decided
        for isUpdated in [true, false] {
            #expect(
                try await test.store.write {
                    try $0.duplicateCases.update(changed, from: first)
                } == isUpdated)
        }
        #expect(try await queue() == ["dup_4"])
        #expect(try await !insert(Self.record("5", bruno, ana)), "a decision stays")
    }

    @Test(arguments: StoreKind.allCases)
    func `a case goes with either account, and with the last face of one in the app`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno"),
            carla = try await test.account("carla")
        for app in [AppID.shop, .bank] { try await test.app(app) }
        let face = try await Self.face("1", of: ana, test)
        _ = try await Self.face("2", of: bruno, test)
        _ = try await Self.face("3", of: carla, test)
        try await test.store.write { tables in
            for record in [
                Self.record("1", ana, bruno), Self.record("2", carla, ana),
                Self.record("3", carla, bruno),
            ] { _ = try tables.duplicateCases.insert(record) }
        }
        // Registering again: the new face is there before the old one goes.
        let again = try await Self.face("4", of: ana, test)
        #expect(try await test.store.write { try $0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.count("duplicate_case") == 3)
        #expect(
            try await test.store.write { try $0.authenticators.delete(again.id, of: ana.id) })
        #expect(try await test.count("duplicate_case") == 1)
        #expect(try await test.store.write { try $0.accounts.delete(bruno.id) })
        #expect(try await test.count("duplicate_case") == 0)
        try await test.store.write {
            _ = try $0.duplicateCases.insert(Self.record("4", carla, ana))
            _ = try $0.apps.delete(.shop)
        }
        #expect(try await test.count("duplicate_case") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `faces wait in order, and until they are searched or removed`(kind: StoreKind) async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        for (index, id) in ["b", "a", "c"].enumerated() {
            let face = try await Self.face(id, of: ana, test)
            try await test.store.write {
                try $0.duplicateSearches.insert(
                    DuplicateSearch(authenticator: face.id, account: ana.id, app: .shop),
                    at: .start + .seconds(index))
            }
        }
        func next() async throws -> String? {
            try await test.store.read { try $0.duplicateSearches.next()?.authenticator.text }
        }
        #expect(try await next() == "aut_b")
        for isThere in [true, false] {
            #expect(
                try await test.store.write {
                    try $0.duplicateSearches.delete(AuthenticatorID("aut_b")!)
                } == isThere)
        }
        #expect(try await next() == "aut_a")
        _ = try await test.store.write {
            try $0.authenticators.delete(AuthenticatorID("aut_a")!, of: ana.id)
        }
        let again = try await test.reopened()
        #expect(try await again.store.read { try $0.duplicateSearches.count() } == 1)
        #expect(
            try await again.store.read { try $0.duplicateSearches.next()?.authenticator.text }
                == "aut_c")
    }
}

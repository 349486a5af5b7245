import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

/// Changes of the faces that servers hold in memory.
@Suite struct GalleryContract {
    private static let pack = try! PackID("mien-basic-1")

    private static func record(
        _ id: AuthenticatorID, of account: AccountRecord, app: AppID = .shop, pack: PackID = pack
    ) -> AuthenticatorRecord {
        AuthenticatorRecord(
            id: id, account: account.id, type: .face, app: app,
            content: Array("template \(id.text)".utf8), info: ["pack": .string(pack.text)],
            createdAt: .start)
    }

    /// Inserts a face.
    @discardableResult private static func face(
        _ id: String, of account: AccountRecord, app: AppID = .shop, pack: PackID = pack,
        _ test: TestStore
    ) async throws -> AuthenticatorRecord {
        let record = record(AuthenticatorID("aut_\(id)")!, of: account, app: app, pack: pack)
        try await test.store.write { try $0.authenticators.insert(record, of: account) }
        return record
    }

    private static func versions(_ test: TestStore, _ app: AppID = .shop) async throws
        -> [GalleryPart: GalleryVersion]
    {
        try await test.store.read { try $0.galleries.versions(of: app) }
    }

    /// The faces that `body` is noted to have changed.
    private static func changes(
        _ test: TestStore, _ app: AppID = .shop, _ body: () async throws -> Void
    ) async throws -> Set<String>? {
        let old = try await versions(test, app)
        try await body()
        let new = try await versions(test, app)
        return try await test.store.read { tables in
            var faces: Set<AuthenticatorID> = []
            for (part, version) in new {
                guard
                    let changed = try tables.galleries.changes(
                        of: app, part, since: old[part] ?? .unchanged, until: version)
                else { return nil }
                faces.formUnion(changed)
            }
            return Set(faces.map(\.text))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `every way to insert, replace, or remove a face is noted, and nothing else`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        try await test.app(.shop)
        func changes(_ body: () async throws -> Void) async throws -> Set<String>? {
            try await Self.changes(test, .shop, body)
        }
        var face = try await Self.face("0", of: ana, test)
        #expect(try await changes {} == [])
        #expect(try await changes { try await Self.face("x", of: ana, test) } == ["aut_x"])
        #expect(
            try await changes {
                _ = try await test.authenticator("p", .password, of: ana, app: nil)
                try await store.write {
                    _ = try $0.authenticators.delete(.init("aut_p")!, of: ana.id)
                }
                try await Self.face("other", of: ana, app: .bank, test)
            } == [])
        face.info["pack"] = "other-1"
        let replaced = face
        #expect(
            try await changes {
                try await store.write {
                    try $0.authenticators.update(replaced, of: ana, at: .start)
                }
            } == ["aut_0"])
        #expect(
            await refusal {
                try await store.write {
                    try $0.authenticators.update(replaced, of: ana, at: .start)
                }
            } == .stale)
        #expect(
            try await changes {
                try await store.write { _ = try $0.authenticators.delete(replaced.id, of: ana.id) }
            } == ["aut_0"])
        #expect(
            try await changes {
                try await store.write { _ = try $0.authenticators.delete(replaced.id, of: ana.id) }
            } == [], "it was gone")
        for id in ["a", "b"] { try await Self.face(id, of: bruno, test) }
        #expect(
            try await changes {
                try await store.write { _ = try $0.accounts.delete(bruno.id) }
            } == ["aut_a", "aut_b"])
        // A transaction that is undone changes nothing.
        #expect(
            try await changes {
                _ = await refusal {
                    try await store.write {
                        _ = try $0.accounts.delete(ana.id)
                        throw StoreError(.stale, "undone")
                    }
                }
            } == [])
        // With the app, everything goes, and what comes later is told apart.
        let before = try await Self.versions(test)
        try await store.write {
            try $0.authenticators.deleteAll(ofApp: .shop)
            _ = try $0.apps.delete(.shop)
        }
        #expect(try await Self.versions(test).isEmpty)
        #expect(try await test.count("gallery_change") == 1, "that of the other app")
        let part = GalleryPart(of: AuthenticatorID("aut_x")!), old = try #require(before[part])
        for _ in 0..<old.number {
            try await Self.face("x", of: ana, test)
            try await Self.drop("x", ana, test)
        }
        let new = try #require(try await Self.versions(test)[part])
        #expect(new.number >= old.number)
        #expect(
            try await store.read {
                try $0.galleries.changes(of: .shop, part, since: old, until: new)
            } == nil)
    }

    private static func drop(_ id: String, _ account: AccountRecord, _ test: TestStore)
        async throws
    {
        _ = try await test.store.write {
            try $0.authenticators.delete(AuthenticatorID("aut_\(id)")!, of: account.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the last changes of a part are kept, and who knows an older version is told so`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana")
        let part = GalleryPart(of: AuthenticatorID("aut_x")!), kept = GalleryTable.keptChanges
        var versions: [GalleryVersion] = [.unchanged]
        for _ in 0..<(kept + 10) / 2 {
            try await Self.face("x", of: ana, test)
            versions.append(try #require(try await Self.versions(test)[part]))
            try await Self.drop("x", ana, test)
            versions.append(try #require(try await Self.versions(test)[part]))
        }
        #expect(versions.map(\.number) == Array(0...(kept + 10)))
        #expect(Set(versions.map(\.stamp)).count == versions.count)
        #expect(try await test.count("gallery_change") == kept)
        let last = versions[versions.count - 1]
        for (index, old) in versions.enumerated() {
            let isKept = index > 10
            let found = try await test.store.read {
                try $0.galleries.changes(of: .shop, part, since: old, until: last)
            }
            #expect((found != nil) == isKept, "\(index)")
            if isKept { #expect(found?.isEmpty == (old == last)) }
        }
        // Another database that counted as far.
        let other = GalleryVersion(number: last.number - 1, stamp: 7)
        let early = GalleryVersion(number: last.number + 1, stamp: 7)
        for old in [other, early, GalleryVersion(number: last.number, stamp: 7)] {
            #expect(
                try await test.store.read {
                    try $0.galleries.changes(of: .shop, part, since: old, until: last)
                } == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `faces that are registered at once are all noted, in the order of their commits`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        var accounts: [AccountRecord] = []
        for number in 0..<24 { accounts.append(try await test.account("user-\(number)")) }
        let all = accounts
        let found = try await Self.changes(test) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (number, account) in all.enumerated() {
                    let id = AuthenticatorID("aut_x\(number)")!
                    tasks.addTask {
                        try await store.write {
                            try $0.authenticators.insert(Self.record(id, of: account), of: account)
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
        #expect(found?.count == 24)
        #expect(try await Self.versions(test).values.map(\.number) == [24])
    }

    @Test(arguments: StoreKind.allCases)
    func `the faces of an app come in pages, without those of other packs and of test accounts`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno")
        let tester = AccountRecord.new(
            UserID("usr_test")!, AccountProfile(username: "test"), keys: test.store.keys,
            at: .start, isTest: true)
        try await test.store.write {
            try $0.accounts.insert(tester, names: [LoginName("test", kind: .username)])
        }
        for (id, account) in [("1", ana), ("2", bruno), ("3", bruno), ("k", ana)] {
            try await Self.face(id, of: account, test)
        }
        try await Self.face("2t", of: tester.record, test)
        try await Self.face("4", of: bruno, app: .bank, test)
        try await Self.face("5", of: bruno, pack: PackID("other-1"), test)
        func page(_ span: GalleryPart.Span, after last: String?, _ count: Int = 1) async throws
            -> [StoredFace]
        {
            try await test.store.read {
                try $0.galleries.faces(
                    of: .shop, pack: Self.pack, in: span,
                    after: last.flatMap { AuthenticatorID($0) }, atMost: count)
            }
        }
        let whole = GalleryPart.spans(of: GalleryPart.all)[0]
        let first = try await page(whole, after: nil),
            second = try await page(whole, after: "aut_2")
        #expect(first.map(\.account) == [ana.id] && second.map(\.authenticator.text) == ["aut_3"])
        #expect(first[0].template?.shown == Array("template aut_1".utf8))
        #expect(try await page(whole, after: "aut_k").isEmpty)
        var found: [String] = []
        for part in GalleryPart.all {
            found += try await page(part.span, after: nil, 9).map(\.authenticator.text)
        }
        #expect(found == ["aut_1", "aut_2", "aut_3", "aut_k"])
        try await test.store.read { tables in
            let galleries = tables.galleries
            #expect(try galleries.count(of: .shop, pack: Self.pack, in: whole) == 5)
            for (id, isThere) in [("1", true), ("2t", false), ("4", false), ("5", false)] {
                let face = try galleries.face(
                    AuthenticatorID("aut_\(id)")!, of: .shop, pack: Self.pack)
                #expect((face != nil) == isThere, "\(id)")
            }
            #expect(try galleries.owner(of: AuthenticatorID("aut_k")!) == ana.id)
            #expect(try galleries.owner(of: AuthenticatorID("aut_none")!) == nil)
            #expect(
                try Set(galleries.faces(of: bruno.id, in: .shop).map(\.text))
                    == ["aut_2", "aut_3", "aut_5"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `servers say whether they hold faces`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            try tables.servers.announce("srv_a", at: "a:1", holdsFaces: true, seen: .start)
            try tables.servers.announce("srv_b", at: "b:1", holdsFaces: false, seen: .start)
            try tables.servers.announce("srv_c", at: "", holdsFaces: true, seen: .start)
        }
        func holding(after time: Duration) async throws -> [String] {
            try await test.store.read {
                try $0.servers.holdingFaces(seenSince: .start + time)
            }
        }
        #expect(try await holding(after: .zero) == ["srv_a"])
        #expect(try await holding(after: .seconds(1)).isEmpty)
    }
}

import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct FaceGroupContract {
    private static let games = AppID("games")!

    private static func group(_ id: String, _ apps: [AppID]) -> FaceGroupRecord {
        FaceGroupRecord(
            id: FaceGroupID("fgr_\(id)")!, name: id, version: 1, maxAge: .seconds(300),
            apps: Dictionary(uniqueKeysWithValues: apps.map { ($0, 1) }), createdAt: .start)
    }

    private static func agree(
        _ account: AccountRecord, _ group: FaceGroupRecord, _ version: Int,
        at time: Instant = .start
    ) -> ConsentRecord {
        ConsentRecord(
            id: "con_\(account.id.text)\(version)", account: account.id, app: group.id.space,
            purpose: FaceSharing.purpose, textVersion: FaceSharing.textVersion(version),
            givenAt: time)
    }

    private func store(_ kind: StoreKind) async throws -> TestStore {
        let test = try await TestStore(kind)
        for app in [AppID.shop, .bank, Self.games] { try await test.app(app) }
        return test
    }

    @Test(arguments: StoreKind.allCases)
    func `an app uses a face if the consent names it, and not once it has left and come back`(
        kind: StoreKind
    ) async throws {
        let test = try await store(kind), ana = try await test.account("ana")
        let first = Self.group("office", [.shop, .bank])
        try await test.store.write { tables throws in
            try tables.faceGroups.insert(first)
            #expect(try tables.faceGroups.shared(with: .shop, by: ana.id) == nil)
            try tables.consents.insert(Self.agree(ana, first, 1))
        }
        func sharing() async throws -> [AppID] {
            try await test.store.read { tables throws in
                let by = try [AppID.shop, .bank, Self.games].filter {
                    try tables.faceGroups.shared(with: $0, by: ana.id) == first.id
                }
                #expect(try tables.faceGroups.apps(sharing: first.id, of: ana.id) == by.sorted())
                return by
            }
        }
        func set(_ apps: Set<AppID>) async throws -> FaceGroupRecord {
            try await test.store.write { tables throws in
                let old = try #require(try tables.faceGroups.find(first.id))
                var new = old
                new.replaceApps(with: apps)
                try tables.faceGroups.update(new, from: old)
                return new
            }
        }
        #expect(try await sharing() == [.shop, .bank])
        let second = try await set([.shop, .bank, Self.games])
        #expect(second.version == 2 && second.apps == [.shop: 1, .bank: 1, Self.games: 2])
        #expect(try await sharing() == [.shop, .bank], "not named")
        _ = try await set([.bank, Self.games])
        #expect(try await sharing() == [.bank])
        let last = try await set([.shop, .bank, Self.games])
        #expect(last.version == 4 && last.apps[.shop] == 4)
        #expect(try await sharing() == [.bank], "another app since")
        try await test.store.write {
            try $0.consents.insert(Self.agree(ana, first, 4, at: .start + .seconds(1)))
        }
        #expect(try await sharing() == [.shop, .bank, Self.games])
        #expect(try await set([.shop, .bank, Self.games]) == last, "nothing changed")
        #expect(
            await refusal {
                try await test.store.write { try $0.faceGroups.update(second, from: second) }
            } == .stale)
        try await test.store.write {
            _ = try $0.consents.withdraw(
                of: ana.id, app: first.id.space, purpose: FaceSharing.purpose, at: .start)
        }
        #expect(try await sharing() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `an app is in one group, and a text of consent has the names of all`(kind: StoreKind)
        async throws
    {
        let test = try await store(kind)
        let office = Self.group("office", [.shop, .bank]), other = Self.group("other", [.shop])
        try await test.store.write { try $0.faceGroups.insert(office) }
        #expect(
            await refusal { try await test.store.write { try $0.faceGroups.insert(other) } }
                == .conflict)
        let missing = Self.group("third", [AppID("nothing")!])
        #expect(
            await refusal { try await test.store.write { try $0.faceGroups.insert(missing) } }
                == .stale)
        try await test.store.read { tables throws in
            #expect(try tables.faceGroups.find(other.id) == nil)
            #expect(try tables.faceGroups.find(office.id) == office)
            #expect(try tables.faceGroups.group(of: .bank) == office)
            #expect(
                try tables.faceGroups.sharing(of: .bank)
                    == FaceSharing(
                        group: office.id, version: 1,
                        apps: [AppID.bank.text, AppID.shop.text].sorted()))
            #expect(try tables.faceGroups.sharing(of: Self.games) == nil)
            #expect(try tables.faceGroups.page(after: nil, count: 10) == [office])
        }
        try await test.store.write { _ = try $0.apps.delete(.bank) }
        #expect(
            try await test.store.read { try $0.faceGroups.find(office.id)?.apps } == [.shop: 1])
        #expect(try await test.store.write { try $0.faceGroups.delete(office.id) })
        #expect(try await test.count("face_group_app") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `the newer of an app's own face and the shared one counts, and uses go with the face`(
        kind: StoreKind
    ) async throws {
        let test = try await store(kind), ana = try await test.account("ana")
        let group = Self.group("office", [.shop, .bank])
        @Sendable func face(_ id: String, _ app: AppID, at time: Instant) -> AuthenticatorRecord {
            AuthenticatorRecord(
                id: AuthenticatorID("aut_\(id)")!, account: ana.id, type: .face, app: app,
                content: [1], info: ["pack": "mien-basic-1"], createdAt: time)
        }
        let own = face("own", .shop, at: .start),
            shared = face("shared", group.id.space, at: .start + .seconds(1))
        try await test.store.write { tables throws in
            try tables.faceGroups.insert(group)
            try tables.authenticators.insert(own, of: ana)
            try tables.authenticators.insert(shared, of: ana)
            #expect(try tables.face(of: ana, in: .shop)?.id == own.id)
            #expect(try tables.face(of: ana, in: .bank) == nil)
            #expect(try !tables.mayUse([own.id, shared.id], of: ana.id, in: .bank))
            try tables.consents.insert(Self.agree(ana, group, 1))
            #expect(try tables.face(of: ana, in: .shop)?.id == shared.id)
            #expect(try tables.face(of: ana, in: .bank)?.id == shared.id)
            #expect(try tables.face(of: ana, in: Self.games) == nil)
            #expect(try tables.mayUse([own.id, shared.id], of: ana.id, in: .bank))
            #expect(try !tables.mayUse([shared.id], of: ana.id, in: Self.games))
            #expect(
                try tables.group(ofFaceIn: [shared.id], of: ana.id, for: .bank)?.id == group.id)
            #expect(try tables.group(ofFaceIn: [own.id], of: ana.id, for: .bank) == nil)

            try tables.faceGroups.noteUse(of: shared.id, in: .bank, at: .start)
            try tables.faceGroups.noteUse(of: shared.id, in: .bank, at: .start)
            #expect(try tables.faceGroups.isUsed(shared.id, in: .bank))
            #expect(try tables.faceGroups.faces(of: group.id, isUnused: true, atMost: 9).isEmpty)
            try tables.faceGroups.forgetUses(in: .bank)
            #expect(
                try tables.faceGroups.faces(of: group.id, isUnused: true, atMost: 9).map(\.face)
                    == [shared.id])
            #expect(try tables.faceGroups.people(sharing: group.id) == 1)
            let newer = face("newer", .shop, at: .start + .seconds(2))
            try tables.authenticators.insert(newer, of: ana)
            #expect(try tables.face(of: ana, in: .shop)?.id == newer.id)
            try tables.faceGroups.noteUse(of: shared.id, in: .bank, at: .start)
            _ = try tables.authenticators.delete(shared.id, of: ana.id)
        }
        #expect(try await test.count("face_use") == 0)
    }
}

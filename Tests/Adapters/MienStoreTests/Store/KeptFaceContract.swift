import MienCore
import MienStore
import Testing

@Suite struct KeptFaceContract {
    private static func kept(
        _ role: KeptFaceRecord.Role, of face: AuthenticatorRecord, run: String = "",
        _ content: [UInt8], until end: Instant
    ) throws -> KeptFaceRecord {
        KeptFaceRecord(
            authenticator: face.id, role: role, pack: try PackID("old-1"), run: run,
            content: Sensitive(content), createdAt: .start, expiresAt: end)
    }

    @Test(arguments: StoreKind.allCases)
    func `a face has one template of each role, found by its owner until it expires`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        let face = try await test.authenticator("1", of: ana)
        try await test.store.write { tables in
            for content in [[1], [2]] as [[UInt8]] {
                try tables.keptFaces.put(
                    Self.kept(.former, of: face, content, until: .start + .seconds(30)), of: ana)
            }
            try tables.keptFaces.put(
                Self.kept(.candidate, of: face, run: "run", [3], until: .start + .seconds(20)),
                of: ana)
        }
        try await test.store.read { tables in
            let kept = tables.keptFaces
            let former = try kept.find(.former, of: face.id, ana, at: .start)
            #expect(former?.content.shown == [2] && former?.pack.text == "old-1")
            #expect(
                try kept.candidate(ofRun: "run", ana, at: .start)?.content.shown == [3]
                    && kept.candidate(ofRun: "other", ana, at: .start) == nil
                    && kept.candidate(ofRun: "run", bruno, at: .start) == nil
                    && kept.candidate(ofRun: "run", ana, at: .start + .seconds(20)) == nil)
            #expect(
                try kept.hasCandidate(ofRun: "run") && !kept.hasCandidate(ofRun: "other")
                    && kept.countFormer(at: .start) == 1
                    && kept.countFormer(at: .start + .seconds(30)) == 0)
        }
        #expect(
            try await test.store.write {
                try $0.keptFaces.sweep(at: .start + .seconds(20), atMost: 9)
            } == 1)
        #expect(try await test.count("kept_face") == 1, "the former one stays until it expires")
    }

    @Test(arguments: StoreKind.allCases)
    func `removing a face erases what is kept beside it, also from the database's files`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana)
        try await test.store.write { tables in
            try tables.keptFaces.put(
                Self.kept(.former, of: face, [1], until: .start + .seconds(30)), of: ana)
        }
        let sealed = try await test.rows("SELECT content_sealed FROM kept_face")[0].blob(0)
        #expect(try await test.store.write { try $0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.count("kept_face") == 0)
        let reopened = try await test.reopened()
        if let bytes = try reopened.kind.bytes(in: reopened.folder) {
            #expect(bytes.firstRange(of: sealed) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `people are counted by the pack of their faces`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        func insert(_ id: String, _ owner: AccountRecord, _ app: AppID, _ pack: JSONValue?)
            async throws
        {
            let record = AuthenticatorRecord(
                id: AuthenticatorID("aut_\(id)")!, account: owner.id, type: .face, app: app,
                content: [1], info: pack.map { ["pack": $0] } ?? [:], createdAt: .start)
            try await test.store.write { try $0.authenticators.insert(record, of: owner) }
        }
        try await insert("1", ana, .shop, "old-1")
        try await insert("2", ana, .bank, "old-1")
        try await insert("3", bruno, .shop, "new-1")
        try await insert("4", bruno, .bank, nil)
        _ = try await test.authenticator("5", .password, of: ana, app: nil)
        let counts = try await test.store.read { try $0.authenticators.facesByPack() }
        #expect(
            counts.map { "\($0.pack) \($0.faces) \($0.people)" } == [
                "- 1 1", "new-1 1 1", "old-1 2 1",
            ])
        #expect(
            try await test.store.read { tables in
                try ["new-1", "old-1", "other-1"].map {
                    try tables.authenticators.people(withFacesOtherThan: $0)
                }
            } == [2, 1, 2])
    }
}

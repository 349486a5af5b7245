import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct ShadowTemplateContract {
    private static let pack = try! PackID("other-1")

    private static func record(_ face: AuthenticatorRecord, _ bytes: [UInt8], pack: PackID = pack)
        -> ShadowTemplateRecord
    {
        ShadowTemplateRecord(authenticator: face.id, pack: pack, template: bytes)
    }

    @Test(arguments: StoreKind.allCases)
    func `a face has one template, which is sealed and deleted with it`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            face = try await test.authenticator("1", of: ana)
        func found() async throws -> [UInt8]? {
            try await test.store.read {
                try $0.shadowTemplates.find(face.id, of: ana, pack: Self.pack)?.template.shown
            }
        }
        #expect(try await found() == nil)
        let secret = Array("SHADOW-MARKER".utf8)
        for bytes in [[1, 2], secret] {
            try await test.store.write {
                try $0.shadowTemplates.put(Self.record(face, bytes), of: ana)
            }
            #expect(try await found() == bytes)
        }
        let stored = try await test.rows("SELECT template_sealed FROM shadow_template")
        #expect(stored.count == 1)
        let bytes = try stored[0].blob(0)
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
        #expect(
            try await test.store.read {
                try $0.shadowTemplates.find(face.id, of: ana, pack: PackID("another-1"))
            } == nil)
        #expect(
            try await test.store.write { try $0.authenticators.delete(face.id, of: ana.id) })
        #expect(try await test.count("shadow_template") == 0)
        await #expect(throws: StoreError.self) {
            try await test.store.write {
                try $0.shadowTemplates.put(Self.record(face, [1]), of: ana)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a template cannot be moved to another face or person`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            bruno = try await test.account("bruno"),
            face = try await test.authenticator("1", of: ana),
            other = try await test.authenticator("2", of: bruno)
        try await test.store.write { tables in
            try tables.shadowTemplates.put(Self.record(face, [1]), of: ana)
            try tables.shadowTemplates.put(Self.record(other, [2]), of: bruno)
        }
        let sealed = try await test.rows(
            "SELECT template_sealed FROM shadow_template ORDER BY authenticator_id")
        _ = try await test.sql(
            "UPDATE shadow_template SET template_sealed = ? WHERE authenticator_id = 'aut_1'",
            .blob(try sealed[1].blob(0)))
        await #expect(throws: StoreError.self) {
            _ = try await test.store.read {
                try $0.shadowTemplates.find(face.id, of: ana, pack: Self.pack)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `templates of other packs can be deleted`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), ana = try await test.account("ana"),
            first = try await test.authenticator("1", of: ana),
            second = try await test.authenticator("2", of: ana, app: AppID("app_2"))
        let another = try PackID("another-1")
        try await test.store.write { tables in
            try tables.shadowTemplates.put(Self.record(first, [1]), of: ana)
            try tables.shadowTemplates.put(Self.record(second, [2], pack: another), of: ana)
        }
        #expect(
            try await test.store.write { try $0.shadowTemplates.deleteAll(except: another) } == 1)
        #expect(try await test.count("shadow_template") == 1)
        #expect(try await test.store.write { try $0.shadowTemplates.deleteAll(except: nil) } == 1)
    }
}

import MienAPI
import MienCore
import MienStore
import Testing

@Suite struct ProductKeyContract {
    private static let record = ProductKeyRecord(
        id: ProductKeyID("pk_1")!, product: "mien-face", name: "Branches", activations: 3,
        days: 365, createdAt: .start)

    @Test(arguments: StoreKind.allCases)
    func `a product key is found with its key, listed, and revoked once`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), record = Self.record
        try await test.store.write { try $0.productKeys.insert(record, hash: [1]) }
        #expect(
            try await test.store.read { try $0.productKeys.find(record.id, hash: [1]) } == record)
        #expect(try await test.store.read { try $0.productKeys.find(record.id, hash: [2]) } == nil)
        #expect(try await test.store.read { try $0.productKeys.page(count: 9) } == [record])
        #expect(
            try await test.store.write {
                try $0.productKeys.revoke(record.id, at: .start + .seconds(5))
            })
        #expect(
            try await test.store.write {
                try !$0.productKeys.revoke(record.id, at: .start + .seconds(6))
            })
        #expect(
            try await test.store.read { try $0.productKeys.find(record.id, hash: [1]) }?.revokedAt
                == .start + .seconds(5))
    }

    @Test(arguments: StoreKind.allCases)
    func `concurrent activations stop at the limit, and each device counts once`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind), record = Self.record
        try await test.store.write { try $0.productKeys.insert(record, hash: [1]) }
        let store = test.store
        let admitted = try await withThrowingTaskGroup(of: UInt8?.self) { group in
            for number in UInt8(0)..<16 {
                group.addTask {
                    // Each device twice.
                    let device = number % 8
                    return try await store.write {
                        try $0.productKeys.activate(record.id, device: [device], at: .start)
                    } ? device : nil
                }
            }
            return try await group.reduce(into: [UInt8]()) {
                if let device = $1 { $0.append(device) }
            }
        }
        #expect(Set(admitted).count == 3 && admitted.count == 6)
        #expect(try await test.store.read { try $0.productKeys.page(count: 9) }.first?.used == 3)
        let first = try #require(admitted.first)
        #expect(
            try await test.store.write {
                try $0.productKeys.activate(record.id, device: [first], at: .start)
            })
        #expect(try await test.count("licence_device") == 3)
    }
}

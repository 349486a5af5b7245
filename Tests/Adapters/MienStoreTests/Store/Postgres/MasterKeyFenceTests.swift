import MienAPI
import MienCore
import MienServerTesting
import MienStore
import MienTesting
import Testing

@Suite(.enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed"))
struct MasterKeyFenceTests {
    private static func insert(_ name: String, _ store: Store, _ tables: Tables) throws {
        let account = AccountRecord.new(
            UserID("usr_\(name)")!, AccountProfile(username: name), keys: store.keys, at: .start)
        try tables.accounts.insert(account, names: [LoginName(name, kind: .username)])
    }

    @Test func `nothing is stored under a removed key, even if a body goes on after the refusal`()
        async throws
    {
        let test = try await TestStore(.postgres), store = test.store
        try await store.write { try Self.insert("before", store, $0) }
        #expect(try await test.sql("UPDATE master_key SET state = 'removed'") == 1)
        for durability in [Durability.always, .process] {
            let refused = await refusal {
                try await store.write(durability) { try Self.insert("alone", store, $0) }
            }
            #expect(refused == .busy)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        try await store.write(durability) { tables in
                            try? Self.insert("a\(index)", store, tables)
                            try? Self.insert("b\(index)", store, tables)
                            try tables.codes.put(
                                "\(durability) \(index)", hash: [1], expiresAt: .start)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await test.count("account") == 1)
        #expect(try await test.count("account_name") == 1)
        #expect(try await test.count("one_time_code") == 40)
        #expect(try await test.sql("UPDATE master_key SET state = 'active'") == 1)
        try await store.write { try Self.insert("after", store, $0) }
        #expect(try await test.count("account") == 2)
    }
}

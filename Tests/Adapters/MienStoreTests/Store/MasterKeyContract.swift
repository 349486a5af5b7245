import Foundation
import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore
@testable import MienVault

/// Tests that a rotation of the master key moves every record, and what it needs until then.
@Suite struct MasterKeyContract {
    private static let old = MasterKey(bytes: Array(1...32))

    /// A store with a ring of its own, filled with a record in every sealed column.
    private func filled(_ kind: StoreKind) async throws -> (TestStore, KeyRing) {
        let ring = KeyRing(Self.old)
        let test = try await TestStore(kind, keys: StoreKeys(ring))
        _ = try await SealingContract.fill(test)
        return (test, ring)
    }

    private func sealAgain(_ test: TestStore, batch: Int) async throws -> Int {
        var position = MasterKeyUse.Position(), sealed = 0
        while !position.isAtEnd {
            let from = position
            let (next, count) = try await test.store.write {
                var position = from
                let count = try $0.masterKeys.reseal(from: &position, atMost: batch)
                return (position, count)
            }
            (position, sealed) = (next, sealed + count)
        }
        return sealed
    }

    private func counts(_ test: TestStore) async throws -> [SealedKeyName: Int] {
        try await test.store.read { try $0.masterKeys.counts() }
    }

    @Test(
        "a pass moves every record, in batches of any size, and the old key is not needed anymore",
        arguments: StoreKind.allCases, [1, 3, 1000])
    func pass(_ kind: StoreKind, _ batch: Int) async throws {
        let (test, ring) = try await filled(kind)
        let before = try await counts(test)
        #expect(before.keys.count == 1 && before.values.first ?? 0 >= 6)
        ring.adopt(ring.rotated())
        #expect(try await sealAgain(test, batch: batch) == before.values.first)
        #expect(try await counts(test) == [ring.active.name: before.values.first!])
        #expect(try await sealAgain(test, batch: batch) == 0)
        ring.adopt(ring.without(version: 1))
        let account = try await test.store.read { try $0.accounts.find(UserID("usr_z")!) }
        #expect(account?.profile.use { $0.username } == "Zebedäus")
        #expect(
            try await test.store.read {
                try $0.accounts.holder(of: try LoginName("zebedäus", kind: .username), at: .start)
            } != nil, "hashes of names do not change")
    }

    @Test(
        "with both keys, records of either are read, and new ones need the new key only",
        arguments: StoreKind.allCases)
    func mixed(_ kind: StoreKind) async throws {
        let (test, ring) = try await filled(kind)
        let stale = AccountRecord.new(
            UserID("usr_stale")!, AccountProfile(username: "stale"), keys: test.store.keys,
            at: .start)
        ring.adopt(ring.rotated())
        _ = try await test.account("new")
        // Sealed just before the rotation, stored after it.
        try await test.store.write { try $0.accounts.insert(stale, names: []) }
        #expect(try await counts(test)[ring.active.name] == 2)
        for id in ["usr_z", "usr_new", "usr_stale"] {
            #expect(try await test.store.read { try $0.accounts.find(UserID(id)!) } != nil)
        }
    }

    @Test("without the old key, its records are reported as foreign", arguments: StoreKind.allCases)
    func foreign(_ kind: StoreKind) async throws {
        let (test, ring) = try await filled(kind)
        ring.adopt(ring.rotated())
        ring.adopt(ring.without(version: 1))
        #expect(
            await refusal {
                _ = try await test.store.read { try $0.accounts.find(UserID("usr_z")!) }
            } == .foreignKey)
    }

    @Test func `the list of columns sealed under the master key matches the schema and the page`()
        async throws
    {
        let test = try await TestStore(.sqlite)
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/spec/storage.md"), encoding: .utf8)
        let documented = Set(
            page.matches(
                of:
                    /\n\| `(\w+)\.(\w+_sealed)` \| `([^`]+)` \| (?:account, or )?master(?: if it has none)? \|/
            ).map {
                "\($0.1).\($0.2) \($0.3)"
            })
        #expect(
            Set(SealedColumn.all.map { "\($0.table).\($0.column) \($0.purpose.label)" })
                == documented)
        // Every sealed column of the schema has a row, under whichever key.
        for table in try await test.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            let name = try table.text(0)
            for column in try await test.rows("SELECT name FROM pragma_table_info('\(name)')") {
                let column = try column.text(0)
                guard column.hasSuffix("_sealed") else { continue }
                #expect(page.contains("| `\(name).\(column)` |"), "\(name).\(column)")
            }
        }
    }

    @Test func `every purpose of codes has a lookup key that outlives the first master key`() throws
    {
        let source = try String(
            contentsOf: Repository.root.appending(
                path: "Sources/Adapters/MienStore/Store/StoreKeys.swift"),
            encoding: .utf8)
        let used = Set(
            source.matches(of: /ring\.code\([^\n]*purpose: \.(\w+)\)/).map { String($0.1) })
        let labels = Set(
            source.matches(of: /static let (\w+) = SealPurpose\(label: "([^"]+)"\)/)
                .filter { used.contains(String($0.1)) }.map { String($0.2) })
        #expect(used.count >= 9 && labels.count == used.count)
        #expect(labels.subtracting(LookupKeys.labels) == [])
    }
}

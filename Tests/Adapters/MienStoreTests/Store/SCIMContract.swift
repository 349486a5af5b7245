import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct SCIMContract {
    private static func organization(_ id: String, _ test: TestStore) async throws
        -> OrganizationID
    {
        let record = OrganizationRecord(
            id: OrganizationID("org_\(id)")!, externalID: nil,
            name: try #require(OrganizationName(id)), metadata: [:], createdAt: .start)
        try await test.store.write { try $0.organizations.insert(record) }
        return record.id
    }

    private static func person(
        _ account: AccountRecord, _ organization: OrganizationID,
        _ content: [String: JSONValue], at time: Instant = .start, _ test: TestStore
    ) async throws {
        let record = SCIMUserRecord(
            organization: organization, account: account.id, content: content, isOwned: true,
            isActive: true, createdAt: time)
        try await test.store.write { try $0.scimUsers.insert(record, of: account) }
    }

    @Test(arguments: StoreKind.allCases)
    func `tokens are found by their secret, and belong to one organization`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("north", test),
            south = try await Self.organization("south", test)
        let token = SCIMTokenRecord(
            id: SCIMTokenID("sct_a")!, organization: north, name: "Entra",
            domains: ["a.example"], author: "adm_1", createdAt: .start)
        try await store.write { try $0.scimTokens.insert(token, hash: [1, 2]) }
        #expect(try await store.read { try $0.scimTokens.find(hash: [1, 2]) } == token)
        #expect(try await store.read { try $0.scimTokens.find(hash: [1]) } == nil)
        #expect(try await store.read { try $0.scimTokens.all(of: south) } == [])
        try await store.write { try $0.scimTokens.note(token.id, usedAt: .start + .seconds(1)) }
        #expect(
            try await store.read { try $0.scimTokens.all(of: north).first?.usedAt }
                == .start + .seconds(1))
        #expect(try await store.write { try !$0.scimTokens.delete(token.id, of: south) })
        #expect(try await store.write { try $0.scimTokens.delete(token.id, of: north) })
        #expect(try await store.read { try $0.scimTokens.find(hash: [1, 2]) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a directory finds its people by name in any case, and by its own ID`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("north", test),
            south = try await Self.organization("south", test)
        let ada = try await test.account("ada"), bob = try await test.account("bob")
        try await Self.person(ada, north, ["userName": "Ad\u{E9}", "externalId": "E1"], test)
        try await Self.person(
            bob, north, ["userName": "bob"], at: .start + .seconds(1), test)
        try await Self.person(bob, south, ["userName": "ad\u{E9}"], test)
        let taken = await #expect(throws: StoreError.self) {
            let eve = try await test.account("eve")
            try await Self.person(eve, north, ["userName": "ADE\u{301}"], test)
        }
        #expect(taken?.code == .conflict)
        try await store.read { tables throws in
            #expect(try tables.scimUsers.find(userName: "AD\u{C9}", in: north) == ada.id)
            #expect(try tables.scimUsers.find(userName: "ade\u{301}", in: south) == bob.id)
            #expect(try tables.scimUsers.find(externalID: "E1", in: north) == [ada.id])
            #expect(try tables.scimUsers.find(externalID: "e1", in: north) == [])
            #expect(try tables.scimUsers.find(externalID: "E1", in: south) == [])
            #expect(try tables.scimUsers.count(of: north) == 2)
            #expect(
                try tables.scimUsers.page(of: north, offset: 1, count: 5) == [bob.id])
            let found = try #require(try tables.scimUsers.find(ada, in: north))
            #expect(found.userName == "Ad\u{E9}" && found.isOwned && !found.hasSuspended)
            #expect(try tables.scimUsers.find(ada, in: south) == nil)
        }
        var changed = try #require(try await store.read { try $0.scimUsers.find(ada, in: north) })
        let old = changed
        (changed.isActive, changed.hasSuspended) = (false, true)
        let new = changed
        try await store.write { try $0.scimUsers.update(new, of: ada, at: .start) }
        let stale = await #expect(throws: StoreError.self) {
            try await store.write { try $0.scimUsers.update(old, of: ada, at: .start) }
        }
        #expect(stale?.code == .stale)
        let found = try #require(try await store.read { try $0.scimUsers.find(ada, in: north) })
        #expect(!found.isActive && found.hasSuspended && found.updatedAt > .start)
        // The export has what the directory wrote; the database shows it to nobody.
        let sections = try await store.read { try $0.export.sections(of: ada) }
        #expect(
            sections["directories"]?.arrayValue?.first?["content"]?["externalId"] == "E1")
        _ = try await store.write { try $0.accounts.delete(ada.id) }
        #expect(try await store.read { try $0.scimUsers.count(of: north) } == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `groups belong to one organization, and each gives a role of its own`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("north", test),
            south = try await Self.organization("south", test)
        let ada = try await test.account("ada")
        @Sendable func group(_ id: String, _ organization: OrganizationID, _ role: String)
            -> SCIMGroupRecord
        {
            SCIMGroupRecord(
                id: SCIMGroupID("scg_\(id)")!, organization: organization, name: role, role: role,
                externalID: nil, createdAt: .start)
        }
        let staff = group("a", north, "staff")
        try await store.write { tables throws in
            try tables.scimGroups.insert(staff)
            try tables.scimGroups.insert(group("b", south, "staff"))
            try tables.scimGroups.insert(group("c", north, "sales"))
            for id in ["scg_a", "scg_b", "scg_a"] {
                try tables.scimGroups.add(ada.id, to: SCIMGroupID(id)!)
            }
        }
        let taken = await #expect(throws: StoreError.self) {
            try await store.write { try $0.scimGroups.insert(group("d", north, "staff")) }
        }
        #expect(taken?.code == .conflict)
        try await store.read { tables throws in
            #expect(try tables.scimGroups.roles(of: north) == ["staff", "sales"])
            #expect(try tables.scimGroups.count(of: north) == 2)
            #expect(try tables.scimGroups.find(staff.id, in: south) == nil)
            #expect(try tables.scimGroups.members(of: staff.id) == [ada.id])
            #expect(try tables.scimGroups.all(of: ada.id, in: north).map(\.id) == [staff.id])
        }
        try await store.write { try $0.scimGroups.removeAll(ada.id, in: north) }
        try await store.read { tables throws in
            #expect(try tables.scimGroups.members(of: staff.id) == [])
            #expect(try tables.scimGroups.all(of: ada.id, in: south).count == 1)
        }
        // Everything goes with the organization.
        _ = try await store.write { try $0.organizations.delete(south) }
        #expect(try await store.read { try $0.scimGroups.all(of: ada.id, in: south) } == [])
    }
}

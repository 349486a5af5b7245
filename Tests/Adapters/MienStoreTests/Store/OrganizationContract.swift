import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

@Suite struct OrganizationContract {
    private static func organization(
        _ name: String, externalID: String? = nil, _ test: TestStore
    ) async throws -> OrganizationRecord {
        let record = OrganizationRecord(
            id: OrganizationID("org_\(name.lowercased().filter(\.isASCII))")!,
            externalID: externalID,
            name: try #require(OrganizationName(name)), metadata: ["plan": "gold"],
            createdAt: .start)
        try await test.store.write { try $0.organizations.insert(record) }
        return record
    }

    private static func join(
        _ account: AccountRecord, _ organization: OrganizationRecord, as roles: [String] = [],
        at time: Instant = .start, _ test: TestStore
    ) async throws {
        let member = OrganizationMember(
            organization: organization.id, account: account.id,
            roles: try #require(MemberRoles(roles)), createdAt: time)
        try await test.store.write { try $0.organizationMembers.insert(member) }
    }

    private static func grant(
        _ id: String, of account: AccountRecord, app: AppID = .shop,
        through organization: OrganizationRecord?, _ test: TestStore
    ) async throws {
        let grant = TokenGrantRecord(
            id: GrantID("grt_\(id)")!, account: account.id, app: app, authenticator: nil,
            nonce: [1], scope: Scope("openid")!, resources: [], methods: ["pwd"],
            keyThumbprint: nil, signedInAt: .start,
            family: RefreshFamily(under: TokenLifetimes(), at: .start),
            organization: organization?.id)
        try await test.store.write { try $0.grants.insert(grant) }
    }

    @Test(arguments: StoreKind.allCases)
    func `organizations are found by ID, external ID, and the beginning of the name, page by page`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        for name in ["Zeta", "alpha", "Ålesund", "ALPHABET", "beta"] {
            _ = try await Self.organization(name, externalID: "crm-\(name)", test)
        }
        let store = test.store
        func page(_ beginning: String?, after: String? = nil, _ count: Int = 10) async throws
            -> [String]
        {
            try await store.read {
                try $0.organizations.page(
                    beginning: beginning.flatMap { OrganizationName($0) },
                    after: after.flatMap { OrganizationID($0) }, count: count
                ).map(\.name.text)
            }
        }
        #expect(try await page(nil) == ["alpha", "ALPHABET", "beta", "Zeta", "Ålesund"])
        #expect(try await page("Alpha") == ["alpha", "ALPHABET"])
        #expect(try await page("alphab") == ["ALPHABET"])
        #expect(try await page("none") == [])
        #expect(try await page(nil, after: "org_alpha", 2) == ["ALPHABET", "beta"])
        #expect(try await page("ålesund") == ["Ålesund"])
        let gone = await #expect(throws: StoreError.self) { try await page(nil, after: "org_gone") }
        #expect(gone?.code == .stale)
        let beta = try await store.read {
            (
                try $0.organizations.find(OrganizationID("org_beta")!),
                try $0.organizations.find(named: "crm-beta"),
                try $0.organizations.find(externalID: "org_beta")
            )
        }
        #expect(beta.0 != nil && beta.0 == beta.1 && beta.2 == nil)
        #expect(beta.0?.metadata == ["plan": "gold"] && beta.0?.state == .active)
        let twice = await #expect(throws: StoreError.self) {
            _ = try await Self.organization("gamma", externalID: "crm-beta", test)
        }
        #expect(twice?.code == .conflict)
        var changed = try #require(beta.0)
        (changed.externalID, changed.state) = (nil, .suspended)
        let new = changed
        #expect(try await store.write { try $0.organizations.update(new, at: .start) })
        #expect(try await store.read { try $0.organizations.find(new.id) } == new)
    }

    @Test(arguments: StoreKind.allCases)
    func `an account is a member of several organizations, and each lists only its own members`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("North", test),
            south = try await Self.organization("South", test)
        let ada = try await test.account("ada"), bob = try await test.account("bob"),
            eve = try await test.account("eve")
        try await Self.join(ada, north, as: ["admin"], test)
        try await Self.join(ada, south, as: ["billing"], test)
        try await Self.join(bob, north, at: .start + .seconds(1), test)
        try await Self.join(eve, south, as: ["admin"], at: .start + .seconds(2), test)
        func members(
            _ organization: OrganizationRecord, areAdmins: Bool = false, after: UserID? = nil,
            _ count: Int = 10
        ) async throws -> [String] {
            try await store.read {
                try $0.organizationMembers.page(
                    of: organization.id, areAdmins: areAdmins, after: after, count: count
                ).map(\.account.text)
            }
        }
        #expect(try await members(north) == ["usr_ada", "usr_bob"])
        #expect(try await members(south) == ["usr_ada", "usr_eve"])
        #expect(try await members(south, areAdmins: true) == ["usr_eve"])
        #expect(try await members(north, 1) == ["usr_ada"])
        #expect(try await members(north, after: ada.id) == ["usr_bob"])
        let foreign = await #expect(throws: StoreError.self) {
            try await members(north, after: eve.id)
        }
        #expect(foreign?.code == .stale)
        let again = await #expect(throws: StoreError.self) { try await Self.join(bob, north, test) }
        #expect(again?.code == .conflict)
        let all = try await store.read { try $0.organizationMembers.all(of: ada.id) }
        #expect(all.map(\.organization.name.text) == ["North", "South"])
        #expect(all.map(\.member.roles.words) == [["admin"], ["billing"]])
        #expect(try await store.read { try $0.organizationMembers.count(of: ada.id) } == 2)

        try await store.write { tables throws in
            #expect(
                try tables.organizationMembers.change(ada.id, in: north.id, to: .none))
            #expect(
                try !tables.organizationMembers.change(eve.id, in: north.id, to: .none),
                "of another organization")
            #expect(try !tables.organizationMembers.remove(eve.id, from: north.id))
            #expect(try tables.organizationMembers.remove(bob.id, from: north.id))
        }
        #expect(try await members(north, areAdmins: true) == [])
        #expect(try await members(north) == ["usr_ada"])
        #expect(try await members(south) == ["usr_ada", "usr_eve"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a page of members and a search by name use an index`(kind: StoreKind) async throws {
        guard kind == .sqlite else { return }
        let test = try await TestStore(kind)
        for (statement, index) in [
            (
                "SELECT * FROM organization_member WHERE organization_id = 'a' AND (created_at, account_id) > (1, 'b') ORDER BY created_at, account_id LIMIT 100",
                "organization_member_by_time"
            ),
            (
                "SELECT * FROM organization_member WHERE organization_id = 'a' AND is_admin = 1 ORDER BY created_at, account_id LIMIT 100",
                "organization_member_by_role"
            ),
            (
                "SELECT * FROM organization WHERE name_key >= 'a' AND name_key < 'b' AND (name_key, id) > ('a', 'c') ORDER BY name_key, id LIMIT 100",
                "organization_by_name"
            ),
            (
                "UPDATE token_grant SET revoked_at = 1 WHERE organization_id = 'a' AND organization_id <> '' AND account_id = 'b'",
                "token_grant_by_organization"
            ),
        ] {
            let plan = try await test.rows("EXPLAIN QUERY PLAN \(statement)").map {
                try $0.text(3)
            }.joined(separator: "; ")
            #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `deleting an organization removes what belongs to it, and nothing of others`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("North", test),
            south = try await Self.organization("South", test)
        let ada = try await test.account("ada"), bob = try await test.account("bob")
        try await test.app(.shop)
        try await test.app(.bank)
        for organization in [north, south] {
            try await Self.join(ada, organization, test)
            try await store.write { tables in
                try tables.organizations.allow(.shop, for: organization.id)
                try tables.organizations.allow(.shop, for: organization.id)
            }
        }
        try await Self.join(bob, north, test)
        try await Self.grant("north", of: ada, through: north, test)
        try await Self.grant("north-bank", of: ada, app: .bank, through: north, test)
        try await Self.grant("bob", of: bob, through: north, test)
        try await Self.grant("south", of: ada, through: south, test)
        try await Self.grant("none", of: ada, through: nil, test)
        #expect(
            try await store.read { try $0.organizations.contents(of: north.id, at: .start) }
                == OrganizationContents(members: 2, invitations: 0, apps: 1, signIns: 3))
        func live() async throws -> Set<String> {
            try await store.read { tables in
                Set(
                    try [ada, bob].flatMap {
                        try tables.grants.live(of: $0.id, at: .start).map(\.id.text)
                    })
            }
        }
        try await store.write { tables throws in
            #expect(try tables.grants.revokeAll(through: north.id, in: .bank, at: .start) == 1)
            #expect(try tables.grants.revokeAll(through: north.id, of: bob.id, at: .start) == 1)
        }
        #expect(try await live() == ["grt_north", "grt_south", "grt_none"])
        try await store.write { tables throws in
            #expect(try tables.grants.revokeAll(through: north.id, at: .start) == 1)
            #expect(try tables.organizations.delete(north.id))
            #expect(try !tables.organizations.delete(north.id))
        }
        #expect(try await live() == ["grt_south", "grt_none"])
        #expect(try await test.count("organization_member") == 1)
        #expect(try await test.count("organization_app") == 1)
        #expect(try await test.count("account") == 2)
        #expect(
            try await store.read {
                try $0.grants.find(GrantID("grt_south")!)?.organization
            } == south.id)
        // With the account, its memberships.
        #expect(try await store.write { try $0.accounts.delete(ada.id) })
        #expect(try await test.count("organization_member") == 0)
        #expect(try await test.count("organization") == 1)
        #expect(try await store.write { try $0.apps.delete(.shop) })
        #expect(try await test.count("organization_app") == 0)
    }

    // MARK: Invitations

    private static func invite(
        _ text: String, to organization: OrganizationRecord, account: AccountRecord? = nil,
        _ id: String, at time: Instant = .start, _ test: TestStore
    ) async throws {
        let name = try LoginName(text, kind: text.contains("@") ? .email : .username)
        let invitation = OrganizationInvitation(
            id: OrganizationInvitationID("oin_\(id)")!, organization: organization.id,
            name: Sensitive(text), kind: name.kind, roles: .none, author: "adm_1",
            createdAt: time, expiresAt: time + .seconds(100))
        try await test.store.write {
            try $0.organizationInvitations.put(invitation, of: name, account: account?.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an invitation is for the account that has the name, and user names cannot be taken over`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        let north = try await Self.organization("North", test)
        let ada = try await test.account("ada")
        try await Self.invite("ADA", to: north, account: ada, "ada", test)
        try await Self.invite("bob", to: north, "bob", test)
        try await Self.invite("Grace@Example.org", to: north, "grace", test)
        func invited(_ account: AccountRecord, at time: Instant = .start) async throws -> [String] {
            try await store.read {
                try $0.organizationInvitations.all(for: account.id, at: time).map(\.id.text)
            }
        }
        #expect(try await invited(ada) == ["oin_ada"])
        // Nobody was called bob when bob was invited.
        #expect(try await invited(test.account("bob")) == [])
        let grace = AccountRecord.new(
            UserID("usr_grace")!,
            AccountProfile(username: "grace", email: "grace@example.org"), keys: store.keys,
            at: .start)
        let claims = AccountRecord.new(
            UserID("usr_claims")!,
            AccountProfile(username: "claims", claimedEmail: "grace@example.org"),
            keys: store.keys, at: .start)
        try await store.write { tables in
            try tables.accounts.insert(claims, names: claims.record.profile.use { try $0.names() })
            try tables.accounts.insert(grace, names: grace.record.profile.use { try $0.names() })
        }
        #expect(try await invited(grace.record) == ["oin_grace"])
        #expect(try await invited(claims.record) == [], "an unverified address")
        #expect(try await invited(grace.record, at: .start + .seconds(100)) == [], "expired")
        let open = try await store.read {
            try $0.organizationInvitations.all(of: north.id, at: .start)
        }
        #expect(open.map { $0.name.use { $0 } } == ["ADA", "bob", "Grace@Example.org"])
        // Inviting again replaces the invitation.
        try await Self.invite(
            "grace@example.org", to: north, "again", at: .start + .seconds(1), test)
        #expect(try await invited(grace.record) == ["oin_again"])

        let south = try await Self.organization("South", test)
        try await store.write { tables throws in
            #expect(
                try !tables.organizationInvitations.remove(
                    OrganizationInvitationID("oin_again")!, of: south.id),
                "of another organization")
        }
        if let bytes = try kind.bytes(in: test.folder) {
            #expect(
                bytes.firstRange(of: Array("Grace@Example.org".utf8)) == nil, "names are sealed")
        }
        #expect(try await store.write { try $0.accounts.delete(grace.record.id) })
        #expect(
            try await store.read {
                try $0.organizationInvitations.all(of: north.id, at: .start).map(\.id.text)
            } == ["oin_ada", "oin_bob"], "the address goes with its account")
        #expect(
            try await store.write {
                try $0.organizationInvitations.sweep(at: .start + .seconds(200), atMost: 10)
            } == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `the export and the erasure of an account include its organizations`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let north = try await Self.organization("North", test)
        let ada = try await test.account("ada"), eve = try await test.account("eve")
        try await Self.join(ada, north, as: ["admin"], test)
        try await Self.join(eve, north, test)
        try await Self.invite(
            "ada", to: try await Self.organization("South", test), account: ada, "ada", test)
        let (data, counts) = try await test.store.read {
            (try $0.export.sections(of: ada), try $0.export.counts(of: ada.id))
        }
        let own = try #require(data["organizations"]?.arrayValue)
        #expect(own.count == 1 && own[0]["organization_id"] == "org_north")
        #expect(own[0]["roles"] == ["admin"])
        #expect(data["organization_invitations"]?.arrayValue?.count == 1)
        #expect(counts["organizations"] == 1 && counts["organization_invitations"] == 1)
        #expect(!JSONText.write(.object(data)).contains("usr_eve"))
    }
}

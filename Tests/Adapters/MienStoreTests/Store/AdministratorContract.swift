import MienAPI
import MienCore
import MienStore
import Testing

/// Sign-in methods, sessions, locks, and codes of administrators.
@Suite struct AdministratorContract {
    private static let ada = AdminID("adm_ada")!, grace = AdminID("adm_grace")!

    private static func store(_ kind: StoreKind) async throws -> TestStore {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for (id, name) in [(ada, "Ada"), (grace, "Grace")] {
                try tables.admins.insert(
                    AdminRecord(id: id, name: name, role: .owner, createdAt: .start),
                    tokenHash: nil)
            }
        }
        return test
    }

    private static func method(
        _ id: String, _ kind: AdminMethodRecord.Kind, _ content: [UInt8] = [1, 2],
        hash: [UInt8]? = nil
    ) -> AdminMethodRecord {
        AdminMethodRecord(
            id: AuthenticatorID(id)!, admin: ada, kind: kind, credentialHash: hash,
            name: kind == .passkey ? "Laptop" : "", content: Sensitive(content), createdAt: .start)
    }

    @Test(arguments: StoreKind.allCases)
    func `administrators without a credential are found by no secret`(kind: StoreKind) async throws
    {
        let test = try await Self.store(kind)
        #expect(try await test.store.read { try $0.admins.find(tokenHash: []) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `two administrators cannot sign in with one name`(kind: StoreKind) async throws {
        let test = try await Self.store(kind), name = try #require(AdministratorName("ADA"))
        try await test.store.write {
            try $0.admins.rename(Self.ada, to: "Ada", login: name)
        }
        #expect(try await test.store.read { try $0.admins.find(login: name)?.id } == Self.ada)
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.admins.rename(Self.grace, to: "Ada", login: name)
                }
            } == .conflict)
    }

    @Test(arguments: StoreKind.allCases)
    func `methods are sealed, found by their credential, and go with the administrator`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind), secret = Array("a secret of the app".utf8)
        try await test.store.write { tables in
            try tables.adminMethods.insert(Self.method("aut_1", .passkey, hash: [9]))
            try tables.adminMethods.insert(Self.method("aut_2", .totp, secret))
            let passkey = try tables.adminMethods.find(credentialHash: [9])
            #expect(passkey?.content.use { $0 } == [1, 2])
            let app = try tables.adminMethods.find(.totp, of: Self.ada)
            #expect(app?.content.use { $0 } == secret)
            #expect(try tables.adminMethods.all(of: Self.ada).map(\.kind) == [.passkey, .totp])
            #expect(try tables.adminMethods.kinds(of: Self.ada) == [.passkey, .totp])
            #expect(try !tables.adminMethods.remove(AuthenticatorID("aut_1")!, of: Self.grace))
        }
        let rows = try await test.rows("SELECT content_sealed FROM admin_method")
        let sealed = try rows.map { try $0.blob(0) }
        #expect(sealed.count == 2 && !sealed.contains { $0.contains(secret) })
        #expect(
            await refusal {
                try await test.store.write {
                    try $0.adminMethods.insert(Self.method("aut_3", .passkey, hash: [9]))
                }
            } == .conflict)
        let (isRemoved, hasNoMethods) = try await test.store.write { tables in
            (
                try tables.admins.remove(Self.ada),
                try tables.adminMethods.kinds(of: Self.ada).isEmpty
            )
        }
        #expect(isRemoved && hasNoMethods)
    }

    @Test(arguments: StoreKind.allCases)
    func `a time step is used once, and none before it`(kind: StoreKind) async throws {
        let test = try await Self.store(kind), id = AuthenticatorID("aut_1")!
        try await test.store.write { tables in
            try tables.adminMethods.insert(Self.method("aut_1", .totp))
            #expect(try tables.adminMethods.advance(id, to: 7, at: .start))
            #expect(try !tables.adminMethods.advance(id, to: 7, at: .start))
            #expect(try !tables.adminMethods.advance(id, to: 6, at: .start))
            #expect(try tables.adminMethods.find(.totp, of: Self.ada)?.lastStep == 7)
            #expect(try tables.adminMethods.advance(id, to: 8, at: .start))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `sessions end one by one, all at once, with age, and with the administrator`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind)
        @Sendable func session(_ admin: AdminID, at time: Instant = .start) -> AdministratorSession
        {
            AdministratorSession(admin: admin, method: .passkey, signedInAt: time)
        }
        try await test.store.write { tables in
            let sessions = tables.adminSessions
            for hash in 1...3 as ClosedRange<UInt8> {
                try sessions.insert(session(Self.ada), hash: [hash])
            }
            try sessions.insert(session(Self.grace, at: .start + .seconds(60)), hash: [4])
            #expect(try sessions.find([1]) == session(Self.ada) && sessions.find([5]) == nil)
            #expect(try sessions.count(of: Self.ada, at: .start) == 3)
            #expect(try sessions.remove([1]) && !sessions.remove([1]))
            #expect(try sessions.removeAll(of: Self.ada, except: [2]) == 1)
            try sessions.note([2], usedAt: .start + .seconds(40))
            try sessions.note([2], usedAt: .start + .seconds(30))
            #expect(try sessions.find([2])?.usedAt == .start + .seconds(40))
            let end = Instant.start + .seconds(40) + AdministratorSession.idle
            #expect(try sessions.count(of: Self.ada, at: end) == 0)
            #expect(try sessions.sweep(at: end, atMost: 10) == 1)
            #expect(try sessions.find([2]) == nil && sessions.find([4]) != nil)
            _ = try tables.admins.remove(Self.grace)
            #expect(try sessions.find([4]) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `failures are kept by method, apart for browsers that signed in`(kind: StoreKind)
        async throws
    {
        let test = try await Self.store(kind), policy = LockPolicy.secret
        try await test.store.write { tables in
            let locks = tables.adminLocks
            let begun = try locks.change(of: Self.ada, .password, browser: [1], at: .start) {
                $0.begin(under: policy, at: .start)
            }
            let line = try #require(begun)
            _ = try locks.change(of: Self.ada, .password, browser: [1], at: .start) {
                $0.succeed(through: line, under: policy, isKnownDevice: true)
            }
            for _ in 0..<5 {
                let line = try locks.change(
                    of: Self.ada, .password, browser: [2], at: .start
                ) { $0.begin(under: policy, at: .start) }
                #expect(line == .unknownDevices)
            }
            func isOpen(
                _ method: AdministratorSession.Method, _ browser: [UInt8]?,
                of admin: AdminID = Self.ada
            ) throws -> Bool {
                try locks.lock(of: admin, method, browser: browser)
                    .status(under: policy, at: .start) == .open
            }
            let states = try [
                isOpen(.password, nil), isOpen(.password, [2]), isOpen(.password, [1]),
                isOpen(.passkey, nil),
            ]
            #expect(states == [false, false, true, true])
            let isOpenForOther = try isOpen(.password, nil, of: Self.grace)
            #expect(isOpenForOther)
            #expect(try locks.lock(of: Self.ada, .password, browser: [1]).total == 5)
            // Browsers that were not used for long lose their counts.
            for number in 10...40 as ClosedRange<UInt8> {
                _ = try locks.change(
                    of: Self.ada, .password, browser: [number],
                    at: .start + .seconds(Int64(number))
                ) { $0 = AuthenticatorLock(device: LockCounter()) }
            }
            #expect(try locks.lock(of: Self.ada, .password, browser: [1]).device == nil)
            #expect(try locks.lock(of: Self.ada, .password, browser: [40]).device != nil)
            try locks.removeAll(of: Self.ada)
            let isOpenAgain = try isOpen(.password, nil)
            #expect(isOpenAgain)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a code is found by its hash until it is used, ends, or its author is gone`(
        kind: StoreKind
    ) async throws {
        let test = try await Self.store(kind)
        func offer(_ id: String, _ kind: AdministratorOffer.Kind, subject: AdminID)
            -> AdministratorOffer
        {
            AdministratorOffer(
                id: AdministratorOfferID(id)!, kind: kind, subject: subject, name: "Eve",
                role: .auditor, author: Self.grace, createdAt: .start)
        }
        let invitation = offer("inv_1", .invitation, subject: AdminID("adm_new")!)
        let setup = offer("inv_2", .setup, subject: Self.ada)
        try await test.store.write { tables in
            let offers = tables.adminOffers
            try offers.insert(invitation, codeHash: [1])
            try offers.insert(setup, codeHash: [2])
            #expect(try offers.open(codeHash: [1], at: .start) == invitation)
            #expect(try offers.open(codeHash: [2], at: .start) == setup)
            #expect(try offers.open(codeHash: [2], at: setup.expiresAt) == nil)
            #expect(try offers.open(.invitation, at: .start) == [invitation])
            #expect(try offers.secret(of: invitation.id) == nil)
            #expect(try offers.setSecret(Sensitive([5, 6]), of: invitation.id))
            let secret = try offers.secret(of: invitation.id)
            #expect(secret?.use { $0 } == [5, 6])
            #expect(try !offers.removeInvitation(setup.id), "not an invitation")
            #expect(try offers.sweep(at: setup.expiresAt, atMost: 10) == 1)
            #expect(try offers.open(codeHash: [2], at: .start) == nil)
            #expect(try tables.admins.change(Self.grace, to: .operator))
            #expect(try offers.open(codeHash: [1], at: .start) == nil)
            #expect(try offers.open(.invitation, at: .start).isEmpty)
            #expect(try tables.admins.change(Self.grace, to: .owner))
            #expect(try offers.remove(invitation.id) && !offers.remove(invitation.id))
        }
    }
}

import Foundation
import MienAPI
import MienCore
import MienStore
import MienTesting
import MienVault
import Testing

/// Tests what a stolen database reveals and which changes are detected.
@Suite struct SealingContract {
    /// Secrets that must not be readable. ``fill(_:)`` writes each of them.
    static let secrets = [
        "Zebedäus", "zebedäus", "zeb@marker.example", "CRM-MARKER", "attribute-marker",
        "TEMPLATE-MARKER-0123456789", "$argon2id$MARKER",
        "STATE-MARKER", "ANSWER-MARKER", "CAPTURE-MARKER", "SIGNING-MARKER", "TOKEN-MARKER",
        "TRAIL-MARKER",
    ].map { Array($0.utf8) }

    static func fill(_ test: TestStore) async throws -> AccountRecord {
        let profile = AccountProfile(
            externalID: "CRM-MARKER", username: "Zebedäus", email: "zeb@marker.example",
            attributes: ["k": "attribute-marker"])
        let new = AccountRecord.new(UserID("usr_z")!, profile, keys: test.store.keys, at: .start),
            account = new.record
        try await test.store.write { try $0.accounts.insert(new, names: profile.names()) }
        _ = try await test.authenticator(
            "1", of: account, content: Array("TEMPLATE-MARKER-0123456789".utf8))
        _ = try await test.authenticator(
            "2", .password, of: account, app: nil, content: Array("$argon2id$MARKER".utf8))
        let token = test.store.keys.hash(ofSecret: Array("TOKEN-MARKER".utf8))
        try await test.store.write { tables in
            var run = JourneyRunRecord(
                id: InstanceID("run_z")!, app: .shop, journey: JourneyContract.login,
                tokenHash: token, state: Sensitive(Array("STATE-MARKER".utf8)),
                expiresAt: .start)
            try tables.runs.insert(run)
            run.used = .init(
                tokenHash: token, requestHash: token, answer: Sensitive(Array("ANSWER-MARKER".utf8))
            )
            try tables.runs.advance(run, from: 0)
            try tables.captures.insert(
                CaptureRecord(
                    id: CaptureID("cap_z")!, tokenHash: token, run: run.id, app: .shop,
                    content: Sensitive(Array("CAPTURE-MARKER".utf8)),
                    expiresAt: .start))
            try tables.trails.insert(
                CaptureTrailRecord(
                    id: CaptureID("cap_z")!, trail: Sensitive(Array("TRAIL-MARKER".utf8)),
                    expiresAt: .start))
            try tables.signingKeys.insert(
                SigningKeyRecord(
                    id: "k", privateKey: Sensitive(Array("SIGNING-MARKER".utf8)), publicKey: [4],
                    createdAt: .start, retiresAt: .start,
                    expiresAt: .start))
            let device = KnownDevice(id: DeviceID("dev_z")!, account: account.id, app: .shop)
            try tables.devices.insert(device, tokenHash: token, at: .start)
            try tables.admins.insert(
                AdminRecord(id: AdminID("adm_z")!, name: "root", role: .owner, createdAt: .start),
                tokenHash: token)
            try tables.audit.append(
                AuditEvent("user.created", actor: "system", account: account.id), at: .start)
            let organization = OrganizationRecord(
                id: OrganizationID("org_z")!, name: OrganizationName("Zeta")!, createdAt: .start)
            try tables.organizations.insert(organization)
            try tables.organizationInvitations.put(
                OrganizationInvitation(
                    id: OrganizationInvitationID("oin_z")!, organization: organization.id,
                    name: Sensitive("zeb@marker.example"), kind: .email, roles: .none,
                    author: "adm_z", createdAt: .start, expiresAt: .start + .seconds(60)),
                of: LoginName("zeb@marker.example", kind: .email), account: nil)
        }
        return account
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing personal or secret is in the database's files`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        _ = try await Self.fill(test)
        for test in [test, try await test.reopened()] {
            guard let bytes = try kind.bytes(in: test.folder) else { return }
            #expect(
                bytes.contains(Array("usr_z".utf8)), "IDs are present, so these are the right files"
            )
            for secret in Self.secrets {
                #expect(!bytes.contains(secret), "\(String(decoding: secret, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func `deletion removes sealed data, too`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let account = try await Self.fill(test)
        // Rows that stay, written before and after, so that pages are shared.
        for index in 0..<20 {
            _ = try await test.authenticator(
                "x\(index)", of: try await test.account("other\(index)"))
        }
        let sealed = try await test.rows(
            "SELECT key_sealed, profile_sealed FROM account WHERE id = 'usr_z'")[0]
        let contents = try await test.rows(
            "SELECT content_sealed FROM authenticator WHERE account_id = 'usr_z'")
        let capture = try await test.rows("SELECT content_sealed FROM capture WHERE id = 'cap_z'")[
            0]
        let blobs =
            try [sealed.blob(0), sealed.blob(1)] + contents.map { try $0.blob(0) } + [
                try capture.blob(0)
            ]
        // A replaced template must disappear like a deleted one.
        var face = try #require(
            try await test.store.read { try $0.authenticators.find(.face, of: account, app: .shop) }
        )
        face.content = Sensitive([0])
        let replaced = face
        try await test.store.write {
            try $0.authenticators.update(replaced, of: account, at: .start)
        }
        #expect(try await test.store.write { try $0.accounts.delete(account.id) })
        try await test.store.write(.process) { try $0.captures.delete(CaptureID("cap_z")!) }
        guard try kind.bytes(in: test.folder) != nil else { return }
        // A record's wrapped key suffices to identify it.
        let left = try await Patience.see {
            let bytes = try #require(try kind.bytes(in: test.folder))
            return blobs.count { bytes.contains($0[32..<80]) }
        } until: {
            $0 == 0
        }
        #expect(left == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a killed process's deleted data also disappears soon`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let account = try await Self.fill(test)
        let key = try await test.rows("SELECT key_sealed FROM account")[0].blob(0)
        #expect(try await test.store.write { try $0.accounts.delete(account.id) })
        // A copy of this moment, including the log.
        let copy = try test.folder.copy()
        guard let before = try kind.bytes(in: copy), before.contains(key[32..<80]) else { return }
        let again = try await TestStore(kind, in: copy)
        let isGone = try await Patience.holds {
            try !kind.bytes(in: copy)!.contains(key[32..<80])
        }
        #expect(isGone)
        #expect(try await again.count("account") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `sealed contents moved to another row are rejected`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), bruno = try await test.account("bruno")
        _ = try await test.authenticator("1", of: ana)
        _ = try await test.authenticator("2", of: ana, app: .bank)
        _ = try await test.authenticator("3", of: bruno)
        try await test.store.write { tables in
            for id in ["1", "2"] {
                var run = JourneyContract.run(id)
                try tables.runs.insert(run)
                run.used = .init(
                    tokenHash: [1], requestHash: [2], answer: Sensitive(Array("answer".utf8)))
                try tables.runs.advance(run, from: 0)
                try tables.captures.insert(JourneyContract.capture(id))
                try tables.trails.insert(
                    CaptureTrailRecord(
                        id: CaptureID("cap_\(id)")!, trail: Sensitive([1]), expiresAt: .start))
                try tables.signingKeys.insert(
                    JourneyContract.key(id, expires: .start + .seconds(60)))
            }
        }
        let swaps:
            [(
                table: String, column: String, ids: [String],
                read: @Sendable (Tables) throws -> Void
            )] = [
                (
                    "account", "key_sealed", ["usr_ana", "usr_bruno"],
                    { _ = try $0.accounts.find(ana.id) }
                ),
                (
                    "account", "profile_sealed", ["usr_ana", "usr_bruno"],
                    { _ = try $0.accounts.find(identifier: "bruno") }
                ),
                (
                    "authenticator", "content_sealed", ["aut_1", "aut_2"],
                    { _ = try $0.authenticators.all(of: ana) }
                ),
                (
                    "authenticator", "content_sealed", ["aut_1", "aut_3"],
                    { _ = try $0.authenticators.find(.face, of: bruno, app: .shop) }
                ),
                // Or the row itself is moved with its contents.
                (
                    "authenticator", "account_id", ["aut_1", "aut_3"],
                    { _ = try $0.authenticators.all(of: ana) }
                ),
                (
                    "authenticator", "app_id", ["aut_1", "aut_2"],
                    { _ = try $0.authenticators.all(of: ana) }
                ),
                (
                    "journey_run", "state_sealed", ["run_1", "run_2"],
                    { _ = try $0.runs.find(InstanceID("run_1")!) }
                ),
                (
                    "capture", "content_sealed", ["cap_1", "cap_2"],
                    { _ = try $0.captures.find(CaptureID("cap_1")!) }
                ),
                (
                    "capture_trail", "trail_sealed", ["cap_1", "cap_2"],
                    { _ = try $0.trails.newest(atMost: 2) }
                ),
                (
                    "signing_key", "key_sealed", ["1", "2"],
                    { _ = try $0.signingKeys.current(at: .start) }
                ),
            ]
        for (table, column, ids, read) in swaps {
            #expect(await refusal { try await test.store.read(read) } == nil, "\(table)")
            try await test.swap(table, column, ids)
            #expect(
                await refusal { try await test.store.read(read) } == .corrupt, "\(table).\(column)")
            try await test.swap(table, column, ids)
        }
        // Content of one purpose replaced with another's in the same row.
        try await test.sql("UPDATE account SET profile_sealed = key_sealed WHERE id = 'usr_ana'")
        #expect(
            await refusal { _ = try await test.store.read { try $0.accounts.find(ana.id) } }
                == .corrupt)
        try await test.sql(
            "UPDATE journey_run SET state_sealed = (SELECT content_sealed FROM capture WHERE id = 'cap_1') WHERE id = 'run_1'"
        )
        #expect(
            await refusal {
                _ = try await test.store.read { try $0.runs.find(InstanceID("run_1")!) }
            } == .corrupt)
        try await test.sql("UPDATE authenticator SET type = 'password' WHERE id = 'aut_3'")
        #expect(
            await refusal { _ = try await test.store.read { try $0.authenticators.all(of: bruno) } }
                == .corrupt)
    }

    @Test(arguments: StoreKind.allCases)
    func `without the master key, nothing can be opened and nobody found`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), folder = test.folder
        let other = StoreKeys(MasterKey(bytes: Array(2...33)))
        if kind == .postgres {
            // Servers that share a database compare their keys with the one in use first.
            let code = await refusal { _ = try await TestStore(kind, in: folder, keys: other) }
            #expect(code == .foreignKey)
            try await test.sql("DELETE FROM master_key")
        }
        try kind.close(test.driver)
        let stranger = try await TestStore(kind, in: folder, keys: other)
        #expect(
            await refusal { _ = try await stranger.store.read { try $0.accounts.find(ana.id) } }
                == .foreignKey)
        #expect(
            try await stranger.store.read { try $0.accounts.find(identifier: "ana") } == nil,
            "names are found by a keyed hash")
        #expect(stranger.store.keys.hash(ofSecret: [1]) != test.store.keys.hash(ofSecret: [1]))
    }

    @Test(arguments: StoreKind.allCases) func `errors and records do not print their contents`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        let account = try await Self.fill(test)
        let authenticators = try await test.store.read { try $0.authenticators.all(of: account) }
        let run = try await test.store.read { try $0.runs.find(InstanceID("run_z")!) }
        var printed = "\(account) \(authenticators) \(String(describing: run)) \(test.store.keys)"
        dump(account, to: &printed)
        dump(authenticators, to: &printed)
        dump(run, to: &printed)
        dump(test.store.keys, to: &printed)
        let twin = AccountRecord.new(
            account.id, account.profile.shown, keys: test.store.keys, at: .start)
        await #expect(throws: StoreError(.conflict, "")) {
            try await test.store.write { try $0.accounts.insert(twin, names: []) }
        }
        for statement in [
            "INSERT INTO account_name VALUES ('username', 'Zebedäus', 'zeb@marker.example')",
            "INSERT INTO x VALUES ('Zebedäus')",
        ] {
            do { try await test.sql(statement) } catch { printed += "\(error)" }
        }
        try await test.sql("UPDATE account SET profile_sealed = ?", .blob([0]))
        do { _ = try await test.store.read { try $0.accounts.find(account.id) } } catch {
            printed += "\(error)"
        }
        for secret in Self.secrets {
            #expect(!printed.contains(String(decoding: secret, as: UTF8.self)))
        }
    }
}

extension TestStore {
    /// Swaps a column's values between two rows.
    fileprivate func swap(_ table: String, _ column: String, _ ids: [String]) async throws {
        try await driver.write(.always) { connection in
            let values = try ids.map {
                try connection.rows("SELECT \(column) FROM \(table) WHERE id = ?", [.text($0)])[0][
                    0]
            }
            try connection.execute(
                "UPDATE \(table) SET \(column) = ? WHERE id = ?", [values[1], .text(ids[0])])
            try connection.execute(
                "UPDATE \(table) SET \(column) = ? WHERE id = ?", [values[0], .text(ids[1])])
        }
    }
}

extension ScratchFolder {
    fileprivate func copy() throws -> ScratchFolder {
        let copy = try ScratchFolder()
        for name in try names() where !name.hasSuffix("-shm") {
            try copy.write(Data(contentsOf: self(name)), to: name)
        }
        return copy
    }
}

extension [UInt8] {
    /// Returns whether `piece` occurs in the data. Uses a fast system search, because files are
    /// long.
    fileprivate func contains(_ piece: some Collection<UInt8>) -> Bool {
        Data(self).range(of: Data(piece)) != nil
    }
}

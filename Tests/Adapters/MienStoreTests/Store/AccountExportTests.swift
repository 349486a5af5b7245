import MienAPI
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienStore

@Suite("The export of an account")
struct AccountExportTests {
    /// The tables of the schema, each with its columns.
    private static func schema(_ test: TestStore) async throws -> [String: Set<String>] {
        let statement =
            switch test.kind {
            case .sqlite:
                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
            case .postgres:
                "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('store_turn', 'store_trace')"
            }
        return try await test.driver.read { connection in
            var schema: [String: Set<String>] = [:]
            for row in try connection.rows(statement, []) {
                schema[try row.text(0), default: []].insert(try row.text(1))
            }
            return schema
        }
    }

    @Test(
        "every table and every column is exported, or a reason says why not",
        arguments: StoreKind.allCases)
    func complete(kind: StoreKind) async throws {
        let schema = try await Self.schema(TestStore(kind))
        #expect(schema.count > 30)
        let listed = ExportedTable.all.map(\.name) + ExportedTable.omitted.keys
        #expect(Set(listed) == Set(schema.keys) && listed.count == schema.count)
        for table in ExportedTable.all {
            let columns = table.columns.map(\.name) + table.omitted.keys
            #expect(
                Set(columns) == schema[table.name] && Set(columns).count == columns.count,
                "\(table.name)")
            #expect(table.omitted.values.allSatisfy { $0.count > 10 }, "\(table.name)")
        }
        #expect(ExportedTable.omitted.values.allSatisfy { $0.count > 10 })
        let sections = ExportedTable.all.map(\.section)
        #expect(Set(sections).count == sections.count)
        // Left out are tables that belong to no account, or to one through a keyed hash, pictures that
        // wait for an hour, codes that wait for minutes, and what only reviewers may know.
        let known = [
            "account_name", "authorization_code", "capture", "duplicate_case", "duplicate_search",
            "identity_upload", "one_time_code",
        ]
        for name in ExportedTable.omitted.keys where schema[name]?.contains("account_id") == true {
            #expect(known.contains(name), "\(name)")
        }
    }

    @Test(
        "the owner's rows are exported, and nobody else's; deletion leaves none, and no name of a device",
        arguments: StoreKind.allCases)
    func rows(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        let now = Instant(seconds: 1_800_000_000), name = "Ada's kitchen tablet"
        let app = AppID("shop")!
        var users: [UserID] = []
        for (index, person) in ["ada", "eve"].enumerated() {
            let id = UserID("usr_\(person)")!
            users.append(id)
            let account = AccountRecord.new(
                id, AccountProfile(username: person, attributes: ["of": .string(person)]),
                keys: TestStore.keys, at: now)
            try await test.store.write { tables in
                if index == 0 {
                    var settings = AppSettings()
                    settings.backChannelLogoutURI = "https://shop.example.org/logout"
                    try tables.apps.insert(
                        AppRecord(
                            id: app, name: "Shop", type: .public, settings: settings,
                            createdAt: now))
                }
                try tables.accounts.insert(
                    account, names: [LoginName(person, kind: .username)])
                let face = AuthenticatorRecord(
                    id: AuthenticatorID("aut_\(person)")!, account: id, type: .face, app: app,
                    content: Array("template".utf8), info: ["photos": 3], createdAt: now)
                try tables.authenticators.insert(face, of: account.record)
                try tables.locks.hold(face.id, by: .administrator)
                try tables.consents.insert(
                    ConsentRecord(
                        id: "con_\(person)", account: id, app: app, purpose: "face",
                        textVersion: "1", givenAt: now))
                let device = KnownDevice(
                    id: DeviceID("dev_\(person)")!, account: id, app: app)
                try tables.devices.insert(
                    device, tokenHash: [UInt8(index)], earned: [face.lockSubject], at: now)
                #expect(
                    try tables.devices.rename(
                        device.id, to: Sensitive(name), of: account.record))
                for grant in ["live", "ended"] {
                    try tables.grants.insert(
                        TokenGrantRecord(
                            id: GrantID("grt_\(person)_\(grant)")!, account: id, app: app,
                            authenticator: face.id, nonce: [1], scope: Scope("openid")!,
                            resources: [], methods: ["face"], keyThumbprint: nil, signedInAt: now,
                            family: RefreshFamily(under: TokenLifetimes(), at: now)))
                }
                #expect(
                    try tables.grants.revoke(
                        GrantID("grt_\(person)_ended")!, of: id, at: now))
                try tables.runs.insert(
                    JourneyRunRecord(
                        id: InstanceID("run_\(person)")!, app: app, journey: JourneyID("login")!,
                        tokenHash: [UInt8(index)], state: Sensitive([]), account: id,
                        expiresAt: now + .seconds(60)))
                var verification = try tables.verifications.find(id)
                let attempt = IdentityAttemptID("idv_\(person)")!
                try verification.state.begin(
                    .personalData, id: attempt, under: VerificationPolicy(), at: now)
                try tables.verifications.update(verification, at: now)
                let content: JSONValue = ["address": .string("1 Elm Road of \(person)")]
                try tables.verificationAttempts.insert(
                    AttemptRecord(
                        id: attempt, account: id, app: app, kind: .personalData, begunAt: now,
                        contentExpiresAt: now + .seconds(60),
                        content: Sensitive(JSONColumn.bytes(content))),
                    images: [AttemptImage(role: "face", sha256: [1], content: Sensitive([2]))],
                    of: account.record)
                try tables.identityJobs.insert(
                    IdentityJob(
                        id: attempt.text, subject: .attempt, account: id, app: app, queuedAt: now))
                try tables.verificationSessions.insert(
                    VerificationSessionRecord(
                        id: attempt, tokenHash: [], app: app, owner: .user, account: id,
                        session: VerificationSession(
                            parts: [.document], expiresAt: now + .seconds(60)), createdAt: now,
                        contentExpiresAt: now + .seconds(60), content: Sensitive([1])),
                    of: account.record)
                try tables.verificationSessions.put(
                    AttemptImage(role: "selfie", sha256: [1], content: Sensitive([2])),
                    in: attempt, of: account.record)
                try tables.reviewCases.insert(
                    ReviewCaseRecord(
                        review: ReviewCase(
                            id: ReviewCaseID("cas_\(person)")!, attempt: attempt,
                            needsSecondReviewer: false), account: id, app: app, openedAt: now))
                try tables.audit.append(
                    AuditEvent("face.registered", actor: "journey", account: id, app: app),
                    at: now)
                try tables.audit.count(
                    AuditEvent("face.refused", actor: "journey", account: id, app: app), at: now)
            }
        }
        let ada = users[0], eve = users[1]
        let data = try await test.store.read { tables in
            try tables.export.sections(of: #require(try tables.accounts.find(ada)))
        }
        let text = JSONText.write(.object(data))
        for secret in [
            "template", eve.text, "aut_eve", "dev_eve", "grt_eve", "con_eve", "idv_eve", "of eve",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(data["account"]?["profile"]?["username"] == "ada")
        #expect(data["devices"]?.arrayValue?.first?["name"] == .string(name))
        #expect(
            data["identity_attempts"]?.arrayValue?.first?["content"]?["address"]
                == "1 Elm Road of ada")
        #expect(data["identity_verification"]?["required"] == "NONE")
        for (section, count) in [
            ("authenticators", 1), ("locks_set_by_others", 1), ("consents", 1), ("devices", 1),
            ("failures_by_device", 1), ("sign_ins", 2), ("sign_in_authenticators", 2),
            ("journey_runs", 1),
            ("waiting_messages", 1), ("activity_being_counted", 1), ("recoveries", 0),
            ("identity_attempts", 1), ("identity_images", 1), ("identity_reviews", 1),
            ("identity_jobs", 1), ("verification_sessions", 1), ("verification_images", 1),
        ] {
            #expect(data[section]?.arrayValue?.count == count, "\(section)")
        }

        // The name is sealed, and gone with the account.
        if let bytes = try kind.bytes(in: test.folder) {
            #expect(!bytes.contains(sequence: Array(name.utf8)))
        }
        try await test.store.write { tables in
            _ = try tables.grants.revokeAll(of: ada, at: now)
            #expect(try tables.accounts.delete(ada))
        }
        // The log keeps its entries, a notice waits for its delivery, and the other servers learn by
        // its random ID that the face is gone.
        #expect(
            try await Self.tables(holding: "ada", in: test) == [
                "audit", "audit_counted", "gallery_change", "outbox",
            ])
        let notices = try await test.store.write {
            try $0.outbox.claim(.logout, at: now, until: now, atMost: 10).map {
                try LogoutNotice($0).grant.text
            }
        }
        #expect(Set(notices) == ["grt_ada_live", "grt_ada_ended", "grt_eve_ended"])
    }

    /// The tables in which any text contains `word`.
    private static func tables(holding word: String, in test: TestStore) async throws -> Set<
        String
    > {
        let schema = try await schema(test)
        return try await test.driver.read { connection in
            var found: Set<String> = []
            for (table, columns) in schema {
                for row in try connection.rows(
                    "SELECT \(columns.sorted().joined(separator: ", ")) FROM \(table)", [])
                {
                    for index in 0..<columns.count {
                        if case .text(let text) = row[index], text.contains(word) {
                            found.insert(table)
                        }
                    }
                }
            }
            return found
        }
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        guard count >= sequence.count else { return false }
        return firstRange(of: sequence) != nil
    }
}

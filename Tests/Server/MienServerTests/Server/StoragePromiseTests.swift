import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienJourney
import MienTesting
import Testing

@testable import MienServer
@testable import MienStore

/// Compares what pages and consents say about storage with the stored records.
@Suite("What pages say about storage", .enabled(if: Installed.isThere, Installed.reason))
struct StoragePromiseTests {
    /// The texts of the pages that say what is stored or erased, each with the test that compares it.
    private static let compared = [
        "account_deleted_text": "deletion", "account_remove_account_text": "deletion",
        "account_remove_consent_text": "withdrawal", "account_remove_face_text": "removedFace",
        "capture_picture_kept": "verification", "capture_picture_not_kept": "face",
        "consent_identity_text": "verification", "consent_standard_text": "face",
        "document_cancel_text": "canceled",
    ]
    /// Texts with the same words that say nothing about what the server stores.
    private static let others: Set = [
        "account_codes_keep", "account_codes_kept", "account_delete", "account_deleted_title",
        "account_remove_account", "action_keep_still", "button_delete_account",
        "document_face_missing", "document_tilt_busy", "document_tilt_tip", "notice_unknown_text",
        "refusal_different_face", "refusal_face_changed",
    ]
    /// The same for the texts of the portal.
    private static let comparedInPortal = [
        "apps.delete_text": "erasedByAdministrator",
        "apps.field.identity.retention_days": "verification",
        "face_groups.apps_help": "sharedFaces", "face_groups.delete_text": "sharedFaces",
        "face_groups.leave_text": "sharedFaces",
        "reviews.erased": "verification", "reviews.no_pictures": "verification",
        "reviews.pictures_lead": "verification", "settings.purge_done": "verification",
        "settings.remove_text": "registry", "settings.retention_lead": "verification",
        "users.erase_gone": "deletion", "users.erase_kept": "deletion",
        "users.erase_lead": "deletion", "users.erased": "deletion",
        "users.remove_face_text": "erasedByAdministrator",
        "users.remove_text": "erasedByAdministrator",
        "users.withdraw_text": "erasedByAdministrator",
    ]
    private static let othersInPortal: Set = [
        "apps.field.identity.result_retention_days", "apps.secret_stored", "audit.export_lead",
        "journeys.simulation_help", "journeys.unknown_setting", "reviews.done_first", "users.lead",
    ]
    private static let app = AppID("default_application")!
    /// More than anything but a picture takes.
    private static let picture = 16_384

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("every text that says what is stored, kept, or erased has a test that compares it")
    func texts() throws {
        let found = try Self.texts("Web/Languages/en.json").filter {
            $0.value.contains(
                /(?i)\b(kept|keep|keeps|stored?|stores|erased?|erases|deleted?|recorded|days?)\b/)
        }.keys
        #expect(Set(found).subtracting(Self.others) == Set(Self.compared.keys))
        try Self.expectTests(Self.compared.values)
    }

    @Test("every text of the portal that says so has a test that compares it, too")
    func portalTexts() throws {
        let found = try Self.texts("Web/Portal/languages/en.json").filter {
            $0.value.contains(/(?i)\b(kept|stored|erased)\b/)
        }.keys
        #expect(Set(found).subtracting(Self.othersInPortal) == Set(Self.comparedInPortal.keys))
        try Self.expectTests(Self.comparedInPortal.values)
    }

    /// The texts of a language; a text with plurals has no entry.
    private static func texts(_ path: String) throws -> [String: String] {
        let file = try JSONText.parse(
            [UInt8](Data(contentsOf: Repository.root.appending(path: path))),
            limits: .init(maxBytes: 1 << 20, maxDepth: 8))
        return try #require(file["texts"]?.objectValue).compactMapValues(\.stringValue)
    }

    private static func expectTests(_ names: some Sequence<String>) throws {
        let tests = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        for name in names { #expect(tests.contains("func \(name)("), "\(name)") }
    }

    // MARK: Faces

    @Test("an app that leaves its group takes what only it used; a deleted group takes the rest")
    func sharedFaces() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await FaceOffice(server, sharing: ["shop", "bank"], maxAge: nil)
            let ada = try await server.makeUser(), bob = try await server.makeUser("bob")
            try await office.register("ada", in: "bank")
            try await office.register("bob", "biden", in: "shop")
            try await office.set(["bank"])
            #expect(try await office.faces(of: bob).isEmpty)
            #expect(try await office.faces(of: ada).count == 1)
            try await server.admin.deleteFaceGroup(office.group)
            #expect(try await office.faces(of: ada).isEmpty)
        }
    }

    @Test(
        "numbers of a face are stored, sealed, and no picture is, as the account page and sign-up say"
    )
    func face() async throws {
        // Sign-up and the account page ask for the same consent.
        let signUp = try JSONText.parse(
            [UInt8](
                Data(
                    contentsOf: Repository.root.appending(path: "Examples/Journeys/sign-up.json"))))
        let asked = try #require(signUp["steps"]?["consent"]?["config"])
        #expect(asked["text_version"] == .string(CaptureConsent.standard.textVersion))
        #expect(asked["text"] == .string(CaptureConsent.standard.text))
        #expect(
            signUp["steps"]?["register"]?["config"]?["consent"]?["text_version"]
                == asked["text_version"])

        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser(), browser = PageBrowser(server.address)
            _ = try await server.admin.updateApp(
                Self.app, AppRequest(name: "Sample", settings: ["sign_in_page": true]))
            _ = try await browser.signIn("/signin")
            let account = try await browser.open("/account")
            let begun = try await browser.post(
                "/account/face", ["csrf": account.hidden("csrf") ?? ""])
            let page = try await browser.open(try #require(begun.location, "\(begun.text)"))
            let token = try #require(await browser.cookies["mien_capture"])
            let (opened, capture) = try await Self.start(server, token)
            let consent = try #require(opened.body["consent"])
            #expect(consent["text"] == .string(CaptureConsent.standard.text))
            #expect(consent["text_version"] == .string(CaptureConsent.standard.textVersion))
            #expect(opened.body["keeps_picture"] == nil)
            #expect(page.text.contains("\"capture_picture_not_kept\":\"No pictures are kept.\""))
            _ = try await Self.post(
                server, token, "consent", ["text_version": try #require(consent["text_version"])])
            let photo = Installed.photo("obama"), store = server.server.parts.store
            let taken = try await CapturingPerson.send(
                .post, server.url("/v1/capture/frames"), token: token, photo, type: "image/jpeg")
            #expect(taken.body["status"] == "passed", "\(taken.body)")
            let content = try await Self.content(of: capture, in: store)
            #expect(content?.template != nil && content?.picture == nil)
            #expect(try await Self.largest(store) < Self.picture)
            let done = try await browser.submit(page, ["outcome": "done"])
            #expect(done.location?.contains("account_done_face") == true, "\(done.text)")

            let numbers = try await Self.face(of: user, in: store)
            #expect(numbers.count > 100)
            #expect(try await Self.largest(store) < Self.picture)
            #expect(try !Self.isReadable(numbers, in: server))
            #expect(try !Self.isReadable(photo, in: server))
            let given = try await server.admin.consents(of: user)
            #expect(given.map(\.textVersion) == [CaptureConsent.standard.textVersion])
        }
    }

    @Test("the sample that registers a face keeps its numbers and no picture, as its consent says")
    func faceSample() async throws {
        let asked = try Self.consent(of: "face-registration")
        #expect(asked["text"]?.stringValue?.contains("We do not keep the selfie.") == true)
        try await withFace { server, user, _, _ in
            let store = server.server.parts.store
            #expect(try await Self.face(of: user, in: store).count > 100)
            #expect(try await Self.largest(store) < Self.picture)
            let given = try await server.admin.consents(of: user)
            let version = try #require(asked["text_version"]?.stringValue)
            #expect(given.map(\.textVersion) == [version])
        }
    }

    @Test(
        "the sample that checks a document keeps pictures until it is decided, as its consent says")
    func documentSample() async throws {
        let asked = try Self.consent(of: "document-registration"),
            other = try Self.consent(of: "face-registration")
        #expect(
            asked["text"]?.stringValue?.contains(
                "pictures of your document and face are kept, encrypted, until the check is decided"
            ) == true)
        // One version is one text.
        #expect(asked["text_version"] != other["text_version"])
        try await DecidedSessions.run(in: scratch) { server in
            let sample = try #require(JourneyID("document-registration"))
            _ = try await server.admin.publishJourney(sample, version: 1)
            try await server.makeUser("grace", password: "correct horse battery")
            let journey = try await server.client(app: "default_application").start(sample.text)
            try await journey.respond(
                "password", ["username": "grace", "password": "correct horse battery"])
            let payload = try #require(try await journey.respond(.clientInput).data?["payload"])
            let person = CapturingPerson(
                server: server, token: try #require(payload["start_token"]?.stringValue))
            let page = try await person.session().body["consent"]?["content"]?.stringValue
            #expect(page?.contains(/erased after \d+ days/) == true, "\(page ?? "")")
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            try await person.selfie()
            let store = server.server.parts.store
            let session = try #require(
                payload["session"]?.stringValue.flatMap { IdentityAttemptID($0) })
            func pictures() async throws -> [[UInt8]] {
                try await store.read { tables in
                    try tables.verificationSessions.images(of: session).compactMap {
                        $0.content?.use { $0 }
                    }
                }
            }
            let kept = try await pictures()
            #expect(!kept.isEmpty)
            for picture in kept { #expect(try !Self.isReadable(picture, in: server)) }
            #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            _ = try await person.judged()
            #expect(try await pictures().isEmpty)
        }
    }

    /// Returns the consent that a sample journey asks for.
    private static func consent(of sample: String) throws -> JSONValue {
        let file = Repository.root.appending(path: "Examples/Journeys/\(sample).json")
        let journey = try JSONText.parse([UInt8](Data(contentsOf: file)))
        let steps = try #require(journey["steps"])
        let asked = try #require(steps["consent"]?["config"])
        #expect(steps["register"]?["config"]?["consent"]?["text_version"] == asked["text_version"])
        return asked
    }

    @Test("a face that is removed leaves no numbers, and the sign-ins that used it end")
    func removedFace() async throws {
        try await withFace { server, user, access, byFace in
            let faces = try await CapturingPerson.send(
                .get, server.url("/v1/me/faces"), token: access)
            let id = try #require(faces.body["items"]?.arrayValue?.first?["id"]?.stringValue)
            let answer = try await CapturingPerson.send(
                .delete, server.url("/v1/me/faces/\(id)"), token: access)
            #expect(answer.status == 204, "\(answer.body)")
            try await Self.expectNoFace(of: user, byFace, on: server)
        }
    }

    @Test(
        "a withdrawn consent erases the face and what was sent to verify the identity, and ends sign-ins by face"
    )
    func withdrawal() async throws {
        try await withFace { server, user, access, byFace in
            let identity = try await VerifyingUser.signedIn(on: server)
            #expect(try await identity.verify().status == 200)
            #expect(
                try await identity.send(
                    .put, "/pictures/image", VerifyingUser.picture, type: "image/png"
                ).status == 200)
            let store = server.server.parts.store
            let before = try await Self.identity(of: user, in: store, at: server.now)
            #expect(before.attempts > 0 && before.pictures > 0, "\(before)")
            let answer = try await CapturingPerson.send(
                .delete, server.url("/v1/me/consents/\(Self.app.text)"), token: access)
            #expect(answer.status == 204, "\(answer.body)")
            try await Self.expectNoFace(of: user, byFace, on: server)
            let after = try await Self.identity(of: user, in: store, at: server.now)
            #expect(after.attempts == 0 && after.pictures == 0, "\(after)")
        }
    }

    @Test("a deleted account leaves entries of the log alone, which have no name")
    func deletion() async throws {
        try await withFace("zerubbabel") { server, user, _, _ in
            let store = server.server.parts.store
            let before = try await store.read { try $0.export.counts(of: user) }
            #expect(before.count > AccountExport.kept.count, "\(before)")
            try await server.admin.deleteUser(user)
            let after = try await store.read { try $0.export.counts(of: user) }
            #expect(Set(after.keys).isSubset(of: AccountExport.kept), "\(after)")
            let log = try await server.admin.audit(user: user).items
            #expect(log.contains { $0.event == "user.deleted" })
            let text = String(
                decoding: try JSONEncoder().encode(log), as: UTF8.self)
            #expect(!text.contains("zerubbabel"))
            #expect(try !Self.isReadable(Array("zerubbabel".utf8), in: server))
        }
    }

    @Test(
        "a face goes with its removal, its consent, and its app, as administrators are told",
        arguments: ["face", "consent", "app"])
    func erasedByAdministrator(what: String) async throws {
        try await withFace { server, user, _, _ in
            switch what {
            case "face":
                let all = try await server.admin.authenticators(of: user)
                let face = try #require(all.first { $0.type == .known(.face) }?.id)
                try await server.admin.removeAuthenticator(
                    try #require(AuthenticatorID(face)), of: user)
            case "consent": try await server.admin.withdrawConsent(of: user, to: Self.app)
            default: try await server.admin.deleteApp(Self.app)
            }
            let left = try await server.server.parts.store.read { tables in
                let account = try #require(try tables.accounts.find(user))
                return (
                    try tables.authenticators.find(.face, of: account, app: Self.app) == nil,
                    try tables.connection.rows("SELECT COUNT(*) FROM kept_face", [])[0].integer(0)
                )
            }
            #expect(left.0 && left.1 == 0)
        }
    }

    @Test("people who are removed from the registry are erased from it")
    func registry() async throws {
        try await TestServer.run(
            in: scratch, settings: ["MIEN_IDENTITY_SOURCES": "registry"]
        ) { server in
            let file = """
                id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud
                1,Johns,Smits,222333 Peechtres Place,,,30318,US,1975-02-28,,

                """
            let imported = try await server.admin.importPeople(Array(file.utf8))
            #expect(imported.imported == 1)
            server.time.advance(.seconds(1))
            let removed = try await server.admin.removePeople(
                importedBefore: imported.importedAt + 1)
            #expect(removed.removed == 1)
            #expect(try await server.server.parts.store.read { try $0.registry.count() } == 0)
        }
    }

    // MARK: Verifications

    @Test("what a verification stores is sealed, and erased after the days that its consent names")
    func verification() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            var settings = DecidedSessions.still
            settings["retention_days"] = 3
            let bank = try await RelyingParty(server, settings: settings)
            let (id, person) = try await bank.begin(["time_to_live": "1d"])
            let text = try #require(
                try await person.session().body["consent"]?["content"]?.stringValue)
            let days = try #require(
                text.firstMatch(of: /erased after (\d+) days/).flatMap { Int($0.output.1) },
                "\(text)")
            #expect(text.contains("pictures of your document and face"))
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            // Asks whether the capture says that its picture is kept.
            try await person.selfie()
            _ = try await person.send(.post, "/submit")
            #expect(try await person.judged().body["status"] == "complete")

            let store = server.server.parts.store, session = try #require(IdentityAttemptID(id))
            func pictures() async throws -> [[UInt8]] {
                try await store.read { tables in
                    try tables.verificationSessions.images(of: session).compactMap {
                        $0.content?.use { $0 }
                    }
                }
            }
            let kept = try await pictures()
            #expect(kept.count == 2, "the document and the face")
            for picture in kept { #expect(try !Self.isReadable(picture, in: server)) }

            server.time.advance(.seconds(days * 86_400 - 600))
            _ = try await server.admin.purgeVerifications(dryRun: false)
            #expect(try await pictures().count == 2, "not before its days")
            server.time.advance(.seconds(601))
            _ = try await server.admin.purgeVerifications(dryRun: false)
            #expect(try await pictures().isEmpty)
            // What was checked, and with which result, stays. The app's token has expired.
            let renewed = try await bank.renewed()
            let result = try await renewed.send(.get, "/\(id)/result")
            #expect(result.status == 200, "\(result.body)")
        }
    }

    @Test("the photos of a verification that is canceled are deleted")
    func canceled() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
            let (id, person) = try await bank.begin()
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            try await person.selfie()
            let store = server.server.parts.store, session = try #require(IdentityAttemptID(id))
            #expect(try await Self.largest(store) > Self.picture, "this measure finds pictures")
            let answer = try await person.send(.delete, "/session")
            #expect(answer.status < 300, "\(answer.body)")
            let left = try await store.read { tables in
                (
                    try tables.verificationSessions.images(of: session).filter {
                        $0.content != nil
                    },
                    try tables.connection.rows("SELECT COUNT(*) FROM capture", [])[0].integer(0)
                )
            }
            #expect(left.0.isEmpty && left.1 == 0)
        }
    }

    // MARK: Stored records

    /// Runs a server with a user whose face is registered, and who has just signed in with the
    /// password and, somewhere else, with the face.
    private func withFace(
        _ name: String = "ada",
        _ body:
            @Sendable (TestServer, UserID, _ access: String, _ byFace: String)
            async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ], documents: DecidedVerifier()
        ) { server in
            let user = try await server.makeUser(name)
            guard case .success = try await server.registerFace(name) else {
                Issue.record("the face was not registered")
                return
            }
            let client = TokenClient(server: server)
            let access = try #require(try await client.signIn(name)["access_token"])
            let token = try #require(try await server.logIn(name, photo: "obama2")).use { $0 }
            let exchanged = try await client.token(
                TokenClient.exchange,
                [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
            let byFace = try #require(exchanged["access_token"], "\(exchanged.body)")
            #expect(try await Self.isSignedIn(byFace, on: server))
            try await body(server, user, access, byFace)
        }
    }

    /// The numbers of a face as the record has them, unsealed.
    private static func face(of user: UserID, in store: Store) async throws -> [UInt8] {
        try await store.read { tables in
            let account = try #require(try tables.accounts.find(user))
            let face = try tables.authenticators.find(.face, of: account, app: app)
            return try #require(face).content.use { $0 }
        }
    }

    private static func expectNoFace(of user: UserID, _ byFace: String, on server: TestServer)
        async throws
    {
        let left = try await server.server.parts.store.read { tables in
            let account = try #require(try tables.accounts.find(user))
            return (
                try tables.authenticators.find(.face, of: account, app: app) == nil,
                try tables.connection.rows("SELECT COUNT(*) FROM kept_face", [])[0].integer(0)
            )
        }
        #expect(left.0 && left.1 == 0)
        #expect(try await !isSignedIn(byFace, on: server))
    }

    private static func isSignedIn(_ access: String, on server: TestServer) async throws -> Bool {
        try await CapturingPerson.send(.get, server.url("/v1/me/sign-ins"), token: access).status
            == 200
    }

    /// How many attempts have personal data, and how many pictures wait for one.
    private static func identity(of user: UserID, in store: Store, at now: Instant) async throws
        -> (attempts: Int, pictures: Int)
    {
        try await store.read { tables in
            let account = try #require(try tables.accounts.find(user))
            return (
                try tables.verificationAttempts.all(of: account).filter { $0.content != nil }.count,
                try tables.identityUploads.all(of: account, app: app, at: now).count
            )
        }
    }

    private static func content(of capture: CaptureID, in store: Store) async throws
        -> CaptureService.Content?
    {
        try await store.read { try $0.captures.find(capture) }.map { record in
            try record.content.use {
                try JSONDecoder().decode(CaptureService.Content.self, from: Data($0))
            }
        }
    }

    /// The size of the largest sealed value in any table.
    private static func largest(_ store: Store) async throws -> Int {
        try await store.read { tables in
            var largest = 0
            for table in try tables.connection.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table'", [])
            {
                let table = try table.text(0)
                for column in try tables.connection.rows("PRAGMA table_info(\(table))", [])
                where try column.text(1).hasSuffix("_sealed") {
                    let row = try tables.connection.rows(
                        "SELECT COALESCE(MAX(LENGTH(\(try column.text(1)))), 0) FROM \(table)", [])
                    largest = max(largest, Int(try row[0].integer(0)))
                }
            }
            return largest
        }
    }

    /// Whether the files of the database contain bytes as they are. A part from the middle is
    /// enough, because a record may be divided into pages.
    private static func isReadable(_ bytes: [UInt8], in server: TestServer) throws -> Bool {
        // What repeats itself, such as zeros, is in every file.
        let parts = stride(from: 0, to: max(1, bytes.count - 48), by: 16).map {
            Data(bytes.dropFirst($0).prefix(48))
        }
        let part = parts.max { Set($0).count < Set($1).count } ?? Data()
        try #require(Set(part).count > 6)
        let files = try FileManager.default.contentsOfDirectory(
            at: server.folder, includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasPrefix("mien.sqlite") }
        #expect(!files.isEmpty)
        return try files.contains { try Data(contentsOf: $0).range(of: part) != nil }
    }

    // MARK: Captures

    private static func post(
        _ server: TestServer, _ token: String, _ path: String, _ body: JSONValue
    ) async throws -> CapturingPerson.Answer {
        try await CapturingPerson.send(
            .post, server.url("/v1/capture/\(path)"), token: token,
            Array(JSONText.write(body).utf8))
    }

    private static func start(_ server: TestServer, _ token: String) async throws
        -> (CapturingPerson.Answer, CaptureID)
    {
        let answer = try await post(server, token, "start", [:])
        #expect(answer.status == 200, "\(answer.body)")
        return (answer, try #require(CaptureID(String(token.prefix { $0 != "." }))))
    }
}

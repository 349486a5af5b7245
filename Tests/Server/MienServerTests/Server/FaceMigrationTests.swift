import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienModels
import MienStore
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// People enrolled with one model pack sign in to a server that uses another one. Only the frames'
/// content is synthetic; both packs, their calibrations, and everything stored are real.
@Suite(
    "Migration of faces to another model pack",
    .enabled(if: Installed.isThere && PackReader.hasBoth, "needs both packs: run scripts/setup"))
final class FaceMigrationTests: Sendable {
    private static let basic = PackReader.basic, better = PackReader.better
    private let scratch: ScratchFolder
    private let time = HandClock()
    private let credential = Mutex<Sensitive<String>?>(nil)

    init() throws { scratch = try ScratchFolder() }

    // MARK: One person and their captures

    private func run(
        _ pack: PackID, _ settings: [String: String] = [:], closeness: Double = 1,
        _ body: @Sendable (TestServer, PackReader) async throws -> Void
    ) async throws {
        let reader = PackReader(pack: pack, closeness: closeness)
        try await TestServer.run(
            in: scratch,
            settings: LiveCaptureTests.live.merging(["MIEN_FACE_PACK": pack.text]) { $1 }
                .merging(settings) { $1 },
            time: time, credential: credential.withLock { $0 }, reader: reader
        ) { server in
            credential.withLock { $0 = server.credential }
            try await body(server, reader)
        }
    }

    /// Enrolls `ada` with the less accurate pack.
    private func enroll(_ more: @Sendable (TestServer) async throws -> Void = { _ in }) async throws
    {
        try await run(Self.basic) { server, _ in
            try await server.makeUser()
            try await LiveCaptureTests().register(server)
            try await more(server)
        }
    }

    /// Signs in with a live capture of a person.
    ///
    /// - Returns: The token; `nil` if the face was refused.
    private func logIn(_ server: TestServer, _ person: Int = 0, seed: UInt64) async throws
        -> Sensitive<String>?
    {
        let journey = try await server.client().start("face-login")
        let step = try await journey.respond("face", ["user_identifier": "ada"])
        try await capture(server, step, person, seed: seed)
        try await journey.respond(.clientInput)
        guard case .success(let token) = await journey.outcome() else { return nil }
        return token
    }

    private func capture(
        _ server: TestServer, _ step: MienServiceResponse, _ person: Int = 0, seed: UInt64
    )
        async throws
    {
        var stage = try await LiveStage(server, try #require(step.startToken), seed: seed)
        try await stage.play(person)
        try #require(stage.answer.hasPassed, "\(stage.answer)")
    }

    private func face(_ server: TestServer) async throws -> AuthenticatorAnswer {
        let all = try await server.admin.authenticators(of: try await user(server))
        return try #require(all.first { $0.type == .known(.face) })
    }

    private func user(_ server: TestServer) async throws -> UserID {
        let found = try #require(try await server.admin.findUser("ada"))
        return try #require(UserID(found.id))
    }

    private func session(_ server: TestServer, _ token: Sensitive<String>) async throws
        -> MienSession
    {
        let session = try MienSession(
            MienOptions(
                serverPath: server.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1)), tokenStorage: TransientTokenStorage(),
            now: { server.time.now })
        try await session.configure()
        try await session.signIn(journeyToken: token)
        return session
    }

    private func migrations(_ server: TestServer) async throws -> [JSONValue?] {
        try await server.admin.audit().items.filter { $0.event == "face.migrated" }
            .map { $0.detail["reason"] }
    }

    // MARK: The rules

    @Test(
        "the old pack decides; a good capture migrates the person, who is told; sign-ins, consent, and the authenticator stay; the old template goes after 30 days"
    )
    func migrates() async throws {
        try await enroll()
        let weak = try PackReader.closeness(scoring: 50...58, in: Self.basic)
        try await run(Self.better, closeness: weak) { server, reader in
            let before = try await face(server),
                consents = try await server.admin.consents(
                    of: user(server))
            var status = try await server.admin.faceMigration()
            #expect(
                status.pack == Self.better.text && status.remaining == 1
                    && status.packs == [
                        .init(pack: Self.basic.text, faces: 1, people: 1, isLoaded: true)
                    ])

            #expect(try await logIn(server, 1, seed: 2) == nil, "another live person")
            let token = try #require(try await logIn(server, seed: 3), "a score below 60")
            let session = try await session(server, token)
            status = try await server.admin.faceMigration()
            #expect(status.remaining == 1 && status.formerTemplates == 0)

            reader.closeness.withLock { $0 = 1 }
            #expect(try await logIn(server, seed: 4) != nil)
            status = try await server.admin.faceMigration()
            #expect(
                status.remaining == 0 && status.formerTemplates == 1
                    && status.packs == [
                        .init(pack: Self.better.text, faces: 1, people: 1, isLoaded: true)
                    ])
            #expect(try await migrations(server) == ["score"])
            let after = try await face(server)
            #expect(
                after.id == before.id && after.createdAt == before.createdAt
                    && after.info["pack"] == .string(Self.better.text)
                    && after.info["migrated_from"] == .string(Self.basic.text))
            #expect(try await server.admin.consents(of: user(server)) == consents)
            // The sign-in from before rests on the same face.
            server.time.advance(.seconds(1790))
            #expect(try await session.userInfo().sub == user(server).text)
            let mail = try await Outbox(data: server.folder).mail(with: "face sign-in was updated")
            #expect(mail.contains("erased after 30 days") && !mail.contains("mien-"))

            let admin = try await RawConnection.open(server.adminAddress)
            let metrics = String(
                decoding: try await admin.request("GET", "/metrics").body, as: UTF8.self)
            #expect(
                metrics.contains("mien_face_migrations_total{result=\"waiting\"} 1")
                    && metrics.contains("mien_face_migrations_total{result=\"migrated\"} 1"))

            // The next captures are compared with the new template, and the old pack is released.
            #expect(try await logIn(server, 1, seed: 5) == nil)
            #expect(try await logIn(server, seed: 6) != nil)
            await server.server.sweep()
            #expect(server.logs.text.contains("nobody is enrolled with this model pack any longer"))
            #expect(try await logIn(server, seed: 7) != nil)
            #expect(try await migrations(server).count == 1)
        }
        for (days, kept) in [(29, 1), (2, 0)] {
            time.advance(.seconds(days * 86_400))
            try await run(Self.better) { server, _ in
                await server.server.sweep()
                #expect(try await server.admin.faceMigration().formerTemplates == kept)
                let rows = try await server.server.parts.store.read {
                    try $0.keptFaces.countFormer(at: Instant(milliseconds: 0))
                }
                #expect(rows == kept, "erased, not only expired")
                #expect(try await logIn(server, seed: UInt64(10 + days)) != nil)
            }
        }
    }

    @Test("below 60, a second factor of the same run migrates, whether before or after the face")
    func secondFactor() async throws {
        func journey(_ id: String, _ start: String) -> String {
            """
            {"id": "\(id)", "version": 1, "title": "Both", "start": "form", "steps": {
            "form": {"type": "login_form", "config": {"branches": \(start), "output_variable": "form"},
              "on": {"face": "selfie", "password": "check"}},
            """
        }
        let check = """
            {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": "%", "failure": "no"}},
            "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
            """
        func face(_ user: String, _ success: String, _ failure: String) -> String {
            """
            "selfie": {"type": "selfie_acquisition", "config": {"user_identifier": "\(user)"}, "on": {"success": "face", "failure": "\(failure)"}},
            "face": {"type": "authenticate_face", "config": {"user_identifier": "\(user)"}, "on": {"success": "\(success)", "failure": "no"}},
            """
        }
        let before =
            journey("before", #"[{"id": "password"}]"#).replacing(#""face": "selfie", "#, with: "")
            + face("form.username", "done", "done") + #""check": "#
            + check.replacing("%", with: "selfie")
        let after =
            journey("after", #"[{"id": "face"}, {"id": "password"}]"#)
            + face("form.user_identifier", "again", "no") + """
                "again": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "second"}, "on": {"password": "second"}},
                "second": {"type": "authenticate_password", "config": {"username": "second.username", "password": "second.password"}, "on": {"success": "done", "failure": "no"}},
                "check":
                """ + check.replacing("%", with: "done")
        let password: JSONValue = ["username": "ada", "password": "a password nobody has"]
        let weak = try PackReader.closeness(scoring: 50...58, in: Self.basic)
        for (id, definition) in [("before", before), ("after", after)] {
            let tests = try FaceMigrationTests()
            try await tests.enroll { server in
                _ = try await server.admin.putJourney(
                    try #require(JourneyID(id)), version: 1,
                    definition: Array(definition.utf8))
                _ = try await server.admin.publishJourney(
                    try #require(JourneyID(id)), version: 1)
            }
            try await tests.run(Self.better, closeness: weak) { server, _ in
                // A run that ends with the face leaves a template that waits, which no other run
                // uses.
                #expect(try await tests.logIn(server, seed: 2) != nil)
                let other = try await server.client().start("password-login")
                try await other.respond("password", password)
                #expect(try await server.admin.faceMigration().remaining == 1)

                let run = try await server.client().start(id)
                let step = try await run.respond(
                    id == "before" ? "password" : "face",
                    id == "before" ? password : ["user_identifier": "ada"])
                try await tests.capture(server, step, seed: 3)
                try await run.respond(.clientInput)
                if id == "after" {
                    #expect(try await server.admin.faceMigration().remaining == 1)
                    try await run.respond("password", password)
                }
                guard case .success = await run.outcome() else {
                    Issue.record("\(id): not signed in")
                    return
                }
                #expect(try await server.admin.faceMigration().remaining == 0, "\(id)")
                #expect(try await tests.migrations(server) == ["second-factor"])
                #expect(try await tests.logIn(server, seed: 4) != nil)
            }
        }
    }

    @Test("below 60, another look at the same face is no second factor")
    func twice() async throws {
        let definition = """
            {"id": "twice", "version": 1, "title": "Twice", "start": "form", "steps": {
            "form": {"type": "login_form", "config": {"branches": [{"id": "face"}, {"id": "password"}], "output_variable": "form"},
              "on": {"face": "one", "password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": "done", "failure": "no"}},
            "one": {"type": "selfie_acquisition", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "first", "failure": "no"}},
            "first": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "two", "failure": "no"}},
            "two": {"type": "selfie_acquisition", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "second", "failure": "no"}},
            "second": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
            """
        let weak = try PackReader.closeness(scoring: 50...58, in: Self.basic)
        try await enroll { server in
            _ = try await server.admin.putJourney(
                try #require(JourneyID("twice")), version: 1, definition: Array(definition.utf8))
            _ = try await server.admin.publishJourney(try #require(JourneyID("twice")), version: 1)
        }
        try await run(Self.better, closeness: weak) { server, _ in
            let run = try await server.client().start("twice")
            let first = try await run.respond("face", ["user_identifier": "ada"])
            try await capture(server, first, seed: 3)
            let second = try await run.respond(.clientInput)
            try await capture(server, second, seed: 4)
            try await run.respond(.clientInput)
            guard case .success = await run.outcome() else {
                Issue.record("not signed in")
                return
            }
            #expect(try await server.admin.faceMigration().remaining == 1)
            #expect(try await migrations(server) == [])
        }
    }

    @Test("a selfie that was taken to register a face is compared with the old template, too")
    func registration() async throws {
        let definition = """
            {"id": "registered", "version": 1, "title": "Registered", "start": "form", "steps": {
            "form": {"type": "login_form", "config": {"branches": [{"id": "face"}, {"id": "password"}], "output_variable": "form"},
              "on": {"face": "selfie", "password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": "done", "failure": "no"}},
            "selfie": {"type": "selfie_acquisition", "config": {"purpose": "registration", "user_identifier": "form.user_identifier"}, "on": {"success": "face", "failure": "no"}},
            "face": {"type": "authenticate_face", "config": {"user_identifier": "form.user_identifier"}, "on": {"success": "done", "failure": "no"}},
            "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}}
            """
        try await enroll { server in
            _ = try await server.admin.putJourney(
                try #require(JourneyID("registered")), version: 1,
                definition: Array(definition.utf8))
            _ = try await server.admin.publishJourney(
                try #require(JourneyID("registered")), version: 1)
        }
        try await run(Self.better) { server, _ in
            for (person, isOwner) in [(1, false), (0, true)] {
                let run = try await server.client().start("registered")
                let step = try await run.respond("face", ["user_identifier": "ada"])
                try await capture(server, step, person, seed: UInt64(3 + person))
                try await run.respond(.clientInput)
                var isSignedIn = false
                if case .success = await run.outcome() { isSignedIn = true }
                #expect(isSignedIn == isOwner)
            }
            #expect(try await server.admin.faceMigration().remaining == 0)
            #expect(try await logIn(server, seed: 5) != nil)
        }
    }

    @Test("withdrawing consent erases the old and the new template, and one that waits")
    func withdrawal() async throws {
        for closeness in [1, try PackReader.closeness(scoring: 50...58, in: Self.basic)] {
            let tests = try FaceMigrationTests()
            try await tests.enroll()
            try await tests.run(Self.better, closeness: closeness) { server, _ in
                #expect(try await tests.logIn(server, seed: 2) != nil)
                let user = try await tests.user(server), store = server.server.parts.store
                let kept = try await store.read { tables in
                    try tables.export.sections(of: #require(try tables.accounts.find(user)))[
                        "kept_faces"]?.arrayValue ?? []
                }
                #expect(kept.count == 1)
                #expect(
                    kept.first?["role"] == .string(closeness == 1 ? "former" : "candidate")
                        && kept.first?["content_sealed"] == nil)
                try await server.admin.withdrawConsent(
                    of: user, to: try #require(AppID("default_application")))
                let left = try await store.read { tables in
                    try tables.export.sections(of: #require(try tables.accounts.find(user)))[
                        "kept_faces"]?.arrayValue ?? []
                }
                #expect(left.isEmpty)
                let status = try await server.admin.faceMigration()
                #expect(
                    status.packs.isEmpty && status.remaining == 0 && status.formerTemplates == 0)
                #expect(try await tests.logIn(server, seed: 3) == nil)
            }
        }
    }

    @Test("photos are compared with the old template, too, but migrate nobody")
    func photos() async throws {
        let image = ["MIEN_FACE_LIVENESS_MODE": "image"]
        func run(_ pack: PackID, _ body: @Sendable (TestServer) async throws -> Void) async throws {
            try await TestServer.run(
                in: scratch, settings: image.merging(["MIEN_FACE_PACK": pack.text]) { $1 },
                time: time, credential: credential.withLock { $0 }
            ) { server in
                credential.withLock { $0 = server.credential }
                try await body(server)
            }
        }
        // The networks of both packs look at real photos.
        try await run(Self.basic) { server in
            try await server.makeUser()
            guard case .success = try await server.registerFace() else {
                Issue.record("not registered")
                return
            }
        }
        try await run(Self.better) { server in
            #expect(try await server.logIn(photo: "obama2") != nil)
            #expect(try await server.logIn(photo: "biden") == nil)
            let status = try await server.admin.faceMigration()
            #expect(status.remaining == 1 && status.formerTemplates == 0)
        }
    }

    @Test("a server does not start without a pack of its people, unless it is told to")
    func missing() async throws {
        try await enroll { server in
            let user = try await user(server)
            try await server.server.parts.store.write { tables in
                let account = try #require(try tables.accounts.find(user))
                var face = try #require(
                    try tables.authenticators.all(of: account).first { $0.type == .face })
                face.info["pack"] = "my-lost-1"
                try tables.authenticators.update(face, of: account, at: face.updatedAt)
            }
        }
        let error = await #expect(throws: ServerStartError.self) {
            try await run(Self.better) { _, _ in }
        }
        #expect(error?.code == .faces)
        for part in [
            "1 person is enrolled with the model pack my-lost-1", "is not installed",
            "mien models install", "set face.missing_packs to true",
        ] {
            #expect(error?.description.contains(part) == true, "\(part)")
        }
        try await run(Self.better, ["MIEN_FACE_MISSING_PACKS": "true"]) { server, _ in
            let status = try await server.admin.faceMigration()
            #expect(
                status.remaining == 1
                    && status.packs == [
                        .init(pack: "my-lost-1", faces: 1, people: 1, isLoaded: false)
                    ])
            #expect(server.logs.text.contains("people cannot sign in with their faces"))
        }
    }
}

/// Reads frames as ``WordReader`` does, and describes faces for any of two packs, as closely to the
/// person as a test wants.
final class PackReader: LiveFrameReader {
    static let basic = PackLibrary.basicID, better = PackLibrary.betterID
    static let hasBoth = [basic, better].allSatisfy { (try? pack($0)) != nil }

    /// The pack in use.
    let pack: PackID
    /// The cosine of a descriptor and the person's own direction.
    let closeness: Mutex<Double>

    init(pack: PackID, closeness: Double) {
        self.pack = pack
        self.closeness = Mutex(closeness)
    }

    private static func pack(_ id: PackID) throws -> ModelPack {
        try PackLibrary(folder: Installed.home.packs).pack(id)
    }

    func liveReading(of bytes: [UInt8], index: Int, at time: Duration, for share: WorkShare)
        async throws -> FaceReading
    {
        try await WordReader().liveReading(of: bytes, index: index, at: time, for: share)
    }

    func entry(of reading: FaceReading, for share: WorkShare) async throws -> FaceTemplate.Entry? {
        try entry(of: reading, pack)
    }

    func entries(of reading: FaceReading, forPacks packs: [PackID], share: WorkShare) async throws
        -> [PackID: FaceTemplate.Entry]?
    {
        var entries: [PackID: FaceTemplate.Entry] = [:]
        for pack in packs { entries[pack] = try entry(of: reading, pack) }
        return entries
    }

    private func entry(of reading: FaceReading, _ pack: PackID) throws -> FaceTemplate.Entry? {
        guard let person = reading.face?.likeness?.person else { return nil }
        return try FaceTemplate.Entry(
            descriptor: Self.descriptor(of: person, pack, closeness: closeness.withLock { $0 }),
            quality: 80, pose: .frontal)
    }

    /// Returns a descriptor at this cosine to the person's own.
    private static func descriptor(of person: Int, _ pack: PackID, closeness: Double) throws
        -> FaceDescriptor
    {
        let count = pack == basic ? 128 : 256
        var generator = SeededGenerator(seed: UInt64(40 + person))
        func direction() -> [Double] {
            let values = (0..<count).map { _ in generator.normal() }
            return unit(values)
        }
        func unit(_ values: [Double]) -> [Double] {
            let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return values.map { $0 / length }
        }
        let own = direction(), other = direction()
        let common = zip(own, other).reduce(0) { $0 + $1.0 * $1.1 }
        let across = unit(zip(own, other).map { $1 - common * $0 })
        let rest = (1 - closeness * closeness).squareRoot()
        return try FaceDescriptor(
            unit(zip(own, across).map { closeness * $0 + rest * $1 }).map { Float($0) })
    }

    /// Returns how close a descriptor must be to person 0 to score this much.
    static func closeness(scoring range: ClosedRange<Double>, in id: PackID) throws -> Double {
        let matcher = try pack(id).matcher()
        let own = try matcher.reference(for: descriptor(of: 0, id, closeness: 1))
        let found = try stride(from: 0.999, to: 0.1, by: -0.001).first { closeness in
            let probe = try matcher.reference(for: descriptor(of: 0, id, closeness: closeness))
            return range.contains(matcher.score(probe, own).value)
        }
        return try #require(found, "no closeness scores \(range)")
    }
}

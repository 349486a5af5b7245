import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTesting
import Synchronization
import Testing

@testable import MienServer
@testable import MienStore

@Suite("Duplicate faces", .enabled(if: Installed.isThere, Installed.reason))
struct DuplicateFaceTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Registers faces of users: `("ada", "obama")`.
    private func withFaces(
        _ faces: [(String, String)], settings: JSONValue? = ["min_score": 48],
        server: [String: String] = [:],
        _ body: @Sendable (TestServer, AppID) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: server) { server in
            let app = AppID("default_application")!
            if let settings { try await Self.set(settings, app, server) }
            for (name, photo) in faces { try await Self.register(name, photo, server) }
            try await body(server, app)
        }
    }

    private static func set(_ settings: JSONValue, _ app: AppID, _ server: TestServer) async throws
    {
        _ = try await server.admin.updateApp(
            app, AppRequest(name: "Shop", settings: ["duplicate_faces": settings]))
    }

    private static func register(_ name: String, _ photo: String, _ server: TestServer)
        async throws
    {
        if try await server.admin.findUser(name) == nil { try await server.makeUser(name) }
        guard case .success = try await server.registerFace(name, photo: photo) else {
            throw Failed("\(name) was not registered")
        }
    }

    private struct Failed: Error {
        init(_: String) {}
    }

    /// Waits until no face waits for a search.
    private static func searched(_ server: TestServer) async throws {
        let store = server.server.parts.store
        try await eventually {
            try await store.read { try $0.duplicateSearches.count() } == 0
        }
    }

    @Test("one person's second account is reported to reviewers, and to nobody else")
    func report() async throws {
        try await withFaces([("ada", "obama"), ("bob", "biden"), ("eve", "obama2")]) {
            server, app in
            try await Self.searched(server)
            let cases = try await server.admin.duplicateCases().items
            let (ada, eve) = try await (server.userID("ada"), server.userID("eve"))
            #expect(cases.count == 1)
            let open = try #require(cases.first)
            #expect(
                Set([open.user, open.otherUser]) == [eve.text, ada.text] && open.appID == app.text)
            #expect(open.score >= 48 && open.decisions.isEmpty && open.closedAt == nil)

            let detail = try await server.admin.duplicateCase(open.id)
            #expect(detail.accounts.map(\.user) == [open.user, open.otherUser])
            #expect(detail.accounts.allSatisfy { $0.state == .known(.active) })

            // Nothing tells the users: neither what they can export, nor the log about them.
            for user in [ada, eve] {
                let sections = try await server.server.parts.store.read { tables in
                    try tables.accounts.find(user).map { try tables.export.sections(of: $0) }
                }
                let log = try await server.admin.audit(user: user).items
                let text = try "\(JSONText.write(.object(#require(sections)))) \(log)"
                #expect(!text.contains("duplicate") && !text.contains(open.id))
            }
            #expect(
                try await server.admin.decideDuplicate(open.id, .duplicate).decision
                    == .known(.duplicate))
            #expect(try await server.admin.duplicateCases().items.isEmpty)
            await #expect(throws: MienError.self) {
                try await server.admin.decideDuplicate(open.id, .distinct)
            }

            let events = try await server.admin.audit().items.filter {
                $0.event.hasPrefix("face.duplicate-")
            }
            #expect(
                Set(events.map(\.event)) == [
                    "face.duplicate-reported", "face.duplicate-viewed", "face.duplicate-decided",
                ])
            #expect(events.allSatisfy { $0.userID == nil })
            let metrics = String(
                decoding: try await AsyncHTTPTransport().send(
                    .init(method: .get, url: server.url("/metrics"))
                ).body, as: UTF8.self)
            #expect(metrics.contains("mien_face_duplicate_cases_total{event=\"opened\"} 1"))
            #expect(metrics.contains("mien_face_duplicate_cases_total{event=\"duplicate\"} 1"))
            for secret in [ada.text, eve.text, open.id] {
                #expect(!metrics.contains(secret) && !server.logs.text.contains("dup_"))
            }
        }
    }

    @Test("without the setting, nothing is searched and no consent names it")
    func off() async throws {
        try await withFaces([("ada", "obama")], settings: nil) { server, app in
            #expect(try await server.admin.duplicateCases().items.isEmpty)
            let ada = try await server.userID("ada")
            #expect(
                try await server.admin.consents(of: ada).map(\.purpose.rawValue) == ["face"])
            // A face that was registered before is found by those that are registered later.
            try await Self.set(["min_score": 48], app, server)
            try await Self.register("eve", "obama2", server)
            try await Self.searched(server)
            #expect(try await server.admin.duplicateCases().items.count == 1)
            let eve = try await server.userID("eve")
            #expect(
                try await Set(server.admin.consents(of: eve).map(\.purpose.rawValue))
                    == ["face", "face-search"])
        }
    }

    @Test(
        "withdrawing the consent or deleting the account removes the case",
        arguments: [true, false])
    func erasure(_ withdraws: Bool) async throws {
        try await withFaces([("ada", "obama"), ("eve", "obama2")]) { server, app in
            try await Self.searched(server)
            let open = try #require(try await server.admin.duplicateCases().items.first)
            let ada = try await server.userID("ada")
            if withdraws {
                try await server.admin.withdrawConsent(of: ada, to: app)
                #expect(
                    try await server.admin.consents(of: ada).allSatisfy { $0.withdrawnAt != nil })
            } else {
                try await server.admin.deleteUser(ada)
            }
            #expect(try await server.admin.duplicateCases().items.isEmpty)
            let error = await #expect(throws: MienError.self) {
                try await server.admin.duplicateCase(open.id)
            }
            #expect(error?.problem?.code == .notFound)
        }
    }

    @Test(
        "a face that cannot be decrypted hides none of the others, and is counted",
        arguments: ["0", "64"])
    func damaged(memory: String) async throws {
        let settings = ["MIEN_FACE_GALLERY_MIB": memory], bob = Mutex<UserID?>(nil)
        let credential = Mutex<Sensitive<String>?>(nil)
        try await withFaces([("bob", "biden"), ("ada", "obama")], server: settings) { server, _ in
            try await Self.searched(server)
            let id = try await server.userID("bob")
            bob.withLock { $0 = id }
            credential.withLock { $0 = server.credential }
            let faces = try await server.metric("mien_gallery_faces")
            #expect(faces == (memory == "0" ? 0 : 2))
        }
        let id = try #require(bob.withLock { $0 })
        let driver = try SQLiteDriver(
            path: scratch("server").appending(path: "mien.sqlite").path)
        _ = try await driver.write(.always) {
            try $0.execute(
                "UPDATE authenticator SET content_sealed = x'00' WHERE type = 'face' AND account_id = ?",
                [.id(id)])
        }
        try driver.close()
        try await TestServer.run(
            in: scratch, settings: settings, credential: credential.withLock { $0 }
        ) { server in
            try await Self.register("eve", "obama2", server)
            try await Self.searched(server)
            #expect(try await server.admin.duplicateCases().items.count == 1)
            let damaged = try await server.metric("mien_damaged_records{kind=\"face\"}")
            #expect(damaged == 1)
            #expect(!server.logs.text.contains(id.text))
        }
    }

    @Test(
        "a face leaves the server's memory soon after its account is deleted, or its consent ends")
    func memory() async throws {
        try await withFaces([("ada", "obama"), ("eve", "obama2"), ("bob", "biden")]) {
            server, app in
            try await Self.searched(server)
            let worker = server.server.parts.galleries.worker
            #expect(worker.load.faces == 3)
            try await server.admin.deleteUser(server.userID("ada"))
            try await eventually { worker.load.faces == 2 }
            try await server.admin.withdrawConsent(of: server.userID("eve"), to: app)
            try await eventually { worker.load.faces == 1 }
            #expect(try await server.admin.duplicateCases().items.isEmpty)
        }
    }

    @Test("no listener for clients has the route on which servers search each other's memory")
    func route() async throws {
        try await withFaces([]) { server, _ in
            let headers = [
                "authorization": "Bearer \(server.credential.use { $0 })",
                "content-type": "application/octet-stream",
            ]
            for address in [server.address, server.adminAddress] {
                let answer = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: .post, url: "\(address)/v1/galleries/search", headers: headers,
                        body: Array("MGQ1".utf8), timeout: .seconds(60)))
                #expect(answer.status == 404, "\(address)")
            }
        }
    }

    @Test("with a second reviewer, two people must decide that nobody registered twice")
    func secondReviewer() async throws {
        try await withFaces(
            [("ada", "obama"), ("eve", "obama2")],
            server: ["MIEN_IDENTITY_SECOND_REVIEWER": "true"]
        ) { server, _ in
            try await Self.searched(server)
            let open = try #require(try await server.admin.duplicateCases().items.first)
            #expect(open.needsSecondReviewer)
            #expect(try await server.admin.decideDuplicate(open.id, .distinct).decision == nil)
            await #expect(throws: MienError.self, "the same person") {
                try await server.admin.decideDuplicate(open.id, .distinct)
            }
        }
    }

    private static let faults: [(JSONValue, String)] = [
        (["min_score": 47], "settings.duplicate_faces.min_score"),
        (["min_score": "high"], "settings"), (["score": 50], "settings.duplicate_faces.score"),
        (["consent_versions": [""]], "settings.duplicate_faces.consent_versions"),
    ]

    @Test("invalid settings, IDs, and decisions are refused with what is allowed")
    func invalid() async throws {
        try await withFaces([]) { server, app in
            for (settings, field) in Self.faults {
                let error = await #expect(throws: MienError.self) {
                    try await Self.set(settings, app, server)
                }
                #expect(error?.fields.first?.field == field, "\(String(describing: error))")
            }
            try await refused(server)
        }
    }

    private func refused(_ server: TestServer) async throws {
        let unknown = "/v1/faces/duplicates/dup_0c9JkYH2dTq4m8wXzR1aBg"
        let admin = [
            "authorization": "Bearer \(server.credential.use { $0 })",
            "content-type": "application/json",
        ]
        for (method, path, body, status) in [
            (.get, "/v1/faces/duplicates/x", "", 404), (.get, unknown, "", 404),
            (.post, "\(unknown)/decision", #"{"decision": "accept"}"#, 400),
            (.post, "\(unknown)/decision", #"{"decision": "distinct"}"#, 404),
        ] as [(HTTPTransportRequest.Method, String, String, Int)] {
            let answer = try await server.send(method, path, headers: admin, body)
            #expect(answer.status == status, "\(path): \(answer)")
        }
        let stranger = try await server.status(.get, "/v1/faces/duplicates")
        #expect(stranger == 401)
    }
}

extension TestServer {
    /// The value of a metric, with its labels.
    fileprivate func metric(_ name: String) async throws -> Double? {
        let text = String(
            decoding: try await AsyncHTTPTransport().send(
                .init(method: .get, url: url("/metrics"))
            ).body, as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap {
            Double($0.dropFirst(name.count + 1))
        }
    }
}

import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienIdentity
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// Live captures of people who send documents.
@Suite("Live captures for documents", .enabled(if: Installed.isThere, Installed.reason))
struct FaceCaptureTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Accepts every document, and remembers the faces that belong to them.
    private final class Verifier: DocumentVerifier {
        let types: Set<IdentityDocumentType> = [.passport]
        let needsFace = true
        let templates = Mutex<[FaceTemplate]>([])

        func examine(_ submission: DocumentSubmission) async throws -> DocumentFindings {
            var checks = IdentityChecks([.documentConsistent: .passed, .faceMatch: .passed])
            if case .live(let template) = submission.face {
                templates.withLock { $0.append(template) }
                checks[.live] = .passed
            }
            return DocumentFindings(
                isReadable: true, checks: checks,
                stated: StatedPerson(
                    familyName: "SMITH", givenNames: "JOHN",
                    dateOfBirth: CalendarDate(year: 1975, month: 2, day: 28)))
        }
    }

    @Test(
        "withdrawing the consents in an app ends a capture at once, with everything else that was sent",
        arguments: ["/v1/identity/consent", "/v1/me/consents/default_application", "administrator"])
    func withdrawal(_ way: String) async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ], reader: WordReader(), documents: Verifier()
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            #expect(try await user.verify().status == 200)
            #expect(
                try await user.send(
                    .put, "/pictures/image", VerifyingUser.picture, type: "image/png"
                ).status == 200)
            let opened = try await user.send(.post, "/face-capture")
            let token = try #require(opened.body["startToken"]?.stringValue)
            let stage = try await LiveStage(server, Sensitive(token))
            #expect(stage.answer.status == .known(.open))
            let capture = try #require(CaptureID(String(token.prefix { $0 != "." })))
            let store = server.server.parts.store
            #expect(try await store.read { try $0.captures.find(capture) } != nil)

            let id = try await server.userID("ada")
            if way == "administrator" {
                try await server.admin.withdrawConsent(
                    of: id, to: AppID("default_application")!)
            } else {
                let listed = try await CapturingPerson.send(
                    .get, server.url("/v1/me/consents"), token: user.access)
                #expect(listed.body["items"]?.arrayValue?.map { $0["purpose"] } == ["identity"])
                let answer = try await CapturingPerson.send(
                    .delete, server.url(way), token: user.access)
                #expect(answer.status == 204, "\(answer)")
            }
            #expect(try await store.read { try $0.captures.find(capture) } == nil)
            let (status, _) = try await LiveStage.send(
                server, token, "frames", "image/jpeg", [1])
            #expect([401, 404, 410].contains(status), "\(status)")
            #expect(try await user.send(.get, "/consent").body["consented"] == false)
            let left = try await store.read { tables in
                let account = try #require(try tables.accounts.find(id))
                let app = AppID("default_application")!
                return (
                    try tables.verificationAttempts.all(of: account).filter { $0.content != nil },
                    try tables.identityUploads.all(of: account, app: app, at: server.now)
                )
            }
            #expect(left.0.isEmpty && left.1.isEmpty)
            let actor = try await server.admin.audit(user: id).items.last {
                $0.event == "consent.withdrawn"
            }?.actor
            #expect((actor == "user") == (way != "administrator"))
        }
    }

    @Test("deleting the account ends its captures at once", arguments: ["user", "administrator"])
    func deletion(_ way: String) async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ], reader: WordReader(), documents: Verifier()
        ) { server in
            for name in ["ada", "bob"] { try await server.makeUser(name) }
            let store = server.server.parts.store
            var captures: [CaptureID] = [], tokens: [String] = []
            for name in ["ada", "bob"] {
                let user = try await VerifyingUser.signedIn(name, on: server)
                let opened = try await user.send(.post, "/face-capture")
                let token = try #require(opened.body["startToken"]?.stringValue)
                let stage = try await LiveStage(server, Sensitive(token))
                #expect(stage.answer.status == .known(.open))
                captures.append(try #require(CaptureID(String(token.prefix { $0 != "." }))))
                tokens.append(token)
                guard name == "ada" else { continue }
                let id = try await server.userID("ada")
                if way == "administrator" {
                    try await server.admin.deleteUser(id)
                } else {
                    let answer = try await CapturingPerson.send(
                        .delete, server.url("/v1/me"), token: user.access)
                    #expect(answer.status == 204, "\(answer)")
                }
                let status = try await user.send(.post, "/face-capture").status
                #expect(status == 401)
            }
            let found = try await store.read { [captures] tables in
                try captures.map { try tables.captures.find($0) != nil }
            }
            #expect(found == [false, true], "another user's capture goes on")
            let (status, _) = try await LiveStage.send(
                server, tokens[0], "frames", "image/jpeg", [1])
            #expect([401, 404, 410].contains(status), "\(status)")
        }
    }

    @Test("a capture that passed counts as live once, for its user; a refused attempt keeps it")
    func capture() async throws {
        let verifier = Verifier()
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ], reader: WordReader(), documents: verifier
        ) { server in
            for name in ["ada", "bob"] { try await server.makeUser(name) }
            let ada = try await VerifyingUser.signedIn("ada", on: server, consents: false)
            let bob = try await VerifyingUser.signedIn("bob", on: server)
            #expect(
                try await ada.send(.post, "/face-capture").error == "ConsentRequiredError")
            try await ada.consent()
            let opened = try await ada.send(.post, "/face-capture")
            let token = try #require(opened.body["startToken"]?.stringValue)
            #expect(opened.status == 200 && opened.body["expiresAt"] != nil)
            func send(_ user: VerifyingUser, _ token: String, _ more: [String: [UInt8]?] = [:])
                async throws -> VerifyingUser.Answer
            {
                let parts: [String: [UInt8]?] = [
                    "documentType": Array("passport".utf8), "backImage": nil,
                    "faceCapture": Array(token.utf8),
                ]
                return try await user.document("/document", parts.merging(more) { $1 })
            }
            // Without personal data, an attempt is refused before it looks at the capture.
            #expect(
                try await send(ada, token).error == "RequiredIdentityInformationNotProvidedError")
            #expect(try await ada.verify().status == 200)
            #expect(try await bob.verify().status == 200)
            // Not begun; and a capture that takes single pictures does not pass for a live one.
            #expect(try await send(ada, token).field == "faceCapture")
            let (single, _) = try await LiveStage.send(server, token, "frames", "image/jpeg", [1])
            #expect(single == 409)

            var stage = try await LiveStage(server, Sensitive(token))
            try await stage.play()
            #expect(stage.answer.status == .known(.passed), "\(stage.answer)")
            for (user, text) in [(bob, token), (ada, token + "x"), (ada, ""), (ada, "cap_x.y")] {
                let refused = try await send(user, text)
                #expect(refused.status == 400 && refused.field == "faceCapture", "\(refused)")
            }
            #expect(
                try await send(ada, token, ["faceImage": VerifyingUser.picture]).field
                    == "faceCapture")
            #expect(try await bob.send(.get).body["documentVerificationStatus"] == "notAttempted")

            let done = try await send(ada, token)
            #expect(done.body["documentVerificationStatus"] == "succeeded", "\(done)")
            #expect(verifier.templates.withLock { $0.count } == 1)
            let id = try await server.userID("ada")
            let attempts = try await server.admin.verification(of: id).attempts
            #expect(attempts.last?.checks?["live"] == "passed")
            // Used up, also for another attempt of the same user.
            try await server.admin.resetVerification(of: id)
            #expect(try await ada.verify().status == 200)
            #expect(try await send(ada, token).field == "faceCapture")
        }
    }
}

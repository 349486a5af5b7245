import Foundation
import MienAPI
import MienAccess
import MienClient
import MienCore
import MienIdentity
import MienImage
import MienKeys
import MienPixels
import MienTesting
import Testing

@testable import MienServer
@testable import MienServerIdentity

/// Verification sessions over HTTP: relying parties, and links of users.
@Suite("Verification sessions over HTTP", .enabled(if: Installed.isThere, Installed.reason))
struct VerificationSessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let still: [String: JSONValue] = ["accepts_still_faces": true]

    private func run(
        _ verifier: DecidedVerifier = DecidedVerifier(needsFace: true),
        _ settings: [String: String] = [:],
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        verifier.set(
            DocumentFindings(
                isReadable: true, checks: IdentityChecks([.faceMatch: .passed]),
                data: try PersonalDataInput(VerifyingUser.john)))
        try await TestServer.run(
            in: scratch,
            settings: ["MIEN_IDENTITY_SOURCES": "simulator"].merging(settings) { $1 },
            documents: verifier, body)
    }

    @Test("a relying party has a person verified, reads the result, and erases it")
    func relyingParty() async throws {
        try await run { server in
            let bank = try await RelyingParty(server, settings: Self.still)
            let made = try await bank.send(
                .post, "",
                [
                    "callback_url": "https://bank.example/back?x=1", "state": "a b",
                    "time_to_live": "30m",
                ])
            #expect(made.missing == ["document_front", "document_back", "selfie"])
            #expect(
                made.body["expiration"]
                    == .number(Double(server.now.milliseconds + 1_800_000)), "\(made.body)")
            let url = try #require(made.body["url"]?.stringValue)
            #expect(url.hasPrefix(server.address + "/verify/document#"))
            let id = try #require(made.body["session_id"]?.stringValue)
            let person = CapturingPerson(
                server: server, token: try #require(made.body["start_token"]?.stringValue))
            // The link works once and leads to the same session.
            let code = String(url.split(separator: "#")[1])
            let target = try await server.server.parts.verificationLinks.open(code)
            #expect(target?.session.text == id && target?.startToken == person.token)
            #expect(try await server.server.parts.verificationLinks.open(code) == nil)

            let first = try await person.session().body
            #expect(first["status"] == "requires_input" && first["app_name"] == "The Bank")
            #expect(
                first["callback_url"]
                    == .string("https://bank.example/back?x=1&sessionId=\(id)&state=a%20b"))
            #expect(first["supported_document_types"] == ["driverLicense", "idCard", "passport"])
            // Everything in its order.
            #expect(try await person.choose().code == "consent_required")
            try await person.consent()
            #expect(
                try await person.put("document_front", VerifyingUser.picture).status == 409)
            let chosen = try await person.choose("passport").body
            #expect(chosen["missing_images"] == ["document_front", "selfie"])
            #expect(try await person.choose().missing.count == 3)
            try await person.photograph("document_front")
            #expect(try await person.send(.post, "/submit").status == 409)
            try await person.photograph("document_back")
            try await person.selfie()
            let ready = try await person.session()
            #expect(ready.missing.isEmpty && ready.body["status"] == "requires_input")
            let submitted = try await person.send(.post, "/submit")
            #expect(submitted.body["status"] == "processing", "\(submitted.body)")
            let judged = try await person.judged()
            #expect(judged.body["status"] == "complete", "\(judged.body)")
            #expect(try await person.send(.post, "/submit").code == "capture_closed")

            let result = try await bank.send(.get, "/\(id)/result").body
            #expect(
                result["status"] == "complete" && result["recommendation"] == "ALLOW"
                    && result["state"] == "a b", "\(result)")
            #expect(
                result["checks"]
                    == [
                        "face_match": "passed", "document_readable": "passed",
                        "age_plausible": "passed", "live": "not_checked",
                    ])
            #expect(result["verified_info"]?["person"]?["last_name"] == "smith")
            #expect(
                result["verified_info"]?["document"] == ["country": "DE", "type": "idCard"])
            let images = try await bank.send(.get, "/\(id)/images").body["session_images"]
            #expect(
                images?.arrayValue?.compactMap { $0["type"]?.stringValue }
                    == ["document_front", "document_back", "selfie"])
            let selfie = try await bank.send(.get, "/\(id)/images/selfie")
            #expect(
                selfie.bytes == Installed.photo("obama")
                    && selfie.headers["content-type"] == "image/jpeg")
            // Other apps see nothing, and a user's token is not an app's.
            let other = try await RelyingParty(server, "other")
            for path in ["result", "images", "images/selfie", "evidence"] {
                #expect(try await other.send(.get, "/\(id)/\(path)").status == 404)
            }
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            #expect(
                try await CapturingPerson.send(
                    .get, server.url("/verify/api/v1/verification/\(id)/result"),
                    token: user.access
                ).status == 403)

            let evidence = try await bank.send(.get, "/\(id)/evidence")
            let record = try await Self.verified(evidence.bytes, server)
            #expect(
                record.attempt.text == id && record.user == nil && record.kind == nil
                    && record.isVerified
                    && record.images.map(\.role) == ["back", "front", "selfie"])
            #expect(!String(decoding: evidence.bytes, as: UTF8.self).contains("smith"))

            #expect(try await bank.send(.delete, "/\(id)").status == 204)
            let erased = try await bank.send(.get, "/\(id)/result").body
            #expect(erased["recommendation"] == "ALLOW" && erased["verified_info"] == nil)
            #expect(try await bank.send(.get, "/\(id)/images/selfie").status == 404)
            let log = server.logs.text.lowercased()
            #expect(!log.contains("smith") && !log.contains("peachtree"))
        }
    }

    private static func verified(_ text: [UInt8], _ server: TestServer) async throws
        -> EvidenceRecord
    {
        let keys = try await server.send(
            .get, "/v1/verifications/keys",
            headers: ["authorization": "Bearer \(server.credential.use { $0 })"]
        ).body
        let message = try JWS.parse(compact: String(decoding: text, as: UTF8.self))
        let key = try DevicePublicKey(jwk: try #require(keys["keys"]?.arrayValue?.first))
        return try EvidenceRecord(JSONText.parse(try message.verify(with: key).payload))
    }

    @Test("bad requests name what is wrong, and change nothing")
    func badInput() async throws {
        try await run { server in
            let bank = try await RelyingParty(server)
            for (body, field) in [
                (["time_to_live": "1y"], "time_to_live"), (["time_to_live": "4m"], "time_to_live"),
                (["time_to_live": "8d"], "time_to_live"), (["time_to_live": ""], "time_to_live"),
                (["callback_url": "http://bank.example/"], "callback_url"),
                (["callback_url": "javascript:alert(1)"], "callback_url"),
                (["required": []], "required"), (["required": ["passport"]], "required.Index 0"),
                (["state": .string(String(repeating: "s", count: 1025))], "state"),
                (["other": 1], "other"),
            ] as [(JSONValue, String)] {
                let answer = try await bank.send(.post, "", body)
                let found = answer.body["errors"]?.arrayValue?.first?["field"]?.stringValue
                #expect(
                    answer.status == 400 && (found == field || field.contains("Index")),
                    "\(answer.body)")
            }
            for token in [nil, "x", "idv_x." + String(repeating: "A", count: 43)] as [String?] {
                #expect(
                    try await CapturingPerson.send(
                        .get, server.url("/v1/verification/session"), token: token
                    ).status == 401)
            }
            let (id, person) = try await bank.begin()
            #expect(try await bank.send(.get, "/idv_nobody/result").status == 404)
            #expect(try await person.send("/consent", json: ["version": "x"]).status == 400)
            try await person.consent()
            #expect(try await person.choose(country: "XX").status == 400)
            #expect(try await person.choose("visa").status == 400)
            _ = try await person.choose()
            #expect(try await person.put("selfie", VerifyingUser.picture).status == 404)
            #expect(
                try await person.put("document_front", [1], type: "application/pdf").status == 415)
            #expect(
                try await person.put(
                    "document_front", [UInt8](repeating: 0, count: 5 * 1_048_576 + 1)
                ).status == 413)
            for bytes in [[], Array("%PDF-1.7".utf8), [0xFF, 0xD8, 0xFF, 0xE0]] as [[UInt8]] {
                for _ in 0..<3 {
                    let answer = try await person.put("document_front", bytes)
                    #expect(answer.status == 200 && answer.body["accepted"] == false)
                    #expect(
                        answer.body["recapture"]
                            == ["reasons": ["poorImageQuality"], "hint": "unreadable"])
                }
            }
            // A frame of a camera is checked and not counted.
            let frame = JPEGEncoder.encode(
                RGBImage(width: 640, height: 480, filledWith: .white), quality: 85)
            let preview = try await person.send(.post, "/preview", frame, type: "image/jpeg")
            #expect(
                preview.status == 200
                    && preview.body == ["faults": ["no_document"], "ready": false],
                "\(preview.body)")
            #expect(
                try await person.send(.post, "/preview", [1, 2], type: "image/jpeg").status == 400)
            var statuses: [Int] = []
            for _ in 0...PreviewService.burst {
                statuses.append(
                    try await person.send(.post, "/preview", [1], type: "image/jpeg").status)
            }
            #expect(statuses.last == 429)
            #expect(try await person.send(.delete, "/session").body["status"] == "canceled")
            #expect(try await person.send(.delete, "/session").body["status"] == "canceled")
            #expect(try await person.put("document_front", [1]).code == "capture_closed")
            #expect(try await bank.send(.get, "/\(id)/result").body["status"] == "canceled")
        }
    }

    @Test("unreadable pictures are asked for again, and the last time ends the session")
    func recapture() async throws {
        let verifier = DecidedVerifier(needsFace: false)
        try await run(verifier) { server in
            verifier.set(DocumentFindings(isReadable: false))
            let bank = try await RelyingParty(server)
            let (id, person) = try await bank.begin(["required": ["document"]])
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            for number in 1...VerificationSession.maxSubmissions {
                #expect(
                    try await person.send(.post, "/submit").body["status"] == "processing")
                let judged = try await person.judged().body
                guard number < VerificationSession.maxSubmissions else {
                    #expect(judged["status"] == "complete")
                    break
                }
                #expect(judged["status"] == "recapture")
                #expect(
                    judged["recapture"]
                        == ["image": "document_front", "reasons": ["poorImageQuality"]])
                let again = try await person.put("document_front", VerifyingUser.picture)
                #expect(again.body["accepted"] == true, "it was refused often enough")
            }
            let result = try await bank.send(.get, "/\(id)/result").body
            #expect(result["recommendation"] == "DENY" && result["verified_info"]?["person"] == nil)
        }
    }

    @Test("a selfie alone is enough where only that is required")
    func selfieOnly() async throws {
        try await run { server in
            let bank = try await RelyingParty(server, settings: Self.still)
            let (id, person) = try await bank.begin(["required": ["selfie"]])
            try await person.consent()
            #expect(try await person.choose().status == 409)
            try await person.selfie()
            #expect(try await person.send(.post, "/submit").status == 200)
            #expect(try await person.judged().body["status"] == "complete")
            let result = try await bank.send(.get, "/\(id)/result").body
            // A photo shows nobody alive: no check passed, so a person decides.
            #expect(result["recommendation"] == "CHALLENGE", "\(result)")
        }
    }

    @Test("sessions expire, and what was captured is erased after its days, with a dry run first")
    func retention() async throws {
        try await run { server in
            var settings = Self.still
            settings["retention_days"] = 2
            let bank = try await RelyingParty(server, settings: settings)
            let (left, leaver) = try await bank.begin(["time_to_live": "5m"])
            try await leaver.consent()
            let (id, person) = try await bank.begin(["time_to_live": "1d"])
            try await person.consent()
            _ = try await person.choose("passport")
            try await person.photograph("document_front")
            try await person.selfie()
            _ = try await person.send(.post, "/submit")
            #expect(try await person.judged().body["status"] == "complete")

            server.time.advance(.seconds(301))
            #expect(try await leaver.session().body["status"] == "expired")
            #expect(try await leaver.choose().code == "capture_closed")
            await server.server.sweep()
            let store = server.server.parts.store
            let ended = try await store.read {
                try $0.verificationSessions.find(#require(IdentityAttemptID(left)))
            }
            #expect(ended?.session.status == .expired && ended?.content == nil)

            func purge(dryRun: Bool) async throws -> VerificationPurgeAnswer {
                try await server.admin.purgeVerifications(dryRun: dryRun)
            }
            #expect(
                try await purge(dryRun: true)
                    == VerificationPurgeAnswer(attempts: 0, sessions: 0, dryRun: true))
            server.time.advance(.seconds(2 * 86_400))
            #expect(try await purge(dryRun: true).sessions == 1)
            let kept = try await store.read {
                try $0.verificationSessions.find(#require(IdentityAttemptID(id)))?.content
            }
            #expect(kept != nil, "a dry run erases nothing")
            #expect(try await purge(dryRun: false).sessions == 1)
            let images = try await store.read {
                try $0.verificationSessions.images(of: #require(IdentityAttemptID(id)))
            }
            #expect(images.count == 2 && images.allSatisfy { $0.content == nil })
            await server.server.sweep()
            #expect(
                try await store.read {
                    try $0.verificationSessions.find(#require(IdentityAttemptID(left))) == nil
                })
        }
    }

    @Test("a user photographs a document by a link, and is verified by it")
    func userLink() async throws {
        try await run(
            DecidedVerifier(needsFace: true), ["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]
        ) { server in
            try await server.makeUser()
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "shop", name: "Shop", isFirstParty: true,
                    settings: ["identity": .object(Self.still)]))
            let user = try await VerifyingUser.signedIn(on: server, app: "shop")
            #expect(
                try await user.send(.get, "/capabilities").body["canInitiateDocumentCapture"]
                    == true)
            let link = try await user.send(.post, "/document-capture").body
            #expect(
                link["expiryAtEpochSeconds"] == .number(Double(server.now.seconds + 3600)),
                "\(link)")
            let scan = try #require(try await user.send(.get).body["idScanUrl"]?.stringValue)
            // Both links lead to the same session.
            var targets: Set<String> = []
            for url in [try #require(link["documentCaptureUrl"]?.stringValue), scan] {
                let code = String(url.split(separator: "#")[1])
                let target = try await server.server.parts.verificationLinks.open(code)
                targets.insert(try #require(target?.startToken))
            }
            #expect(targets.count == 1)
            let person = CapturingPerson(server: server, token: try #require(targets.first))
            #expect(try await person.session().body["consent"] == nil, "given in the app")
            #expect(try await person.choose("passport").status == 409, "it states no address")
            _ = try await person.choose("driverLicense", country: "US")
            try await person.photograph("document_front")
            try await person.photograph("document_back")
            try await person.selfie()
            #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            #expect(try await person.judged().body["status"] == "complete")
            let verified = try await user.send(.get).body
            #expect(
                verified["verified"] == true && verified["verificationMethod"] == "GOVERNMENT_ID"
                    && verified["idScanUrl"] == nil, "\(verified)")
            #expect(
                try await user.send(.post, "/document-capture").error
                    == "IdentityAlreadyVerifiedError")
            // Nothing of the session is left: the attempt has the pictures.
            let left = try await server.server.parts.store.read { tables in
                try tables.verificationSessions.purgeable(at: server.now + .seconds(100 * 86_400))
            }
            #expect(left == 0)
        }
    }

    @Test("a submission that was not judged, or ended with a reset, can be repeated")
    func repeatedSubmission() async throws {
        let verifier = DecidedVerifier()
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ], documents: verifier
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let owner = try #require(try await user.send(.get).body["owner"]?.stringValue)
            let id = try #require(UserID(owner))
            let link = try await user.send(.post, "/document-capture").body
            let code = try #require(link["documentCaptureUrl"]?.stringValue).split(separator: "#")
            let opened = try await server.server.parts.verificationLinks.open(String(code[1]))
            let target = try #require(opened)
            let person = CapturingPerson(server: server, token: target.startToken)
            _ = try await person.choose("driverLicense", country: "US")
            try await person.photograph("document_front")
            try await person.photograph("document_back")
            // Nothing answers, so the attempt is given back in the end.
            #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            try await server.server.parts.identities.giveBack(target.session, of: id)
            #expect(try await person.judged().body["status"] == "recapture")
            // The judgment of the next one comes after a reset.
            let again = try await person.send(.post, "/submit")
            #expect(again.body["status"] == "processing", "\(again.body)")
            let job = "\(target.session.text).2", store = server.server.parts.store
            for _ in 0..<2000 {
                if try await store.read({ try $0.identityJobs.find(job)?.failures }) == 1 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            try await server.admin.resetVerification(of: id)
            verifier.set(
                DocumentFindings(
                    isReadable: true, checks: IdentityChecks([.documentConsistent: .passed]),
                    data: try PersonalDataInput(VerifyingUser.john)))
            server.time.advance(.seconds(10))
            #expect(try await person.judged().body["status"] == "recapture")
            #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            #expect(try await person.judged().body["status"] == "complete")
            #expect(try await user.send(.get).body["verified"] == true)
        }
    }

    @Test("withdrawing consent cancels a user's open session and destroys its key")
    func withdrawal() async throws {
        try await run(DecidedVerifier(), ["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let link = try await user.send(.post, "/document-capture").body
            let code = try #require(link["documentCaptureUrl"]?.stringValue).split(separator: "#")
            let target = try await server.server.parts.verificationLinks.open(String(code[1]))
            let person = CapturingPerson(
                server: server, token: try #require(target?.startToken))
            _ = try await person.choose("driverLicense", country: "US")
            try await person.photograph("document_front")
            #expect(try await user.send(.delete, "/consent").status == 204)
            #expect(try await person.session().body["status"] == "canceled")
            // A holder of the link cannot consent again in the user's place.
            let version = try #require(
                try await user.send(.get, "/consent/content").body["version"])
            #expect(
                try await person.send("/consent", json: ["version": version]).code
                    == "capture_closed")
            #expect(try await user.send(.get, "/consent").body["consented"] == false)
            let left = try await server.server.parts.store.read { tables in
                try tables.verificationSessions.purgeable(at: server.now + .seconds(100 * 86_400))
            }
            #expect(left == 0)
        }
    }

    /// Opens a user's link, and sends everything that its session needs except a face.
    private func photographing(_ user: VerifyingUser, on server: TestServer) async throws
        -> CapturingPerson
    {
        let link = try await user.send(.post, "/document-capture").body
        let code = try #require(link["documentCaptureUrl"]?.stringValue).split(separator: "#")
        let target = try await server.server.parts.verificationLinks.open(String(code[1]))
        let person = CapturingPerson(server: server, token: try #require(target?.startToken))
        _ = try await person.choose("driverLicense", country: "US")
        try await person.photograph("document_front")
        try await person.photograph("document_back")
        return person
    }

    @Test("a user's session ends with the sign-ins that opened it")
    func compromised() async throws {
        try await run(DecidedVerifier()) { server in
            try await server.makeUser()
            let thief = try await VerifyingUser.signedIn(on: server)
            let person = try await photographing(thief, on: server)
            let account = try #require(try await server.admin.users().items.first?.id)
            try await server.admin.markCompromised(try #require(UserID(account)))
            #expect(try await person.send(.post, "/submit").code == "capture_closed")
            #expect(try await person.session().body["status"] == "canceled")
            // The next link leads to another session.
            let user = try await VerifyingUser.signedIn(on: server)
            let other = try await photographing(user, on: server)
            #expect(other.token != person.token)
            #expect(try await other.send(.post, "/submit").status == 200)
        }
    }

    @Test("a session whose attempt is given back, or started over, can be submitted again")
    func givenBack() async throws {
        let verifier = StuckVerifier()
        try await TestServer.run(
            in: scratch, settings: ["MIEN_IDENTITY_SOURCES": "simulator"], documents: verifier
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let person = try await photographing(user, on: server)
            let name = try #require(try await server.admin.users().items.first?.id)
            let account = try #require(UserID(name))
            let service = server.server.parts.identities
            for isReset in [false, true] {
                #expect(try await person.send(.post, "/submit").body["status"] == "processing")
                let open = try await server.server.parts.store.read {
                    try $0.verifications.find(account).state.open?.id
                }
                if isReset { try await server.admin.resetVerification(of: account) }
                try await service.giveBack(try #require(open), of: account)
                #expect(try await person.session().body["status"] == "recapture")
            }
            #expect(try await person.send(.post, "/submit").body["status"] == "processing")
        }
    }

    /// A verifier whose service is down, so that jobs wait.
    private final class StuckVerifier: DocumentVerifier {
        let types: Set<IdentityDocumentType> = [.driverLicense]
        let needsFace = false
        func examine(_: DocumentSubmission) async throws(IdentitySourceError) -> DocumentFindings {
            throw .unavailable
        }
    }

    @Test("a journey runs a session with a document, and takes the answers of each kind of client")
    func journey() async throws {
        let verifier = DecidedVerifier(needsFace: true)
        try await run(verifier) { server in
            let text = """
                {"id": "check", "version": 1, "title": "Check", "start": "verify", "steps": {
                  "verify": {"type": "identity_verification", "config": {"callback_url": "https://shop.example/done", "output_variable": "v"},
                    "on": {"allow": "done", "challenge": "more", "deny": "no", "failure": "no"}},
                  "more": {"type": "reject_access", "config": {"reason": "manual_review"}},
                  "no": {"type": "reject_access", "config": {"reason": "denied"}},
                  "done": {"type": "complete_journey", "config": {"user_auth_state": "none"}}}}
                """
            let journeyID = try #require(JourneyID("check"))
            _ = try await server.admin.putJourney(
                journeyID, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(journeyID, version: 1)
            for (app, accepts) in [("kiosk", true), ("strict", false)] {
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: app, name: app, isFirstParty: true,
                        settings: ["identity": ["accepts_still_faces": .bool(accepts)]]))
            }
            func begin(_ app: String) async throws -> (Journey, CapturingPerson, JSONValue) {
                let journey = try await server.client(app: app).start("check")
                let payload = try #require(await journey.response.data?["payload"])
                #expect(payload["required"] == ["document", "selfie"])
                let link = payload["endpoint"]?.stringValue ?? ""
                #expect(link.hasPrefix(server.address + "/verify/document#"))
                let person = CapturingPerson(
                    server: server, token: try #require(payload["start_token"]?.stringValue))
                return (journey, person, payload)
            }
            func capture(_ person: CapturingPerson) async throws {
                try await person.consent()
                _ = try await person.choose("passport")
                try await person.photograph("document_front")
                try await person.selfie()
                #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            }
            // Android sends both values, iOS nothing, a page what the callback brought.
            for kind in ["android", "ios", "web"] {
                let (journey, person, payload) = try await begin("kiosk")
                try await capture(person)
                let session = try #require(payload["session"]),
                    state = try #require(payload["state"])
                let callback = try await person.session().body["callback_url"]?.stringValue
                #expect(
                    callback?.hasPrefix("https://shop.example/done?sessionId=") == true
                        && callback?.hasSuffix("&state=\(state.stringValue ?? "")") == true)
                let end =
                    switch kind {
                    case "android":
                        try await journey.respond(
                            .clientInput, ["payload": ["sessionId": session, "state": state]])
                    case "ios": try await journey.respond(.clientInput)
                    default:
                        try await journey.respond(
                            .clientInput, ["sessionId": session, "state": state])
                    }
                #expect(end.journeyStepId == .success, "\(kind): \(end)")
            }
            // A still picture of the face is for a person to decide.
            let (strict, person, _) = try await begin("strict")
            try await capture(person)
            #expect(
                try await strict.respond(.clientInput).errorData?["reason"] == "manual_review")
            // A person who cancels is denied.
            let (cancels, canceler, _) = try await begin("kiosk")
            _ = try await canceler.send(.delete, "/session")
            #expect(try await cancels.respond(.clientInput).errorData?["reason"] == "denied")
            // A state of another run proves nothing.
            let (forged, forger, payload) = try await begin("kiosk")
            try await capture(forger)
            let end = try await forged.respond(
                .clientInput,
                ["payload": ["sessionId": try #require(payload["session"]), "state": "AAAA"]])
            #expect(end.journeyStepId == .rejection)
        }
    }

    @Test("the hosted page's cookie is a credential only together with the session's name")
    func cookie() async throws {
        try await run { server in
            let bank = try await RelyingParty(server)
            let (id, person) = try await bank.begin()
            func status(_ headers: [String: String]) async throws -> Int {
                try await CapturingPerson.send(
                    .get, server.url("/v1/verification/session"), token: nil, headers: headers
                ).status
            }
            let cookie = "mien_verification=\(person.token)"
            #expect(try await status(["cookie": cookie]) == 401)
            #expect(
                try await status(["cookie": cookie, "x-mien-verification": "idv_other"]) == 409)
            #expect(try await status(["cookie": cookie, "x-mien-verification": id]) == 200)
        }
    }
}

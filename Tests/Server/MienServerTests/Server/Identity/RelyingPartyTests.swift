import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienIdentity
import MienKeys
import MienMedia
import MienTesting
import Testing

@testable import MienServer

/// Sessions that an app asks for in its own name.
@Suite(
    "Verification sessions of relying parties", .enabled(if: Installed.isThere, Installed.reason))
struct RelyingPartyTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a relying party has a person verified, reads the result, and erases it")
    func relyingParty() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
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
            let target = try await server.server.parts.verifications.open(link: code)
            #expect(target?.session.text == id && target?.startToken == person.token)
            #expect(try await server.server.parts.verifications.open(link: code) == nil)

            let first = try await person.session().body
            #expect(first["status"] == "requires_input" && first["app_name"] == "The Bank")
            #expect(
                first["callback_url"]
                    == .string("https://bank.example/back?x=1&sessionId=\(id)&state=a%20b"))
            #expect(first["supported_document_types"] == ["driverLicense", "idCard", "passport"])
            #expect(
                first["supported_documents"]?.arrayValue?.map { $0["document_type"] }
                    == ["driverLicense", "idCard", "passport"])
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
            #expect(selfie.headers["content-type"] == "image/jpeg")
            // Encoded again, so that it holds nothing but its pixels.
            let shown = try [selfie.bytes, Installed.photo("obama")].map {
                try ImageDecoder.decode($0).resized(width: 48, height: 48).pixels
            }
            #expect(zip(shown[0], shown[1]).allSatisfy { abs(Int($0) - Int($1)) <= 12 })
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
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server)
            for (body, field) in [
                (["time_to_live": "1y"], "time_to_live"), (["time_to_live": "4m"], "time_to_live"),
                (["time_to_live": "8d"], "time_to_live"), (["time_to_live": ""], "time_to_live"),
                (["callback_url": "http://bank.example/"], "callback_url"),
                (["callback_url": "javascript:alert(1)"], "callback_url"),
                (["callback_url": "com.other.app://back"], "callback_url"),
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
                    "document_front", [UInt8](repeating: 0, count: 16 * 1_048_576 + 1)
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

    @Test("files that cannot be decoded reject no picture, and the hints of a recapture are told")
    func garbage() async throws {
        let verifier = DecidedVerifier(needsFace: false)
        try await DecidedSessions.run(in: scratch, verifier) { server in
            verifier.set(
                DocumentFindings(
                    isReadable: false,
                    recapture: [
                        DocumentRecapture(
                            .front, .documentNotSupported, hints: [DocumentRecapture.otherCountry])
                    ]))
            let (_, person) = try await RelyingParty(server).begin(["required": ["document"]])
            try await person.consent()
            _ = try await person.choose("passport")
            for _ in 0..<4 {
                let refused = try await person.put("document_front", Array("%PDF-1.7".utf8))
                #expect(refused.body["accepted"] == false, "\(refused.body)")
                #expect(refused.body["recapture"]?["hint"] == "unreadable")
            }
            // Two pictures may still be refused before the third is taken as it is.
            try await person.photograph("document_front", refusals: 2)
            _ = try await person.send(.post, "/submit")
            #expect(
                try await person.judged().body["recapture"]
                    == [
                        "image": "document_front", "reasons": ["docNotSupported"],
                        "hints": ["other_country"],
                    ])
        }
    }

    @Test("unreadable pictures are asked for again, and the last time ends the session")
    func recapture() async throws {
        let verifier = DecidedVerifier(needsFace: false)
        try await DecidedSessions.run(in: scratch, verifier) { server in
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
                    #expect(judged["status"] == "expired")
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
            #expect(result["status"] == "expired" && result["recommendation"] == nil)
            #expect(result["verified_info"]?["person"] == nil)
            let kept = try await server.server.parts.store.read {
                try $0.verificationSessions.list(of: IdentityAttemptID(id)!)
            }
            #expect(kept.allSatisfy { !$0.isKept }, "the pictures are erased")
        }
    }

    @Test("an expired document asks for another one, both sides of it")
    func expired() async throws {
        let verifier = DecidedVerifier(needsFace: false)
        try await DecidedSessions.run(in: scratch, verifier) { server in
            verifier.set(
                DocumentFindings(
                    isReadable: false,
                    checks: IdentityChecks([
                        .documentNotExpired: .failed, .documentReadable: .passed,
                    ]),
                    recapture: [
                        DocumentRecapture(.front, .documentExpired),
                        DocumentRecapture(.back, .documentExpired),
                    ]))
            let bank = try await RelyingParty(server)
            let (_, person) = try await bank.begin(["required": ["document"]])
            try await person.consent()
            _ = try await person.choose()
            try await person.photograph("document_front")
            try await person.photograph("document_back")
            #expect(try await person.send(.post, "/submit").status == 200)
            let judged = try await person.judged()
            #expect(judged.body["status"] == "recapture")
            #expect(
                judged.body["recapture"]
                    == ["image": "document_front", "reasons": ["docExpired"]])
            #expect(judged.missing == ["document_front", "document_back"])
        }
    }

    @Test("a document that the server does not read from a country cannot be chosen")
    func unsupported() async throws {
        try await TestServer.run(
            in: scratch,
            settings: [
                "MIEN_IDENTITY_SOURCES": "simulator",
                "MIEN_IDENTITY_DOCUMENTS": "driverLicense,passport",
                "MIEN_IDENTITY_ISSUERS": "DE,US",
            ]
        ) { server in
            let (_, person) = try await RelyingParty(server).begin()
            try await person.consent()
            let documents = try await person.session().body["supported_documents"]
            #expect(
                documents
                    == [
                        ["document_type": "driverLicense", "countries": ["US"]],
                        ["document_type": "passport", "countries": ["DE", "US"]],
                    ])
            let refused = try await person.choose("driverLicense", country: "DE")
            #expect(refused.status == 409, "\(refused.body)")
            #expect(try await person.choose("driverLicense", country: "US").status == 200)
            #expect(try await person.choose("passport", country: "DE").status == 200)
        }
    }

    @Test("a selfie alone is enough where only that is required")
    func selfieOnly() async throws {
        try await DecidedSessions.run(in: scratch) { server in
            let bank = try await RelyingParty(server, settings: DecidedSessions.still)
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

    @Test("the hosted page's cookie is a credential only together with the session's name")
    func cookie() async throws {
        try await DecidedSessions.run(in: scratch) { server in
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

import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTesting
import Synchronization
import Testing

@testable import MienServer

/// Verification of identities over HTTP, by the guide.
@Suite("Identities over HTTP", .enabled(if: Installed.isThere, Installed.reason))
struct IdentityRoutesTests {
    private let scratch: ScratchFolder
    private static let simulator = ["MIEN_IDENTITY_SOURCES": "simulator"]

    init() throws { scratch = try ScratchFolder() }

    @Test("a user consents, is verified by personal data once, and nothing personal is logged")
    func personalData() async throws {
        try await TestServer.run(in: scratch, settings: Self.simulator) { server in
            let ada = try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server, consents: false)
            let countries = try await user.send(.get, "/countries").body["countries"]?.arrayValue
            #expect(countries == Country.allCases.sorted().map { .string($0.rawValue) })
            #expect(
                try await user.send(.get, "/capabilities").body == [
                    "supportedCountries": .array(countries ?? []),
                    "faceImageRequiredWithDocument": false,
                    "faceImageRequiredWithDocumentCapture": false,
                    "faceImageRequiredWithDocumentVerification": false,
                    "canInitiateDocumentCapture": false, "consentRequired": true,
                ])
            #expect(try await user.send(.get, "/face-image").body == ["faceImageRequired": false])

            let refused = try await user.verify()
            #expect(refused.status == 409 && refused.error == "ConsentRequiredError")
            #expect(refused.body["code"] == "consent_required")
            #expect(try await user.send(.get, "/consent").body == ["consented": false])
            let stale = try await user.send("/consent", json: ["version": "identity-old"])
            #expect(stale.status == 400 && stale.field == "version")
            try await user.consent()
            try await user.consent()
            let consent = try await user.send(.get, "/consent").body
            #expect(consent["consented"] == true && consent["consentWithdrawnAtEpochMs"] == nil)
            let now = JSONValue.number(Double(server.now.milliseconds))
            let initial: [String: JSONValue] = [
                "owner": .string(ada.text), "verified": false, "verifiedAtEpochMs": 0,
                "verificationMethod": "NONE", "requiredVerificationMethod": "KNOWLEDGE_OF_PII",
                "canAttemptVerificationAgain": true, "attemptsRemaining": 3,
                "verificationLastAttemptedAtEpochMs": 0, "acceptableDocumentTypes": [],
                "documentVerificationStatus": "notRequired", "consented": true,
                "simulated": false,
            ]
            #expect(try await user.send(.get).body == .object(initial))
            var failed = initial
            failed["attemptsRemaining"] = 2
            failed["verificationLastAttemptedAtEpochMs"] = now
            failed["simulated"] = true
            #expect(try await user.verify(["firstName": "JACK"]).body == .object(failed))
            let done = try await user.verify()
            let expected = failed.merging([
                "verified": true, "verifiedAtEpochMs": now,
                "verificationMethod": "KNOWLEDGE_OF_PII", "canAttemptVerificationAgain": false,
                "attemptsRemaining": 0,
            ]) { $1 }
            #expect(done.status == 200 && done.body == .object(expected))
            #expect(try await user.send(.get).body == .object(expected))
            let again = try await user.verify()
            #expect(again.status == 409 && again.error == "IdentityAlreadyVerifiedError")
            #expect(again.body["code"] == "verification_refused")
            let logs = server.logs.text.lowercased()
            #expect(
                ["peachtree", "smith", "1975", "30318"].allSatisfy { !logs.contains($0) }
                    && logs.contains("/v1/identity/verify"))
            let events = try await server.admin.audit(user: ada).items
            #expect(events.map(\.event).filter { $0 == "consent.given" }.count == 1)
            #expect(!"\(events)".lowercased().contains("peachtree"))
            // The consent is not one to store a face.
            let consents = try await server.send(
                .get, "/v1/me/consents", headers: ["authorization": "Bearer \(user.access)"]
            ).body["items"]?.arrayValue
            #expect(consents?.map { $0["purpose"] } == ["identity"])
        }
    }

    @Test("bad input gets the guide's errors and uses up no attempt, except an implausible age")
    func badInput() async throws {
        try await TestServer.run(in: scratch, settings: Self.simulator) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            for (changed, error, field) in [
                (["country": "XX"], "UnsupportedCountryError", "country"),
                (["country": "USA"], "UnsupportedCountryError", "country"),
                (["country": nil], "UnsupportedCountryError", "country"),
                (["firstName": nil], "RequiredIdentityInformationNotProvidedError", "firstName"),
                (["lastName": "…"], "RequiredIdentityInformationNotProvidedError", "lastName"),
                (["address": ""], "RequiredIdentityInformationNotProvidedError", "address"),
                (["postalCode": "1"], "RequiredIdentityInformationNotProvidedError", "postalCode"),
                (
                    ["city": .string(String(repeating: "a", count: 300))],
                    "RequiredIdentityInformationNotProvidedError", "city"
                ),
                (["dateOfBirth": "28/02/1975"], "InvalidAgeError", "dateOfBirth"),
                (["dateOfBirth": "2999-01-01"], "InvalidAgeError", "dateOfBirth"),
                (["dateOfBirth": "1975-02-30"], "InvalidAgeError", "dateOfBirth"),
                (
                    ["firstName": .string("e" + String(repeating: "\u{301}", count: 90))],
                    "RequiredIdentityInformationNotProvidedError", "firstName"
                ),
            ] as [([String: JSONValue?], String, String)] {
                let answer = try await user.verify(changed)
                // JSON itself refuses long runs of combining marks.
                guard answer.error != nil else {
                    #expect(answer.status == 400 && field == "firstName", "\(changed.keys)")
                    continue
                }
                #expect(
                    answer.status == 400 && answer.error == error && answer.field == field,
                    "\(changed.keys): \(answer)")
            }
            for body in ["", "[]", #"{"firstName": 7}"#, #"{"nickname": "J"}"#, "{"] {
                #expect(try await user.send(.post, "/verify", Array(body.utf8)).status == 400)
            }
            #expect(try await user.send(.post, "/verify", [], type: "text/plain").status == 415)
            #expect(try await user.send(.get).body["attemptsRemaining"] == 3)

            let old = try await user.verify(["dateOfBirth": "1875-02-28"])
            #expect(old.status == 400 && old.error == "ImplausibleAgeError")
            let blocked = try await user.verify()
            #expect(blocked.status == 409 && blocked.error == "IdentityCaptureRetryBlockedError")
            let state = try await user.send(.get).body
            #expect(
                state["canAttemptVerificationAgain"] == false && state["verified"] == false)
            let logs = server.logs.text.lowercased()
            for secret in ["peachtree", "smith", "30318", "1975", "1875", "2999", "nickname"] {
                #expect(!logs.contains(secret), "\(secret)")
            }
        }
    }

    @Test("attempts are used up one at a time, however many are sent at once")
    func exhausted() async throws {
        let settings = Self.simulator.merging(["MIEN_IDENTITY_PII_ATTEMPTS": "4"]) { $1 }
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let answers = try await withThrowingTaskGroup(of: VerifyingUser.Answer.self) { group in
                for _ in 0..<24 { group.addTask { try await user.verify(["firstName": "JACK"]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let judged = answers.count { $0.status == 200 }
            #expect((1...4).contains(judged))
            #expect(
                answers.allSatisfy {
                    $0.status == 200
                        || [
                            "IdentityVerificationUpdateFailedError",
                            "IdentityCaptureRetriesExceededError",
                        ].contains($0.error) && $0.status == 409
                })
            for _ in judged..<4 { _ = try await user.verify(["firstName": "JACK"]) }
            let last = try await user.verify()
            #expect(last.status == 409 && last.error == "IdentityCaptureRetriesExceededError")
            let state = try await user.send(.get).body
            #expect(
                state["attemptsRemaining"] == 0 && state["canAttemptVerificationAgain"] == false)
        }
    }

    @Test("by default nothing is verified, and an app can require more than the server")
    func requirements() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            #expect(
                try await user.send(.get, "/countries").body
                    == ["countries": [], "documents": []])
            #expect(try await user.verify().error == "UnsupportedVerificationMethodError")
            #expect(try await user.document().error == "UnsupportedVerificationMethodError")
            #expect(
                try await user.send(.post, "/document-capture").error
                    == "UnsupportedVerificationMethodError")
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "bank", name: "Bank", isFirstParty: true,
                    settings: ["identity": ["required": "GOVERNMENT_ID"]]))
            let inBank = try await VerifyingUser.signedIn(on: server, app: "bank")
            let state = try await inBank.send(.get).body
            #expect(
                state["requiredVerificationMethod"] == "GOVERNMENT_ID"
                    && state["documentVerificationStatus"] == "notAttempted")
            #expect(
                try await user.send(.get).body["requiredVerificationMethod"] == "KNOWLEDGE_OF_PII")
            for bad in [["required": "PASSPORT"], ["retention_days": 0], ["other": 1]]
                as [JSONValue]
            {
                await #expect(throws: MienError.self) {
                    _ = try await server.admin.createApp(
                        AppRequest(id: "bad", name: "Bad", settings: ["identity": bad]))
                }
            }
        }
    }

    @Test("withdrawing consent erases what was sent, keeps the level, and ends attempts")
    func withdrawal() async throws {
        try await TestServer.run(in: scratch, settings: Self.simulator) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            #expect(try await user.verify().body["verified"] == true)
            func export() async throws -> String {
                let data = try await server.send(
                    .get, "/v1/me/data", headers: ["authorization": "Bearer \(user.access)"]
                ).body
                return JSONText.write(data).lowercased()
            }
            #expect(try await export().contains("peachtree"))
            #expect(try await user.send(.delete, "/consent").status == 204)
            #expect(try await user.send(.delete, "/consent").status == 404)
            #expect(try await !export().contains("peachtree"))
            let state = try await user.send(.get).body
            #expect(state["verified"] == true && state["consented"] == false)
            let consent = try await user.send(.get, "/consent").body
            #expect(consent["consented"] == false && consent["consentWithdrawnAtEpochMs"] != nil)
        }
    }

    // MARK: Documents

    @Test("documents come after personal data, are decoded in memory, and end as the guide says")
    func documents() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging([
            "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID", "MIEN_IDENTITY_DOCUMENT_ATTEMPTS": "6",
        ]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let state = try await user.send(.get).body
            #expect(
                state["acceptableDocumentTypes"] == ["driverLicense", "idCard", "passport"]
                    && state["documentVerificationStatus"] == "notAttempted")
            let early = try await user.document()
            #expect(
                early.status == 400
                    || early.error == "RequiredIdentityInformationNotProvidedError")
            // Attempts with personal data may fail before a document.
            #expect(try await user.verify(["firstName": "JACK"]).body["verified"] == false)
            for (changed, error) in [
                (["backImage": nil], "RequiredIdentityInformationNotProvidedError"),
                (["image": nil], "RequiredIdentityInformationNotProvidedError"),
                (["documentType": nil], "RequiredIdentityInformationNotProvidedError"),
                (
                    ["faceImage": VerifyingUser.picture],
                    "RequiredIdentityInformationNotProvidedError"
                ),
                (["documentType": Array("visa".utf8)], "UnsupportedVerificationMethodError"),
                (["country": Array("XX".utf8)], "UnsupportedCountryError"),
                (["country": nil], "UnsupportedCountryError"),
            ] as [([String: [UInt8]?], String)] {
                let answer = try await user.document("/document", changed)
                #expect(answer.error == error, "\(changed.keys): \(answer)")
                #expect([400, 409].contains(answer.status))
            }
            #expect(
                try await user.document(
                    "/captured-document", ["documentType": Array("passport".utf8)]
                ).error == "UnsupportedVerificationMethodError")
            let large = [UInt8](repeating: 0, count: 16 * 1_048_576 + 1)
            #expect(try await user.document("/document", ["image": large]).status == 413)
            #expect(
                try await user.send(
                    .post, "/document", [UInt8](repeating: 0, count: 33 << 20),
                    type: "multipart/form-data; boundary=limit"
                ).status == 413)
            for body in ["", "--limit", "--limit--\r\nmore", "--limit\r\n\r\n\r\n--limit--"] {
                #expect(
                    try await user.send(
                        .post, "/document", Array(body.utf8),
                        type: "multipart/form-data; boundary=limit"
                    ).status == 400, "\(body)")
            }
            #expect(try await user.send(.post, "/document", [], type: "text/plain").status == 415)
            #expect(try await user.send(.post, "/document", []).status == 400)
            // A verifier that is not available uses up no attempt.
            #expect(try await user.document().status == 503)
            #expect(
                try await user.send(.get).body["documentVerificationStatus"] == "notAttempted")

            verifier.set(DocumentFindings(isReadable: false))
            var huge = VerifyingUser.picture
            // 8,000 × 6,000 pixels by its header.
            huge.replaceSubrange(16..<24, with: [0, 0, 0x1F, 0x40, 0, 0, 0x17, 0x70])
            // Garbage is refused at once, and costs nothing.
            let before = try await user.send(.get).body
            for picture in [huge, Array("%PDF-1.7\n".utf8), [0xFF, 0xD8, 0xFF, 0xE0], []] {
                for name in ["image", "backImage"] where !(picture.isEmpty && name == "image") {
                    let answer = try await user.document("/document", [name: picture])
                    #expect(answer.status == 400 && answer.field == name, "\(answer)")
                    #expect(answer.error == "RequiredIdentityInformationNotProvidedError")
                }
            }
            #expect(try await user.send(.get).body == before)
            let unreadable = try await user.document()
            #expect(
                unreadable.status == 200
                    && unreadable.body["documentVerificationStatus"] == "documentUnreadable",
                "\(unreadable)")
            // The document of another person: final.
            var found = DocumentFindings(
                isReadable: true, checks: IdentityChecks([.documentConsistent: .passed]),
                data: try PersonalDataInput(VerifyingUser.john))
            verifier.set(found)
            let failed = try await user.document()
            #expect(failed.body["documentVerificationStatus"] == "failed", "\(failed)")
            #expect(try await user.document().error == "IdentityCaptureRetryBlockedError")

            // Somebody else's own document.
            try await server.makeUser("bob")
            let bob = try await VerifyingUser.signedIn("bob", on: server)
            #expect(try await bob.verify().body["verified"] == false, "needs a document, too")
            let passport = try await bob.document(
                "/document", ["documentType": Array("passport".utf8), "backImage": nil])
            #expect(
                passport.body["verified"] == true
                    && passport.body["verificationMethod"] == "GOVERNMENT_ID"
                    && passport.body["documentVerificationStatus"] == "succeeded", "\(passport)")

            // No attempt with personal data is needed if it comes from the document.
            try await server.makeUser("eve")
            let eve = try await VerifyingUser.signedIn("eve", on: server)
            found.data = nil
            verifier.set(found)
            let unread = try await eve.document("/captured-document")
            #expect(unread.body["documentVerificationStatus"] == "documentUnreadable")
            found.data = try PersonalDataInput(VerifyingUser.john)
            verifier.set(found)
            let captured = try await eve.document("/captured-document")
            #expect(captured.body["verified"] == true, "\(captured)")
            // Documents that are sent at once use up one attempt at a time.
            try await server.makeUser("kim")
            let kim = try await VerifyingUser.signedIn("kim", on: server)
            verifier.set(DocumentFindings(isReadable: false))
            _ = try await kim.verify(["firstName": "JACK"])
            let answers = try await withThrowingTaskGroup(of: VerifyingUser.Answer.self) { group in
                for _ in 0..<16 { group.addTask { try await kim.document() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } >= 1)
            #expect(answers.allSatisfy { [200, 409].contains($0.status) }, "\(answers)")
            let logs = server.logs.text.lowercased()
            for secret in ["peachtree", "smith", "30318", "1975"] {
                #expect(!logs.contains(secret), "\(secret)")
            }
            // Pictures are stored sealed: no file contains the header of a PNG.
            for file in try FileManager.default.contentsOfDirectory(
                at: server.folder, includingPropertiesForKeys: nil)
            {
                guard let bytes = try? Data(contentsOf: file) else { continue }
                #expect(
                    bytes.firstRange(of: Data(VerifyingUser.picture.prefix(24))) == nil,
                    "\(file.lastPathComponent)")
            }
        }
    }

    @Test("pictures can be uploaded one by one, sealed, and are erased after the attempt")
    func uploads() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging(["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server, consents: false)
            func put(_ name: String, _ bytes: [UInt8], type: String = "image/png") async throws
                -> VerifyingUser.Answer
            {
                try await user.send(.put, "/pictures/\(name)", bytes, type: type)
            }
            let picture = VerifyingUser.picture
            #expect(try await put("image", picture).error == "ConsentRequiredError")
            try await user.consent()
            #expect(try await put("selfie", picture).status == 404)
            #expect(try await put("image", picture, type: "text/plain").status == 415)
            #expect(try await put("image", []).field == "image")
            for bytes in [Array("%PDF-1.7".utf8), [0xFF, 0xD8, 0xFF, 0xE0], [1, 2, 3]] as [[UInt8]]
            {
                let refused = try await put("backImage", bytes)
                #expect(refused.status == 400 && refused.field == "backImage", "\(refused)")
            }
            #expect(
                try await put("image", [UInt8](repeating: 0, count: 16 * 1_048_576 + 1)).status
                    == 413)
            _ = try await user.verify(["firstName": "JACK"])
            let document: [String: JSONValue] = ["country": "US", "documentType": "driverLicense"]
            let early = try await user.send("/document", json: document)
            #expect(early.field == "image", "\(early)")
            let hour = server.time.now.milliseconds + 3_600_000
            #expect(
                try await put("image", picture).body
                    == ["picture": "image", "expiresAtEpochMs": .number(Double(hour))])
            #expect(try await user.send("/document", json: document).field == "backImage")
            #expect(
                try await put("backImage", picture, type: "application/octet-stream").status == 200)
            #expect(
                try await user.send("/document", json: ["country": "US"]).field == "documentType")
            #expect(
                try await user.send("/document", json: ["country": "XX", "documentType": "idCard"])
                    .error == "UnsupportedCountryError")
            #expect(try await user.send("/document", json: document).status == 503, "no verifier")
            for file in try FileManager.default.contentsOfDirectory(
                at: server.folder, includingPropertiesForKeys: nil)
            {
                guard let bytes = try? Data(contentsOf: file) else { continue }
                #expect(bytes.firstRange(of: Data(picture.prefix(24))) == nil)
            }
            verifier.set(
                DocumentFindings(
                    isReadable: true, checks: IdentityChecks([.documentConsistent: .passed]),
                    data: try PersonalDataInput(VerifyingUser.john)))
            // Refused attempts keep the pictures; one that is judged erases them.
            #expect(
                try await user.send("/document", json: document).body["documentVerificationStatus"]
                    == "failed")
            #expect(try await user.send("/document", json: document).field == "image")

            try await server.makeUser("bob")
            let bob = try await VerifyingUser.signedIn("bob", on: server)
            for name in ["image", "backImage"] {
                _ = try await bob.send(.put, "/pictures/\(name)", picture, type: "image/png")
            }
            let captured = try await bob.send("/captured-document", json: document)
            #expect(captured.body["verified"] == true, "\(captured)")

            // Pictures that were never sent expire, and go with the consent.
            try await server.makeUser("eve")
            let eve = try await VerifyingUser.signedIn("eve", on: server)
            func upload() async throws {
                for name in ["image", "backImage"] {
                    _ = try await eve.send(.put, "/pictures/\(name)", picture, type: "image/png")
                }
            }
            try await upload()
            #expect(try await eve.send(.delete, "/pictures").status == 204)
            #expect(try await eve.send("/captured-document", json: document).field == "image")
            try await upload()
            #expect(try await eve.send(.delete, "/consent").status == 204)
            try await eve.consent()
            #expect(try await eve.send("/captured-document", json: document).field == "image")
            #expect(server.logs.text.contains("/v1/identity/pictures"))
            #expect(!server.logs.text.lowercased().contains("peachtree"))
        }
    }

    @Test("a still picture of the face leads to a review unless the app accepts it")
    func stillFace() async throws {
        let verifier = DecidedVerifier(needsFace: true)
        let settings = Self.simulator.merging(["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            for (name, accepts) in [("ada", false), ("bob", true)] {
                try await server.makeUser(name)
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: name, name: name, isFirstParty: true,
                        settings: ["identity": ["accepts_still_faces": .bool(accepts)]]))
                let user = try await VerifyingUser.signedIn(name, on: server, app: name)
                #expect(
                    try await user.send(.get, "/face-image").body == ["faceImageRequired": true])
                verifier.set(
                    DocumentFindings(
                        isReadable: true,
                        checks: IdentityChecks([.faceMatch: .passed, .live: .passed]),
                        data: try PersonalDataInput(VerifyingUser.john)))
                let missing = try await user.document("/captured-document")
                #expect(missing.field == "faceImage", "\(missing)")
                let answer = try await user.document(
                    "/captured-document", ["faceImage": VerifyingUser.picture])
                #expect(
                    answer.body["documentVerificationStatus"]
                        == (accepts ? "succeeded" : "pending"), "\(answer)")
                if !accepts {
                    #expect(
                        try await user.verify().error == "IdentityVerificationUpdateFailedError")
                }
            }
        }
    }
}

/// Finds in each document what a test decided.
final class DecidedVerifier: DocumentVerifier {
    let types: Set<IdentityDocumentType> = [.driverLicense, .passport, .idCard]
    let needsFace: Bool
    private let findings = Mutex<DocumentFindings?>(nil)

    init(needsFace: Bool = false) { self.needsFace = needsFace }

    func set(_ findings: DocumentFindings) { self.findings.withLock { $0 = findings } }

    func examine(_ submission: DocumentSubmission) async throws(IdentitySourceError)
        -> DocumentFindings
    {
        guard let findings = findings.withLock({ $0 }) else { throw .unavailable }
        return findings
    }
}

extension PersonalDataInput {
    init(_ members: [String: JSONValue]) throws {
        self = try #require(PersonalDataInput(JSONValue.object(members)))
    }
}

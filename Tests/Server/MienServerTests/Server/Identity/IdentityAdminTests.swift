import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienKeys
import MienTesting
import Testing

@testable import MienServer

/// Administrators import a registry, and review and change verifications.
@Suite("Administration of identities", .enabled(if: Installed.isThere, Installed.reason))
struct IdentityAdminTests {
    private let scratch: ScratchFolder
    private static let settings = ["MIEN_IDENTITY_SOURCES": "registry"]

    init() throws { scratch = try ScratchFolder() }

    private static func rows(_ lines: String...) -> [UInt8] {
        let header =
            "id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud"
        return Array(([header] + lines).map { $0 + "\n" }.joined().utf8)
    }

    @Test(arguments: [true, false])
    func `names that the operator's table calls alike lead to a review`(hasTable: Bool) async throws
    {
        let table = try scratch.write(Array("# Ours\nQuillon: Xavi\n".utf8), to: "names.txt")
        let settings = hasTable ? ["MIEN_IDENTITY_SHORT_NAMES": table.path] : [:]
        try await TestServer.run(
            in: scratch, settings: Self.settings.merging(settings) { $1 }
        ) { server in
            _ = try await server.admin.importPeople(
                Self.rows(
                    "1,Quillon,Smith,222333 Peachtree Pl,Atlanta,GA,30318,US,1975-02-28,,"))
            let user = try await server.makeUser()
            let ada = try await VerifyingUser.signedIn(on: server)
            #expect(try await ada.verify(["firstName": "Xavi"]).body["verified"] == false)
            let attempt = try await server.admin.verification(of: user).attempts.first
            #expect(
                (attempt?.recommendation == .known(.challenge)) == hasTable, "\(attempt as Any)")
            #expect(try await server.admin.reviewCases().items.isEmpty == !hasTable)
        }
    }

    @Test("people are imported, replaced, removed, and decide verifications")
    func registry() async throws {
        try await TestServer.run(in: scratch, settings: Self.settings) { server in
            let john = "1,John,Smith,222333 Peachtree Pl,Atlanta,GA,30318,US,1975-02-28,,"
            let first = try await server.admin.importPeople(
                Self.rows(john, "2,Eve,Miller,1 Elm St,,,30318,US,1980-01-01,,true"))
            #expect(first.imported == 2)
            #expect(first.importedAt == server.now.milliseconds)
            for name in ["ada", "bob", "eve"] { try await server.makeUser(name) }
            let ada = try await VerifyingUser.signedIn("ada", on: server)
            #expect(try await ada.verify(["firstName": "JACK"]).body["verified"] == false)
            let verified = try await ada.verify().body
            #expect(verified["verified"] == true && verified["simulated"] == false)
            let eve = try await VerifyingUser.signedIn("eve", on: server)
            let fraud = try await eve.verify([
                "firstName": "Eve", "lastName": "Miller", "address": "1 Elm Street",
                "dateOfBirth": "1980-01-01",
            ])
            #expect(
                fraud.body["verified"] == false
                    && fraud.body["canAttemptVerificationAgain"] == false)
            let view = try await server.admin.verification(of: try await server.userID("eve"))
            #expect(view.block == .known(.fraud) && view.attempts.count == 1)
            #expect(view.attempts.first?.sources == ["registry"])

            // A death of which only a later import tells.
            server.time.advance(.seconds(1))
            let second = try await server.admin.importPeople(
                Self.rows(john.dropLast(1).description + "true,"))
            let removed = try await server.admin.removePeople(importedBefore: second.importedAt)
            #expect(removed.removed == 1)
            #expect(try await server.admin.registry().people == 1)
            let bob = try await VerifyingUser.signedIn("bob", on: server)
            let dead = try await bob.verify()
            #expect(
                dead.body["verified"] == false
                    && dead.body["canAttemptVerificationAgain"] == false)

            let refused = await #expect(throws: MienError.self) {
                try await server.admin.importPeople(
                    Self.rows(john, "3,Max,Muster,Weg 1,,,123,DE,1980-01-01,,"))
            }
            #expect(
                refused?.problem?.code == .invalidRequest
                    && refused?.fields.first?.field == "rows[1]"
                    && refused?.problem?.detail.hasPrefix("line 3: ") == true)
            #expect(!"\(String(describing: refused))".contains("Muster"))
            for (body, status) in [("", 400), ("id\n", 400), ("\"", 400)] {
                #expect(
                    try await server.status(
                        .post, "/v1/registry/people",
                        headers: [
                            "content-type": "text/csv",
                            "authorization": "Bearer \(server.credential.use { $0 })",
                        ], body) == status)
            }
            #expect(try await server.admin.registry().people == 1, "all rows or none")
            for (method, path) in [
                (HTTPTransportRequest.Method.get, "/v1/registry"),
                (.delete, "/v1/registry/people?imported_before=0"),
                (.get, "/v1/verifications/cases"), (.get, "/v1/users/usr_x/verification"),
            ] {
                #expect(
                    try await server.status(
                        method, path, headers: ["authorization": "Bearer \(ada.access)"]) == 401)
            }
            let logs = server.logs.text.lowercased()
            #expect(["peachtree", "smith", "muster"].allSatisfy { !logs.contains($0) })
            #expect(
                try await server.admin.audit().items.map(\.event).filter {
                    $0.hasPrefix("registry.")
                } == ["registry.imported", "registry.imported", "registry.pruned"])
        }
    }

    @Test
    func `rows in Windows-1252 are imported where that is stated, and their letters are answered`()
        async throws
    {
        try await TestServer.run(in: scratch, settings: Self.settings) { server in
            func send(_ query: String, _ rows: [UInt8]) async throws -> CapturingPerson.Answer {
                try await CapturingPerson.send(
                    .post, server.url("/v1/registry/people\(query)"),
                    token: server.credential.use { $0 }, rows, type: "text/csv")
            }
            let unicode = Self.rows(
                "1,Zo\u{EB},M\u{FC}ller,222333 Peachtree Pl,Atlanta,GA,30318,US,1975-02-28,,")
            // Latin letters have the same numbers.
            let western = String(decoding: unicode, as: UTF8.self).unicodeScalars.map {
                UInt8($0.value)
            }
            let refused = try await send("", western)
            let detail = refused.body["detail"]?.stringValue ?? ""
            #expect(refused.status == 400 && detail.contains("line 2: column 2 is not UTF-8"))
            #expect(detail.hasSuffix("or state the encoding if Excel saved it as “CSV”."))
            let mistaken = try await send("?encoding=windows-1252", unicode)
            #expect(
                mistaken.status == 400
                    && mistaken.body["detail"]?.stringValue?.contains("is UTF-8, not Windows-1252")
                        == true,
                "\(mistaken)")
            let unknown = try await send("?encoding=latin1", western)
            #expect(
                unknown.status == 400
                    && unknown.body["errors"]?.arrayValue?.first?["field"] == "encoding")
            #expect(try await server.admin.registry().people == 0)

            let imported = try await send("?encoding=windows-1252", western)
            #expect(
                imported.status == 200 && imported.body["imported"] == 1
                    && imported.body["rows_beyond_ascii"] == 1
                    && imported.body["letters"] == "\u{EB} \u{FC}", "\(imported)")
            try await server.makeUser()
            let ada = try await VerifyingUser.signedIn(on: server)
            let verified = try await ada.verify([
                "firstName": "Zo\u{EB}", "lastName": "M\u{FC}ller",
            ])
            #expect(verified.body["verified"] == true, "\(verified)")
            let plain = try await send("", unicode)
            #expect(
                plain.status == 200 && plain.body["rows_beyond_ascii"] == nil
                    && plain.body["letters"] == nil)
        }
    }

    /// Data that reaches every field's minimum, but not the total.
    private static let unclear: [String: JSONValue] = [
        "firstName": "JOHNE", "lastName": "SMITH", "address": "222333 PEACHTREE PLACE",
        "postalCode": "30318", "country": "US", "dateOfBirth": "1975-02-28",
    ]
    private static let almost = "1,Johns,Smits,222333 Peechtres Place,,,30318,US,1975-02-28,,"

    @Test("a case is seen, audited, decided by two people, and asked again")
    func reviews() async throws {
        let settings = Self.settings.merging(["MIEN_IDENTITY_SECOND_REVIEWER": "true"]) { $1 }
        try await TestServer.run(in: scratch, settings: settings) { server in
            _ = try await server.admin.importPeople(Self.rows(Self.almost))
            let second = try await Self.anotherAdministrator(of: server)
            let id = try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let asked = try await user.send("/verify", json: Self.unclear)
            #expect(
                asked.body["verified"] == false
                    && asked.body["canAttemptVerificationAgain"] == false, "\(asked)")
            let found = try #require(try await server.admin.reviewCases().items.first)
            #expect(found.user == id.text && found.needsSecondReviewer && found.decisions.isEmpty)
            let detail = try await server.admin.reviewCase(found.id)
            #expect(detail.content?["address"] == "222333 PEACHTREE PLACE")
            #expect(detail.attempt.recommendation == .known(.challenge) && detail.images.isEmpty)
            #expect(detail.attempt.checks?["name"] == "inconclusive")
            #expect(detail.comparison?.sources.first?.fields["given_names"] == "JOHNE")
            #expect(
                detail.comparison?.reasons.contains {
                    $0.check == "name" && $0.detail == "given_names" && $0.minimum == 0.8
                        && $0.result == "inconclusive" && $0.sources == ["input", "registry"]
                } == true, "\(detail.comparison?.reasons as Any)")
            #expect(!"\(detail) \(String(reflecting: detail))".contains("PEACHTREE"))
            let ended = try await server.admin.decide(found.id, .askAgain)
            #expect(ended.decision == .known(.askAgain))
            #expect(try await user.send(.get).body["attemptsRemaining"] == 3)

            server.time.advance(.seconds(1))
            _ = try await user.send("/verify", json: Self.unclear)
            let next = try #require(try await server.admin.reviewCases().items.first)
            #expect(try await server.admin.decide(next.id, .accept).decision == nil)
            let same = await #expect(throws: MienError.self) {
                try await server.admin.decide(next.id, .accept)
            }
            #expect(same?.problem?.code == .conflict)
            #expect(try await user.send(.get).body["verified"] == false)
            #expect(try await second.decide(next.id, .accept).decision == .known(.accept))
            #expect(try await user.send(.get).body["verified"] == true)
            await #expect(throws: MienError.self) { try await second.decide(next.id, .reject) }
            #expect(try await server.admin.reviewCases().items.isEmpty)

            // Evidence of what two people decided, which contains nothing of the person.
            let attempts = try await server.admin.verification(of: id).attempts
            let text = try await server.admin.evidence(of: next.attempt, of: id)
            let record = try Self.verified(text, try await server.admin.evidenceKeys())
            #expect(
                record.isVerified && record.user == id && record.reviews.count == 2
                    && record.recommendation == .challenge && record.sources == ["registry"])
            #expect(!JSONText.write(record.json).contains("PEACHTREE"))
            let first = try await server.admin.evidence(of: found.attempt, of: id)
            #expect(
                try Self.verified(first, try await server.admin.evidenceKeys()).isVerified
                    == false)
            #expect(attempts.map(\.id) == [found.attempt, next.attempt])
            let other = try await server.makeUser("eve")
            for (attempt, user) in [(next.attempt, other), ("idv_none", id)] {
                let refused = await #expect(throws: MienError.self) {
                    _ = try await server.admin.evidence(of: attempt, of: user)
                }
                #expect(refused?.identityError == .recordNotFound)
            }

            // Raising the requirement reopens verification; a reset starts over.
            try await server.admin.requireVerification(.governmentID, of: id)
            let raised = try await user.send(.get).body
            #expect(
                raised["verified"] == false
                    && raised["requiredVerificationMethod"] == "GOVERNMENT_ID"
                    && raised["verificationMethod"] == "KNOWLEDGE_OF_PII")
            try await server.admin.requireVerification(.none, of: id)
            #expect(try await user.send(.get).body["verified"] == true)
            try await server.admin.resetVerification(of: id)
            let reset = try await user.send(.get).body
            #expect(
                reset["verified"] == false && reset["verificationLastAttemptedAtEpochMs"] == 0
                    && reset["attemptsRemaining"] == 3)
            let events = try await server.admin.audit(user: id).items
            let views = events.filter { $0.event == "identity.viewed" }
            #expect(
                views.count == 4,
                "two lists, one case, and one verification: \(events.map(\.event))")
            #expect(
                events.map(\.event).filter { $0.hasPrefix("identity.re") } == [
                    "identity.reviewed", "identity.reviewed", "identity.reviewed",
                    "identity.required", "identity.required", "identity.reset",
                ])
            #expect(!"\(events)".contains("PEACHTREE"))
            for path in ["cas_x", "..", "cas_x/images/front"] {
                #expect(
                    try await server.status(
                        .get, "/v1/verifications/cases/\(path)",
                        headers: ["authorization": "Bearer \(server.credential.use { $0 })"])
                        == 404, "\(path)")
            }
        }
    }

    private static func verified(_ text: String, _ keys: JSONValue) throws -> EvidenceRecord {
        let message = try JWS.parse(compact: text)
        #expect(message.type == EvidenceRecord.mediaType)
        let key = try DevicePublicKey(jwk: try #require(keys["keys"]?.arrayValue?.first))
        return try EvidenceRecord(JSONText.parse(try message.verify(with: key).payload))
    }

    private static func anotherAdministrator(of server: TestServer) async throws -> MienAdmin {
        let admin = try await server.admin.createAdministrator("second reviewer", as: .reviewer)
        return try MienAdmin(
            MienOptions(serverPath: server.adminAddress, retry: RetryPolicy(attempts: 1)),
            credential: Sensitive(try #require(admin.credential)))
    }
}

import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTesting
import Testing

@testable import MienServer

/// Which documents are taken, which attempts count, and what remains of them.
@Suite("Offered documents over HTTP", .enabled(if: Installed.isThere, Installed.reason))
struct OfferedDocumentTests {
    private let scratch: ScratchFolder
    private static let simulator = ["MIEN_IDENTITY_SOURCES": "simulator"]

    init() throws { scratch = try ScratchFolder() }

    @Test("documents outside of the table are refused before a picture, and without an attempt")
    func coverage() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging([
            "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID", "MIEN_IDENTITY_ISSUERS": "DE,GB,PL,US,XOM",
        ]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            verifier.set(
                DocumentFindings(
                    isReadable: true, checks: IdentityChecks([.documentConsistent: .passed])))
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let known = try await user.send(.get, "/countries").body
            #expect(known["countries"]?.arrayValue?.count == Country.allCases.count)
            #expect(
                known["documents"]?.arrayValue?.map { [$0["documentType"], $0["address"]] } == [
                    ["driverLicense", true], ["idCard", false], ["idCard", true],
                    ["passport", false],
                ])
            #expect(
                known["documents"]?.arrayValue?.first == [
                    "documentType": "driverLicense", "countries": ["US"],
                    "front": ["portrait", "printedFields"], "back": ["barcode", "address"],
                    "address": true,
                ])
            #expect(
                known["documents"]?.arrayValue?.last?["countries"]
                    == ["DE", "GB", "PL", "US", "XOM"])
            #expect(try await server.admin.readableDocuments().documents.count == 4)
            func send(_ path: String, _ type: String, _ country: String) async throws
                -> VerifyingUser.Answer
            {
                try await user.document(
                    path, ["documentType": Array(type.utf8), "country": Array(country.utf8)])
            }
            _ = try await user.verify()
            // A German card has its address on the back, which cannot be read; a British license has
            // neither a zone nor a barcode of AAMVA; French documents are not accepted here.
            for (path, type, country, error) in [
                ("/captured-document", "idCard", "DE", "UnsupportedVerificationMethodError"),
                ("/captured-document", "passport", "PL", "UnsupportedVerificationMethodError"),
                ("/document", "driverLicense", "GB", "UnsupportedVerificationMethodError"),
                ("/document", "driverLicense", "PL", "UnsupportedVerificationMethodError"),
                ("/document", "passport", "FR", "UnsupportedCountryError"),
                ("/document", "passport", "UTO", "UnsupportedCountryError"),
            ] {
                let answer = try await send(path, type, country)
                #expect(answer.error == error, "\(type) \(country): \(answer)")
                guard path == "/captured-document" else { continue }
                // The pairs that would do are named.
                let text = "\(answer.body)"
                #expect(text.contains("driverLicense of US") && text.contains("idCard of US"))
            }
            #expect(
                try await user.send(.get).body["documentVerificationStatus"] == "notAttempted")
            let polish = try await send("/document", "passport", "POL")
            #expect(polish.status == 200, "\(polish)")
            let state = try await user.send(.get).body
            #expect(
                state["acceptableDocumentTypes"] == ["driverLicense", "idCard", "passport"])
        }
    }

    @Test("an address counts only where personal data of its country is verified")
    func addresses() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging([
            "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID", "MIEN_IDENTITY_COUNTRIES": "DE,US",
            "MIEN_IDENTITY_ISSUERS": "CA,DE,US",
        ]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            verifier.set(
                DocumentFindings(
                    isReadable: true, checks: IdentityChecks([.documentConsistent: .passed])))
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let known = try await user.send(.get, "/countries").body
            #expect(known["countries"] == ["DE", "US"])
            let licenses =
                known["documents"]?.arrayValue?.filter { $0["documentType"] == "driverLicense" }
            #expect(licenses?.map { $0["countries"] } == [["CA"], ["US"]])
            #expect(licenses?.map { $0["address"] } == [false, true])
            func send(_ path: String, _ country: String) async throws -> VerifyingUser.Answer {
                try await user.document(path, ["country": Array(country.utf8)])
            }
            let refused = try await send("/captured-document", "CA")
            #expect(refused.error == "UnsupportedVerificationMethodError", "\(refused)")
            let text = "\(refused.body)"
            #expect(text.contains("driverLicense of US") && !text.contains("CA and US"))
            #expect(
                try await user.send(.get).body["documentVerificationStatus"] == "notAttempted")
            // It can be compared with personal data that is known.
            _ = try await user.verify()
            #expect(try await send("/document", "CA").status == 200)
        }
    }

    @Test("uploads of a user, which count no attempt, are limited")
    func decoding() async throws {
        try await TestServer.run(
            in: scratch, settings: Self.simulator, documents: DecidedVerifier()
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            var statuses: [Int] = []
            for _ in 0..<31 {
                statuses.append(
                    try await user.send(.put, "/pictures/image", [1, 2, 3], type: "image/png")
                        .status)
            }
            #expect(statuses == Array(repeating: 400, count: 30) + [429])
            server.time.advance(.seconds(60))
            let later = try await user.send(
                .put, "/pictures/image", VerifyingUser.picture, type: "image/png")
            #expect(later.status == 200, "\(later)")
        }
    }

    @Test("a document that has to be sent again uses up no attempt, until it was often enough")
    func uncounted() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging([
            "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID", "MIEN_IDENTITY_DOCUMENT_ATTEMPTS": "2",
        ]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            _ = try await user.verify()
            verifier.set(
                DocumentFindings(
                    isReadable: false,
                    recapture: [
                        DocumentRecapture(
                            .back, .imageMissing, hints: [DocumentRecapture.sameSide])
                    ]))
            for number in 1...(VerificationPolicy.uncountedDocuments + 3) {
                let answer = try await user.document()
                let left = max(0, VerificationPolicy.uncountedDocuments + 2 - max(number, 10))
                guard number < VerificationPolicy.uncountedDocuments + 3 else {
                    #expect(answer.error == "IdentityCaptureRetriesExceededError", "\(answer)")
                    break
                }
                #expect(answer.body["attemptsRemaining"] == .number(Double(left)), "\(answer)")
                #expect(answer.body["documentVerificationStatus"] == "documentUnreadable")
                #expect(
                    answer.body["recapture"] == [
                        ["image": "back", "reason": "image_missing", "hints": ["same_side"]]
                    ])
            }
        }
    }

    @Test("only an attempt under review keeps what was compared, under the names of its sources")
    func comparison() async throws {
        let verifier = DecidedVerifier()
        let settings = Self.simulator.merging(["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]) { $1 }
        try await TestServer.run(in: scratch, settings: settings, documents: verifier) { server in
            for (name, result) in [
                ("ada", IdentityCheckResult.inconclusive), ("bob", .passed),
            ] {
                let id = try await server.makeUser(name)
                let user = try await VerifyingUser.signedIn(name, on: server)
                verifier.set(
                    DocumentFindings(
                        isReadable: true, checks: IdentityChecks([.documentConsistent: result]),
                        data: try PersonalDataInput(VerifyingUser.john),
                        comparison: ReviewComparison(
                            sources: [ReviewSource(name: "barcode", fields: ["number": "S1"])])))
                let answer = try await user.document("/captured-document")
                #expect(answer.body["verified"] == .bool(result == .passed), "\(answer)")
                func content() async throws -> JSONValue? {
                    try await server.server.parts.store.read { tables in
                        let account = try tables.accounts.find(id)!
                        return try tables.verificationAttempts.all(of: account).last?.content?.use {
                            try JSONText.parse($0)
                        }
                    }
                }
                let kept = try await content()
                #expect(kept?["documentType"] == "driverLicense")
                #expect((kept?["comparison"] != nil) == (result == .inconclusive))
                guard result == .inconclusive else { continue }
                let found = try #require(try await server.admin.reviewCases().items.first)
                let comparison = try await server.admin.reviewCase(found.id).comparison
                // The address that the registry was asked for is among them.
                #expect(comparison?.sources.map(\.name) == ["document", "barcode"])
                #expect(comparison?.sources.first?.fields["address"] == "222333 PEACHTREE PLACE")
                #expect(try await user.send(.delete, "/consent").status == 204)
                #expect(try await content() == nil)
            }
        }
    }
}

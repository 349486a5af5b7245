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

/// Sessions that users open with a link.
@Suite("Verification sessions of users", .enabled(if: Installed.isThere, Installed.reason))
struct UserSessionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a user photographs a document by a link, and is verified by it")
    func userLink() async throws {
        try await DecidedSessions.run(
            in: scratch, DecidedVerifier(needsFace: true),
            ["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]
        ) { server in
            try await server.makeUser()
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "shop", name: "Shop", isFirstParty: true,
                    settings: ["identity": .object(DecidedSessions.still)]))
            let user = try await VerifyingUser.signedIn(on: server, app: "shop")
            #expect(
                try await user.send(.get, "/capabilities").body["canInitiateDocumentCapture"]
                    == true)
            let link = try await user.send(.post, "/document-capture").body
            #expect(
                link["expiryAtEpochSeconds"] == .number(Double(server.now.seconds + 3600)),
                "\(link)")
            let url = try #require(link["documentCaptureUrl"]?.stringValue)
            let person = try #require(try await DecidedSessions.person(url, on: server))
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

    @Test("a link stays the same until it is used or expires, and works once")
    func oneLink() async throws {
        try await DecidedSessions.run(
            in: scratch, DecidedVerifier(), ["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            func link() async throws -> String {
                try #require(try await user.send(.get).body["idScanUrl"]?.stringValue)
            }
            let first = try await link()
            for _ in 0..<3 { #expect(try await link() == first) }
            #expect(
                try await user.send(.post, "/document-capture").body["documentCaptureUrl"]
                    == .string(first))
            // Requests at once store no second one.
            let links = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await link() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(links == [first])
            let person = try #require(try await DecidedSessions.person(first, on: server))
            #expect(try await DecidedSessions.person(first, on: server) == nil, "works once")
            // A used link is replaced by one to the same session.
            let second = try await link()
            #expect(second != first)
            #expect(
                try await DecidedSessions.person(second, on: server)?.token == person.token)

            // One that expires leads nowhere, and the next one to another session.
            let third = try await link()
            server.time.advance(.seconds(3600))
            #expect(try await DecidedSessions.person(third, on: server) == nil)
            let later = try await VerifyingUser.signedIn(on: server)
            let fourth = try #require(try await later.send(.get).body["idScanUrl"]?.stringValue)
            let other = try #require(try await DecidedSessions.person(fourth, on: server))
            #expect(other.token != person.token)
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
            let opened = try await server.server.parts.verifications.open(link: String(code[1]))
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
            let failures = try await Patience.see {
                try await store.read { try $0.identityJobs.find(job)?.failures }
            } until: {
                $0 == 1
            }
            #expect(failures == 1)
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
        try await DecidedSessions.run(
            in: scratch, DecidedVerifier(), ["MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID"]
        ) { server in
            try await server.makeUser()
            let user = try await VerifyingUser.signedIn(on: server)
            let link = try await user.send(.post, "/document-capture").body
            let code = try #require(link["documentCaptureUrl"]?.stringValue).split(separator: "#")
            let target = try await server.server.parts.verifications.open(link: String(code[1]))
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
        let target = try await server.server.parts.verifications.open(link: String(code[1]))
        let person = CapturingPerson(server: server, token: try #require(target?.startToken))
        _ = try await person.choose("driverLicense", country: "US")
        try await person.photograph("document_front")
        try await person.photograph("document_back")
        return person
    }

    @Test("a user's session ends with the sign-ins that opened it")
    func compromised() async throws {
        try await DecidedSessions.run(in: scratch, DecidedVerifier()) { server in
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
}

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

/// Sessions that a step of a journey opens.
@Suite("Verification sessions of journeys", .enabled(if: Installed.isThere, Installed.reason))
struct SessionJourneyTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a journey runs a session with a document, and takes the answers of each kind of client")
    func journey() async throws {
        let verifier = DecidedVerifier(needsFace: true)
        try await DecidedSessions.run(in: scratch, verifier) { server in
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

    @Test("the sample journey asks again until its session has ended, and waits for a reviewer")
    func sample() async throws {
        let verifier = DecidedVerifier(needsFace: true)
        try await DecidedSessions.run(in: scratch, verifier) { server in
            let sample = try #require(JourneyID("document-registration"))
            _ = try await server.admin.publishJourney(sample, version: 1)
            let user = try await server.admin.createUser(
                UserRequest(username: "grace", password: "correct horse battery"))
            let id = try #require(UserID(user.id))
            func begin() async throws -> (Journey, JSONValue) {
                let journey = try await server.client(app: "default_application").start(sample.text)
                try await journey.respond(
                    "password", ["username": "grace", "password": "correct horse battery"])
                let asked = try await journey.respond(.clientInput)
                return (journey, try #require(asked.data?["payload"]))
            }
            func ask(_ journey: Journey, _ status: String, _ code: String) async throws -> JSONValue
            {
                let asked = try await journey.respond(.clientInput)
                #expect(asked.journeyStepId == .identityVerification, "\(status): \(asked)")
                #expect(asked.data?["error"]?["code"]?.stringValue == code, "\(asked)")
                let payload = try #require(asked.data?["payload"])
                #expect(payload["status"]?.stringValue == status, "\(asked)")
                return payload
            }
            func capture(_ person: CapturingPerson) async throws {
                try await person.consent()
                _ = try await person.choose("passport")
                try await person.photograph("document_front")
                try await person.selfie()
                #expect(try await person.send(.post, "/submit").body["status"] == "processing")
            }
            func decide(_ decision: ReviewDecision) async throws {
                let open = try #require(try await server.admin.reviewCases().items.first)
                #expect(open.user == user.id)
                let detail = try await server.admin.reviewCase(open.id)
                #expect(Set(detail.images).isSuperset(of: ["front", "selfie"]))
                #expect(detail.content?["documentType"] == "passport")
                #expect(detail.content?["lastName"] == VerifyingUser.john["lastName"]?.stringValue)
                _ = try await server.admin.decide(open.id, decision)
            }

            // Too early: the link stays the same until it is used, and the pictures stay, too.
            let (journey, payload) = try await begin()
            let link = payload["endpoint"]?.stringValue ?? ""
            let early = try await ask(journey, "requires_input", "capture_unfinished")
            #expect(early["endpoint"]?.stringValue == link)
            #expect(early["session"] == payload["session"] && early["state"] == payload["state"])
            let person = try #require(try await DecidedSessions.person(link, on: server))
            try await person.consent()
            _ = try await person.choose("passport")
            let again = try await ask(journey, "requires_input", "capture_unfinished")
            let other = again["endpoint"]?.stringValue ?? ""
            #expect(other != link)
            let reopened = try #require(try await DecidedSessions.person(other, on: server))
            #expect(reopened.token == person.token)

            // A picture that cannot be read is taken again.
            let findings = DocumentFindings(
                isReadable: true, checks: IdentityChecks([.faceMatch: .passed]),
                data: try PersonalDataInput(VerifyingUser.john))
            verifier.set(DocumentFindings(isReadable: false))
            try await person.photograph("document_front")
            try await person.selfie()
            _ = try await person.send(.post, "/submit")
            _ = try await person.judged()
            _ = try await ask(journey, "recapture", "capture_unfinished")
            verifier.set(findings)
            try await person.photograph("document_front", refusals: 0)
            _ = try await person.send(.post, "/submit")
            _ = try await person.judged()

            // A still picture of the face is for a reviewer to decide; the run waits.
            _ = try await ask(journey, "in_review", "not_yet")
            _ = try await ask(journey, "in_review", "not_yet")
            try await decide(.accept)
            #expect(try await journey.respond(.clientInput).journeyStepId == .success)
            let faces = try await server.admin.authenticators(of: id).filter {
                $0.type == .known(.face)
            }
            #expect(faces.count == 1)
            // The decision is the run's alone.
            #expect(try await server.admin.verification(of: id).verificationMethod == .known(.none))

            // Asking again begins another session; rejecting ends the run.
            let (second, first) = try await begin()
            try await capture(
                CapturingPerson(
                    server: server, token: try #require(first["start_token"]?.stringValue)))
            _ = try await ask(second, "in_review", "not_yet")
            try await decide(.askAgain)
            let fresh = try await second.respond(.clientInput)
            let next = try #require(fresh.data?["payload"])
            #expect(next["status"] == nil && next["session"] != first["session"])
            try await capture(
                CapturingPerson(
                    server: server, token: try #require(next["start_token"]?.stringValue)))
            _ = try await ask(second, "in_review", "not_yet")
            try await decide(.reject)
            #expect(try await second.respond(.clientInput).errorData?["reason"] == "not_verified")
        }
    }
}

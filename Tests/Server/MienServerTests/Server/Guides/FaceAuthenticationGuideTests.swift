import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// An app written after the guide to face authentication with journeys: it initializes, starts a
/// journey, and answers each step in a handler of its own.
@MainActor private final class GuideApp: MienDelegate, MienIdentityVerificationDelegate {
    let user: String
    let photo: String
    var consents = true
    private(set) var steps: [JourneyStepID] = []
    private(set) var askedFor: CaptureConsentText?
    private let ends: AsyncStream<MienServiceResponse>
    private let end: AsyncStream<MienServiceResponse>.Continuation
    private(set) var failure: MienError?

    init(user: String, photo: String) {
        (self.user, self.photo) = (user, photo)
        (ends, end) = AsyncStream.makeStream()
    }

    /// Runs a journey to its end.
    func run(_ journey: String, on server: TestServer) async throws -> MienServiceResponse? {
        try Mien.initialize(MienOptions(serverPath: server.address))
        Mien.delegate = self
        MienIdentityVerification.delegate = self
        (steps, askedFor, failure) = ([], nil, nil)
        try start(journey)
        for await response in ends { return response }
        return nil
    }

    private func start(_ journey: String) throws { try Mien.startJourney(journeyId: journey) }

    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>) {
        switch result {
        case .success(let response):
            if let step = response.journeyStepId { steps.append(step) }
            handle(response)
        case .failure(let error):
            failure = error
            end.finish()
        }
    }

    private func handle(_ response: MienServiceResponse) {
        switch response.journeyStepId {
        case .loginForm: handleLoginForm(response)
        case .identityVerification:
            capture(response.data?["payload"]?["start_token"]?.stringValue)
        case .selfieAcquisition: capture(response.data?["start_token"]?.stringValue)
        default: end.yield(response)
        }
    }

    private func handleLoginForm(_ response: MienServiceResponse) {
        if response.clientResponseOptions["face"] != nil {
            submit("face", ["user_identifier": .string(user)])
        } else {
            submit(
                "password",
                ["username": .string(user), "password": "a password nobody has"])
        }
    }

    private func capture(_ startToken: String?) {
        guard let startToken else { return end.finish() }
        do {
            try MienIdentityVerification.start(
                startToken: startToken, frames: Installed.frames([photo]))
        } catch { end.finish() }
    }

    private func submit(_ option: ClientResponseOptionType, _ data: JSONValue? = nil) {
        do { try Mien.submitClientResponse(clientResponseOptionId: option, data: data) } catch {
            failure = error
            end.finish()
        }
    }

    func verificationNeedsConsent(_ text: CaptureConsentText) async -> Bool {
        askedFor = text
        return consents
    }
    func verificationDidComplete() { submit(.clientInput) }
    func verificationDidCancel() { submit(.cancel) }
    func verificationDidFail(with error: MienError) {
        failure = error
        submit(.fail)
    }
}

/// Follows `docs/guides/face-authentication-journeys.md`, with the journeys printed there.
@Suite(
    "The guide to face authentication with journeys",
    .enabled(if: Installed.isThere, Installed.reason), .serialized)
struct FaceAuthenticationGuideTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func publish(_ definition: [UInt8], on server: TestServer) async throws {
        let source = try JSONText.parse(definition)
        let id = try #require(source["id"]?.stringValue.flatMap { JourneyID($0) })
        _ = try await server.admin.putJourney(id, version: 1, definition: definition)
        _ = try await server.admin.publishJourney(id, version: 1)
    }

    @Test("a face is registered and signs in with the steps that the guide lists")
    @MainActor func guide() async throws {
        let page = try GuidePage("face-authentication-journeys")
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            try await publish(page.json("registration"), on: server)
            try await publish(page.json("authentication"), on: server)
            try await Self.follow(server, user)
        }
    }

    @MainActor private static func follow(_ server: TestServer, _ user: UserID) async throws {
        let ada = GuideApp(user: "ada", photo: "obama")
        ada.consents = false
        #expect(try await ada.run("registration", on: server)?.journeyStepId == .rejection)
        #expect(ada.askedFor?.textVersion == "standard-1")
        #expect(try await server.admin.consents(of: user) == [])
        #expect(
            try await server.admin.authenticators(of: user).map(\.type) == [.known(.password)],
            "nothing is stored without consent")

        ada.consents = true
        let registered = try await ada.run("registration", on: server)
        #expect(registered?.journeyStepId == .success, "\(String(describing: ada.failure))")
        #expect(ada.steps == [.loginForm, .identityVerification, .success])
        let consent = try #require(try await server.admin.consents(of: user).first)
        #expect(consent.textVersion == "standard-1" && consent.withdrawnAt == nil)

        let login = GuideApp(user: "ada", photo: "obama2")
        let end = try await login.run("authentication", on: server)
        #expect(
            login.steps == [.loginForm, .selfieAcquisition, .success],
            "\(String(describing: login.failure))")
        #expect(login.askedFor == nil, "a selfie that is only compared needs no consent")
        let claims = try #require(try end?.token?.use { try TokenClient.claims($0) })
        #expect(claims["sub"]?.stringValue == user.text && claims["amr"] == ["face"])

        let mallory = GuideApp(user: "ada", photo: "biden")
        let refused = try await mallory.run("authentication", on: server)
        #expect(refused?.journeyStepId == .rejection)
        #expect(mallory.steps == [.loginForm, .selfieAcquisition, .rejection])
    }

    @Test("selfie acquisition followed by register face registers a face from several pictures")
    func selfie() async throws {
        let page = try GuidePage("face-authentication-journeys")
        let text = String(decoding: try page.json("registration"), as: UTF8.self)
        // The replacement that the page describes.
        let selfie = text.replacing(
            /"verify": \{(?:.|\n)*?"failure": "refused" \}\n    \}/,
            with: """
                "verify": { "type": "selfie_acquisition", "on": {"success": "register", "failure": "refused"} }
                """)
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            try await publish(Array(selfie.utf8), on: server)
            let journey = try await server.client().start("registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            #expect(await journey.response.journeyStepId == .selfieAcquisition)
            let session = try await journey.captureSession()
            try await session.giveConsent(to: #require(try await session.start().consent))
            for photo in ["obama", "obama2", "obama3"] {
                #expect(
                    try await session.submitFrame(Installed.photo(photo)).status == .known(.passed),
                    "a registration takes further pictures")
            }
            let end = try await journey.respond(.clientInput)
            #expect(end.journeyStepId == .success)
            let face = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.face) })
            #expect(face.info["photos"] == 3)
        }
    }
}

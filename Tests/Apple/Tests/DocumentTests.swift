import FakePhone
import Foundation
import MienAPI
import MienClient
import MienCore
import SwiftUI

@testable import MienCapture

@MainActor private func documentJourney(
    _ server: Server, callback: String = "https://app.example/verified"
) async throws -> String {
    let name = server.name("documents")
    try await server.journey([
        "id": .string(name), "version": 1, "title": "Check a document", "start": "verify",
        "steps": [
            "verify": [
                "type": "identity_verification",
                "config": ["callback_url": .string(callback)],
                "on": ["allow": "done", "challenge": "more", "deny": "no", "failure": "no"],
            ],
            "more": ["type": "reject_access", "config": ["reason": "manual_review"]],
            "no": ["type": "reject_access", "config": ["reason": "denied"]],
            "done": ["type": "complete_journey", "config": ["user_auth_state": "none"]],
        ],
    ])
    return name
}

@MainActor let documentTests = [
    AppleTest(
        "a person photographs both sides of a card on the screens, shows their face, and sends it",
        shows: ["document screens", "front, back, and portrait", "document sessions"]
    ) {
        let server = try await Servers.server([
            "IDENTITY_DOCUMENTS": "passport,idCard,driverLicense"
        ])
        let app = try await server.app(), name = try await documentJourney(server)
        let front = try Pictures.drawn("card_front", [1280, 2048]),
            back = try Pictures.drawn("card_back", [1280, 2048])
        let owner = try Pictures.owner()
        let journey = try await JourneyClient(server.options(app)).start(name)
        let token = try require(await journey.response.startToken).use { $0 }
        expect(token.hasPrefix("idv_"))
        FakePhone.shared.with { $0.picture = { $0 ? owner : front } }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        try MienIdentityVerification.start(startToken: token)
        try await Presented.press("I agree", after: "Check your identity document")
        try await wait("the choice; there is \(Presented.shown)") {
            Presented.screen?.text("Which document do you have with you?") == true
        }
        expect(
            Presented.screen?.set("Country that issued it", to: "Austria") == true,
            "\(Presented.shown)")
        expect(Presented.screen?.set("Document", to: "Identity card") == true, "\(Presented.shown)")
        try await Presented.press("Continue")
        try await Presented.press("Start camera", after: "Front of your identity card")
        try await wait("the front; there is \(Presented.shown)", seconds: 90) {
            Presented.screen?.text("Back of your identity card") == true
        }
        FakePhone.shared.with { $0.picture = { $0 ? owner : back } }
        try await Presented.press(
            "Start camera", after: "Turn the card over and photograph the other side.")
        try await wait("the face; there is \(Presented.shown)", seconds: 90) {
            Presented.screen?.text("Look into the camera") == true
        }
        expect(
            Presented.screen?.text("A picture of your face is kept with your verification.") == true
        )
        try await Presented.press("Start camera")
        try await Presented.press("Send", after: "Check and send", seconds: 60)
        try await wait("the end; there is \(Presented.shown)", seconds: 120) {
            !receiver.ends.isEmpty
        }
        expect(receiver.ends == ["complete"], "\(receiver.ends)")
        expect(FakePhone.shared.with { $0.haptics.filter { $0 == "success" }.count } >= 3)
        let spoken = FakePhone.shared.with { $0.announcements }
        expect(spoken.contains("Hold still…") && spoken.contains("Good photo"), "\(spoken)")
        try await journey.respond(.clientInput)
        let response = await journey.response
        expect(response.hasEnded, "\(response)")
    },
    AppleTest(
        "a table without a card is told, and a picture taken by hand of it is refused with a reason",
        shows: ["hints before a picture is sent"]
    ) {
        let server = try await Servers.server([
            "IDENTITY_DOCUMENTS": "passport,idCard,driverLicense"
        ])
        let app = try await server.app(), name = try await documentJourney(server),
            owner = try Pictures.owner()
        let journey = try await JourneyClient(server.options(app)).start(name)
        let token = try require(await journey.response.startToken)
        let session = try JourneyClient(server.options(app)).documentSession(startToken: token)
        let text = try require(try await session.status().consent)
        try await session.giveConsent(to: text)
        try await session.choose(country: "AT", type: .idCard)
        FakePhone.shared.with { $0.picture = { _ in owner } }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        try MienIdentityVerification.start(startToken: token.use { $0 })
        try await Presented.press("Start camera")
        let texts = CaptureTexts(preferred: ["en"])
        let hints = ["blurred", "cut_off", "too_dark", "too_small", "glare", "no_document"].map {
            texts.guidance($0, of: .documentFront, .idCard)
        }
        try await wait("a hint; there is \(Presented.shown)", seconds: 60) {
            hints.contains { Presented.screen?.text($0) == true }
        }
        try await Presented.press("Take the photo")
        expect(FakePhone.shared.with { $0.haptics.contains("impact") })
        try await Presented.press("Cancel", after: "Another photo, please", seconds: 60)
        // Canceling is asked for, because photos would be lost.
        try await Presented.press("Continue", after: "Stop the check?")
        try await Presented.press("Cancel", after: "Front of your identity card")
        try await Presented.press("Stop the check")
        try await wait("the end") { !receiver.ends.isEmpty }
        expect(receiver.ends == ["cancel"], "\(receiver.ends)")
        expect(try await session.status().status == .known(.canceled))
    },
    AppleTest(
        "hosted pages return to a scheme that the app lists, and to no other",
        shows: ["hosted pages that return to the app's scheme"]
    ) {
        let server = try await Servers.server([
            "IDENTITY_DOCUMENTS": "passport,idCard,driverLicense"
        ])
        let app = try await server.app(), client = try JourneyClient(server.options(app))
        let listed = try await documentJourney(server, callback: "com.example.shop://verified")
        let journey = try await client.start(listed)
        expect(await journey.response.journeyStepId == .identityVerification)
        let other = try await documentJourney(server, callback: "com.example.other://verified")
        let refused = try await client.start(other)
        expect(await refused.response.journeyStepId == .rejection)
    },
    AppleTest("a start token of the other kind is refused with a reason") {
        let server = try await Servers.server([
            "IDENTITY_DOCUMENTS": "passport,idCard,driverLicense"
        ])
        let app = try await server.app(), name = try await documentJourney(server)
        let client = try JourneyClient(server.options(app)), journey = try await client.start(name)
        let token = try require(await journey.response.startToken)
        let found =
            await error { _ = try await client.captureSession(startToken: token).status() }
            as? MienError
        expect(found?.code == .invalidCredentials, "\(String(describing: found))")
        expect(
            found?.reason.contains("/v1/verification/session") == true,
            "\(String(describing: found))")
    },
]

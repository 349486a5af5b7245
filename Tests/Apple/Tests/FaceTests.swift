import FakePhone
import Foundation
import MienAPI
import MienClient
import MienCore
import SwiftUI

@testable import MienCapture

/// The screens that are presented over the app's window, as a person sees them.
@MainActor enum Presented {
    static var root: UIViewController? {
        (UIApplication.shared.connectedScenes.first as? UIWindowScene)?.keyWindow?
            .rootViewController
    }
    static var screen: FakeScreen? {
        let hosting = root?.presentedViewController?.children.first
        return (hosting as? UIHostingController<MienCaptureView>)?.fakeScreen
    }

    /// Waits for a text, and presses a button.
    static func press(_ button: String, after text: String? = nil, seconds: Double = 20)
        async throws
    {
        let wanted = text ?? button
        try await wait("“\(wanted)”; there is \(shown)", seconds: seconds) {
            screen?.text(wanted) == true
                && screen?.elements.contains { $0.kind == .button && $0.label == button } == true
        }
        expect(screen?.press(button) == true, button)
    }

    static var shown: [String] { screen?.elements.map(\.label) ?? [] }
}

/// An app's receiver of results.
@MainActor final class Receiver: MienIdentityVerificationDelegate {
    var ends: [String] = []
    func verificationDidComplete() { ends.append("complete") }
    func verificationDidCancel() { ends.append("cancel") }
    func verificationDidFail(with error: MienError) { ends.append("fail: \(error.reason)") }
}

@MainActor func startRegistration(_ server: Server, _ app: String, _ user: String) async throws
    -> Journey
{
    let journey = try await JourneyClient(server.options(app)).start("face-registration")
    try await journey.respond(
        "password", ["username": .string(user), "password": .string(Server.password)])
    try await journey.respond(.clientInput)
    return journey
}

@MainActor let faceTests = [
    AppleTest(
        "a person registers a face on the screens, and signs in with it",
        shows: ["selfie screens", "face registration", "face sign-in", "delegate and async form"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user(), owner = try Pictures.owner()
        FakePhone.shared.with { $0.picture = { $0 ? owner : nil } }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        let journey = try await startRegistration(server, app, user)
        let token = try require(await journey.response.startToken)
        try MienIdentityVerification.start(startToken: token.use { $0 })
        try await Presented.press("Start camera", after: "Look into the camera")
        try await wait("the end; there is \(Presented.shown)", seconds: 60) {
            !receiver.ends.isEmpty
        }
        expect(receiver.ends == ["complete"], "\(receiver.ends)")
        expect(Presented.root?.presentedViewController == nil, "the screens are gone")
        expect(FakePhone.shared.with { !$0.isCameraRunning }, "the camera is off")
        expect(FakePhone.shared.with { $0.haptics.contains("success") })
        expect(
            FakePhone.shared.with { $0.announcements.contains("Look into the camera") },
            "\(FakePhone.shared.with { $0.announcements })")
        try await journey.respond(.clientInput)
        guard case .success = await journey.outcome() else {
            throw Failure(description: "not registered: \(await journey.response)")
        }

        let login = try await JourneyClient(server.options(app)).start("face-login")
        try await login.respond("face", ["user_identifier": .string(user)])
        let second = try require(await login.response.startToken)
        let capture = Task {
            try await MienIdentityVerification.capture(startToken: second.use { $0 })
        }
        try await Presented.press("Start camera")
        try await capture.value
        try await login.respond(.clientInput)
        guard case .success = await login.outcome() else {
            throw Failure(description: "not signed in: \(await login.response)")
        }
    },
    AppleTest(
        "a capture follows the person's choices: cancel, a camera that is not allowed or silent, and another try",
        shows: ["cancel and retry"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user(), owner = try Pictures.owner()
        FakePhone.shared.with {
            $0.camera = 0
            $0.allowsCamera = false
            $0.picture = { $0 ? owner : nil }
        }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        let journey = try await startRegistration(server, app, user)
        try MienIdentityVerification.start(
            startToken: try require(await journey.response.startToken).use { $0 })
        try await Presented.press("Start camera")
        try await Presented.press("Open Settings", after: "The camera is not available")
        expect(FakePhone.shared.with { $0.opened.map(\.absoluteString) } == ["app-settings:"])
        FakePhone.shared.with { $0.camera = 3 }
        FakePhone.shared.with { $0.picture = { _ in nil } }
        try await Presented.press("Try again")
        // The camera falls silent, as during a call.
        let busy = CaptureTexts(preferred: ["en"])["camera_busy"]
        try await Presented.press("Try again", after: busy, seconds: 30)
        try await Presented.press("Start camera")
        try await Presented.press("Cancel", after: "I can’t do this")
        try await wait("the end") { !receiver.ends.isEmpty }
        expect(receiver.ends == ["cancel"], "\(receiver.ends)")
        try await journey.respond(.cancel)
        expect(await journey.outcome() != nil)
    },
    AppleTest(
        "a live capture says one thing at a time, shows an arrow, and lets a person leave out movements",
        shows: [
            "live capture with guidance and arrows", "screen reader and haptics",
            "“I can’t do this”",
        ]
    ) {
        let server = try await Servers.server(), app = try await server.app(mode: "liveness_active")
        let user = try await server.user(), living = try Pictures.living()
        FakePhone.shared.with {
            $0.picture = { $0 ? living() : nil }
            $0.framesPerSecond = 10
        }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        let journey = try await startRegistration(server, app, user)
        try MienIdentityVerification.start(
            startToken: try require(await journey.response.startToken).use { $0 })
        try await Presented.press("I can’t do some movements")
        try await wait("the movements; there is \(Presented.shown)") {
            Presented.screen?.text("Which movements can’t you do?") == true
        }
        expect(Presented.screen?.set("Blink", to: true) == true, "\(Presented.shown)")
        try await Presented.press("Continue")
        try await Presented.press("Start camera")
        let texts = CaptureTexts(preferred: ["en"])
        let actions = CaptureAction.allCases.map { texts["action_\($0.rawValue)"] }
        var words: Set<String> = [], symbols: Set<String> = []
        try await wait("an instruction; there were \(words)", seconds: 60) {
            let elements = Presented.screen?.elements ?? []
            words.formUnion(elements.filter { $0.kind == .text }.map(\.label))
            symbols.formUnion(elements.filter { $0.kind == .image }.map(\.label))
            return !words.isDisjoint(with: actions.filter { $0 != "Hold still" })
                && !symbols.isEmpty || words.contains(texts["capture_failed_title"])
        }
        let state = try await journey.captureSession().status()
        expect(state.isOpen, "the capture has ended: \(state.reasons ?? [])")
        expect(!words.contains("Blink"), "the person does not have to blink")
        let spoken = FakePhone.shared.with { $0.announcements }
        expect(
            words.intersection(actions).isSubset(of: spoken),
            "\(words) is not all spoken: \(spoken)")
        try await Presented.press("I can’t do this")
        try await wait("the note") { Presented.screen?.text(texts["capture_cannot_end"]) == true }
        try await Presented.press("Cancel")
        try await wait("the end") { !receiver.ends.isEmpty }
        expect(receiver.ends == ["cancel"], "\(receiver.ends)")
    },
    AppleTest(
        "a live capture fills the screen with the server's colors after a notice, pale for those who ask for less motion, and none for those who leave them out",
        shows: ["colors of the screen in a live capture"]
    ) {
        let server = try await Servers.server()
        let app = try await server.app(mode: "liveness_active"), user = try await server.user()
        let living = try Pictures.living()
        FakePhone.shared.with {
            $0.picture = { $0 ? living() : nil }
            $0.framesPerSecond = 10
        }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        defer { FakePhone.shared.with { $0.reducesMotion = false } }
        for (reduces, button) in [
            (false, "Start camera"), (false, "Start with gentle colors"), (true, "Start camera"),
            (false, "Start without colors"),
        ] {
            FakePhone.shared.with { $0.reducesMotion = reduces }
            receiver.ends = []
            let journey = try await startRegistration(server, app, user)
            try MienIdentityVerification.start(
                startToken: try require(await journey.response.startToken).use { $0 })
            try await Presented.press(button, after: "Look into the camera")
            var colors: [String] = []
            let until = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < until, receiver.ends.isEmpty {
                if let color = Presented.shown.first(where: { $0.hasPrefix("color ") }),
                    color != colors.last
                {
                    colors.append(color)
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            if button == "Start without colors" {
                expect(colors.isEmpty, "\(colors)")
            } else {
                let isGentle = reduces || button != "Start camera"
                expect(colors.count >= 3, "\(button): \(colors)")
                expect(
                    colors.allSatisfy { color in
                        color.split(separator: " ").dropFirst().allSatisfy {
                            $0 == "255" || $0 == (isGentle ? "188" : "102")
                        }
                    }, "\(button): \(colors)")
            }
            if receiver.ends.isEmpty { try await Presented.press("Cancel") }
            try await wait("the end", seconds: 20) { !receiver.ends.isEmpty }
        }
    },
    AppleTest("canceling the task of a capture cancels it, and closes its screens") {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user(), owner = try Pictures.owner()
        FakePhone.shared.with { $0.picture = { $0 ? owner : nil } }
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        // While a page is shown, while the camera runs, and before the screens have begun.
        for moment in ["page", "camera", "at once"] {
            let journey = try await startRegistration(server, app, user)
            let token = try require(await journey.response.startToken)
            let capture = Task {
                try await MienIdentityVerification.capture(startToken: token.use { $0 })
            }
            if moment != "at once" {
                try await wait("the screens") { Presented.screen?.text("Start camera") == true }
            }
            if moment == "camera" {
                try await Presented.press("Start camera")
                try await wait("the camera") { FakePhone.shared.with { $0.isCameraRunning } }
            }
            capture.cancel()
            let found = await error { try await capture.value }
            expect(found is CancellationError, "\(moment): \(String(describing: found))")
            try await wait("the screens to close") {
                Presented.root?.presentedViewController == nil
                    && !FakePhone.shared.with { $0.isCameraRunning }
            }
            guard moment != "at once" else { continue }
            let session = try JourneyClient(server.options(app)).captureSession(startToken: token)
            expect(try await session.status().status == .known(.cancelled), moment)
        }
    },
    AppleTest("without a server, and with a wrong start token, the capture says so") {
        let server = try await Servers.server(), app = try await server.app()
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let receiver = Receiver()
        MienIdentityVerification.delegate = receiver
        try MienIdentityVerification.start(startToken: "cap_x." + String(repeating: "A", count: 43))
        try await wait("the end; there is \(Presented.shown)") { !receiver.ends.isEmpty }
        expect(receiver.ends.first?.hasPrefix("fail") == true, "\(receiver.ends)")
        let frames = AsyncStream<CaptureFrame> { $0.finish() }
        let found = await error {
            try MienIdentityVerification.start(startToken: "idv_x.y", frames: frames)
        }
        expect((found as? MienError)?.code == .invalidState)
    },
]

import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

/// Face login over HTTP, like an app: sign up, register a face, log in with another photo, be
/// refused as a stranger, be locked, be unlocked.
struct LoginDemo {
    struct Step: Encodable, Sendable {
        let what: String
        let expected: String
        let got: String
        let milliseconds: Double
        var isRight: Bool { expected == got }
    }

    let photos: URL
    let registered: String
    let genuine: [String]
    let stranger: String

    private static let user = "ada"

    func run(on server: LoopbackServer) async throws -> [Step] {
        let client = try JourneyClient(
            MienOptions(
                serverPath: server.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1)))
        // Creates an unknown device each time, as an attacker would use.
        func strangerDevice() throws -> JourneyClient {
            try JourneyClient(
                MienOptions(
                    serverPath: server.address, applicationId: "default_application",
                    retry: RetryPolicy(attempts: 1)))
        }
        var steps: [Step] = []
        func step(_ what: String, expected: String, _ body: () async throws -> String) async throws
        {
            let started = ContinuousClock.now
            let got = try await body()
            steps.append(
                Step(
                    what: what, expected: expected, got: got,
                    milliseconds: (ContinuousClock.now - started) / .milliseconds(1)))
        }
        try await step(
            "set the sample app to accept photos, because nobody is in front of a camera",
            expected: "image"
        ) {
            guard let app = AppID("default_application") else { return "no such app" }
            let known = try await server.admin.app(app)
            var settings = known.settings.objectValue ?? [:]
            settings["liveness"] = ["mode": "image"]
            return try await server.admin.updateApp(
                app, AppRequest(name: known.name, settings: .object(settings))
            )
            .settings["liveness"]?["mode"]?.stringValue ?? "not set"
        }
        try await step("sign up, register a face (\(registered))", expected: "success") {
            try await signUp(client, server)
        }
        try await step(
            "log in with another photo from that device (\(genuine[0]))", expected: "success"
        ) { try await logIn(client, genuine[0]) }
        for attempt in 1...5 {
            try await step("a stranger tries, \(attempt) (\(stranger))", expected: "refused") {
                try await logIn(strangerDevice(), stranger)
            }
        }
        try await step("the owner, from an unknown device: locked", expected: "refused") {
            try await logIn(strangerDevice(), genuine[1])
        }
        try await step("the owner, from a known device: not locked", expected: "success") {
            try await logIn(client, genuine[1])
        }
        try await step("an administrator unlocks", expected: "done") {
            guard let user = try await server.admin.findUser(Self.user), let id = UserID(user.id)
            else { return "no such user" }
            for authenticator in try await server.admin.authenticators(of: id)
            where authenticator.type == .known(.face) {
                guard let authenticatorID = AuthenticatorID(authenticator.id) else { continue }
                try await server.admin.unlock(authenticatorID, of: id)
            }
            return "done"
        }
        try await step("the owner, from an unknown device (\(genuine[1]))", expected: "success") {
            try await logIn(strangerDevice(), genuine[1])
        }
        try await step("the audit log is intact", expected: "yes") {
            try await server.admin.verifyAudit().isWhole ? "yes" : "no"
        }
        return steps
    }

    private func signUp(_ client: JourneyClient, _ server: LoopbackServer) async throws -> String {
        let journey = try await client.start("sign-up")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm:
                try await step.respond(
                    "account",
                    [
                        "username": .string(Self.user), "email": "ada@example.org",
                        "password": "not a common one",
                    ])
            case .emailOTPAuthentication:
                try await step.respond(
                    .clientInput, ["passcode": .string(try await code(in: server.outbox))])
            case .selfieAcquisition:
                try await capture(step, registered)
                try await step.respond(.clientInput)
            default: try await step.respond(.clientInput)
            }
        }
        return try await Self.word(journey)
    }

    private func logIn(_ client: JourneyClient, _ photo: String) async throws -> String {
        let journey = try await client.start("face-login")
        for try await step in journey.steps {
            switch step.id {
            case .loginForm where step.options["face"] != nil:
                try await step.respond("face", ["user_identifier": .string(Self.user)])
            case .selfieAcquisition:
                try await capture(step, photo)
                try await step.respond(.clientInput)
            // If a password is requested instead of the face, the face was refused.
            default: return "refused"
            }
        }
        return try await Self.word(journey)
    }

    private func capture(_ step: JourneyStep, _ photo: String) async throws {
        let bytes = [UInt8](try Data(contentsOf: photos.appending(path: photo)))
        let frames = AsyncStream<CaptureFrame> { stream in
            stream.yield(CaptureFrame(bytes, .jpeg))
            stream.finish()
        }
        try await step.capture(frames)
    }

    /// Returns the code in the newest email. Emails are delivered in the background, so this waits
    /// for a moment.
    private func code(in outbox: URL) async throws -> String {
        for _ in 0..<100 {
            let mails = ((try? FileManager.default.contentsOfDirectory(atPath: outbox.path)) ?? [])
                .filter { $0.hasSuffix(".eml") }.sorted()
            if let newest = mails.last,
                let text = try? String(contentsOf: outbox.appending(path: newest), encoding: .utf8),
                let code = text.firstMatch(of: /Your code is ([0-9]+)/)
            {
                return String(code.1)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(.notSetUp, "demo.mail", "no email with a code arrived in \(outbox.path)")
    }

    private static func word(_ journey: Journey) async throws -> String {
        switch await journey.outcome() {
        case .success: "success"
        case .rejection, nil: "rejection"
        }
    }
}

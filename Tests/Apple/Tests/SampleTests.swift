import FakePhone
import Foundation
import MienCapture
import MienClient
import MienCore
import SwiftUI

@testable import ShopApp

/// The app of Examples/iOS, as a person uses it.
@MainActor let sampleTests = [
    AppleTest(
        "a person signs up with a code and a face in the sample app, and signs in with the face and with Face ID",
        shows: ["sign-up", "one-time code by email"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let owner = try Pictures.owner(), user = server.name("eve")
        FakePhone.shared.with { $0.picture = { $0 ? owner : nil } }
        let screen = FakeScreen(ShopView(options: server.options(app)))
        @MainActor func press(_ button: String, seconds: Double = 30) async throws {
            try await wait(
                "“\(button)”; there is \(screen.elements.map(\.label))", seconds: seconds
            ) {
                screen.elements.contains { $0.kind == .button && $0.label == button }
            }
            screen.press(button)
        }
        @MainActor func see(_ text: String, seconds: Double = 60) async throws {
            try await wait("“\(text)”; there is \(screen.elements.map(\.label))", seconds: seconds)
            { screen.elements.contains { $0.label.hasPrefix(text) } }
        }
        @MainActor func fill(_ field: String, _ text: String) async throws {
            try await wait("the field \(field); there is \(screen.elements.map(\.label))") {
                screen.set(field, to: text)
            }
        }
        try await press("Create an account")
        for (field, text) in [
            ("username", user), ("email", "\(user)@example.org"),
            ("password", "correct horse battery"),
        ] {
            try await fill(field, text)
        }
        try await press("Create account")
        var code: String?
        try await wait("the mail", seconds: 30) {
            let files =
                (try? FileManager.default.contentsOfDirectory(
                    at: server.outbox, includingPropertiesForKeys: nil)) ?? []
            let mail = files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.first {
                $0.contains("\(user)@example.org")
            }
            code = mail?.firstMatch(of: /\b(\d{6})\b/).map { String($0.1) }
            return code != nil
        }
        try await fill("passcode", code ?? "")
        try await press("Continue")
        // Not yet: a person decides about the face later.
        try await see("Use my face")
        try await press("Cancel")
        try await see("Hello")
        // A code from a mail does not allow a key; the password does.
        try await press("Sign out")
        try await press("Sign in")
        try await fill("username", user)
        try await fill("password", "correct horse battery")
        try await press("Password")
        try await see("Hello")
        try await press("Use Face ID from now on")
        try await see("Face ID is on")
        try await press("Sign out")
        try await press("Sign in with Face ID")
        try await see("Hello")
        try await press("Register my face")
        try await press("I consent")
        try await press("Start camera")
        try await see("Hello")
        try await press("Sign out")
        try await press("Sign in")
        try await fill("user_identifier", user)
        try await press("Face")
        try await press("Start camera")
        try await see("Hello")
        screen.close()
    }
]

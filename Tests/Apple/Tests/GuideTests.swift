import FakePhone
import Foundation
import MienAPI
import MienClient
import MienCore
import MienDevice
import MienKeys
import SwiftUI
import UIKit

@testable import MienCapture

/// The Swift of the guides, line by line, with the names of docs/guides.

// MARK: Face authentication with journeys

final class GuideViewController: UIViewController {
    var ended: MienServiceResponse?
    var failure: MienError?

    func begin(_ id: String) {
        do {
            try Mien.startJourney(journeyId: id)
        } catch {
            debugPrint("[DEBUG] Failed to start journey: \(error)")
        }
    }

    func answer(_ option: ClientResponseOptionType, _ data: JSONValue?) {
        do {
            try Mien.submitClientResponse(clientResponseOptionId: option, data: data)
        } catch {
            debugPrint("[DEBUG] Failed to submit: \(error)")
        }
    }

    private func handleResponse(_ response: MienServiceResponse) {
        guard let stepId = response.journeyStepId else {
            debugPrint("[DEBUG] Missing step id in the journey response")
            return
        }

        if stepId == .identityVerification {
            guard let payload = response.data?["payload"],
                let startToken = payload["start_token"]?.stringValue
            else {
                debugPrint("[DEBUG] Start token is missing")
                return
            }
            startVerification(startToken: startToken)
        }
        switch stepId {
        case .selfieAcquisition:
            guard let startToken = response.data?["start_token"]?.stringValue else {
                debugPrint("Start token is missing")
                return
            }
            startVerification(startToken: startToken)
        case .success, .rejection: ended = response
        default: break
        }
    }

    func startVerification(startToken: String) {
        MienIdentityVerification.delegate = self
        try? MienIdentityVerification.start(startToken: startToken)
    }
}

extension GuideViewController: MienDelegate {
    func mienDidReceiveResult(_ result: Result<MienServiceResponse, MienError>) {
        switch result {
        case .success(let response): handleResponse(response)
        case .failure(let error): failure = error
        }
    }
}

extension GuideViewController: MienIdentityVerificationDelegate {
    func verificationDidComplete() {
        do {
            try Mien.submitClientResponse(clientResponseOptionId: .clientInput)
        } catch {
            debugPrint("[DEBUG] Failed to submit verification completion: \(error)")
        }
    }

    func verificationDidCancel() {
        do {
            try Mien.submitClientResponse(clientResponseOptionId: .cancel)
        } catch {
            debugPrint("[DEBUG] Failed to submit verification cancellation: \(error)")
        }
    }

    func verificationDidFail(with error: MienError) {
        do {
            try Mien.submitClientResponse(clientResponseOptionId: .fail)
        } catch {
            debugPrint("[DEBUG] Failed to submit verification failure: \(error)")
        }
    }
}

// MARK: Biometric login

@MainActor func device() -> BiometricDevice {
    BiometricDevice(
        keys: SecureEnclaveKeyProvider(),
        authenticator: SystemAuthenticator {
            Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        },
        model: UIDevice.current.model, system: "ios",
        deviceID: UIDevice.current.identifierForVendor?.uuidString)
}

/// The guide's switch over errors.
func guideWord(_ error: any Error) -> String {
    if let error = error as? DeviceError {
        switch error.code {
        case .cancel: return "user cancel"
        case .biometricPrivateKeyNotFound: return "biometric info has changed"
        case .biometricNotSupportedOrPermissionDenied: return "denied"
        case .biometricNoPasscode: return "no passcode"
        case .biometricNoEnrollment: return "no enrollment"
        case .biometricLockout: return "locked out"
        default: return "other error"
        }
    }
    return "\(error)"
}

@MainActor let guideTests = [
    AppleTest("the guide to face authentication runs line by line", shows: ["journeys"]) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user(), owner = try Pictures.owner()
        FakePhone.shared.with { $0.picture = { $0 ? owner : nil } }
        try Mien.initialize(serverPath: server.address, applicationId: app)
        try MienIdentityVerification.initialize(baseUrl: server.address, clientId: app)
        let controller = GuideViewController()
        Mien.delegate = controller
        for (journey, answers) in [
            (
                "face-registration",
                [
                    (
                        "password",
                        ["username": .string(user), "password": .string(Server.password)]
                    ), (.clientInput, nil),
                ]
            ),
            ("face-login", [("face", ["user_identifier": .string(user)])]),
        ] as [(String, [(ClientResponseOptionType, JSONValue?)])] {
            controller.ended = nil
            _ = try await Mien.startJourney(journey)
            for (index, answer) in answers.enumerated() {
                if index == answers.count - 1 {
                    controller.answer(answer.0, answer.1)
                } else {
                    _ = try await Mien.submitClientResponse(
                        clientResponseOptionId: answer.0, data: answer.1)
                }
            }
            try await Presented.press("Start camera", seconds: 30)
            try await wait("the end of \(journey); there is \(Presented.shown)", seconds: 60) {
                controller.ended != nil || controller.failure != nil
            }
            expect(
                controller.ended?.journeyStepId == .success,
                "\(journey): \(String(describing: controller.ended)) \(String(describing: controller.failure))"
            )
            expect(controller.ended?.token != nil)
        }
    },
    AppleTest("the guide to biometric login runs line by line", shows: ["biometric login"]) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        let session = try await server.session(
            app, user, device: device(), storage: TransientTokenStorage())
        var configured = false
        session.configure { result in
            switch result {
            case .success(): configured = true
            case .failure: break
            }
        }
        try await wait("configured") { configured }
        var supported = false
        do {
            try await session.checkBiometricSupported()
            supported = true
        } catch {}
        expect(supported)
        expect(try await !session.isBiometricEnabled())
        var enabled: Result<Void, any Error>?
        session.enableBiometric(
            localizedReason: "REPLACE_WITH_LOCALIZED_REASON", constraint: .biometryCurrentSet
        ) { result in
            if case .failure(let error) = result {
                enabled = .failure(error)
            } else {
                enabled = .success(())
            }
        }
        try await wait("enabled") { enabled != nil }
        if case .failure(let error) = enabled { throw error }
        let isEnabled = (try? await session.isBiometricEnabled()) ?? false
        expect(isEnabled)

        // The app was closed.
        let again = try MienSession(
            server.options(app), tokenStorage: TransientTokenStorage(), biometrics: device())
        try await again.configure()
        expect(await again.state == .signedOut(.notYet))
        var info: Result<UserInfo, any Error>?
        again.authenticateBiometric { result in
            switch result {
            case .success(let userInfo):
                let userInfo = userInfo
                info = .success(userInfo)
            case .failure(let error):
                info = .failure(error)
            }
        }
        try await wait("the sign-in") { info != nil }
        expect(try require(info).get().sub == server.ids[user])

        // Each error of the guide, and the key is still there.
        for (code, word) in [
            (-2, "user cancel"), (-5, "no passcode"), (-7, "no enrollment"), (-8, "locked out"),
            (-6, "denied"), (-1, "other error"),
        ] {
            FakePhone.shared.with { $0.answers = [.error(code)] }
            let found = await error { try await again.authenticateBiometric() }
            expect(found.map(guideWord) == word, "\(code): \(String(describing: found))")
            expect(try await again.isBiometricEnabled(), "\(code)")
        }
        // Another face is enrolled.
        FakePhone.shared.enrollAnotherFace()
        let found = await error { try await again.authenticateBiometric() }
        expect(found.map(guideWord) == "biometric info has changed", "\(String(describing: found))")
        expect(try await !again.isBiometricEnabled(), "the key was deleted")
        try await again.disableBiometric()
        expect(try await !again.isBiometricEnabled())
    },
    AppleTest(
        "with the device's passcode allowed, the token says that it was used",
        shows: ["passcode instead of biometrics"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        let session = try await server.session(app, user, device: device())
        let options = BiometricOptions(
            localizedReason: "Sign in", constraint: .biometryAny, policy: .deviceOwnerAuthentication
        )
        try await session.enableBiometric(options)
        try await session.signOut()
        FakePhone.shared.with { $0.answers = [.passcode] }
        _ = try await session.authenticateBiometric(options)
        let token = try await session.accessToken().use { $0 }
        let payload = try require(Base64URL.decode(token.split(separator: ".")[1]))
        let text = String(decoding: payload, as: UTF8.self)
        expect(text.contains("\"pin\"") && !text.contains("x_biometric"), text)
    },
    AppleTest(
        "the guide to registering mobile biometrics runs line by line",
        shows: ["device keys in journeys"]
    ) {
        let server = try await Servers.server(), app = try await server.app()
        let user = try await server.user()
        for journey in ["register-device", "device-login"] {
            _ = try? await server.admin.publishJourney(try require(JourneyID(journey)), version: 1)
        }
        let session = try await server.session(app, user)
        try Mien.initialize(serverPath: server.address, applicationId: app)
        try MienAuthentication.initialize(device())
        let response = try await Mien.startJourney("register-device", session: session)
        guard response.journeyStepId == .registerNativeBiometrics,
            let userId = response.data?["user_identifier"]?.stringValue
        else {
            throw Failure(description: "[DEBUG]: No user identifier found in response: \(response)")
        }
        var end: Result<MienServiceResponse, any Error>?
        MienAuthentication.registerNativeBiometrics(username: userId) { result in
            switch result {
            case .success(let response):
                var data: [String: JSONValue] = [
                    "publicKey": .string(response.publicKey),
                    "publicKeyId": .string(response.publicKeyId), "os": "ios",
                ]
                if let attestation = response.attestation {
                    data["attestation"] = .string(attestation)
                }
                Task {
                    do {
                        end = .success(
                            try await Mien.submitClientResponse(
                                clientResponseOptionId: .clientInput, data: .object(data)))
                    } catch { end = .failure(error) }
                }
            case .failure(let error): end = .failure(error)
            }
        }
        try await wait("the registration") { end != nil }
        expect(try require(end).get().journeyStepId == .success, "\(String(describing: end))")
    },
    AppleTest(
        "the guide to verifying an identity runs line by line",
        shows: ["identity verification with personal data"]
    ) {
        let server = try await Servers.server(["IDENTITY_SOURCES": "simulator"])
        let app = try await server.app(), user = try await server.user()
        let identityVerificationClient = IdentityVerificationClient(
            try await server.session(app, user))
        let text = try await identityVerificationClient.consentContent()
        _ = try await identityVerificationClient.provideConsent(to: text)
        do {
            let verifiedIdentity = try await identityVerificationClient.verifyIdentity(
                input: VerifyIdentityInput(
                    firstName: "John", lastName: "Smith", address: "222333 Peachtree Place",
                    city: "Atlanta",
                    state: "GA", postalCode: "30318", country: "US", dateOfBirth: "1975-02-28"))
            expect(verifiedIdentity.verified)
        }
        _ = try await identityVerificationClient.isFaceImageRequired(option: .remoteOnly)
        let found = await error {
            _ = try await identityVerificationClient.verifyIdentityDocument(
                input: VerifyIdentityDocument(
                    image: [], backImage: [], faceImage: nil, country: "US",
                    documentType: .driverLicense))
        }
        expect(found is MienError)
    },
]

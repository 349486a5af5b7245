import MienAPI
import MienClient
import MienCore
import MienKeys
import Synchronization
import Testing

/// A device whose owner always consents.
final class Pocket: DeviceKeyProvider, LocalAuthenticator {
    private let signers = Mutex<[DeviceKeyTag: SoftwareSigner]>([:])
    private let attest: @Sendable (DevicePublicKey, String) throws -> DeviceKeyAttestation?

    /// - Parameter attest: Returns the attestation of a new key for a challenge.
    init(
        attest: @escaping @Sendable (DevicePublicKey, String) throws -> DeviceKeyAttestation? = {
            _, _ in nil
        }
    ) {
        self.attest = attest
    }

    var device: BiometricDevice {
        BiometricDevice(keys: self, authenticator: self, model: "Pocket", system: "linux")
    }

    func makeKey(_ request: DeviceKeyRequest) async throws -> MadeDeviceKey {
        let signer = try SoftwareSigner.generate(.es256)
        signers.withLock { $0[request.tag] = signer }
        return MadeDeviceKey(
            signer.publicKey,
            attestation: try request.challenge.flatMap { try attest(signer.publicKey, $0) })
    }
    private func signer(_ tag: DeviceKeyTag) throws -> SoftwareSigner {
        guard let signer = signers.withLock({ $0[tag] }) else {
            throw DeviceError(.biometricPrivateKeyNotFound, "none")
        }
        return signer
    }
    func publicKey(tag: DeviceKeyTag) async throws -> DevicePublicKey {
        try signer(tag).publicKey
    }
    func unlock(tag: DeviceKeyTag, _ prompt: UnlockPrompt) async throws -> UnlockedKey {
        let signer = try signer(tag)
        return UnlockedKey(publicKey: signer.publicKey, method: .finger) {
            try signer.sign($0)
        }
    }
    func deleteKey(tag: DeviceKeyTag) async throws { signers.withLock { $0[tag] = nil } }
    func listTags() async throws -> [DeviceKeyTag] { signers.withLock { $0.keys.sorted() } }

    func capability() async throws -> BiometricCapability {
        BiometricCapability(
            isSupported: true, isEnrolled: true, isPasscodeSet: true, isLockedOut: false)
    }
    func authenticate(_ prompt: UnlockPrompt) async throws -> LocalVerdict {
        LocalVerdict(
            method: .finger, generation: try await enrollmentGeneration(),
            at: Instant(milliseconds: 0))
    }
    func enrollmentGeneration() async throws -> EnrollmentGeneration {
        EnrollmentGeneration(bytes: [1])
    }
}

/// Journeys that register a device key, sign in with it, sign a transaction, and delete it.
enum KeyJourneys {
    static let all: [(id: String, steps: String)] = [
        (
            "key-register",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "key"}},
            "key": {"type": "register_native_biometrics", "config": {"failure_behavior": "abort"}, "on": {"success": "done"}},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-login",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "face", "label": "Biometrics"}, {"id": "password"}],
              "output_variable": "form"}, "on": {"face": "key", "password": "no"}},
            "key": {"type": "authenticate_native_biometrics", "config": {"user_identifier": "form.user_identifier"},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-sign",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "sign"}},
            "sign": {"type": "transaction_signing_native_biometrics", "config": {"approval_data": {"amount": "'120.50'", "to": "'CH93'"}},
              "on": {"success": "done", "failure": "no"}},
            "no": {"type": "reject_access"},
            "done": {"type": "complete_journey"}
            """
        ),
        (
            "key-delete",
            """
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
              "failure_behavior": "abort"}, "on": {"success": "gone"}},
            "gone": {"type": "delete_native_biometrics", "config": {"failure_behavior": "abort"}, "on": {"success": "done"}},
            "done": {"type": "complete_journey"}
            """
        ),
    ]

    static func publish(_ server: TestServer) async throws {
        for (id, steps) in all {
            let text =
                #"{"id": "\#(id)", "version": 1, "title": "Keys", "start": "form", "steps": {\#(steps)}}"#
            _ = try await server.admin.putJourney(
                JourneyID(id)!, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(JourneyID(id)!, version: 1)
        }
    }
}

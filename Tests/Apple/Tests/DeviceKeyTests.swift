import FakePhone
import Foundation
import LocalAuthentication
import MienCore
import MienDevice
import MienKeys

/// Keys in the enclave of a phone, and the check of its owner.
@MainActor let deviceKeyTests = [
    AppleTest("a key of the enclave signs after its owner was recognized", shows: ["device keys"]) {
        let keys = SecureEnclaveKeyProvider(), tag = try DeviceKeyTag("app.key")
        let made = try await keys.makeKey(
            DeviceKeyRequest(tag: tag, protection: .biometryCurrentSet))
        expect(try await keys.publicKey(tag: tag) == made.publicKey)
        let message = Array("message".utf8)
        let key = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in"))
        let signature = try await key.sign(message)
        expect(made.publicKey.isValid(signature, over: message), "the signature is wrong")
        expect(key.method == .face)
        let prompts = FakePhone.shared.with { $0.prompts }
        expect(prompts.count == 1 && prompts[0].reason == "Sign in", "\(prompts)")
        // An empty title hides the way to the passcode.
        expect(prompts.first?.policy == 1 && prompts.first?.fallback == "")
        expect(try await keys.listTags() == [tag])
        expect(
            (await error {
                _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: .biometryAny))
            }
                as? DeviceError)?.code == .tagInUse)
        try await keys.deleteKey(tag: tag)
        expect(
            (await error { _ = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in")) }
                as? DeviceError)?
                .code == .biometricPrivateKeyNotFound)
    },
    AppleTest(
        "the passcode unlocks a key only if key and prompt allow it",
        shows: ["passcode instead of biometrics"]
    ) {
        let keys = SecureEnclaveKeyProvider()
        let both = try DeviceKeyTag("app.both"), only = try DeviceKeyTag("app.only")
        _ = try await keys.makeKey(
            DeviceKeyRequest(
                tag: both, protection: .biometryAny, policy: .deviceOwnerAuthentication))
        _ = try await keys.makeKey(DeviceKeyRequest(tag: only, protection: .biometryAny))
        FakePhone.shared.with { $0.answers = [.passcode] }
        let key = try await keys.unlock(
            tag: both, UnlockPrompt(reason: "Sign in", policy: .deviceOwnerAuthentication))
        expect(key.method == .passcode)
        _ = try await key.sign([1])
        FakePhone.shared.with { $0.answers = [.passcode] }
        expect(
            (await error {
                _ = try await keys.unlock(
                    tag: only, UnlockPrompt(reason: "Sign in", policy: .deviceOwnerAuthentication))
            } as? DeviceError)?.code == .cancel)
        expect(
            FakePhone.shared.with { $0.prompts.last?.policy } == 1,
            "the key asks for biometrics only")
    },
    AppleTest(
        "each error of LocalAuthentication has its code, and none of them deletes the key",
        shows: ["errors of biometrics"]
    ) {
        let keys = SecureEnclaveKeyProvider(), tag = try DeviceKeyTag("app.key")
        _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: .biometryCurrentSet))
        for (code, expected) in [
            (LAError.Code.userCancel, DeviceError.Code.cancel), (.appCancel, .cancel),
            (.systemCancel, .cancel), (.userFallback, .cancel),
            (.passcodeNotSet, .biometricNoPasscode), (.biometryNotEnrolled, .biometricNoEnrollment),
            (.biometryLockout, .biometricLockout), (.authenticationFailed, .notRecognized),
            (.biometryNotAvailable, .biometricNotSupportedOrPermissionDenied),
            (.invalidContext, .biometricNotSupportedOrPermissionDenied),
            (.notInteractive, .biometricNotSupportedOrPermissionDenied),
        ] {
            FakePhone.shared.with { $0.answers = [.error(code.rawValue)] }
            let found = await error {
                _ = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in"))
            }
            expect(
                (found as? DeviceError)?.code == expected, "\(code): \(String(describing: found))")
            expect(try await keys.listTags() == [tag], "\(code)")
        }
        let authenticator = SystemAuthenticator { Instant(milliseconds: 0) }
        for (change, expected) in [
            ({ $0.isPasscodeSet = false }, .biometricNoPasscode),
            ({ $0.enrollment = 0 }, .biometricNoEnrollment),
            ({ $0.isLockedOut = true }, .biometricLockout),
            ({ $0.isDenied = true }, .biometricNotSupportedOrPermissionDenied),
            ({ $0.biometry = 0 }, .biometricNotSupportedOrPermissionDenied),
        ] as [((inout FakePhoneState) -> Void, DeviceError.Code)] {
            FakePhone.shared.with { $0 = FakePhoneState() }
            FakePhone.shared.with(change)
            let obstacle = try await authenticator.capability().obstacle(
                to: .deviceOwnerAuthenticationWithBiometrics)
            expect(obstacle?.code == expected, "\(expected): \(String(describing: obstacle))")
        }
    },
    AppleTest(
        "another enrollment ends a key of the current set, and the key is deleted",
        shows: ["invalidation by another enrollment"]
    ) {
        let tag = try DeviceKeyTag("app.key")
        for forgets in [false, true] {
            FakePhone.shared.reset()
            FakePhone.shared.with { $0.forgetsKeys = forgets }
            let keys = SecureEnclaveKeyProvider()
            _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: .biometryCurrentSet))
            FakePhone.shared.enrollAnotherFace()
            let found = await error {
                _ = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in"))
            }
            expect(
                (found as? DeviceError)?.code == .biometricPrivateKeyNotFound,
                "\(String(describing: found))")
            expect(try await keys.listTags().isEmpty)
            expect(
                FakePhone.shared.with { $0.prompts.isEmpty }, "nobody was asked for a useless key")
        }
    },
    AppleTest(
        "a key that the enclave refuses after its owner was recognized is deleted",
        shows: ["invalidation by another enrollment"]
    ) {
        let keys = SecureEnclaveKeyProvider(), tag = try DeviceKeyTag("app.key")
        // The system did not say which enrollment the key was made for.
        FakePhone.shared.with { $0.isDenied = true }
        _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: .biometryCurrentSet))
        FakePhone.shared.with { $0.isDenied = false }
        FakePhone.shared.enrollAnotherFace()
        let key = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in"))
        let found = await error { _ = try await key.sign([1]) }
        expect(
            (found as? DeviceError)?.code == .biometricPrivateKeyNotFound,
            "\(String(describing: found))")
        expect(try await keys.listTags().isEmpty)
    },
    AppleTest("keys for any enrollment survive another one") {
        let keys = SecureEnclaveKeyProvider()
        for (name, protection) in [
            ("any", BiometricAccessConstraint.biometryAny), ("presence", .userPresence),
        ] {
            let tag = try DeviceKeyTag("app.\(name)")
            _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: protection))
            FakePhone.shared.enrollAnotherFace()
            let key = try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in"))
            _ = try await key.sign([1])
        }
    },
    AppleTest("canceling the task dismisses the prompt") {
        let keys = SecureEnclaveKeyProvider(), tag = try DeviceKeyTag("app.key")
        _ = try await keys.makeKey(DeviceKeyRequest(tag: tag, protection: .biometryAny))
        FakePhone.shared.with { $0.answerTime = .seconds(10) }
        let task = Task { try await keys.unlock(tag: tag, UnlockPrompt(reason: "Sign in")) }
        try await wait("the prompt") { FakePhone.shared.with { !$0.prompts.isEmpty } }
        task.cancel()
        let found = await error { _ = try await task.value }
        expect(found is CancellationError, "\(String(describing: found))")
    },
    AppleTest(
        "App Attest attests a new key for a challenge, and its failure leaves no key",
        shows: ["attestation of keys"]
    ) {
        let keys = SecureEnclaveKeyProvider(attestsApp: true), tag = try DeviceKeyTag("app.key")
        let request = DeviceKeyRequest(tag: tag, protection: .biometryAny, challenge: "challenge")
        let found = await error { _ = try await keys.makeKey(request) }
        expect((found as? DeviceError)?.code == .hardware)
        expect(try await keys.listTags().isEmpty)
        FakePhone.shared.with {
            $0.supportsAppAttest = true
            $0.attest = { _, hash in hash }
        }
        let made = try await keys.makeKey(request)
        let hash = DeviceKeyAttestation.appleClientDataHash(
            challenge: "challenge", key: made.publicKey)
        guard case .appleAppAttest(let object, _) = made.attestation else {
            return expect(false, "no attestation")
        }
        expect(object == Array(hash))
    },
]

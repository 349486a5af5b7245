internal import Crypto
internal import Foundation
public import MienCore
public import MienDevice
public import MienFace
internal import MienHardware
public import MienKeys
public import MienVault

/// Checks the owner with the enrolled face and the device's PIN, on machines without such a check of
/// their own.
///
/// The face is the one that `FaceAuthService` keeps under the owner's name, and only if the PIN
/// has confirmed it: a face enrolled from photos opens nothing here. Guesses are counted durably
/// before they are judged, so killing the process gains none. Five wrong faces in a row, including
/// those that were not live, lock the face until the PIN is entered. After five wrong PINs, a minute
/// must pass before each further one; after twenty, the PIN is locked until ``reset()``.
///
/// The check runs in this process. Code that runs as the same user can bypass it, but cannot take a
/// TPM's keys elsewhere.
public actor FaceLocalAuthenticator: SecretLocker {
    /// The number of faces, or PINs, that a person may try in one request.
    public static let triesPerRequest = 3

    private let executor = ThreadExecutor(name: "mien.device")
    private let service: FaceAuthService
    private let owner: PersonName
    private let state: StateFile
    private let pin: DevicePasscode
    private let matcher: FaceMatcher
    private let threshold: MatchScore
    private let faces: any FacePresenter
    private let passcodes: any PasscodePresenter
    private let random: RandomSource
    private let now: @Sendable () -> Instant

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - service: The device's enrolled people, its PIN, and its clock. It need not be
    ///     initialized, because the presenter has frames of its own.
    ///   - owner: The person whose face opens the keys.
    ///   - matcher: The matcher of the service's model pack.
    public init(
        service: FaceAuthService, owner: PersonName, matcher: FaceMatcher,
        threshold: MatchScore = .defaultThreshold, faces: any FacePresenter,
        passcodes: any PasscodePresenter
    ) {
        (self.service, self.owner) = (service, owner)
        (state, pin, random, now) = (
            service.state, service.passcode, service.random, service.now
        )
        (self.matcher, self.threshold, self.faces, self.passcodes) = (
            matcher, threshold, faces, passcodes
        )
    }

    // MARK: Enrollment

    /// Sets or changes the device's PIN.
    ///
    /// - Parameter old: The current PIN, if one is set.
    public func setPasscode(_ new: DevicePIN, replacing old: Sensitive<String>? = nil) throws {
        try checkIntegrity()
        try pin.set(new, replacing: old)
    }

    /// Enrolls a live face as the owner's and replaces an earlier one, as
    /// `FaceAuthService/enroll(_:as:pin:)` does. Every `biometryCurrentSet` key becomes unusable.
    public func enroll(_ face: CapturedFace, passcode: Sensitive<String>) async throws {
        try checkIntegrity()
        do { try await service.keep(face, as: owner, pin: passcode) } catch {
            throw Self.translated(error)
        }
    }

    /// Removes the face. Every `biometryCurrentSet` key becomes unusable.
    public func removeFace(passcode: Sensitive<String>) async throws {
        try checkIntegrity()
        try pin.judge(passcode, of: owner)
        do { try await service.unenroll(owner) } catch let error as FaceAuthError
            where error.code == .notEnrolled
        {} catch { throw Self.translated(error) }
    }

    /// Removes the PIN, the confirmation of every face, and the counters. Every key that was locked
    /// here becomes unusable, because nothing remains that unlocks it. Faces stay enrolled for
    /// recognition.
    public func reset() throws { try state.reset() }

    // MARK: LocalAuthenticator

    public func capability() async throws -> BiometricCapability {
        let obstacle = try await faces.obstacle()
        return capability(of: try state.read(), obstacle)
    }

    public func enrollmentGeneration() async throws -> EnrollmentGeneration {
        try await person().generation
    }

    /// The owner's part of the state, after completing an interrupted enrollment.
    private func person() async throws -> AuthenticatorState.Person {
        do { return try await service.settled(owner) } catch { throw Self.translated(error) }
    }

    /// - Throws: `DeviceError` `.tampered` if the service's `IntegrityPolicy` refuses, before
    ///   anybody is asked; as the protocol says.
    public func authenticate(_ prompt: UnlockPrompt) async throws -> LocalVerdict {
        try checkIntegrity()
        let capability = try await capability()
        if let obstacle = capability.obstacle(to: prompt.policy) { throw obstacle }
        let mayUsePasscode = prompt.policy == .deviceOwnerAuthentication
        if capability.isSupported && capability.isEnrolled && !capability.isLockedOut {
            do {
                if let verdict = try await askForFace(prompt, mayUsePasscode) { return verdict }
            } catch let error as DeviceError
                where mayUsePasscode && Self.leavesThePasscode.contains(error.code)
            {}
        }
        return try await askForPasscode(prompt)
    }

    /// Errors after which the owner may still type the passcode: nobody was recognized, or no
    /// camera is available.
    private static let leavesThePasscode: [DeviceError.Code] = [
        .notRecognized, .biometricLockout, .biometricNotSupportedOrPermissionDenied, .hardware,
    ]

    /// - Returns: `nil` if the person chose to type the passcode, and may.
    private func askForFace(
        _ prompt: UnlockPrompt, _ mayUsePasscode: Bool
    ) async throws -> LocalVerdict? {
        for triesLeft in stride(from: Self.triesPerRequest, through: 1, by: -1) {
            let shown = try await faces.present(
                FaceRequest(
                    reason: prompt.reason, triesLeft: triesLeft, mayUsePasscode: mayUsePasscode,
                    texts: prompt.texts))
            // First of all, also in a canceled task, because a refusal counts as a try.
            if case .refused = shown { try countRefusal() }
            try Task.checkCancellation()
            switch shown {
            case .cancelled, .refused(_, then: .cancel):
                throw DeviceError(.cancel, "The user canceled.")
            case .usePasscode, .refused(_, then: .usePasscode):
                guard mayUsePasscode else {
                    throw DeviceError(
                        .cancel, "The user declined to show a face, and a passcode is not allowed.")
                }
                return nil
            case .refused(_, then: .tryAgain):
                if let obstacle = capability(of: try state.read()).obstacle(
                    to: .deviceOwnerAuthenticationWithBiometrics)
                {
                    throw obstacle
                }
            case .face(let face): if let verdict = try await judge(face) { return verdict }
            }
        }
        throw DeviceError(
            .notRecognized, "The face did not match the enrolled one \(Self.triesPerRequest) times."
        )
    }

    private func askForPasscode(_ prompt: UnlockPrompt) async throws -> LocalVerdict {
        for triesLeft in stride(from: Self.triesPerRequest, through: 1, by: -1) {
            guard
                let typed = try await passcodes.passcode(
                    PasscodeRequest(
                        reason: prompt.reason, triesLeft: triesLeft, texts: prompt.texts))
            else {
                throw DeviceError(.cancel, "The user canceled.")
            }
            try Task.checkCancellation()
            do {
                try pin.judge(typed, of: owner)
                return LocalVerdict(
                    method: .passcode, generation: try await enrollmentGeneration(), at: now())
            } catch let error as DeviceError where error.code == .wrongPasscode && triesLeft > 1 {}
        }
        throw DeviceError(.wrongPasscode, "The passcode was wrong \(Self.triesPerRequest) times.")
    }

    // MARK: Judging

    /// - Returns: `nil` if it is another person, or a picture that nobody showed to be live.
    private func judge(_ shown: CapturedFace) async throws -> LocalVerdict? {
        guard shown.isLive else {
            try countRefusal()
            return nil
        }
        // A face of another model pack cannot be compared, so it is not a guess.
        guard shown.template.packID == service.packID else {
            throw DeviceError(
                .otherModelPack,
                "The enrolled face was created with another model pack. Enroll again.")
        }
        let begun = try await person(), enrolled = try await confirmedFace()
        let (probe, matcher) = try comparable(shown, with: enrolled)
        // No suspension point from here on, so the state that is read is the one that is written.
        try state.update { state in
            if let obstacle = capability(of: state).obstacle(
                to: .deviceOwnerAuthenticationWithBiometrics)
            {
                throw obstacle
            }
            try state.change(owner, random) { person in
                guard person.generation == begun.generation else { throw Self.enrolledMeanwhile }
                person.faceFailures += 1
            }
        }
        let score: MatchScore
        do {
            score = try matcher.score(
                matcher.reference(for: probe), matcher.reference(for: enrolled))
        } catch {
            throw DeviceError(
                .otherModelPack, "The face does not have the model pack's dimensions. Enroll again."
            )
        }
        guard score >= threshold else { return nil }
        try state.update { state in
            try state.change(owner, random) { person in
                // Another process enrolled a new face meanwhile, with which this face was not
                // compared.
                guard person.generation == begun.generation else { throw Self.enrolledMeanwhile }
                person.faceFailures = 0
            }
        }
        let verdict = LocalVerdict(method: .face, generation: begun.generation, at: now())
        _ = await service.recognized(owner, by: enrolled, as: shown.template, score: score)
        return verdict
    }

    /// Returns the description of a capture and the matcher for the pack of the enrolled face.
    private func comparable(_ shown: CapturedFace, with enrolled: FaceTemplate)
        throws -> (FaceTemplate, FaceMatcher)
    {
        guard enrolled.packID != service.packID else { return (shown.template, matcher) }
        guard let former = service.formerPacks.first(where: { $0.packID == enrolled.packID }),
            let probe = shown.former.first(where: { $0.packID == enrolled.packID })
        else {
            throw DeviceError(
                .otherModelPack,
                "The enrolled face was created with the model pack \(enrolled.packID.text), for which the capture was not described. Give the capture that pack as a former one, or enroll again."
            )
        }
        return (probe, former.matcher)
    }

    private static let enrolledMeanwhile = DeviceError(
        .notRecognized, "Another face was enrolled meanwhile.")

    /// Counts a presentation that did not pass as live.
    private func countRefusal() throws {
        try state.update { state in
            // A locked face stays locked. Without an enrolled face there is nothing to guess.
            guard let known = state[owner], known.enrollment != nil, !known.isLockedOut else {
                return
            }
            try state.change(owner, random) { $0.faceFailures += 1 }
        }
    }

    /// - Parameter obstacle: Why no face can be presented; `nil` also if it does not matter, since a
    ///   face was presented.
    private func capability(
        of state: AuthenticatorState, _ obstacle: DeviceError? = nil
    ) -> BiometricCapability {
        let person = state[owner]
        return BiometricCapability(
            isSupported: obstacle == nil, isEnrolled: person?.enrollment != nil,
            isPasscodeSet: state.passcode != nil, isLockedOut: person?.isLockedOut ?? false,
            unsupportedReason: obstacle?.reason)
    }

    private func confirmedFace() async throws -> FaceTemplate {
        do { return try await service.confirmedFace(of: owner) } catch {
            throw Self.translated(error)
        }
    }

    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? FaceAuthError else { return error }
        let code: DeviceError.Code =
            switch error.code {
            case .notEnrolled, .notConfirmed, .notLive: .biometricNoEnrollment
            case .otherModelPack: .otherModelPack
            case .noCamera, .invalidCameraName: .biometricNotSupportedOrPermissionDenied
            case .lockedOut: .biometricLockout
            case .bindingUnavailable: .hardware
            case .tampered: .tampered
            case .alreadyInitialized, .notInitialized, .notLicensed, .otherDevice, .storage:
                .storage
            }
        return DeviceError(code, error.reason)
    }
}

// MARK: - Secrets

extension FaceLocalAuthenticator {
    private func checkIntegrity() throws {
        do { try service.integrity.check() } catch { throw Self.translated(error) }
    }

    public func lock(
        _ secret: Sensitive<[UInt8]>, for constraint: BiometricAccessConstraint,
        policy: BiometricPolicy, context: String
    ) async throws -> LockedSecret {
        try checkIntegrity()
        let person = try await person(), state = try state.read()
        let widest = BiometricPolicy.deviceOwnerAuthentication.narrowed(to: policy, constraint)
        // A locked face unlocks nothing now, but secrets may be locked for it.
        if let obstacle = capability(of: state).obstacle(to: widest),
            obstacle.code != .biometricLockout
        {
            throw obstacle
        }
        let key = try person.key(for: constraint).publicKey
        var sender = try HPKE.Sender(
            recipientKey: key, ciphersuite: Self.suite, info: Self.info(constraint, policy, context)
        )
        let sealed = try secret.use { try sender.seal($0) }
        return LockedSecret(
            bytes: Array(sender.encapsulatedKey) + Array(sealed), generation: person.generation)
    }

    public func release(
        _ locked: LockedSecret, for constraint: BiometricAccessConstraint, policy: BiometricPolicy,
        context: String, unlocking prompt: UnlockPrompt
    ) async throws -> ReleasedSecret {
        if constraint == .biometryCurrentSet,
            try await enrollmentGeneration() != locked.generation
        {
            throw Self.gone
        }
        let verdict = try await authenticate(
            UnlockPrompt(
                reason: prompt.reason, policy: prompt.policy.narrowed(to: policy, constraint),
                texts: prompt.texts))
        // Again, since a debugger may have been attached while the person was asked.
        try checkIntegrity()
        guard let person = try state.read()[owner],
            constraint == .userPresence || person.generation == verdict.generation
        else { throw Self.gone }
        guard locked.bytes.count > Self.encapsulatedSize else { throw Self.gone }
        do {
            var recipient = try HPKE.Recipient(
                privateKey: person.key(for: constraint), ciphersuite: Self.suite,
                info: Self.info(constraint, policy, context),
                encapsulatedKey: Data(locked.bytes.prefix(Self.encapsulatedSize)))
            let secret = try recipient.open(Data(locked.bytes.dropFirst(Self.encapsulatedSize)))
            return ReleasedSecret(Sensitive(Array(secret)), method: verdict.method)
        } catch is CryptoKitError { throw Self.gone }
    }

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let encapsulatedSize = 32
    private static let gone = DeviceError(
        .biometricPrivateKeyNotFound,
        "This key can no longer be unlocked, because the face or the device was enrolled again.")

    /// Binds a secret to its constraint, to whether the passcode releases it, and to its purpose.
    private static func info(
        _ constraint: BiometricAccessConstraint, _ policy: BiometricPolicy, _ context: String
    ) -> Data {
        let passcode =
            policy == .deviceOwnerAuthentication && constraint != .userPresence ? "+passcode" : ""
        return Data("mien/v1/device-release/\(constraint.rawValue)\(passcode)/\(context)".utf8)
    }
}

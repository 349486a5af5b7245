internal import Crypto
internal import Foundation
internal import MienAccess
public import MienCore
public import MienDevice
public import MienFace
public import MienKeys
package import MienPassword
public import MienSealing
internal import MienTPM
internal import MienThreads

/// Checks the owner with the enrolled face and a PIN, on machines without such a check of their
/// own.
///
/// Its state is one sealed file. Guesses are counted durably before they are judged, so killing the
/// process gains none. Five wrong faces in a row, including those that were not live, lock the face
/// until the PIN is entered. After five wrong PINs, a minute must pass before each further one; after
/// twenty, the PIN is locked until ``reset()``.
///
/// The check runs in this process. Code that runs as the same user can bypass it, but cannot take a
/// TPM's keys elsewhere.
public actor FaceLocalAuthenticator: SecretLocker {
    /// The number of faces, or PINs, that a person may try in one request.
    public static let triesPerRequest = 3

    private let executor = ThreadExecutor(name: "mien.device")
    private let state: StateFile
    private let matcher: FaceMatcher
    private let threshold: MatchScore
    private let faces: any FacePresenter
    private let passcodes: any PasscodePresenter
    private let hasher: PasswordHasher
    private let random: RandomSource
    private let now: @Sendable () -> Instant

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - folder: The folder of the state. It is created with mode 0700 if missing and must be
    ///     accessible to its owner only.
    ///   - keyPath: The path of the key file, preferably outside the folder.
    ///   - matcher: The matcher of the model pack that creates the presented faces.
    ///   - now: Returns the current time.
    public init(
        folder: String, keyPath: String, matcher: FaceMatcher,
        threshold: MatchScore = .defaultThreshold, faces: any FacePresenter,
        passcodes: any PasscodePresenter, now: @escaping @Sendable () -> Instant,
        files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) {
        self.init(
            folder: folder, keyPath: keyPath, matcher: matcher, threshold: threshold, faces: faces,
            passcodes: passcodes, now: now, files: files,
            random: random, hasher: PasswordHasher())
    }

    package init(
        folder: String, keyPath: String, matcher: FaceMatcher,
        threshold: MatchScore = .defaultThreshold, faces: any FacePresenter,
        passcodes: any PasscodePresenter, now: @escaping @Sendable () -> Instant,
        files: any FileSystem, random: RandomSource,
        hasher: PasswordHasher
    ) {
        state = StateFile(folder: folder, keyPath: keyPath, files: files, random: random)
        (self.matcher, self.threshold, self.faces, self.passcodes) = (
            matcher, threshold, faces, passcodes
        )
        (self.now, self.random, self.hasher) = (now, random, hasher)
    }

    // MARK: Enrollment

    /// Sets or changes the PIN.
    ///
    /// - Parameter old: The current PIN, if one is set.
    public func setPasscode(_ new: DevicePIN, replacing old: Sensitive<String>? = nil) throws {
        if try state.read().passcode != nil { try judge(old ?? Sensitive("")) }
        let hash = try hasher.hash(new.digits, salt: random.bytes(PasswordHasher.saltSize))
        try state.update { $0.passcode = .init(hash: hash) }
    }

    /// Enrolls `face` as the owner's and replaces an earlier one. Every `biometryCurrentSet` key
    /// becomes unusable.
    public func enroll(_ face: FaceTemplate, passcode: Sensitive<String>) throws {
        try judge(passcode)
        try state.update { $0.enroll(face.bytes, random) }
    }

    /// Removes the face. Every `biometryCurrentSet` key becomes unusable.
    public func removeFace(passcode: Sensitive<String>) throws {
        try judge(passcode)
        try state.update { $0.enroll(nil, random) }
    }

    /// Removes the face, the PIN, and the counters. Every key that was locked here becomes
    /// unusable, because nothing remains that unlocks it.
    public func reset() throws { try state.reset() }

    // MARK: LocalAuthenticator

    public func capability() throws -> BiometricCapability { Self.capability(of: try state.read()) }

    public func enrollmentGeneration() throws -> EnrollmentGeneration {
        try state.read().generation
    }

    public func authenticate(reason: String, policy: BiometricPolicy) async throws -> LocalVerdict {
        let capability = try capability()
        if let obstacle = capability.obstacle(to: policy) { throw obstacle }
        let mayUsePasscode = policy == .deviceOwnerAuthentication
        if capability.isEnrolled && !capability.isLockedOut {
            do {
                if let verdict = try await askForFace(reason, mayUsePasscode) { return verdict }
            } catch let error as DeviceError
                where mayUsePasscode && Self.leavesThePasscode.contains(error.code)
            {}
        }
        return try await askForPasscode(reason)
    }

    /// Errors after which the owner may still type the passcode: nobody was recognized, or no
    /// camera is available.
    private static let leavesThePasscode: [DeviceError.Code] = [
        .notRecognized, .biometricLockout, .biometricNotSupportedOrPermissionDenied, .hardware,
    ]

    /// - Returns: `nil` if the person chose to type the passcode, and may.
    private func askForFace(_ reason: String, _ mayUsePasscode: Bool) async throws -> LocalVerdict?
    {
        for triesLeft in stride(from: Self.triesPerRequest, through: 1, by: -1) {
            let shown = try await faces.present(
                FaceRequest(reason: reason, triesLeft: triesLeft, mayUsePasscode: mayUsePasscode))
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
                if let obstacle = try capability().obstacle(
                    to: .deviceOwnerAuthenticationWithBiometrics)
                {
                    throw obstacle
                }
            case .face(let face): if let verdict = try judge(face) { return verdict }
            }
        }
        throw DeviceError(
            .notRecognized, "The face did not match the enrolled one \(Self.triesPerRequest) times."
        )
    }

    private func askForPasscode(_ reason: String) async throws -> LocalVerdict {
        for triesLeft in stride(from: Self.triesPerRequest, through: 1, by: -1) {
            guard
                let typed = try await passcodes.passcode(
                    PasscodeRequest(reason: reason, triesLeft: triesLeft))
            else {
                throw DeviceError(.cancel, "The user canceled.")
            }
            try Task.checkCancellation()
            do {
                let generation = try judge(typed)
                return LocalVerdict(method: .passcode, generation: generation, at: now())
            } catch let error as DeviceError where error.code == .wrongPasscode && triesLeft > 1 {}
        }
        throw DeviceError(.wrongPasscode, "The passcode was wrong \(Self.triesPerRequest) times.")
    }

    // MARK: Judging
    // These functions have no suspension point, so the state they read is the one they write.

    /// - Returns: `nil` if it is another person.
    private func judge(_ shown: FaceTemplate) throws -> LocalVerdict? {
        let begun: AuthenticatorState = try state.update { state in
            if let obstacle = Self.capability(of: state).obstacle(
                to: .deviceOwnerAuthenticationWithBiometrics)
            {
                throw obstacle
            }
            // A face of another model pack cannot be compared, so it is not a guess.
            if try enrolled(in: state).packID != shown.packID {
                throw DeviceError(
                    .otherModelPack,
                    "The enrolled face was created with another model pack. Enroll again."
                )
            }
            state.faceFailures += 1
            return state
        }
        let owner = try enrolled(in: begun), score: MatchScore
        do {
            score = try matcher.score(matcher.reference(for: shown), matcher.reference(for: owner))
        } catch {
            throw DeviceError(
                .otherModelPack, "The face does not have the model pack's dimensions. Enroll again."
            )
        }
        guard score >= threshold else { return nil }
        try state.update { state in
            // Another process enrolled a new face meanwhile, with which this face was not compared.
            guard state.generation == begun.generation else {
                throw DeviceError(.notRecognized, "Another face was enrolled meanwhile.")
            }
            state.faceFailures = 0
        }
        return LocalVerdict(method: .face, generation: begun.generation, at: now())
    }

    /// Counts a presentation that did not pass as live.
    private func countRefusal() throws {
        try state.update { state in
            // A locked face stays locked. Without an enrolled face there is nothing to guess.
            if state.face != nil, !state.isFaceLockedOut { state.faceFailures += 1 }
        }
    }

    /// - Returns: the current enrollment.
    @discardableResult private func judge(_ typed: Sensitive<String>) throws -> EnrollmentGeneration
    {
        let time = now()
        let hash: String = try state.update { state in
            guard var passcode = state.passcode else {
                throw DeviceError(.biometricNoPasscode, "Set a passcode first.")
            }
            guard passcode.counter.begin(under: AuthenticatorState.passcodePolicy, at: time) else {
                throw Self.locked(passcode)
            }
            state.passcode = passcode
            return passcode.hash
        }
        guard hasher.verify(typed, against: hash) else {
            throw DeviceError(.wrongPasscode, "The passcode is wrong.")
        }
        return try state.update { state in
            guard state.passcode?.hash == hash else {
                throw DeviceError(.wrongPasscode, "The passcode was changed meanwhile.")
            }
            state.passcode?.counter.succeed(under: AuthenticatorState.passcodePolicy)
            state.faceFailures = 0
            return state.generation
        }
    }

    private static func locked(_ passcode: AuthenticatorState.Passcode) -> DeviceError {
        if passcode.isDisabled {
            return DeviceError(
                .passcodeLockout,
                "Too many wrong passcodes. The passcode is disabled until the authenticator is reset."
            )
        }
        return DeviceError(.passcodeLockout, "Too many wrong passcodes. Try again in a minute.")
    }

    private static func capability(of state: AuthenticatorState) -> BiometricCapability {
        BiometricCapability(
            isSupported: true, isEnrolled: state.face != nil, isPasscodeSet: state.passcode != nil,
            isLockedOut: state.isFaceLockedOut)
    }

    private func enrolled(in state: AuthenticatorState) throws -> FaceTemplate {
        guard let bytes = state.face else {
            throw DeviceError(.biometricNoEnrollment, "Enroll a face first.")
        }
        do { return try FaceTemplate(bytes: bytes) } catch {
            throw DeviceError(.storage, "The enrolled face cannot be read: \(error). Enroll again.")
        }
    }
}

// MARK: - Secrets

extension FaceLocalAuthenticator {
    public func lock(
        _ secret: Sensitive<[UInt8]>, for constraint: BiometricAccessConstraint, context: String
    ) throws -> LockedSecret {
        let state = try state.read()
        let policy: BiometricPolicy =
            constraint == .userPresence
            ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        // A locked face unlocks nothing now, but secrets may be locked for it.
        if let obstacle = Self.capability(of: state).obstacle(to: policy),
            obstacle.code != .biometricLockout
        {
            throw obstacle
        }
        let key = try state.key(for: constraint).publicKey
        var sender = try HPKE.Sender(
            recipientKey: key, ciphersuite: Self.suite, info: Self.info(constraint, context))
        let sealed = try secret.use { try sender.seal($0) }
        return LockedSecret(
            bytes: Array(sender.encapsulatedKey) + Array(sealed), generation: state.generation)
    }

    public func release(
        _ locked: LockedSecret, for constraint: BiometricAccessConstraint, context: String,
        unlocking prompt: UnlockPrompt
    ) async throws -> Sensitive<[UInt8]> {
        if constraint == .biometryCurrentSet, try enrollmentGeneration() != locked.generation {
            throw Self.gone
        }
        let verdict = try await authenticate(
            reason: prompt.reason,
            policy: constraint == .userPresence
                ? prompt.policy : .deviceOwnerAuthenticationWithBiometrics)
        let state = try state.read()
        if constraint != .userPresence, state.generation != verdict.generation { throw Self.gone }
        guard locked.bytes.count > Self.encapsulatedSize else { throw Self.gone }
        do {
            var recipient = try HPKE.Recipient(
                privateKey: state.key(for: constraint), ciphersuite: Self.suite,
                info: Self.info(constraint, context),
                encapsulatedKey: Data(locked.bytes.prefix(Self.encapsulatedSize)))
            return Sensitive(
                Array(try recipient.open(Data(locked.bytes.dropFirst(Self.encapsulatedSize)))))
        } catch is CryptoKitError { throw Self.gone }
    }

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let encapsulatedSize = 32
    private static let gone = DeviceError(
        .biometricPrivateKeyNotFound,
        "This key can no longer be unlocked, because the face or the device was enrolled again.")

    private static func info(_ constraint: BiometricAccessConstraint, _ context: String) -> Data {
        Data("mien/v1/device-release/\(constraint.rawValue)/\(context)".utf8)
    }
}

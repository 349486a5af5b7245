internal import Foundation
public import MienCore
public import MienFace
public import MienVault

extension FaceAuthService {
    // MARK: The device's PIN

    /// Whether the device has a PIN, which confirms live enrollments.
    public func isPINSet() throws -> Bool { try passcode.isSet() }

    /// Sets or changes the device's PIN.
    ///
    /// - Parameter old: The current PIN, if one is set.
    /// - Throws: `DeviceError` `.wrongPasscode`, `.passcodeLockout`, `.storage`.
    public func setPIN(_ new: DevicePIN, replacing old: Sensitive<String>? = nil) throws {
        try passcode.set(new, replacing: old)
    }

    /// Checks the device's PIN, to find a wrong one before a capture instead of after it.
    ///
    /// - Throws: `DeviceError` `.biometricNoPasscode`, `.wrongPasscode`, `.passcodeLockout`,
    ///   `.storage`. Five wrong ones lock the PIN for a minute, and twenty until ``resetPIN()``.
    public func checkPIN(_ pin: Sensitive<String>) throws { try passcode.judge(pin, of: nil) }

    /// Removes the PIN and the confirmation of every face, after ending all face modes: faces stay
    /// enrolled for recognition, and every key and token that they opened needs a new enrollment.
    public func resetPIN() async throws {
        try await faceModes?.deactivateFaceMode(of: nil)
        candidates = [:]
        try state.reset()
    }

    // MARK: Enrolling

    /// Begins an enrollment with the selected camera.
    ///
    /// - Parameters:
    ///   - reader: The face pipeline.
    ///   - settings: The settings, by default those of a live source: random actions, then four
    ///     frames. `EnrollmentSettings.standard` has the guide's defaults, which take photos.
    /// - Throws: ``FaceAuthError`` `.notInitialized`, `.notLicensed`, `.tampered`; `FrameSourceError`.
    public func enroller<Reader: LiveFaceReader>(
        reader: Reader, settings: EnrollmentSettings = .live
    ) async throws -> FaceAuthEnroller<Reader> {
        try requirePermission()
        return FaceAuthEnroller(
            settings: settings, frames: try await openFrames(), reader: reader, packID: packID,
            now: now)
    }

    /// Stores a live face under a name, confirmed by the device's PIN, so that it opens keys and
    /// OTP tokens. If the name already had a face, its face mode ends everywhere first, and its
    /// `biometryCurrentSet` keys become unusable.
    ///
    /// - Parameter pin: The device's PIN. Wrong ones are counted, see ``checkPIN(_:)``.
    /// - Throws: ``FaceAuthError`` `.notInitialized`, `.notLicensed`, `.tampered`, `.notLive`,
    ///   `.otherModelPack`, and as ``people()``; `DeviceError` `.biometricNoPasscode`,
    ///   `.wrongPasscode`, `.passcodeLockout`.
    public func enroll(_ face: CapturedFace, as name: PersonName, pin: Sensitive<String>)
        async throws
    {
        try requireInitialized()
        try requirePermission()
        try await keep(face, as: name, pin: pin)
    }

    /// Stores a face under a name for recognition only: it opens no key and no token, however it
    /// was taken. If the name already had a face, its face mode ends everywhere first.
    ///
    /// - Throws: ``FaceAuthError`` `.notInitialized`, `.notLicensed`, `.tampered`, `.otherModelPack`, and as
    ///   ``people()``.
    public func enroll(_ face: FaceTemplate, as name: PersonName) async throws {
        try requireInitialized()
        try requirePermission()
        guard face.packID == packID else { throw otherPack(face) }
        let isNew = try await endFaceMode(of: name)
        try revoke(name)
        let outcome = try await put(face, as: name)
        // Another process was faster.
        if isNew, outcome == .replaced { try await faceModes?.deactivateFaceMode(of: name) }
    }

    /// Stores a confirmed face. An interruption leaves the old or the new enrollment, and a face
    /// that was not confirmed opens nothing at any moment.
    package func keep(_ face: CapturedFace, as name: PersonName, pin: Sensitive<String>)
        async throws
    {
        guard face.isLive else {
            throw FaceAuthError(
                .notLive,
                "The face was taken in the mode image, which a photo passes, so it cannot open keys or tokens. Enroll in a liveness mode."
            )
        }
        guard face.template.packID == packID else { throw otherPack(face.template) }
        try passcode.judge(pin, of: name)
        _ = try await endFaceMode(of: name)
        let mark = FaceAuthMode.mark(face.template), random = random
        try state.update { try $0.change(name, random) { $0.announce(mark) } }
        _ = try await put(face.template, as: name)
        try state.update { try $0.change(name, random) { $0.confirm(mark, random) } }
    }

    /// - Returns: whether the name has no face yet.
    private func endFaceMode(of name: PersonName) async throws -> Bool {
        let store = try await store()
        guard try Self.stored({ () throws(FaceStoreError) in try store.find(name) }) != nil else {
            return true
        }
        try await faceModes?.deactivateFaceMode(of: name)
        return false
    }

    private func put(_ face: FaceTemplate, as name: PersonName) async throws
        -> LocalFaceStore.PutOutcome
    {
        candidates[name] = nil
        // Opened again: the state may have changed meanwhile, even by a reset.
        let store = try await store()
        return try Self.stored { () throws(FaceStoreError) in try store.put(face, as: name) }
    }

    // MARK: Enrolled faces

    /// Returns the face to compare with.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`, `.otherModelPack` also if a former
    ///   pack of the service created it.
    public func face(of name: PersonName) async throws -> FaceTemplate {
        let face = try await enrolled(name)
        guard face.packID == packID else { throw otherPack(face) }
        return face
    }

    /// Returns the stored face, of the service's pack or of a former one.
    func enrolled(_ name: PersonName) async throws -> FaceTemplate {
        let store = try await store()
        guard let found = try Self.stored({ () throws(FaceStoreError) in try store.find(name) })
        else { throw Self.nobody }
        let face = found.template
        guard face.packID == packID || formerPack(of: face) != nil else { throw otherPack(face) }
        return face
    }

    /// Returns the former pack that created a face; `nil` for a face of the service's pack, and of a
    /// pack that the service does not have.
    func formerPack(of face: FaceTemplate) -> FormerFacePack? {
        face.packID == packID ? nil : formerPacks.first { $0.packID == face.packID }
    }

    /// Whether the person's face opens keys and tokens: it was enrolled live, the device's PIN
    /// confirmed it, and the stored face is still that one, or one that it was migrated to.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`, `.otherModelPack` for a face of a
    ///   pack that the service does not have.
    public func isConfirmed(_ name: PersonName) async throws -> Bool {
        try await isConfirmed(enrolled(name), of: name)
    }

    package func isConfirmed(_ face: FaceTemplate, of name: PersonName) async throws -> Bool {
        try await enrollment(of: face, name) != nil
    }

    /// Returns the enrollment that a stored face belongs to; `nil` if the PIN has not confirmed it.
    private func enrollment(of face: FaceTemplate, _ name: PersonName) async throws -> [UInt8]? {
        guard var person = try state.read()[name] else { return nil }
        if person.isUnsettled { person = try await settled(name) }
        guard person.confirms(FaceAuthMode.mark(face)) else { return nil }
        return person.enrollment.map { Array($0) }
    }

    /// Returns the mode of a stored face. The state of an unconfirmed face only counts attempts.
    func mode(of face: FaceTemplate, _ name: PersonName) async throws -> FaceAuthMode {
        guard let enrollment = try await enrollment(of: face, name) else {
            return FaceAuthMode(face, of: name)
        }
        return FaceAuthMode(enrollment: enrollment, of: name)
    }

    /// Returns a face that opens keys and tokens.
    ///
    /// - Throws: as ``isConfirmed(_:)``; ``FaceAuthError`` `.notConfirmed`.
    package func confirmedFace(of name: PersonName) async throws -> FaceTemplate {
        let face = try await enrolled(name)
        guard try await isConfirmed(face, of: name) else { throw Self.unconfirmed }
        return face
    }

    /// Returns the mode for activating OTP tokens: this person's face, as enrolled now.
    ///
    /// - Throws: as ``isConfirmed(_:)``; ``FaceAuthError`` `.notConfirmed` for a person who is
    ///   enrolled for recognition only.
    public func authMode(of name: PersonName) async throws -> FaceAuthMode {
        guard let enrollment = try await enrollment(of: enrolled(name), name) else {
            throw Self.unconfirmed
        }
        return FaceAuthMode(enrollment: enrollment, of: name)
    }

    /// Returns a person's part of the state. If an enrollment or a migration was interrupted after
    /// its face was stored, completes it first.
    package func settled(_ name: PersonName) async throws -> AuthenticatorState.Person {
        let random = random
        guard let known = try state.read()[name] else {
            return try state.update { try $0.change(name, random) { $0 } }
        }
        guard known.isUnsettled else { return known }
        let store = try await store()
        guard let stored = try Self.stored({ () throws(FaceStoreError) in try store.find(name) })
        else { return known }
        let mark = FaceAuthMode.mark(stored.template)
        guard [known.pending, known.migrating].contains(Data(mark)) else { return known }
        return try state.update { state in
            try state.change(name, random) { person in
                // Does nothing if another process was faster.
                person.settle(mark, random)
                return person
            }
        }
    }

    private static let unconfirmed = FaceAuthError(
        .notConfirmed,
        "This person is enrolled for recognition only, which opens no key and no token. Enroll them live, with the device's PIN."
    )

    // MARK: Removing

    /// Removes a person with all their templates, after ending the face mode of everything that their
    /// face unlocks.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`.
    public func unenroll(_ name: PersonName) async throws {
        let store = try await store()
        guard try Self.stored({ () throws(FaceStoreError) in try store.find(name) }) != nil else {
            throw Self.nobody
        }
        try await faceModes?.deactivateFaceMode(of: name)
        candidates[name] = nil
        try revoke(name)
        _ = try Self.stored { () throws(FaceStoreError) in try store.remove(name) }
    }

    private func revoke(_ name: PersonName) throws {
        guard let person = try state.read()[name],
            person.enrollment != nil || person.pending != nil
        else { return }
        let random = random
        try state.update { $0.revoke(name, random) }
    }

    /// Removes everybody, the PIN, and the key, even if the data cannot be opened on this device.
    /// Ends all face modes first, and releases the camera.
    public func reset() async throws {
        try await faceModes?.deactivateFaceMode(of: nil)
        candidates = [:]
        await uninitialize()
        // The key goes first: if the rest fails, the remaining files can no longer be opened, and
        // the next attempt continues.
        try binding.forget()
        do {
            try state.remove()
            try await removeFaces()
        } catch let error as FileSystemError {
            throw FaceAuthError(.storage, "\(error)")
        } catch let error as FaceStoreError {
            throw FaceAuthError(.storage, "\(error)")
        }
        try lockouts.reset()
    }

    /// Removes the counts of failed attempts, for a device without tokens.
    package func forgetAttempts() throws { try lockouts.reset() }

    private static let nobody = FaceAuthError(.notEnrolled, "Nobody is enrolled under this name.")

    private func otherPack(_ face: FaceTemplate) -> FaceAuthError {
        FaceAuthError(
            .otherModelPack,
            "The face was created with the model pack \(face.packID.text), but \(packID.text) is in use. Load that pack as a former one, or enroll again."
        )
    }
}

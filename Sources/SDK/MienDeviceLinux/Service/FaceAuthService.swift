public import MienCore
public import MienDevice
public import MienFace
public import MienKeys
public import MienMedia
public import MienSealing
public import MienTPM
internal import MienThreads
public import MienVault

/// Holds other things on a device that a face unlocks: OTP tokens in multi-auth mode. It is told
/// before a face is removed.
public protocol FaceModeHolder: Sendable {
    /// Ends the face mode of everything that the person's face unlocks; `nil` means everybody's.
    /// The face is removed only after this returns.
    func deactivateFaceMode(of person: PersonName?) async throws
}

/// Face login on one device: camera selection, enrolled people, and data that opens only on this
/// device.
///
/// ```swift
/// let service = FaceAuthService(folder: "…/face", keyPath: "…/device.key", packID: pack.id, tpm: TPM())
/// if try await service.isMigrationNeeded() { try await service.migrate() }
/// try await service.initialize()
/// let video = try await service.openCamera()
/// ```
///
/// Faces are sealed under a key that is bound to the TPM if there is one, and otherwise to the
/// machine id. Both cases also need the key file. Data copied to another device cannot be opened,
/// and the error gives the reason. It does not protect against code that runs as the same user on
/// this device.
public actor FaceAuthService {
    private let executor = ThreadExecutor(name: "mien.faceauth")
    private let binding: DeviceBinding
    private let faceFolder: String
    private let packID: PackID
    private let cameras: @Sendable () -> [Camera]
    private let faceModes: (any FaceModeHolder)?
    private let licensing: LicensePolicy?
    private let license: LicenseFile
    private let lockouts: FaceLockouts
    private let files: any FileSystem
    private let random: RandomSource
    private var camera: Camera?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - folder: The folder of the service's data. It is created with mode 0700 if missing and
    ///     must be accessible to its owner only.
    ///   - keyPath: The path of the key file, preferably outside the folder.
    ///   - packID: The id of the model pack that creates the faces.
    ///   - tpm: The TPM; `nil` for a device without one.
    ///   - cameras: Lists the available cameras.
    ///   - faceModes: Ends face modes before a face is removed.
    ///   - licensing: The policy if the device needs a license; `nil` if it needs none.
    public init(
        folder: String, keyPath: String, packID: PackID, tpm: TPM?,
        cameras: @escaping @Sendable () -> [Camera] = { Camera.all() },
        faceModes: (any FaceModeHolder)? = nil, licensing: LicensePolicy? = nil,
        files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) {
        self.init(
            folder: folder, keyPath: keyPath, packID: packID, tpm: tpm, cameras: cameras,
            faceModes: faceModes, licensing: licensing, files: files,
            random: random, machineID: { try MachineID.read() })
    }

    package init(
        folder: String, keyPath: String, packID: PackID, tpm: TPM?,
        cameras: @escaping @Sendable () -> [Camera],
        faceModes: (any FaceModeHolder)?, licensing: LicensePolicy? = nil, files: any FileSystem,
        random: RandomSource,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        binding = DeviceBinding(
            folder: folder, keyPath: keyPath, tpm: tpm, machineID: machineID, files: files,
            random: random)
        faceFolder = "\(folder)/faces"
        (self.licensing, license) = (
            licensing, LicenseFile(folder: folder, keyPath: keyPath, files: files, random: random)
        )
        lockouts = FaceLockouts(folder: folder, keyPath: keyPath, files: files, random: random)
        (self.packID, self.cameras, self.faceModes, self.files, self.random) = (
            packID, cameras, faceModes, files, random
        )
    }

    // MARK: The license

    /// Whether this device may be used: it has a valid license or needs none. Contacts no server.
    ///
    /// - Throws: ``FaceAuthError`` `.storage`, `.bindingUnavailable` if the machine id cannot be
    ///   read.
    public func isLicenseConfigured() throws -> Bool {
        guard licensing != nil else { return true }
        return try licenseVerdict()?.isValid ?? false
    }

    /// Returns the verdict on this device's license; `nil` if it has none or needs none. Stores the
    /// latest time at which it was called, to the hour, so setting the clock back extends a license
    /// by an hour at most.
    public func licenseVerdict() throws -> License.Verdict? {
        guard let licensing else { return nil }
        let now = licensing.now()
        guard let kept = try license.read(at: now) else { return nil }
        return License.judge(
            kept.text, signedBy: kept.key, product: licensing.product, device: try device(),
            at: now, latestSeen: kept.latestSeen)
    }

    /// Gets a license and stores it in place of an earlier one. Does nothing if none is needed.
    ///
    /// - Parameter exchange: Returns a license for a device with the given identifier and the key
    ///   to verify it, from the operator's server over TLS.
    /// - Throws: errors of `exchange`; ``FaceAuthError`` `.notLicensed` if the new license is not
    ///   valid here and now. The earlier one then stays.
    public func configureLicense(
        _ exchange:
            @Sendable (_ device: String) async throws -> (text: String, key: DevicePublicKey)
    ) async throws {
        guard let licensing else { return }
        let device = try device(), (text, key) = try await exchange(device), now = licensing.now()
        let verdict = License.judge(
            text, signedBy: key, product: licensing.product, device: device, at: now)
        guard verdict.isValid else { throw Self.unlicensed(verdict) }
        try license.write(text, key, at: now)
    }

    private func device() throws -> String { Base64URL.encode(try binding.deviceMark()) }

    private func requireLicense() throws {
        guard licensing != nil else { return }
        let verdict = try licenseVerdict()
        guard verdict?.isValid == true else { throw Self.unlicensed(verdict) }
    }

    private static func unlicensed(_ verdict: License.Verdict?) -> FaceAuthError {
        let why =
            switch verdict {
            case nil, .valid: "This device has no license."
            case .expired: "This device's license has expired."
            case .clockBehind:
                "This device's clock shows a time before its license was issued, or before a time it has already shown. Set the clock."
            case .otherDevice: "The license is for another device."
            case .otherProduct: "The license is for another product."
            case .notGenuine: "The license was changed or is malformed."
            }
        return FaceAuthError(.notLicensed, "\(why) Configure a license with a product key.")
    }

    // MARK: The camera

    /// Whether this device supports face login: it has a camera.
    public func isSupported() -> Bool { !cameras().isEmpty }

    public var isInitialized: Bool { camera != nil }

    /// Selects the camera and checks that this device's data can be opened.
    ///
    /// - Parameter choose: Receives the cameras' names and returns the one to use, or `nil` for the
    ///   first whose name contains "front", or else the first.
    /// - Returns: the camera.
    /// - Throws: ``FaceAuthError``: `.alreadyInitialized`, `.noCamera`, `.invalidCameraName`, and
    ///   as ``people()``.
    @discardableResult
    public func initialize(choosing choose: @Sendable ([String]) -> String? = { _ in nil })
        async throws -> Camera
    {
        guard camera == nil else { throw Self.twice }
        try requireLicense()
        let cameras = cameras(), chosen: Camera
        do throws(MediaError) {
            chosen = try Camera.choose(
                from: cameras, named: cameras.isEmpty ? nil : choose(cameras.map(\.name)))
        } catch {
            throw FaceAuthError(
                error.code == .noCamera ? .noCamera : .invalidCameraName, error.reason)
        }
        _ = try await store()
        // Another task may have been faster while the TPM was called.
        guard camera == nil else { throw Self.twice }
        camera = chosen
        return chosen
    }

    private static let twice = FaceAuthError(
        .alreadyInitialized,
        "The service is already initialized. Uninitialize it first to select another camera.")

    /// Releases the camera. Open streams stay open until they are closed.
    public func uninitialize() { camera = nil }

    /// Returns frames of the selected camera.
    ///
    /// - Throws: ``FaceAuthError`` `.notInitialized`; `MediaError`.
    public func openCamera(options: VideoOptions = VideoOptions()) async throws -> VideoStream {
        guard let camera else {
            throw FaceAuthError(
                .notInitialized, "Initialize the service first, which selects the camera.")
        }
        return try await VideoStream.open(.camera(camera), options: options)
    }

    // MARK: Enrolled people

    /// Whether anybody is enrolled.
    public func isConfigured() async throws -> Bool { try await !people().isEmpty }

    /// Returns the names of the enrolled people.
    ///
    /// - Throws: ``FaceAuthError``: `.otherDevice`, `.bindingUnavailable`, `.storage`.
    public func people() async throws -> [PersonName] {
        let store = try await store()
        return try Self.stored { () throws(FaceStoreError) in
            let listing = try store.list()
            guard listing.damaged.isEmpty else { throw .damaged(listing.damaged) }
            return listing.faces.map(\.name)
        }
    }

    /// Stores a face under a name. If the name already had a face, its face mode ends everywhere
    /// first, so the new face unlocks nothing that the old one did.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.otherModelPack`.
    public func enroll(_ face: FaceTemplate, as name: PersonName) async throws {
        try requireLicense()
        guard face.packID == packID else { throw otherPack(face) }
        var store = try await store()
        let isNew = try Self.stored { () throws(FaceStoreError) in try store.find(name) == nil }
        if !isNew {
            try await faceModes?.deactivateFaceMode(of: name)
            // The state may have changed meanwhile, even by a reset.
            store = try await self.store()
        }
        let outcome = try Self.stored { () throws(FaceStoreError) in try store.put(face, as: name) }
        // Another process was faster.
        if isNew, outcome == .replaced { try await faceModes?.deactivateFaceMode(of: name) }
    }

    /// Returns the face to compare with.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`, `.otherModelPack`.
    public func face(of name: PersonName) async throws -> FaceTemplate {
        let store = try await store()
        guard let found = try Self.stored({ () throws(FaceStoreError) in try store.find(name) })
        else { throw Self.nobody }
        guard found.template.packID == packID else { throw otherPack(found.template) }
        return found.template
    }

    /// Returns the mode for activating OTP tokens: this person's face, as enrolled now.
    ///
    /// - Throws: as ``face(of:)``.
    public func authMode(of name: PersonName) async throws -> FaceAuthMode {
        FaceAuthMode(try await face(of: name), of: name)
    }

    /// Verifies that a person is in front of a source of frames. Returns an input that unlocks
    /// their OTP tokens once, within 60 s.
    ///
    /// The person performs actions drawn at random for each attempt. With settings of the mode
    /// `livenessPassive`, they only keep still and blink. Attempts are counted before they begin.
    /// Five in a row that showed another person, were not live, or were left after an instruction
    /// lock the face, see ``unlock(_:)``.
    /// - Parameters:
    ///   - reader: The face pipeline.
    ///   - matcher: The matcher of the service's model pack.
    ///   - settings: The settings, by default those of a live source. A `VerificationSettings`
    ///     without a mode is passive.
    ///   - capture: The id of the capture in the verdict.
    /// - Throws: as ``face(of:)``; ``FaceAuthError`` `.notLicensed`, `.lockedOut`;
    ///   `SessionSettingError` for the mode `image`, which a presented photo would pass;
    ///   `FrameSourceError` and errors of the reader. A refusal is returned, not thrown.
    public func verify(
        _ name: PersonName, in frames: some FrameSource, reader: some LiveFaceReader,
        matcher: FaceMatcher,
        settings: VerificationSettings = .live, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> FaceAuthentication {
        // Checked before the stored face is opened.
        try requireLicense()
        return try await verify(
            face(of: name), of: name, in: frames, reader: reader, matcher: matcher,
            settings: settings, capture: capture, onFrame: onFrame)
    }

    /// Verifies a face that is stored elsewhere.
    package func verify(
        _ enrolled: FaceTemplate, of name: PersonName, in frames: some FrameSource,
        reader: some LiveFaceReader, matcher: FaceMatcher,
        settings: VerificationSettings, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)?
    ) async throws -> FaceAuthentication {
        try requireLicense()
        guard settings.mode != .image else {
            throw SessionSettingError(
                setting: "mode",
                allowed: "liveness_passive or liveness_active; a photo unlocks no token")
        }
        let mode = FaceAuthMode(enrolled, of: name)
        guard try lockouts.begin(mode) else { throw Self.lockedOut }
        let isDrawn = settings.mode == .livenessActive, wasInstructed = Locked(false),
            look: FaceAuthentication
        var generator = SystemRandomNumberGenerator()
        let challenge = isDrawn ? LivenessChallenge.drawn(using: &generator) : nil
        do {
            look = try await FaceAuthentication.run(
                enrolled, of: name, in: frames, reader: reader, matcher: matcher,
                settings: settings,
                challenge: challenge, capture: capture
            ) { event in
                if isDrawn, let action = event.action, action != .keepStill {
                    wasInstructed.withLock { $0 = true }
                }
                await onFrame?(event)
            }
        } catch {
            // Leaving after an instruction counts as a try. Otherwise a person could retry until
            // the instruction suits a recording.
            if !wasInstructed.withLock({ $0 }) { try? lockouts.abandon(mode) }
            throw error
        }
        if look.verdict.isAccepted {
            try lockouts.succeed(mode)
        } else if !wasInstructed.withLock({ $0 }),
            !look.verdict.refusals.contains(where: { $0 == .noMatch || $0.isOfLiveness })
        {
            try lockouts.abandon(mode)
        }
        return look
    }

    private static let lockedOut = FaceAuthError(
        .lockedOut,
        "The face was wrong or not live \(AuthenticatorState.maxFaceFailures) times in a row. Unlock it, "
            + "and then activate it with the PIN.")

    /// Whether this person's face is locked after five failed tries.
    ///
    /// - Throws: as ``face(of:)``.
    public func isLockedOut(_ name: PersonName) async throws -> Bool {
        try lockouts.isLockedOut(await authMode(of: name))
    }

    /// Unlocks a locked face. Its face mode ends everywhere first; activating it again needs the
    /// token's PIN. Does nothing if the face is not locked.
    ///
    /// - Throws: as ``face(of:)``.
    public func unlock(_ name: PersonName) async throws { try await unlock(authMode(of: name)) }

    /// Unlocks a face that is stored elsewhere.
    package func unlock(_ mode: FaceAuthMode) async throws {
        guard try lockouts.isLockedOut(mode) else { return }
        try await faceModes?.deactivateFaceMode(of: mode.person)
        try lockouts.succeed(mode)
    }

    /// Removes a person, after ending the face mode of everything that their face unlocks.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`.
    public func unenroll(_ name: PersonName) async throws {
        let store = try await store()
        guard try Self.stored({ () throws(FaceStoreError) in try store.find(name) }) != nil else {
            throw Self.nobody
        }
        try await faceModes?.deactivateFaceMode(of: name)
        _ = try Self.stored { () throws(FaceStoreError) in try store.remove(name) }
    }

    /// Removes everybody and the key, even if the data cannot be opened on this device. Ends all
    /// face modes first, and releases the camera.
    public func reset() async throws {
        try await faceModes?.deactivateFaceMode(of: nil)
        camera = nil
        // The key goes first: if the rest fails, the remaining files can no longer be opened, and
        // the next attempt continues.
        try binding.forget()
        do throws(FileSystemError) {
            for name in try files.list(faceFolder) ?? []
            where name.hasSuffix(LocalFaceStore.fileSuffix) {
                try files.remove("\(faceFolder)/\(name)")
            }
            if try files.list(faceFolder) != nil { try files.syncFolder(faceFolder) }
        } catch { throw FaceAuthError(.storage, "\(error)") }
        try lockouts.reset()
    }

    private static let nobody = FaceAuthError(.notEnrolled, "Nobody is enrolled under this name.")

    private func otherPack(_ face: FaceTemplate) -> FaceAuthError {
        FaceAuthError(
            .otherModelPack,
            "The face was created with the model pack \(face.packID.text), but \(packID.text) is in use. Enroll again."
        )
    }

    // MARK: The device

    /// Returns the hardware that the data is bound to; `nil` before there is any data.
    public func bindingSource() throws -> DeviceBindingSource? { try binding.source() }

    /// Whether the data is bound to the machine id although a TPM is available now.
    public func isMigrationNeeded() async throws -> Bool { try await binding.isMigrationNeeded() }

    /// Binds the data to the TPM and keeps the enrolled people. Does nothing if it already is.
    ///
    /// - Throws: ``FaceAuthError`` `.bindingUnavailable` without a TPM, and as ``people()``.
    public func migrate() async throws { try await binding.migrate() }

    private func store() async throws -> LocalFaceStore {
        let recordsExist: Bool
        do throws(FileSystemError) {
            recordsExist =
                try files.list(faceFolder)?.contains { $0.hasSuffix(LocalFaceStore.fileSuffix) }
                ?? false
        } catch { throw FaceAuthError(.storage, "\(error)") }
        let key = try await binding.key(recordsExist: recordsExist)
        return try Self.stored { () throws(FaceStoreError) in
            try LocalFaceStore.open(folder: faceFolder, key: key, files: files, random: random)
        }
    }

    private static func stored<T>(_ body: () throws(FaceStoreError) -> T) throws(FaceAuthError) -> T
    {
        do { return try body() } catch { throw FaceAuthError(.storage, "\(error)") }
    }
}

#if canImport(MienTPM)
public import MienCore
public import MienFace
public import MienKeys
public import MienMedia
public import MienTPM
public import MienVault
internal import Synchronization

/// What else on a device opens with a face: tokens in multi-authentication mode. Told before a face
/// goes.
public protocol FaceModeHolder: Sendable {
    /// Ends the face mode of everything that the person's face opens; `nil` for everybody's. Until
    /// it has returned, the face stays.
    func deactivateFaceMode(of person: PersonName?) async throws
}

/// Face login on one device: which camera, who is enrolled, and data that opens here only.
///
/// ```swift
/// let service = FaceAuthService(folder: "…/face", keyPath: "…/device.key", packID: pack.id, tpm: TPM())
/// if try await service.isMigrationNeeded() { try await service.migrate() }
/// try await service.initialize()
/// let video = try await service.openCamera()
/// ```
///
/// Faces are sealed under a key that is bound to the TPM when there is one, and else to the machine
/// id; with either the key file is needed, too. Copied to another device they do not open, and the
/// error says why. What it cannot see: somebody who runs code as the same user on this device.
public actor FaceAuthService {
    private let executor = ThreadExecutor(name: "mien.faceauth")
    private let binding: DeviceBinding
    private let faceFolder: String
    private let packID: PackID
    private let cameras: @Sendable () -> [Camera]
    private let faceModes: (any FaceModeHolder)?
    private let licensing: LicencePolicy?
    private let licence: LicenceFile
    private let lockouts: FaceLockouts
    private let files: any FileSystem
    private let random: RandomSource
    private var camera: Camera?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - folder: of the service's data, made with mode 0700 when it is missing. Nobody else may
    ///     enter it.
    ///   - keyPath: of the key file, better outside of it.
    ///   - packID: of the model pack that makes the faces.
    ///   - tpm: `nil` for a device without one.
    ///   - cameras: what there is to choose from.
    ///   - faceModes: what has to end before a face goes.
    ///   - licensing: that the device needs a licence; `nil`: it needs none.
    public init(
        folder: String, keyPath: String, packID: PackID, tpm: TPM?,
        cameras: @escaping @Sendable () -> [Camera] = { Camera.all() },
        faceModes: (any FaceModeHolder)? = nil, licensing: LicencePolicy? = nil,
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
        faceModes: (any FaceModeHolder)?, licensing: LicencePolicy? = nil, files: any FileSystem,
        random: RandomSource,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        binding = DeviceBinding(
            folder: folder, keyPath: keyPath, tpm: tpm, machineID: machineID, files: files,
            random: random)
        faceFolder = "\(folder)/faces"
        (self.licensing, licence) = (
            licensing, LicenceFile(folder: folder, keyPath: keyPath, files: files, random: random)
        )
        lockouts = FaceLockouts(folder: folder, keyPath: keyPath, files: files, random: random)
        (self.packID, self.cameras, self.faceModes, self.files, self.random) = (
            packID, cameras, faceModes, files, random
        )
    }

    // MARK: The licence

    /// Whether this device may be used: it has a licence that holds now, or needs none. Asks no
    /// server.
    ///
    /// - Throws: ``FaceAuthError`` `.storage`, `.bindingUnavailable` when the machine id cannot be
    ///   read.
    public func isLicenseConfigured() throws -> Bool {
        guard licensing != nil else { return true }
        return try licenceVerdict()?.isValid ?? false
    }

    /// What there is to say of this device's licence; `nil` when it has none, or needs none.
    /// Remembers the latest time that it was asked at, to the hour: a clock that is set back
    /// lengthens no licence by more.
    public func licenceVerdict() throws -> Licence.Verdict? {
        guard let licensing else { return nil }
        let now = licensing.now()
        guard let kept = try licence.read(at: now) else { return nil }
        return Licence.judge(
            kept.text, signedBy: kept.key, product: licensing.product, device: try device(),
            at: now, latestSeen: kept.latestSeen)
    }

    /// Gets a licence and keeps it, in place of one there was. Does nothing when none is needed.
    ///
    /// - Parameter exchange: gives a licence for a device of this name, and the key to check it
    ///   with: from the server that the operator names, over TLS.
    /// - Throws: what `exchange` throws; ``FaceAuthError`` `.notLicensed` when what it gives does
    ///   not hold here and now: the one before stays.
    public func configureLicense(
        _ exchange:
            @Sendable (_ device: String) async throws -> (text: String, key: DevicePublicKey)
    ) async throws {
        guard let licensing else { return }
        let device = try device(), (text, key) = try await exchange(device), now = licensing.now()
        let verdict = Licence.judge(
            text, signedBy: key, product: licensing.product, device: device, at: now)
        guard verdict.isValid else { throw Self.unlicensed(verdict) }
        try licence.write(text, key, at: now)
    }

    private func device() throws -> String { Base64URL.encode(try binding.deviceMark()) }

    private func requireLicence() throws {
        guard licensing != nil else { return }
        let verdict = try licenceVerdict()
        guard verdict?.isValid == true else { throw Self.unlicensed(verdict) }
    }

    private static func unlicensed(_ verdict: Licence.Verdict?) -> FaceAuthError {
        let why =
            switch verdict {
            case nil, .valid: "this device has no licence"
            case .expired: "this device's licence has expired"
            case .clockBehind:
                "this device's clock stands before its licence was issued, or before a time that it has shown already: set it"
            case .otherDevice: "the licence is another device's"
            case .otherProduct: "the licence is for another product"
            case .notGenuine: "the licence was changed, or is none"
            }
        return FaceAuthError(.notLicensed, "\(why); configure one with a product key")
    }

    // MARK: The camera

    /// Whether this device can do it at all: it has a camera.
    public func isSupported() -> Bool { !cameras().isEmpty }

    public var isInitialized: Bool { camera != nil }

    /// Chooses the camera, and sees that this device's data opens.
    ///
    /// - Parameter choose: given the cameras' names, the one to use, or `nil` for the first whose
    ///   name contains "front", or else the first.
    /// - Returns: the camera.
    /// - Throws: ``FaceAuthError``: `.alreadyInitialized`, `.noCamera`, `.invalidCameraName`, and
    ///   as ``people()``.
    @discardableResult
    public func initialize(choosing choose: @Sendable ([String]) -> String? = { _ in nil })
        async throws -> Camera
    {
        guard camera == nil else { throw Self.twice }
        try requireLicence()
        let cameras = cameras(), chosen: Camera
        do throws(MediaError) {
            chosen = try Camera.choose(
                from: cameras, named: cameras.isEmpty ? nil : choose(cameras.map(\.name)))
        } catch {
            throw FaceAuthError(
                error.code == .noCamera ? .noCamera : .invalidCameraName, error.reason)
        }
        _ = try await store()
        // Another task may have been quicker, while the TPM was asked.
        guard camera == nil else { throw Self.twice }
        camera = chosen
        return chosen
    }

    private static let twice = FaceAuthError(
        .alreadyInitialized,
        "the service was initialised already; uninitialise it first to choose another camera")

    /// Gives the camera up. Streams that are open stay so until they are closed.
    public func uninitialize() { camera = nil }

    /// Frames of the chosen camera.
    ///
    /// - Throws: ``FaceAuthError`` `.notInitialized`; `MediaError`.
    public func openCamera(options: VideoOptions = VideoOptions()) async throws -> VideoStream {
        guard let camera else {
            throw FaceAuthError(
                .notInitialized, "initialise the service first: that chooses the camera")
        }
        return try await VideoStream.open(.camera(camera), options: options)
    }

    // MARK: The enrolled

    /// Whether anybody is enrolled.
    public func isConfigured() async throws -> Bool { try await !people().isEmpty }

    /// Who is enrolled.
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

    /// Keeps a face under a name. When the name had one, its face mode ends everywhere first: a new
    /// face opens nothing that the old one did.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.otherModelPack`.
    public func enrol(_ face: FaceTemplate, as name: PersonName) async throws {
        try requireLicence()
        guard face.packID == packID else { throw otherPack(face) }
        var store = try await store()
        let isNew = try Self.stored { () throws(FaceStoreError) in try store.find(name) == nil }
        if !isNew {
            try await faceModes?.deactivateFaceMode(of: name)
            // Anything may have happened meanwhile, a reset even.
            store = try await self.store()
        }
        let outcome = try Self.stored { () throws(FaceStoreError) in try store.put(face, as: name) }
        // Another process was quicker.
        if isNew, outcome == .replaced { try await faceModes?.deactivateFaceMode(of: name) }
    }

    /// The face to compare with.
    ///
    /// - Throws: as ``people()``; ``FaceAuthError`` `.notEnrolled`, `.otherModelPack`.
    public func face(of name: PersonName) async throws -> FaceTemplate {
        let store = try await store()
        guard let found = try Self.stored({ () throws(FaceStoreError) in try store.find(name) })
        else { throw Self.nobody }
        guard found.template.packID == packID else { throw otherPack(found.template) }
        return found.template
    }

    /// What tokens are activated for: this person's face, as enrolled now.
    ///
    /// - Throws: as ``face(of:)``.
    public func authMode(of name: PersonName) async throws -> FaceAuthMode {
        FaceAuthMode(try await face(of: name), of: name)
    }

    /// Verifies that a person is in front of a source of frames, and gives what opens their tokens:
    /// once, within 60 s.
    ///
    /// The person does what is drawn at random here, for each look; only settings that name
    /// `livenessPassive` have them keep still and blink. Looks are counted before they begin: five
    /// in a row that were somebody else, not live, or left after an instruction lock the face, see
    /// ``unlock(_:)``.
    ///
    /// - Parameters:
    ///   - reader: the pipeline.
    ///   - matcher: of the model pack that the service was made for.
    ///   - settings: those of a live source unless they say otherwise; a `VerificationSettings`
    ///     without a mode is passive.
    ///   - capture: names what the verdict is about.
    /// - Throws: as ``face(of:)``; ``FaceAuthError`` `.notLicensed`, `.lockedOut`;
    ///   `SessionSettingError` for the mode `image`, in which a photo held up would do;
    ///   `FrameSourceError` and what the reader throws. A refusal is not thrown.
    public func verify(
        _ name: PersonName, in frames: some FrameSource, reader: some LiveFaceReader,
        matcher: FaceMatcher,
        settings: VerificationSettings = .live, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)? = nil
    ) async throws -> FaceAuthentication {
        // Before the face is opened.
        try requireLicence()
        return try await verify(
            face(of: name), of: name, in: frames, reader: reader, matcher: matcher,
            settings: settings, capture: capture, onFrame: onFrame)
    }

    /// The same for a face that is kept elsewhere.
    package func verify(
        _ enrolled: FaceTemplate, of name: PersonName, in frames: some FrameSource,
        reader: some LiveFaceReader, matcher: FaceMatcher,
        settings: VerificationSettings, capture: CaptureID,
        onFrame: (@Sendable (FrameEvent) async -> Void)?
    ) async throws -> FaceAuthentication {
        try requireLicence()
        guard settings.mode != .image else {
            throw SessionSettingError(
                setting: "mode",
                allowed: "liveness_passive or liveness_active: a photo opens no token")
        }
        let mode = FaceAuthMode(enrolled, of: name)
        guard try lockouts.begin(mode) else { throw Self.lockedOut }
        let isDrawn = settings.mode == .livenessActive, wasInstructed = Mutex(false),
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
            // Told what was drawn, then gone, however: that was a try, or one could go on until
            // something is drawn that suits a recording.
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
        "the face was wrong, or not live, \(AuthenticatorState.maxFaceFailures) times in a row: it opens nothing until it is unlocked, "
            + "and then activated with the PIN")

    /// Whether looks at this person's face are judged no more, after five in vain.
    ///
    /// - Throws: as ``face(of:)``.
    public func isLockedOut(_ name: PersonName) async throws -> Bool {
        try lockouts.isLockedOut(await authMode(of: name))
    }

    /// Lets a locked face be tried again. First its face mode ends everywhere: activating it again
    /// takes the token's PIN. Does nothing when it is not locked.
    ///
    /// - Throws: as ``face(of:)``.
    public func unlock(_ name: PersonName) async throws { try await unlock(authMode(of: name)) }

    /// The same for a face that is kept elsewhere.
    package func unlock(_ mode: FaceAuthMode) async throws {
        guard try lockouts.isLockedOut(mode) else { return }
        try await faceModes?.deactivateFaceMode(of: mode.person)
        try lockouts.succeed(mode)
    }

    /// Forgets a person, after the face mode of all that the face opened has ended.
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

    /// Forgets everybody, and the key: also on a device where the data does not open. Ends all face
    /// modes first, and the camera.
    public func reset() async throws {
        try await faceModes?.deactivateFaceMode(of: nil)
        camera = nil
        // First the key: should the rest fail, what is left opens no more, and the next try goes
        // on.
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

    private static let nobody = FaceAuthError(.notEnrolled, "nobody is enrolled under this name")

    private func otherPack(_ face: FaceTemplate) -> FaceAuthError {
        FaceAuthError(
            .otherModelPack,
            "the face was made with the model pack \(face.packID.text), \(packID.text) is in use: enrol again"
        )
    }

    // MARK: The device

    /// What the data is bound to; `nil` before there is any.
    public func bindingSource() throws -> DeviceBindingSource? { try binding.source() }

    /// Whether the data is bound to the machine id, and there is a TPM now.
    public func isMigrationNeeded() async throws -> Bool { try await binding.isMigrationNeeded() }

    /// Binds the data to the TPM; who is enrolled stays so. Does nothing when it is already.
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
#endif

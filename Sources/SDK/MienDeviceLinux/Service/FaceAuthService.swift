public import MienCore
public import MienDevice
package import MienFace
public import MienHardware
public import MienMedia
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
/// let look = try await service.verify(ada, in: service.openFrames(), reader: engine, matcher: matcher, capture: id)
/// ```
///
/// Each person has one enrollment, which recognition, device keys, and OTP tokens share. Only a live
/// enrollment that the device's PIN has confirmed opens keys and tokens.
///
/// Faces are sealed under a key that is bound to the TPM if there is one, and otherwise to the
/// machine id. Both cases also need the key file. Data copied to another device cannot be opened,
/// and the error gives the reason. It does not protect against code that runs as the same user on
/// this device.
public actor FaceAuthService {
    private let executor = ThreadExecutor(name: "mien.faceauth")
    let binding: DeviceBinding
    let faceFolder: String
    let packID: PackID
    let licensing: LicensePolicy?
    let integrity: IntegrityPolicy
    let license: LicenseFile
    let lockouts: FaceLockouts
    let faceModes: (any FaceModeHolder)?
    let state: StateFile
    let passcode: DevicePasscode
    let random: RandomSource
    let now: @Sendable () -> Instant
    let files: any FileSystem
    let formerPacks: [FormerFacePack]
    let onMigration: (@Sendable (FaceMigrationNotice) async -> Void)?
    /// Draws challenges in tests, in place of the system's random numbers.
    let draw: (@Sendable () -> LivenessChallenge)?
    /// New templates that wait for the PIN.
    var candidates: [PersonName: MigrationCandidate] = [:]
    /// When former templates were last erased.
    var erasedAt: Instant?
    private let shelf: LocalFaceStore?
    private let cameras: @Sendable () -> [Camera]
    private let allowsVirtualCameras: Bool
    private var source: FaceSource?
    /// Closes the open streams when the service is uninitialized.
    private var streams = OpenStreams()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - folder: The folder of the service's data. It is created with mode 0700 if missing and
    ///     must be accessible to its owner only.
    ///   - keyPath: The path of the key file, preferably outside the folder.
    ///   - packID: The id of the model pack that creates the faces.
    ///   - formerPacks: The packs that enrolled people who have not been migrated to `packID`, see
    ///     ``packs()``. Without its pack, a face is refused.
    ///   - onMigration: Called when a person whom a former pack enrolled was recognized live, to tell
    ///     them what became of their template.
    ///   - tpm: The TPM; `nil` for a device without one.
    ///   - people: An existing store of enrolled people to use; by default, the service keeps a
    ///     store of its own in the folder, bound to the device.
    ///   - cameras: Lists the available cameras.
    ///   - allowsVirtualCameras: Whether the camera may be a virtual one, into which a program can
    ///     play anything.
    ///   - faceModes: Ends face modes before a face is removed.
    ///   - licensing: The policy if the device needs a license; `nil` if it needs none.
    ///   - integrity: The signs of debuggers and manipulation with which the service refuses to
    ///     work.
    ///   - now: Returns the current time, for templates and wrong PINs; by default the machine's.
    public init(
        folder: String, keyPath: String, packID: PackID, formerPacks: [FormerFacePack] = [],
        onMigration: (@Sendable (FaceMigrationNotice) async -> Void)? = nil, tpm: TPM?,
        people: LocalFaceStore? = nil,
        cameras: @escaping @Sendable () -> [Camera] = { Camera.all() },
        allowsVirtualCameras: Bool = false,
        faceModes: (any FaceModeHolder)? = nil, licensing: LicensePolicy? = nil,
        integrity: IntegrityPolicy = .report, now: (@Sendable () -> Instant)? = nil,
        files: any FileSystem = POSIXFileSystem(),
        random: RandomSource = .system
    ) {
        self.init(
            folder: folder, keyPath: keyPath, packID: packID, formerPacks: formerPacks,
            onMigration: onMigration, tpm: tpm, people: people,
            cameras: cameras, allowsVirtualCameras: allowsVirtualCameras, faceModes: faceModes,
            licensing: licensing,
            integrity: integrity, now: now ?? SystemTime.now, files: files,
            random: random, hasher: PasswordHasher(), machineID: { try MachineID.read() })
    }

    package init(
        folder: String, keyPath: String, packID: PackID, formerPacks: [FormerFacePack] = [],
        onMigration: (@Sendable (FaceMigrationNotice) async -> Void)? = nil, tpm: TPM?,
        people: LocalFaceStore? = nil, cameras: @escaping @Sendable () -> [Camera],
        allowsVirtualCameras: Bool = false,
        faceModes: (any FaceModeHolder)?, licensing: LicensePolicy? = nil,
        integrity: IntegrityPolicy = .report,
        now: @escaping @Sendable () -> Instant = { SystemTime.now() }, files: any FileSystem,
        random: RandomSource, hasher: PasswordHasher = PasswordHasher(),
        draw: (@Sendable () -> LivenessChallenge)? = nil,
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
        state = StateFile(folder: folder, keyPath: keyPath, files: files, random: random)
        passcode = DevicePasscode(state: state, hasher: hasher, random: random, now: now)
        (self.packID, self.cameras, self.faceModes, self.files, self.random) = (
            packID, cameras, faceModes, files, random
        )
        (shelf, self.integrity, self.now) = (people, integrity, now)
        self.allowsVirtualCameras = allowsVirtualCameras
        (self.formerPacks, self.onMigration, self.draw) = (formerPacks, onMigration, draw)
    }

    // MARK: The camera

    /// Whether this device supports face login: it has a camera.
    public func isSupported() -> Bool { !cameras().isEmpty }

    public var isInitialized: Bool { source != nil }

    /// Selects the camera and checks that this device's data can be opened. Enrolling and verifying
    /// require it.
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
        guard source == nil else { throw Self.twice }
        try requirePermission()
        let cameras = cameras(), chosen: Camera
        do throws(MediaError) {
            chosen = try Camera.choose(
                from: cameras, named: cameras.isEmpty ? nil : choose(cameras.map(\.name)))
        } catch {
            throw FaceAuthError(
                error.code == .noCamera ? .noCamera : .invalidCameraName, error.reason)
        }
        try await begin(.camera(chosen))
        return chosen
    }

    /// Selects another source than a camera of this machine, such as a video file or frames that
    /// the app pushes, and checks that this device's data can be opened.
    ///
    /// - Throws: ``FaceAuthError`` `.alreadyInitialized`, and as ``people()``.
    public func initialize(frames: FaceFrames) async throws {
        guard source == nil else { throw Self.twice }
        try requirePermission()
        try await begin(.frames(frames))
    }

    private func begin(_ chosen: FaceSource) async throws {
        _ = try await store()
        // Another task may have been faster while the TPM was called.
        guard source == nil else { throw Self.twice }
        source = chosen
    }

    private static let twice = FaceAuthError(
        .alreadyInitialized,
        "The service is already initialized. Uninitialize it first to select another camera.")

    /// Releases the camera and closes all open streams. Sessions that use them end as canceled.
    public func uninitialize() async {
        source = nil
        let open = streams
        streams = OpenStreams()
        await open.close()
    }

    func requireInitialized() throws {
        guard source != nil else {
            throw FaceAuthError(
                .notInitialized, "Initialize the service first, which selects the camera.")
        }
    }

    /// Returns frames of the selected camera or source, for one session.
    ///
    /// - Parameter longestSide: The maximum length of a camera picture's longer side in pixels.
    /// - Throws: ``FaceAuthError`` `.notInitialized`; `FrameSourceError`.
    public func openFrames(longestSide: Int = 1280) async throws -> ServiceFrames {
        try requireInitialized()
        switch source {
        case .frames(let frames):
            return ServiceFrames(try await frames.open(), gate: streams.gate)
        case .camera, nil:
            do {
                return ServiceFrames(
                    VideoFrames(
                        try await openCamera(options: VideoOptions(longestSide: longestSide))),
                    gate: streams.gate)
            } catch let error as MediaError {
                throw FrameSourceError(error)
            }
        }
    }

    /// Returns the selected camera's video.
    ///
    /// - Throws: ``FaceAuthError``: `.notInitialized`, `.noCamera` if a source other than a camera
    ///   is selected; `MediaError`.
    public func openCamera(options: VideoOptions = VideoOptions()) async throws -> VideoStream {
        try requireInitialized()
        guard case .camera(let camera) = source else {
            throw FaceAuthError(
                .noCamera, "The service uses other frames than a camera's. Call openFrames().")
        }
        let open = streams
        let stream = try await VideoStream.open(
            .camera(camera, allowsVirtual: allowsVirtualCameras), options: options)
        open.add(stream)
        // The service may have been uninitialized while the camera was opened.
        if open.gate.isClosed { await stream.close() }
        return stream
    }

    // MARK: Enrolled people

    /// Whether anybody is enrolled.
    public func isConfigured() async throws -> Bool { try await !people().isEmpty }

    /// Returns the names of the enrolled people.
    ///
    /// - Throws: ``FaceAuthError``: `.otherDevice`, `.bindingUnavailable`, `.storage`.
    public func people() async throws -> [PersonName] { try await faces().map(\.name) }

    func faces() async throws -> [EnrolledFace] {
        let store = try await store()
        return try Self.stored { () throws(FaceStoreError) in
            let listing = try store.list()
            guard listing.damaged.isEmpty else { throw .damaged(listing.damaged) }
            return listing.faces
        }
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

    /// Removes all faces of the service's own store, even those that cannot be opened, or everybody
    /// in the store that the service was given.
    func removeFaces() async throws {
        if let shelf {
            for face in try shelf.list().faces { _ = try shelf.remove(face.name) }
            return
        }
        for name in try files.list(faceFolder) ?? []
        where name.hasSuffix(LocalFaceStore.fileSuffix) {
            try files.remove("\(faceFolder)/\(name)")
        }
        if try files.list(faceFolder) != nil { try files.syncFolder(faceFolder) }
    }

    /// Returns the store, after erasing former templates whose time is up.
    func store() async throws -> LocalFaceStore {
        let store = try await openStore()
        eraseFormerFaces(in: store)
        return store
    }

    private func openStore() async throws -> LocalFaceStore {
        if let shelf { return shelf }
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

    static func stored<T>(_ body: () throws(FaceStoreError) -> T) throws(FaceAuthError) -> T {
        do { return try body() } catch { throw FaceAuthError(.storage, "\(error)") }
    }
}

public import MienCore
public import MienDevice
package import MienFace
public import MienHardware
public import MienMedia
public import MienVault

extension FaceAuthService {
    /// Creates the service of a Linux device.
    ///
    /// - Parameters:
    ///   - folder: The folder of the service's data. It is created with mode 0700 if missing and
    ///     must be accessible to its owner only.
    ///   - keyPath: The path of the key file, preferably outside the folder.
    ///   - packID: The id of the model pack that creates the faces.
    ///   - formerPacks: The packs that enrolled people who have not been migrated to `packID`, see
    ///     `packs()`. Without its pack, a face is refused.
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
        self.init(
            folder: folder, keyStore: KeyFile(path: keyPath, files: files), packID: packID,
            formerPacks: formerPacks, onMigration: onMigration,
            hardware: tpm.map { TPMHardware(tpm: $0) }, people: people,
            cameras: MachineCameras(all: cameras, allowsVirtual: allowsVirtualCameras),
            faceModes: faceModes, licensing: licensing, integrity: integrity, now: now,
            files: files, random: random, hasher: Argon2PINHasher(hasher), draw: draw,
            machineID: machineID)
    }

    // MARK: The camera

    /// Selects the camera and checks that this device's data can be opened. Enrolling and verifying
    /// require it.
    ///
    /// - Parameter choose: Receives the cameras' names and returns the one to use, or `nil` for the
    ///   first whose name contains "front", or else the first.
    /// - Returns: the camera.
    /// - Throws: `FaceAuthError`: `.alreadyInitialized`, `.noCamera`, `.invalidCameraName`, and
    ///   as `people()`.
    @discardableResult
    public func initialize(choosing choose: @Sendable ([String]) -> String? = { _ in nil })
        async throws -> Camera
    {
        try prepareToInitialize()
        let machine = machineCameras, cameras = machine.all(), chosen: Camera
        do throws(MediaError) {
            chosen = try Camera.choose(
                from: cameras, named: cameras.isEmpty ? nil : choose(cameras.map(\.name)))
        } catch {
            throw FaceAuthError(
                error.code == .noCamera ? .noCamera : .invalidCameraName, error.reason)
        }
        try await begin(
            FaceSource(camera: chosen) { longestSide, streams in
                do {
                    return VideoFrames(
                        try await machine.open(
                            chosen, VideoOptions(longestSide: longestSide), streams))
                } catch let error as MediaError { throw FrameSourceError(error) }
            })
        return chosen
    }

    /// Returns the selected camera's video.
    ///
    /// - Throws: `FaceAuthError`: `.notInitialized`, `.noCamera` if a source other than a camera
    ///   is selected; `MediaError`.
    public func openCamera(options: VideoOptions = VideoOptions()) async throws -> VideoStream {
        let (source, streams) = try requireInitialized()
        guard let camera = source.camera as? Camera else {
            throw FaceAuthError(
                .noCamera, "The service uses other frames than a camera's. Call openFrames().")
        }
        return try await machineCameras.open(camera, options, streams)
    }

    private var machineCameras: MachineCameras {
        cameras as? MachineCameras ?? MachineCameras(all: { [] }, allowsVirtual: false)
    }
}

/// The cameras of this machine.
private struct MachineCameras: FaceCameras {
    let all: @Sendable () -> [Camera]
    let allowsVirtual: Bool

    var isAny: Bool { !all().isEmpty }

    /// Opens a camera, and notes its stream in those that a service closes.
    func open(_ camera: Camera, _ options: VideoOptions, _ streams: OpenStreams) async throws
        -> VideoStream
    {
        let stream = try await VideoStream.open(
            .camera(camera, allowsVirtual: allowsVirtual), options: options)
        streams.add(stream)
        // The service may have been uninitialized while the camera was opened.
        if streams.gate.isClosed { await stream.close() }
        return stream
    }
}

extension VideoStream: ClosableStream {}

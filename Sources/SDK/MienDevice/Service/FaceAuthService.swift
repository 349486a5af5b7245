package import MienCore
package import MienFace
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
/// let service = FaceAuthService(folder: "…/face", packID: pack.id)                // on Apple's systems
/// try await service.initialize()
/// let look = try await service.verify(ada, in: service.openFrames(), reader: engine, matcher: matcher, capture: id)
/// ```
///
/// Each person has one enrollment, which recognition, device keys, and OTP tokens share. Only a live
/// enrollment that the device's PIN has confirmed opens keys and tokens.
///
/// Faces are sealed under a key that is bound to the TPM or the Secure Enclave if there is one, and
/// otherwise to the machine id. All cases also need the device's key, which is in a file, on Apple's
/// systems in the keychain. Data copied to another device cannot be opened,
/// and the error gives the reason. It does not protect against code that runs as the same user on
/// this device.
public actor FaceAuthService {
    let binding: DeviceBinding
    let faceFolder: String
    package nonisolated let packID: PackID
    let licensing: LicensePolicy?
    package nonisolated let integrity: IntegrityPolicy
    let license: LicenseFile
    let lockouts: FaceLockouts
    let faceModes: (any FaceModeHolder)?
    package nonisolated let state: StateFile
    package nonisolated let passcode: DevicePasscode
    package nonisolated let random: RandomSource
    package nonisolated let now: @Sendable () -> Instant
    let files: any FileSystem
    package nonisolated let formerPacks: [FormerFacePack]
    let onMigration: (@Sendable (FaceMigrationNotice) async -> Void)?
    /// Draws challenges in tests, in place of the system's random numbers.
    let draw: (@Sendable () -> LivenessChallenge)?
    /// New templates that wait for the PIN.
    var candidates: [PersonName: MigrationCandidate] = [:]
    /// When former templates were last erased.
    var erasedAt: Instant?
    private let shelf: LocalFaceStore?
    package nonisolated let cameras: any FaceCameras
    private var source: FaceSource?
    /// Closes the open streams when the service is uninitialized.
    private var streams = OpenStreams()

    #if os(Linux)
    // Stretching a PIN and waiting for a disk block.
    private let executor = ThreadExecutor(name: "mien.faceauth")

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    #endif

    package init(
        folder: String, keyStore: any DeviceKeyStore, packID: PackID,
        formerPacks: [FormerFacePack] = [],
        onMigration: (@Sendable (FaceMigrationNotice) async -> Void)? = nil,
        hardware: (any DeviceHardware)?, people: LocalFaceStore? = nil,
        cameras: any FaceCameras, faceModes: (any FaceModeHolder)?,
        licensing: LicensePolicy? = nil, integrity: IntegrityPolicy = .report,
        now: @escaping @Sendable () -> Instant = { SystemTime.now() }, files: any FileSystem,
        random: RandomSource, hasher: any PINHasher,
        draw: (@Sendable () -> LivenessChallenge)? = nil,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        binding = DeviceBinding(
            folder: folder, keyStore: keyStore, hardware: hardware, machineID: machineID,
            files: files, random: random)
        faceFolder = "\(folder)/faces"
        (self.licensing, license) = (
            licensing,
            LicenseFile(folder: folder, keyStore: keyStore, files: files, random: random)
        )
        lockouts = FaceLockouts(folder: folder, keyStore: keyStore, files: files, random: random)
        state = StateFile(folder: folder, keyStore: keyStore, files: files, random: random)
        passcode = DevicePasscode(state: state, hasher: hasher, random: random, now: now)
        (self.packID, self.cameras, self.faceModes, self.files, self.random) = (
            packID, cameras, faceModes, files, random
        )
        (shelf, self.integrity, self.now) = (people, integrity, now)
        (self.formerPacks, self.onMigration, self.draw) = (formerPacks, onMigration, draw)
    }

    // MARK: The camera

    /// Whether this device supports face login: it has a camera.
    public func isSupported() -> Bool { cameras.isAny }

    public var isInitialized: Bool { source != nil }

    /// Selects another source than a camera of this machine, such as a video file or frames that
    /// the app pushes, and checks that this device's data can be opened.
    ///
    /// - Throws: ``FaceAuthError`` `.alreadyInitialized`, and as ``people()``.
    public func initialize(frames: FaceFrames) async throws {
        try prepareToInitialize()
        try await begin(FaceSource { _, _ in try await frames.open() })
    }

    /// - Throws: ``FaceAuthError`` `.alreadyInitialized`, `.notLicensed`, `.tampered`.
    package func prepareToInitialize() throws {
        guard source == nil else { throw Self.twice }
        try requirePermission()
    }

    package func begin(_ chosen: FaceSource) async throws {
        _ = try await store()
        // Another task may have been faster while the hardware was called.
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

    /// Returns the selected source, and the streams that end with it.
    @discardableResult
    package func requireInitialized() throws -> (source: FaceSource, streams: OpenStreams) {
        guard let source else {
            throw FaceAuthError(
                .notInitialized, "Initialize the service first, which selects the camera.")
        }
        return (source, streams)
    }

    /// Returns frames of the selected camera or source, for one session.
    ///
    /// - Parameter longestSide: The maximum length of a camera picture's longer side in pixels.
    /// - Throws: ``FaceAuthError`` `.notInitialized`; `FrameSourceError`.
    public func openFrames(longestSide: Int = 1280) async throws -> ServiceFrames {
        let (source, open) = try requireInitialized()
        return ServiceFrames(try await source.open(longestSide, open), gate: open.gate)
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

    /// Whether the data is bound to the machine id although a TPM or an enclave is available now.
    public func isMigrationNeeded() async throws -> Bool { try await binding.isMigrationNeeded() }

    /// Binds the data to the TPM or the enclave and keeps the enrolled people. Does nothing if it already is.
    ///
    /// - Throws: ``FaceAuthError`` `.bindingUnavailable` without either, and as ``people()``.
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

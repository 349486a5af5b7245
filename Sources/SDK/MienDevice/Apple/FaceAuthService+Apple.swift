#if canImport(CryptoKit) && canImport(Security)
public import MienCore
internal import MienFace
internal import MienVault

extension FaceAuthService {
    /// Creates the service of a device with one of Apple's systems. Its data is bound to the Secure
    /// Enclave, or on a Mac without one to the keychain.
    ///
    /// - Parameters:
    ///   - folder: The folder of the service's data, in the app's container. It is created with mode
    ///     0700 if missing.
    ///   - packID: The id of the model pack that creates the faces.
    ///   - formerPacks: The packs that enrolled people who have not been migrated to `packID`, see
    ///     ``packs()``. Without its pack, a face is refused.
    ///   - onMigration: Called when a person whom a former pack enrolled was recognized live, to tell
    ///     them what became of their template.
    ///   - faceModes: Ends face modes before a face is removed: the ``OTPVault``.
    ///   - licensing: The policy if the device needs a license; `nil` if it needs none.
    ///   - now: Returns the current time, for templates and wrong PINs; by default the system's.
    public init(
        folder: String, packID: PackID, formerPacks: [FormerFacePack] = [],
        onMigration: (@Sendable (FaceMigrationNotice) async -> Void)? = nil,
        faceModes: (any FaceModeHolder)? = nil, licensing: LicensePolicy? = nil,
        now: (@Sendable () -> Instant)? = nil
    ) {
        self.init(
            folder: folder, packID: packID, formerPacks: formerPacks, onMigration: onMigration,
            faceModes: faceModes, licensing: licensing, now: now ?? SystemTime.now,
            hasher: ScryptPINHasher.standard)
    }

    package init(
        folder: String, packID: PackID, formerPacks: [FormerFacePack] = [],
        onMigration: (@Sendable (FaceMigrationNotice) async -> Void)? = nil,
        faceModes: (any FaceModeHolder)?, licensing: LicensePolicy? = nil,
        now: @escaping @Sendable () -> Instant, hasher: any PINHasher
    ) {
        self.init(
            folder: folder, keyStore: KeychainKey(), packID: packID, formerPacks: formerPacks,
            onMigration: onMigration, hardware: EnclaveHardware(), cameras: FrontCameras(),
            faceModes: faceModes, licensing: licensing, now: now, files: POSIXFileSystem(),
            random: .system, hasher: hasher,
            // The keychain's key is the device's own already.
            machineID: { [] })
    }

    #if canImport(AVFoundation) && canImport(UIKit)
    /// Selects the front camera and checks that this device's data can be opened. Enrolling and
    /// verifying require it.
    ///
    /// - Throws: ``FaceAuthError``: `.alreadyInitialized`, `.noCamera`, and as ``people()``.
    public func initialize() async throws {
        try prepareToInitialize()
        guard isSupported() else {
            throw FaceAuthError(.noCamera, "This device has no front camera.")
        }
        try await begin(
            FaceSource { _, streams in
                let frames = try await FrontCamera.open()
                streams.add(frames.run)
                // The service may have been uninitialized while the camera was opened.
                if streams.gate.isClosed { await frames.run.close() }
                return frames
            })
    }
    #endif
}

/// The device's front camera; none on a Mac, where an app passes frames.
private struct FrontCameras: FaceCameras {
    var isAny: Bool {
        #if canImport(AVFoundation) && canImport(UIKit)
        FrontCamera.isThere
        #else
        false
        #endif
    }
}
#endif

#if canImport(CryptoKit) && canImport(Security)
public import MienCore
internal import MienVault

extension OTPVault {
    /// Creates the vault of a device with one of Apple's systems. Its tokens are bound to the Secure
    /// Enclave, or on a Mac without one to the keychain.
    ///
    /// - Parameters:
    ///   - folder: The folder in the app's container, used for tokens only. It is created with mode
    ///     0700 if missing.
    ///   - now: Returns the current time, for time-based codes; by default the system's.
    public init(folder: String, now: (@Sendable () -> Instant)? = nil) {
        self.init(folder: folder, now: now ?? SystemTime.now, hasher: ScryptPINHasher.standard)
    }

    package init(
        folder: String, now: @escaping @Sendable () -> Instant, hasher: any PINHasher
    ) {
        self.init(
            folder: folder, keyStore: KeychainKey(),
            // Used without an enclave only.
            generationFolder: "\(folder)/generation", hardware: EnclaveHardware(), now: now,
            files: POSIXFileSystem(), random: .system, hasher: hasher, machineID: { [] })
    }
}
#endif

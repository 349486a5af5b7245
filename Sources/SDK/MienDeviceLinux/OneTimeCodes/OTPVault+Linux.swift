public import MienCore
public import MienDevice
public import MienHardware
public import MienVault

extension OTPVault {
    /// Creates the vault of a Linux device.
    ///
    /// - Parameters:
    ///   - folder: The folder, used for tokens only. It is created with mode 0700 if missing and
    ///     must be accessible to its owner only.
    ///   - keyPath: The path of the key file, preferably outside the folder.
    ///   - generationFolder: The folder for the copy of the generation if no TPM stores it;
    ///     preferably one that backups exclude.
    ///   - tpm: The TPM; `nil` for a device without one.
    ///   - integrity: The signs of debuggers and manipulation with which the vault refuses to work.
    ///   - now: Returns the current time, for time-based codes.
    public init(
        folder: String, keyPath: String, generationFolder: String, tpm: TPM?,
        integrity: IntegrityPolicy = .report, now: @escaping @Sendable () -> Instant,
        files: any FileSystem = POSIXFileSystem(), random: RandomSource = .system
    ) {
        self.init(
            folder: folder, keyPath: keyPath, generationFolder: generationFolder, tpm: tpm,
            integrity: integrity, now: now, uptime: { .now }, files: files, random: random,
            cost: Argon2PINHasher.tokenCost, machineID: { try MachineID.read() })
    }

    package init(
        folder: String, keyPath: String, generationFolder: String, tpm: TPM?,
        integrity: IntegrityPolicy = .report, now: @escaping @Sendable () -> Instant,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant, files: any FileSystem,
        random: RandomSource, cost: PasswordHasher.Cost,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.init(
            folder: folder, keyStore: KeyFile(path: keyPath, files: files),
            generationFolder: generationFolder, hardware: tpm.map { TPMHardware(tpm: $0) },
            integrity: integrity, now: now, uptime: uptime, files: files, random: random,
            hasher: Argon2PINHasher(PasswordHasher(cost: cost)), machineID: machineID)
    }
}

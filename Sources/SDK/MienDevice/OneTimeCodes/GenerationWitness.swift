internal import MienCore
internal import MienVault

extension SealPurpose {
    /// The number of changes of a device's OTP tokens.
    static let tokenGeneration = SealPurpose(label: "mien/v1/token-generation")
}

/// The second store of a generation.
protocol GenerationWitness: Sendable {
    /// - Returns: `nil` if the generation is gone.
    func read() async throws -> UInt64?
    /// Advances the generation from the previous value, durably.
    func advance(to generation: UInt64) async throws
}

/// A witness in a file, preferably in another folder than the OTP tokens, so that a backup that
/// restores only one of the two is detected.
struct FileWitness: GenerationWitness {
    /// The value that replaces the generation once hardware stores it.
    static let moved = UInt64.max
    private static let identity = Array("generation".utf8)

    let folder: String
    let key: MasterKey
    let files: any FileSystem
    let random: RandomSource

    func read() throws -> UInt64? {
        guard let found = try files.read(path, atMost: 1024), found.isRegular else { return nil }
        // A file that cannot be opened counts as missing.
        guard let bytes = try? sealer.open(found.bytes, identity: Self.identity), bytes.count == 8
        else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func advance(to generation: UInt64) throws {
        let bytes = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: generation >> UInt64($0))
        }
        try files.ensureFolder(folder)
        try files.sweep(folder, prefix: ".\(name).")
        try files.replaceFile(
            path, with: sealer.seal(bytes, identity: Self.identity), random: random,
            prefix: ".\(name).")
    }

    private var path: String { "\(folder)/\(name)" }
    /// The file's name, which differs between vaults, since several may share the folder.
    private var name: String {
        "tokens-\(hexadecimal(key.code(for: Array("name".utf8), purpose: .tokenGeneration).prefix(8))).generation"
    }
    private var sealer: RecordSealer {
        RecordSealer(key: key, purpose: .tokenGeneration, random: random)
    }
}

/// A witness in a counter of hardware, which a backup of files does not restore.
struct CounterWitness: GenerationWitness {
    let hardware: any DeviceHardware
    let index: UInt32
    let key: MasterKey

    /// A TPM ignores trailing zeros, so the last byte is never zero.
    static func auth(_ key: MasterKey) -> Sensitive<[UInt8]> {
        Sensitive(key.code(for: Array("tpm".utf8), purpose: .tokenGeneration).prefix(31) + [1])
    }

    /// Returns the counter's index, always the same for a vault. A counter left by a crash is
    /// thus reused or removed by the process that has the vault's key.
    static func index(_ key: MasterKey, in counters: ClosedRange<UInt32>) -> UInt32 {
        let bits: UInt32 = key.code(for: Array("place".utf8), purpose: .tokenGeneration).prefix(4)
            .reduce(0) { $0 << 8 | UInt32($1) }
        return counters.lowerBound + bits % UInt32(counters.count)
    }

    func read() async throws -> UInt64? {
        try await hardware.value(ofCounter: index, auth: Self.auth(key))
    }

    func advance(to generation: UInt64) async throws {
        guard try await hardware.increment(counter: index, auth: Self.auth(key)) == generation
        else {
            throw OTPTokenError(
                .storage, "The device's counter was changed by another process. Try again.")
        }
    }
}

#if canImport(MienTPM)
internal import MienCore
internal import MienTPM
internal import MienVault

extension SealPurpose {
    /// How often a device's tokens have changed.
    static let tokenGeneration = SealPurpose(label: "mien/v1/token-generation")
}

/// The second place that a generation is kept in.
protocol GenerationWitness: Sendable {
    /// - Returns: `nil` when it is gone.
    func read() async throws -> UInt64?
    /// From the one before, durably.
    func advance(to generation: UInt64) async throws
}

/// A file, better in another folder than the tokens: a backup that brings back only one of the two
/// is noticed.
struct FileWitness: GenerationWitness {
    /// What takes the place of a generation when a TPM keeps it from now on.
    static let moved = UInt64.max
    private static let identity = Array("generation".utf8)

    let folder: String
    let key: MasterKey
    let files: any FileSystem
    let random: RandomSource

    func read() throws -> UInt64? {
        guard let found = try files.read(path, atMost: 1024), found.isRegular else { return nil }
        // One that does not open tells nothing, as if it were gone.
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
            path, with: sealer.seal(bytes, identity: Self.identity),
            by: "\(folder)/.\(name).\(hexadecimal(random.bytes(8)))\(temporarySuffix)")
    }

    private var path: String { "\(folder)/\(name)" }
    /// Several vaults may share the folder.
    private var name: String {
        "tokens-\(hexadecimal(key.code(for: Array("name".utf8), purpose: .tokenGeneration).prefix(8))).generation"
    }
    private var sealer: RecordSealer {
        RecordSealer(key: key, purpose: .tokenGeneration, random: random)
    }
}

/// A counter of the TPM's, which nothing brings back.
struct TPMWitness: GenerationWitness {
    let tpm: TPM
    let index: UInt32
    let key: MasterKey

    /// A TPM does not count zeros at the end, and none must be left out by chance.
    static func auth(_ key: MasterKey) -> Sensitive<[UInt8]> {
        Sensitive(key.code(for: Array("tpm".utf8), purpose: .tokenGeneration).prefix(31) + [1])
    }

    /// Always the same for a vault: what a crash left there is taken over, or removed, by whoever
    /// has its key.
    static func place(_ key: MasterKey) -> UInt32 {
        let bits: UInt32 = key.code(for: Array("place".utf8), purpose: .tokenGeneration).prefix(4)
            .reduce(0) { $0 << 8 | UInt32($1) }
        return TPMCounter.indices.lowerBound + bits % UInt32(TPMCounter.indices.count)
    }

    func read() async throws -> UInt64? {
        try await tpm.value(ofCounter: index, auth: Self.auth(key))
    }

    func advance(to generation: UInt64) async throws {
        guard try await tpm.increment(counter: index, auth: Self.auth(key)) == generation else {
            throw OTPTokenError(
                .storage, "the TPM's counter was changed by somebody else: try again")
        }
    }
}
#endif

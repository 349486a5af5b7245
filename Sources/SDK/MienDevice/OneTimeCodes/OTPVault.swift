#if canImport(MienTPM)
internal import Crypto
public import MienCore
internal import MienKeys
public import MienOTP
package import MienPassword
public import MienTPM
public import MienVault

/// The tokens of one device: their secrets under PINs that nothing here can check, and, if their
/// owner wants it, under a face.
///
/// ```swift
/// let vault = OTPVault(folder: "…/tokens", keyPath: "…/device.key", generationFolder: "…/state", tpm: TPM())
/// try await vault.keep(token, pin: DevicePIN(chosen))
/// let code = try await vault.code(of: token.id, with: .pin(PINInput(typed)))        // right or wrong: the server says
/// ```
///
/// One sealed file, bound to the TPM or else to the machine id as the faces are
/// (``FaceAuthService``). A counter is written, durably, before its code is shown. The file's
/// generation is kept a second time, in a counter of the TPM's or in a file elsewhere: so a file
/// that comes back from a backup is recognised, and tokens that count are then of no use. What it
/// cannot see: both places brought back together, without a TPM.
public actor OTPVault: FaceModeHolder {
    static let name = "tokens.sealed", sizeLimit = 1 << 20

    private let executor = ThreadExecutor(name: "mien.tokens")
    private let folder: String
    private let keyPath: String
    private let generationFolder: String
    private let binding: DeviceBinding
    private let tpm: TPM?
    private let files: any FileSystem
    private let random: RandomSource
    private let cost: PasswordHasher.Cost
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - folder: of the tokens alone, made with mode 0700 when it is missing. Nobody else may
    ///     enter it.
    ///   - keyPath: of the key file, better outside of it.
    ///   - generationFolder: where the generation is kept a second time when no TPM does: better
    ///     one that backups leave out.
    ///   - tpm: `nil` for a device without one.
    ///   - now: the time, for codes that go by it.
    public init(
        folder: String, keyPath: String, generationFolder: String, tpm: TPM?,
        now: @escaping @Sendable () -> Instant,
        files: any FileSystem = POSIXFileSystem(), random: RandomSource = .system
    ) {
        self.init(
            folder: folder, keyPath: keyPath, generationFolder: generationFolder, tpm: tpm,
            now: now, uptime: { .now }, files: files, random: random,
            cost: PINCipher.standardCost, machineID: { try MachineID.read() })
    }

    package init(
        folder: String, keyPath: String, generationFolder: String, tpm: TPM?,
        now: @escaping @Sendable () -> Instant,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant, files: any FileSystem,
        random: RandomSource, cost: PasswordHasher.Cost,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        binding = DeviceBinding(
            folder: folder, keyPath: keyPath, tpm: tpm, machineID: machineID, files: files,
            random: random)
        (self.folder, self.keyPath, self.generationFolder, self.tpm) = (
            folder, keyPath, generationFolder, tpm
        )
        (self.now, self.uptime, self.files, self.random, self.cost) = (
            now, uptime, files, random, cost
        )
    }

    // MARK: Tokens

    /// A key on P-256 to send with a registration code, kept until the token is, or the code is
    /// over: so a device that crashes in between can ask again.
    ///
    /// - Returns: the private key, 32 bytes.
    public func registrationKey(for code: Sensitive<String>) async throws -> Sensitive<[UInt8]> {
        let time = now(), mark = code.use { Array(SHA256.hash(data: Array($0.utf8))) }
        return try await perform(mayBegin: true) { state, _ in
            Sensitive(
                state.registrationKey(for: mark, at: time) {
                    Array(P256.KeyAgreement.PrivateKey().rawRepresentation)
                })
        }
    }

    /// Keeps a token in PIN mode.
    ///
    /// - Throws: ``OTPTokenError``: `.exists`, `.full`, `.otherDevice`, `.bindingUnavailable`,
    ///   `.storage`.
    public func keep(_ token: OTPTokenDefinition, pin: DevicePIN) async throws {
        let (time, cost, random) = (now(), cost, random)
        try await perform(mayBegin: true) { state, key in
            try state.add(
                OTPStoredToken(
                    token, pin: PINInput(pin), key: key, cost: cost, at: time, random: random))
        }
    }

    /// In the order they came.
    public func tokens() async throws -> [OTPTokenInfo] {
        guard try exists() else { return [] }
        return try await perform { state, _ in state.tokens.map(\.shown) }
    }

    /// - Throws: ``OTPTokenError`` `.unknown`, and as ``keep(_:pin:)``.
    public func token(_ id: String) async throws -> OTPTokenInfo {
        try await perform { state, _ in try state.token(id).shown }
    }

    public func remove(_ id: String) async throws {
        try await perform { state, _ in try state.remove(id) }
    }

    /// Forgets all tokens, and the key: also where the data does not open. The TPM's counter goes,
    /// too, if the TPM can be asked.
    public func reset() async throws {
        await takeTurn()
        defer { giveTurn() }
        do {
            // With the key its place would be forgotten.
            await removeCounter()
            // Then the key: should the rest fail, what is left opens no more.
            try binding.forget()
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw Self.translated(error) }
    }

    /// Without a word when it cannot be done: tokens have to go from a device whose TPM does not
    /// answer, too.
    private func removeCounter() async {
        guard let tpm, let names = try? files.list(folder), names.contains(DeviceBinding.name),
            (try? binding.source()) == .tpm,
            let key = try? await binding.key(recordsExist: true)
        else { return }
        let auth = TPMWitness.auth(key)
        var places: Set = [TPMWitness.place(key)]
        if let noted = (try? read(key))?.counter { places.insert(noted) }
        for place in places {
            // Counted up first, which takes its auth value: nobody else's is removed.
            guard (try? await tpm.increment(counter: place, auth: auth)) != nil else { continue }
            _ = try? await tpm.removeCounter(place)
        }
    }

    // MARK: Modes

    public func isMultiAuthModeEnabled(_ id: String) async throws -> Bool {
        try await token(id).isMultiAuthModeEnabled
    }

    /// Lets other modes than the PIN be activated. Nothing of the secret is stored for it.
    ///
    /// - Parameters:
    ///   - pin: the right one, as far as anybody but the server can tell.
    ///   - check: asks the server whether a code is good: better done, for a wrong PIN would later
    ///     be activated as it is. Without, the PIN is not looked at.
    /// - Throws: ``OTPTokenError`` `.notConfirmed` when `check` says no.
    public func upgradeToMultiAuthMode(
        _ id: String, pin: PINInput, check: (@Sendable (OneTimeCode) async throws -> Bool)? = nil
    ) async throws {
        if let check {
            let code = try await code(of: id, with: .pin(pin))
            guard try await check(code) else {
                throw OTPTokenError(
                    .notConfirmed,
                    "the server did not take the code: the PIN was wrong, or the token is not good any more"
                )
            }
        }
        try await perform { state, _ in try state.change(id) { $0.upgrade() } }
    }

    public func isAuthModeActive(_ mode: FaceAuthMode, on id: String) async throws -> Bool {
        try await perform { state, _ in try state.token(id).isOpened(by: mode) }
    }

    /// Lets a face open the token, instead of another one if there was. A wrong PIN activates a
    /// mode of wrong codes: nothing is compared.
    ///
    /// - Throws: ``OTPTokenError`` `.notMultiAuth`.
    public func activateAuthMode(_ mode: FaceAuthMode, on id: String, pin: PINInput) async throws {
        let random = random
        try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                try token.activate(mode, pin, key, random)
            }
        }
    }

    public func deactivateAuthMode(on id: String) async throws {
        try await perform { state, _ in try state.change(id) { $0.deactivateFace() } }
    }

    /// ``FaceModeHolder``. On a device where the data does not open, no face opens anything.
    public func deactivateFaceMode(of person: PersonName?) async throws {
        guard try exists() else { return }
        do { try await perform { state, _ in _ = state.deactivateFaces(of: person) } } catch let
            error as OTPTokenError where error == Self.elsewhere
        {}
    }

    /// With a wrong old PIN the token gives wrong codes from then on, under any PIN, and nothing
    /// says so: ask the server about a code first. The face's mode stays as it is.
    public func changePIN(of id: String, from old: PINInput, to new: DevicePIN) async throws {
        let (cost, random) = (cost, random)
        try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                try token.changePIN(old, PINInput(new), key, cost, random)
            }
        }
    }

    // MARK: Codes

    /// A code to sign in with. Of a token that counts, its counter is used up first, also with a
    /// wrong PIN.
    ///
    /// - Throws: ``OTPTokenError``: `.unknown`, `.restored`, `.exhausted`, `.notMultiAuth`,
    ///   `.faceInactive`, `.inputSpent`; as ``keep(_:pin:)``.
    public func code(of id: String, with input: OTPTokenInput) async throws -> OneTimeCode {
        let time = now(), mode = try spent(input)
        return try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                let secret = try Self.secret(of: token, input, mode, key)
                guard let totp = try token.totp() else {
                    return try token.hotp().code(at: token.takeCounter(), with: secret)
                }
                do { return try totp.code(at: time, with: secret) } catch {
                    throw OTPTokenError(.storage, "the clock stands before 1970: set it")
                }
            }
        }
    }

    /// The response to a question under the token's suite (RFC 6287).
    ///
    /// - Throws: as ``code(of:with:)``; `OTPError` for a question that the suite has no place for.
    public func response(of id: String, to question: String, with input: OTPTokenInput) async throws
        -> OneTimeCode
    {
        let ocra = try await perform { state, _ in try state.token(id).signing() }
        let asked = try OCRAInput(question: OCRAQuestion(question, for: ocra.suite))
        let mode = try spent(input)
        return try await perform { state, key in
            let token = try state.token(id)
            return try ocra.response(to: asked, with: Self.secret(of: token, input, mode, key))
        }
    }

    private func spent(_ input: OTPTokenInput) throws(OTPTokenError) -> FaceAuthMode? {
        guard case .face(let face) = input else { return nil }
        try face.spend(at: uptime())
        return face.mode
    }

    private static func secret(
        of token: OTPStoredToken, _ input: OTPTokenInput, _ mode: FaceAuthMode?, _ key: MasterKey
    ) throws(OTPTokenError)
        -> OTPSecret
    {
        switch input {
        case .pin(let pin): try token.secret(pin, key)
        case .face(let face): try token.secret(mode ?? face.mode, key)
        }
    }

    // MARK: The device

    /// Whether the tokens are bound to the machine id, and there is a TPM now.
    public func isMigrationNeeded() async throws -> Bool {
        do { return try await binding.isMigrationNeeded() } catch { throw Self.translated(error) }
    }

    /// Binds the tokens to the TPM, and has it keep their generation. A copy of before is
    /// recognised.
    public func migrate() async throws {
        do { try await binding.migrate() } catch { throw Self.translated(error) }
        guard try exists() else { return }
        try await perform { _, _ in }
    }

    // MARK: One after another

    /// The TPM is waited for under the lock, so calls of one vault must not wait for each other on
    /// its thread.
    private func takeTurn() async {
        if isBusy { await withCheckedContinuation { waiting.append($0) } } else { isBusy = true }
    }

    private func giveTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    /// Reads the file, has `body` look at it or change it, and writes it back when it has: only
    /// then is the result given.
    ///
    /// - Parameter mayBegin: makes the first file. Otherwise a device without one has no token, and
    ///   neither its TPM nor its disk is touched.
    private func perform<T: Sendable>(
        mayBegin: Bool = false, _ body: @Sendable (inout OTPTokenState, MasterKey) throws -> T
    ) async throws -> T {
        await takeTurn()
        defer { giveTurn() }
        do {
            let isThere = try exists()
            guard isThere || mayBegin else { throw OTPTokenState.unknown }
            let key = try await binding.key(recordsExist: isThere),
                source = try binding.source() ?? .machine
            let lock = try DeviceFolder.locked(
                folder, keyPath: keyPath, files: files, random: random
            ).lock
            defer { lock.release() }
            let found = try await current(key, source)
            var state = found ?? OTPTokenState(generation: 0, counter: nil)
            let before = state
            let result = try body(&state, key)
            if state != before {
                if found == nil {
                    try await begin(&state, key, source)
                } else {
                    try await write(&state, key)
                }
            }
            return result
        } catch { throw Self.translated(error) }
    }

    // MARK: The file and its generation

    private var path: String { "\(folder)/\(Self.name)" }

    private func exists() throws -> Bool {
        do { return try files.read(path, atMost: 0) != nil } catch { throw Self.translated(error) }
    }

    private func witness(_ state: OTPTokenState, _ key: MasterKey) throws -> any GenerationWitness {
        guard let index = state.counter else { return fileWitness(key) }
        guard let tpm else { throw Self.elsewhere }
        return TPMWitness(tpm: tpm, index: index, key: key)
    }

    private func fileWitness(_ key: MasterKey) -> FileWitness {
        FileWitness(folder: generationFolder, key: key, files: files, random: random)
    }

    /// What the file holds, after anything wrong with its generation was dealt with; `nil` when
    /// there is none.
    private func current(_ key: MasterKey, _ source: DeviceBindingSource) async throws
        -> OTPTokenState?
    {
        guard var state = try read(key) else { return nil }
        let witness = try witness(state, key), kept = try await witness.read()
        switch Generation(file: state.generation, witness: kept) {
        case .present: break
        case .interrupted:
            // Whoever wrote it may not have made its name durable.
            try files.syncFolder(folder)
            try await witness.advance(to: state.generation)
        case .restored:
            // Where a TPM took over, a copy of before is of no use at all.
            guard kept != FileWitness.moved else {
                throw OTPTokenError(
                    .otherDevice,
                    "these tokens have since been bound to the TPM: reset, and get new ones")
            }
            state.restore()
            try await recount(&state, from: kept, key)
            try await write(&state, key)
        }
        if state.counter == nil, source == .tpm { try await handOver(&state, key) }
        return state
    }

    /// Goes on from where the second place stands, or from a new one when it is gone.
    private func recount(_ state: inout OTPTokenState, from kept: UInt64?, _ key: MasterKey)
        async throws
    {
        switch (state.counter, kept) {
        case (.some, .some(let kept)): state.generation = kept
        case (.some, nil): try await count(&state, key)
        case (nil, _): state.generation = max(state.generation, kept ?? 0)
        }
    }

    /// From the file to the TPM. First the new state, then the mark that makes the old one
    /// worthless.
    private func handOver(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        try await count(&state, key)
        try await write(&state, key)
        try fileWitness(key).advance(to: FileWitness.moved)
    }

    /// To be written next. Where that fails, or never comes, the counter waits at its place for the
    /// next try.
    private func count(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        guard let tpm else { throw Self.elsewhere }
        let counter = try await tpm.makeCounter(
            auth: TPMWitness.auth(key), at: TPMWitness.place(key))
        (state.counter, state.generation) = (counter.index, counter.value)
    }

    /// Writes the first file, after the second place.
    private func begin(
        _ state: inout OTPTokenState, _ key: MasterKey, _ source: DeviceBindingSource
    ) async throws {
        guard source == .tpm else {
            try begin(&state, fileWitness(key))
            return try await write(&state, key)
        }
        try await count(&state, key)
        do { try await write(&state, key) } catch {
            // A file that got its name all the same needs it.
            if let tpm, let place = state.counter, (try? exists()) == false {
                _ = try? await tpm.removeCounter(place)
            }
            throw error
        }
    }

    private func begin(_ state: inout OTPTokenState, _ witness: FileWitness) throws {
        guard let kept = try witness.read() else {
            // Before the file: a file without it has lost it.
            return try witness.advance(to: 0)
        }
        guard kept != FileWitness.moved else { throw Self.elsewhere }
        state.generation = kept
    }

    private static let identity = Array("tokens".utf8)

    private func sealer(_ key: MasterKey) -> RecordSealer {
        RecordSealer(key: key, purpose: .tokens, random: random)
    }

    private func read(_ key: MasterKey) throws -> OTPTokenState? {
        guard let found = try files.read(path, atMost: Self.sizeLimit) else { return nil }
        guard found.isRegular, found.size <= Self.sizeLimit else {
            throw OTPTokenError(.storage, "\(path) is no regular file of at most 1 MiB")
        }
        let content: [UInt8]
        do { content = try sealer(key).open(found.bytes, identity: Self.identity) } catch {
            throw OTPTokenError(.storage, "\(path): \(error)")
        }
        guard let state = OTPTokenState(bytes: content) else {
            throw OTPTokenError(
                .storage, "\(path) does not hold tokens of version 1. Restore it, or reset.")
        }
        return state
    }

    /// File first, second place next: see ``Generation``.
    private func write(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        state.generation += 1
        let content = sealer(key).seal(state.bytes, identity: Self.identity)
        try files.replaceFile(
            path, with: content, by: "\(folder)/.\(hexadecimal(random.bytes(8)))\(temporarySuffix)")
        try await witness(state, key).advance(to: state.generation)
    }

    // MARK: Errors

    private static let elsewhere = OTPTokenError(
        .otherDevice,
        "these tokens are bound to another device, or this one's TPM was cleared or turned off: reset, and get new ones"
    )

    private static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as FaceAuthError where error.code == .otherDevice: elsewhere
        case let error as FaceAuthError where error.code == .bindingUnavailable:
            OTPTokenError(.bindingUnavailable, error.reason)
        case let error as FaceAuthError: OTPTokenError(.storage, error.reason)
        case let error as DeviceError: OTPTokenError(.storage, error.reason)
        case let error as FileSystemError: OTPTokenError(.storage, "\(error)")
        case let error as TPMError: OTPTokenError(.bindingUnavailable, "the TPM: \(error)")
        default: error
        }
    }
}

extension SealPurpose {
    /// A device's tokens.
    static let tokens = SealPurpose(label: "mien/v1/tokens")
}
#endif

internal import Crypto
public import MienCore
public import MienKeys
public import MienVault

/// The OTP tokens of one device. Their secrets are hidden by PINs that the device cannot check and,
/// if the owner enables it, can also be unlocked by a face.
///
/// ```swift
/// let vault = OTPVault(folder: "…/tokens")                  // on Apple's systems
/// try await vault.keep(token, pin: DevicePIN(chosen))
/// let code = try await vault.code(of: token.id, with: .pin(PINInput(typed)))        // right or wrong: the server says
/// ```
///
/// The vault is one sealed file, bound to the TPM or the Secure Enclave or else to the machine id,
/// like the faces of ``FaceAuthService``. A counter is written durably before its code is shown. A copy of the file's
/// generation is kept in the hardware's counter or in a file elsewhere, so a file restored from a backup is
/// detected; its counter-based tokens can then no longer be used. Without a TPM, it cannot detect
/// that both places were restored together.
public actor OTPVault: FaceModeHolder {
    static let name = "tokens.sealed", sizeLimit = 1 << 20

    private let folder: String
    private let keyStore: any DeviceKeyStore
    private let generationFolder: String
    private let binding: DeviceBinding
    private let hardware: (any DeviceHardware)?
    private let files: any FileSystem
    private let random: RandomSource
    private let hasher: any PINHasher
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let integrity: IntegrityPolicy
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    #if os(Linux)
    // Stretching a PIN and waiting for a disk block.
    private let executor = ThreadExecutor(name: "mien.tokens")

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    #endif

    package init(
        folder: String, keyStore: any DeviceKeyStore, generationFolder: String,
        hardware: (any DeviceHardware)?, integrity: IntegrityPolicy = .report,
        now: @escaping @Sendable () -> Instant,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        files: any FileSystem, random: RandomSource, hasher: any PINHasher,
        machineID: @escaping @Sendable () throws -> [UInt8]
    ) {
        binding = DeviceBinding(
            folder: folder, keyStore: keyStore, hardware: hardware, machineID: machineID,
            files: files, random: random)
        (self.folder, self.keyStore, self.generationFolder, self.hardware) = (
            folder, keyStore, generationFolder, hardware
        )
        self.integrity = integrity
        (self.now, self.uptime, self.files, self.random, self.hasher) = (
            now, uptime, files, random, hasher
        )
    }

    // MARK: Tokens

    /// Returns a P-256 key to send with a registration code. It is kept until the token is stored
    /// or the code has expired, so a device that crashes in between can ask again.
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

    /// Stores a token in PIN mode.
    ///
    /// - Throws: ``OTPTokenError``: `.exists`, `.full`, `.otherDevice`, `.bindingUnavailable`,
    ///   `.storage`.
    public func keep(_ token: OTPTokenDefinition, pin: DevicePIN) async throws {
        let (time, hasher, random) = (now(), hasher, random)
        try await perform(mayBegin: true) { state, key in
            try state.add(
                OTPStoredToken(
                    token, pin: PINInput(pin), key: key, hasher: hasher, at: time,
                    random: random))
        }
    }

    /// Returns the tokens in the order in which they were stored.
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

    /// Removes all tokens and the key, even if the data cannot be opened. Also removes the
    /// hardware's counter if the hardware responds.
    public func reset() async throws {
        await takeTurn()
        defer { giveTurn() }
        do {
            // Without the key, the counter's index would be lost.
            await removeCounter()
            // The key goes next: if the rest fails, the remaining files can no longer be opened.
            try binding.forget()
            guard try files.read(path, atMost: 0) != nil else { return }
            try files.remove(path)
            try files.syncFolder(folder)
        } catch { throw Self.translated(error) }
    }

    /// Removes the counter and ignores errors, because tokens must be removable from a device whose
    /// hardware does not respond.
    private func removeCounter() async {
        guard let hardware, let names = try? files.list(folder),
            names.contains(DeviceBinding.name), (try? binding.source()) == hardware.source,
            let key = try? await binding.key(recordsExist: true)
        else { return }
        let auth = CounterWitness.auth(key)
        var indexes: Set = [CounterWitness.index(key, in: hardware.counters)]
        if let noted = (try? read(key))?.counter { indexes.insert(noted) }
        for index in indexes {
            // Incrementing first proves the auth value, so nobody else's counter is removed.
            guard (try? await hardware.increment(counter: index, auth: auth)) != nil else {
                continue
            }
            try? await hardware.removeCounter(index)
        }
    }

    // MARK: Modes

    public func isMultiAuthModeEnabled(_ id: String) async throws -> Bool {
        try await token(id).isMultiAuthModeEnabled
    }

    /// Allows modes other than the PIN to be activated. Stores nothing derived from the secret.
    ///
    /// - Parameters:
    ///   - pin: The PIN, which only the server can verify.
    ///   - check: Asks the server whether a code is valid. Pass it if possible, because a wrong PIN
    ///     would otherwise be activated unnoticed later. Without it the PIN is not checked.
    /// - Throws: ``OTPTokenError`` `.notConfirmed` if `check` returns false.
    public func upgradeToMultiAuthMode(
        _ id: String, pin: PINInput, check: (@Sendable (OneTimeCode) async throws -> Bool)? = nil
    ) async throws {
        if let check {
            let code = try await code(of: id, with: .pin(pin))
            guard try await check(code) else {
                throw OTPTokenError(
                    .notConfirmed,
                    "The server did not accept the code. The PIN was wrong, or the token is no longer valid."
                )
            }
        }
        try await perform { state, _ in try state.change(id) { $0.upgrade() } }
    }

    public func isAuthModeActive(_ mode: FaceAuthMode, on id: String) async throws -> Bool {
        try await perform { state, _ in try state.token(id).isOpened(by: mode) }
    }

    /// Lets a face unlock the token and replaces an earlier face. A wrong PIN activates a mode that
    /// produces wrong codes, because the PIN cannot be compared.
    ///
    /// - Throws: ``OTPTokenError`` `.notMultiAuth`.
    public func activateAuthMode(_ mode: FaceAuthMode, on id: String, pin: PINInput) async throws {
        let (hasher, random) = (hasher, random)
        try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                try token.activate(mode, pin, key, hasher, random)
            }
        }
    }

    public func deactivateAuthMode(on id: String) async throws {
        try await perform { state, _ in try state.change(id) { $0.deactivateFace() } }
    }

    /// Conforms to ``FaceModeHolder``. If the data cannot be opened on this device, no face unlocks
    /// anything.
    public func deactivateFaceMode(of person: PersonName?) async throws {
        guard try exists() else { return }
        do { try await perform { state, _ in _ = state.deactivateFaces(of: person) } } catch let
            error as OTPTokenError where error == Self.elsewhere
        {}
    }

    /// Changes the PIN. With a wrong old PIN, the token permanently produces wrong codes under any
    /// PIN, without an error, so have the server check a code first. The face mode is not changed.
    public func changePIN(of id: String, from old: PINInput, to new: DevicePIN) async throws {
        let (hasher, random) = (hasher, random)
        try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                try token.changePIN(old, PINInput(new), key, hasher, random)
            }
        }
    }

    // MARK: Codes

    /// Creates a code for sign-in. A counter-based token uses up its counter first, even with a
    /// wrong PIN.
    ///
    /// A CAP token does so for each answer and each signature, too.
    ///
    /// - Throws: ``OTPTokenError``: `.unknown`, `.restored`, `.exhausted`, `.notMultiAuth`,
    ///   `.faceInactive`, `.inputSpent`; as ``keep(_:pin:)``.
    public func code(of id: String, with input: OTPTokenInput) async throws -> OneTimeCode {
        let time = now(), mode = try spent(input), hasher = hasher
        return try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                let secret = try Self.secret(of: token, input, mode, key, hasher)
                if let cap = try token.cap() {
                    return try Self.code(of: cap, .identify, &token, with: secret)
                }
                guard let totp = try token.totp() else {
                    return try token.hotp().code(at: token.takeCounter(), with: secret)
                }
                do { return try totp.code(at: time, with: secret) } catch {
                    throw OTPTokenError(.storage, "The clock is set before 1970. Set the clock.")
                }
            }
        }
    }

    /// Answers the challenge of a service, or signs its numbers, with a CAP token. Show the numbers
    /// to the owner first.
    ///
    /// - Throws: as ``code(of:with:)``; ``OTPTokenError`` `.notCAP`.
    public func code(of id: String, answering question: CAPQuestion, with input: OTPTokenInput)
        async throws -> OneTimeCode
    {
        try await perform { state, _ in
            guard try state.token(id).cap() != nil else { throw Self.notCAP }
        }
        return try await answer(question.mode, id, input, spent(input))
    }

    private func answer(
        _ mode: CAPMode, _ id: String, _ input: OTPTokenInput, _ face: FaceAuthMode?
    ) async throws -> OneTimeCode {
        let hasher = hasher
        return try await perform { state, key in
            try state.change(id) { token throws(OTPTokenError) in
                guard let cap = try token.cap() else { throw Self.notCAP }
                return try Self.code(
                    of: cap, mode, &token, with: Self.secret(of: token, input, face, key, hasher))
            }
        }
    }

    private static let notCAP = OTPTokenError(
        .notCAP, "Only a CAP token answers challenges and signs numbers. This is none.")

    private static func code(
        of cap: CAP, _ mode: CAPMode, _ token: inout OTPStoredToken, with key: OTPSecret
    ) throws(OTPTokenError) -> OneTimeCode {
        let atc = try token.takeATC()
        do { return try cap.code(mode, at: atc, with: key) } catch {
            // The mode has been checked, and the key's length, too.
            throw OTPTokenError(.storage, error.reason)
        }
    }

    /// Signs a transaction. Show its lines to the owner first: the PIN or the face approves them,
    /// and nothing else can be signed.
    ///
    /// - Throws: as ``code(of:with:)``; `OTPError` `.suite` if the token signs with another suite.
    public func sign(_ shown: ShownTransaction, on id: String, with input: OTPTokenInput)
        async throws -> OneTimeCode
    {
        let suite = try await perform { state, _ -> String? in
            let token = try state.token(id)
            return try token.cap() == nil ? token.signing().suite.text : nil
        }
        guard suite == nil || suite == ShownTransaction.suite else {
            throw OTPError(.suite, "the token does not sign with \(ShownTransaction.suite)")
        }
        let mode = try spent(input), hasher = hasher
        guard suite == nil else {
            return try await perform { state, key in
                try shown.response(
                    with: Self.secret(of: state.token(id), input, mode, key, hasher))
            }
        }
        return try await answer(shown.capMode, id, input, mode)
    }

    private func spent(_ input: OTPTokenInput) throws(OTPTokenError) -> FaceAuthMode? {
        guard case .face(let face) = input else { return nil }
        try face.spend(at: uptime())
        return face.mode
    }

    private static func secret(
        of token: OTPStoredToken, _ input: OTPTokenInput, _ mode: FaceAuthMode?,
        _ key: MasterKey, _ hasher: any PINHasher
    ) throws(OTPTokenError) -> OTPSecret {
        switch input {
        case .pin(let pin): try token.secret(pin, key, hasher)
        case .face(let face): try token.secret(mode ?? face.mode, key)
        }
    }

    // MARK: The device

    /// Whether the tokens are bound to the machine id although hardware is available now.
    public func isMigrationNeeded() async throws -> Bool {
        do { return try await binding.isMigrationNeeded() } catch { throw Self.translated(error) }
    }

    /// Binds the tokens to the hardware, which then stores their generation. Earlier copies of the file
    /// are detected.
    public func migrate() async throws {
        do { try await binding.migrate() } catch { throw Self.translated(error) }
        guard try exists() else { return }
        try await perform { _, _ in }
    }

    // MARK: Serialization

    /// Waits for this vault's turn. The hardware is awaited while the file is locked, so calls of one
    /// vault must not block each other on its thread.
    private func takeTurn() async {
        if isBusy { await withCheckedContinuation { waiting.append($0) } } else { isBusy = true }
    }

    private func giveTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    /// Reads the file, runs `body`, and writes the file if `body` changed it. The result is
    /// returned only after that.
    ///
    /// - Parameter mayBegin: Creates the file if there is none. Otherwise a device without a file
    ///   has no tokens, and neither its hardware nor its disk is accessed.
    private func perform<T: Sendable>(
        mayBegin: Bool = false, _ body: @Sendable (inout OTPTokenState, MasterKey) throws -> T
    ) async throws -> T {
        do { try integrity.check() } catch { throw OTPTokenError(.tampered, error.reason) }
        await takeTurn()
        defer { giveTurn() }
        do {
            let isThere = try exists()
            guard isThere || mayBegin else { throw OTPTokenState.unknown }
            let key = try await binding.key(recordsExist: isThere),
                source = try binding.source() ?? .machine
            let lock = try DeviceFolder.locked(
                folder, keyStore: keyStore, files: files, random: random
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
        guard let hardware else { throw Self.elsewhere }
        return CounterWitness(hardware: hardware, index: index, key: key)
    }

    private func fileWitness(_ key: MasterKey) -> FileWitness {
        FileWitness(folder: generationFolder, key: key, files: files, random: random)
    }

    /// Returns the file's content after handling a mismatch of its generation; `nil` if there is no
    /// file.
    private func current(_ key: MasterKey, _ source: DeviceBindingSource) async throws
        -> OTPTokenState?
    {
        guard var state = try read(key) else { return nil }
        let witness = try witness(state, key), kept = try await witness.read()
        switch Generation(file: state.generation, witness: kept) {
        case .present: break
        case .interrupted:
            // The process that wrote it may not have synced the folder.
            try files.syncFolder(folder)
            try await witness.advance(to: state.generation)
        case .restored:
            // After the generation moved to hardware, earlier copies are unusable.
            guard kept != FileWitness.moved else {
                throw OTPTokenError(
                    .otherDevice,
                    "These tokens have since been bound to the device's hardware. Reset, and get new tokens."
                )
            }
            state.restore()
            try await recount(&state, from: kept, key)
            try await write(&state, key)
        }
        if state.counter == nil, source != .machine { try await handOver(&state, key) }
        return state
    }

    /// Continues from the generation's copy, or from a new one if the copy is gone.
    private func recount(_ state: inout OTPTokenState, from kept: UInt64?, _ key: MasterKey)
        async throws
    {
        switch (state.counter, kept) {
        case (.some, .some(let kept)): state.generation = kept
        case (.some, nil): try await count(&state, key)
        case (nil, _): state.generation = max(state.generation, kept ?? 0)
        }
    }

    /// Moves the generation from the file to the hardware. Writes the new state first, then the mark
    /// that invalidates the old one.
    private func handOver(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        try await count(&state, key)
        try await write(&state, key)
        try fileWitness(key).advance(to: FileWitness.moved)
    }

    /// Creates the hardware's counter. The state is to be written next. If that fails, the counter stays
    /// at its index for the next attempt.
    private func count(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        guard let hardware else { throw Self.elsewhere }
        let index = CounterWitness.index(key, in: hardware.counters)
        let value = try await hardware.makeCounter(index, auth: CounterWitness.auth(key))
        (state.counter, state.generation) = (index, value)
    }

    /// Writes the first file, after its generation's copy.
    private func begin(
        _ state: inout OTPTokenState, _ key: MasterKey, _ source: DeviceBindingSource
    ) async throws {
        guard source != .machine else {
            try begin(&state, fileWitness(key))
            return try await write(&state, key)
        }
        try await count(&state, key)
        do { try await write(&state, key) } catch {
            // Keep the counter if the file exists despite the error, because the file needs it.
            if let hardware, let index = state.counter, (try? exists()) == false {
                try? await hardware.removeCounter(index)
            }
            throw error
        }
    }

    private func begin(_ state: inout OTPTokenState, _ witness: FileWitness) throws {
        guard let kept = try witness.read() else {
            // The copy is written before the file: a file without a copy counts as having lost it.
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
            throw OTPTokenError(.storage, "\(path) is not a regular file of at most 1 MiB.")
        }
        let content: [UInt8]
        do { content = try sealer(key).open(found.bytes, identity: Self.identity) } catch {
            throw OTPTokenError(.storage, "\(path): \(error)")
        }
        guard let state = OTPTokenState(bytes: content) else {
            throw OTPTokenError(
                .storage, "\(path) does not contain tokens of version 1. Restore it, or reset.")
        }
        return state
    }

    /// Writes the file first and then the copy of its generation: see ``Generation``.
    private func write(_ state: inout OTPTokenState, _ key: MasterKey) async throws {
        state.generation += 1
        let content = sealer(key).seal(state.bytes, identity: Self.identity)
        try files.replaceFile(path, with: content, random: random)
        try await witness(state, key).advance(to: state.generation)
    }

    // MARK: Errors

    private static let elsewhere = OTPTokenError(
        .otherDevice,
        "These tokens are bound to another device, or this device's chip was cleared or turned off. Reset, and get new tokens."
    )

    private static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as FaceAuthError where error.code == .otherDevice: elsewhere
        case let error as FaceAuthError where error.code == .bindingUnavailable:
            OTPTokenError(.bindingUnavailable, error.reason)
        case let error as FaceAuthError: OTPTokenError(.storage, error.reason)
        case let error as DeviceError: OTPTokenError(.storage, error.reason)
        case let error as FileSystemError: OTPTokenError(.storage, "\(error)")
        default: error
        }
    }
}

extension SealPurpose {
    /// A device's OTP tokens.
    static let tokens = SealPurpose(label: "mien/v1/tokens")
}

internal import Foundation
public import MienCore
internal import Synchronization

/// A TPM 2.0: signing keys and small secrets that only this machine's chip can use.
///
///     let tpm = TPM()
///     let key = try await tpm.makeSigningKey(auth: secret)
///     let signature = try await tpm.sign(digest: Array(SHA256.hash(data: message)), with: key.blob, auth: secret)
///
/// Nothing but counters is kept in the TPM: what else it makes comes back as a ``TPMBlob``, wrapped
/// under its storage key, for the caller to keep. Auth values and sealed data cross the bus
/// encrypted, in sessions salted with that storage key. Wrong auth values count against the TPM's
/// own dictionary-attack limit, which all programs of the machine share.
///
/// Calls block, so they run on a thread of this value's own, one after another; tasks that wait
/// hold none. A task cancelled before its turn asks nothing of the TPM. The TPM is opened at the
/// first call, and anew after ``TPMError/Code/unreachable``.
///
/// What it cannot see: someone between processor and chip who answers in the TPM's place from the
/// first call on.
public actor TPM {
    /// The kernel's own resource manager.
    public static let defaultAddress = "device:/dev/tpmrm0"
    /// Calls that may wait; more are refused.
    public static let maxWaiting = 256
    public static let digestSize = 32
    public static let sealedRange = 1...128
    public static let randomRange = 1...4096

    private let executor = ThreadExecutor(name: "mien.tpm")
    private let address: String
    private var connection: Connection?
    private nonisolated let waiting = Mutex(0)

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameter address: transport and settings as tpm2-tss writes them: `device:/dev/tpmrm0`,
    ///   `swtpm:host=127.0.0.1,port=2321`.
    public init(address: String = TPM.defaultAddress) { self.address = address }

    /// Keeps tpm2-tss from writing to standard error, unless `TSS2_LOG` says what it shall write.
    /// It sets that variable: call it at a program's start, before there are other threads.
    public static func quietLibrary() { unsafe setenv("TSS2_LOG", "all+NONE", 0) }

    /// Makes an ECDSA key on P-256.
    ///
    /// - Parameter auth: 1…32 bytes that every use will need, zeros at its end not counted. Take 32
    ///   random ones.
    /// - Throws: ``TPMError``; `CancellationError`.
    public nonisolated func makeSigningKey(auth: Sensitive<[UInt8]>) async throws -> TPMSigningKey {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.makeSigningKey(auth: auth)
        }
    }

    /// The public half of a signing key, X9.63 uncompressed. Asks the blob alone, not the TPM.
    ///
    /// - Throws: ``TPMError`` `.blobRefused` for sealed data.
    public static func publicKey(of blob: TPMBlob) throws(TPMError) -> [UInt8] {
        guard let point = Template.point(of: blob.publicArea), blob.registers == nil else {
            throw TPMError(.blobRefused, "the blob is no P-256 signing key")
        }
        return point
    }

    /// Signs with ECDSA.
    ///
    /// - Parameter digest: SHA-256 of the message, 32 bytes.
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: ``TPMError``, ``TPMError/Code/wrongAuth`` only when `auth` is not the key's;
    ///   `CancellationError`.
    public nonisolated func sign(digest: [UInt8], with blob: TPMBlob, auth: Sensitive<[UInt8]>)
        async throws -> [UInt8]
    {
        guard digest.count == Self.digestSize else {
            throw TPMError(.badArgument, "a SHA-256 digest has 32 bytes, not \(digest.count)")
        }
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.sign(digest: digest, blob: blob, auth: auth)
        }
    }

    /// Seals 1…128 bytes.
    ///
    /// - Parameters:
    ///   - auth: 1…32 bytes that unsealing will need.
    ///   - registers: also needed: that these hold then what they hold now.
    public nonisolated func seal(
        _ data: Sensitive<[UInt8]>, auth: Sensitive<[UInt8]>, boundTo registers: PCRSelection? = nil
    ) async throws -> TPMBlob {
        let count = data.use(\.count)
        guard Self.sealedRange.contains(count) else {
            throw TPMError(.badArgument, "1 to 128 bytes can be sealed, not \(count)")
        }
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.seal(data, auth: auth, registers: registers)
        }
    }

    /// - Throws: ``TPMError``: `.policyNotMet` when the registers hold something else than they
    ///   did; `CancellationError`.
    public nonisolated func unseal(_ blob: TPMBlob, auth: Sensitive<[UInt8]>) async throws
        -> Sensitive<[UInt8]>
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.unseal(blob, auth: auth)
        }
    }

    /// How near the TPM is to judging no auth values for a while.
    public nonisolated func lockout() async throws -> TPMLockout {
        try await perform { connection throws(TPMError) in try connection.lockout() }
    }

    /// 1…4096 bytes of the TPM's generator. They cross the bus as they are: mix them with the
    /// system's.
    public nonisolated func random(_ count: Int) async throws -> [UInt8] {
        guard Self.randomRange.contains(count) else {
            throw TPMError(.badArgument, "1 to 4096 random bytes can be drawn, not \(count)")
        }
        return try await perform { connection throws(TPMError) in try connection.random(count) }
    }

    // MARK: Counters

    /// Makes a counter that only goes up: not even one that is removed and made anew starts lower
    /// than any there has been.
    ///
    /// It is the one thing of ours that stays in the TPM, in its small memory:
    /// ``removeCounter(_:)`` when it is needed no more.
    /// - Parameters:
    ///   - auth: 1…32 bytes that every use will need.
    ///   - place: one of ``TPMCounter/indices``; `nil` for a free one. A counter with this auth
    ///     value that is there already is counted up and taken over: so
    ///     whoever asks for the same place again, after a crash, loses none of the memory.
    /// - Throws: ``TPMError`` `.wrongAuth` when something of another auth value has the place.
    public nonisolated func makeCounter(auth: Sensitive<[UInt8]>, at place: UInt32? = nil)
        async throws -> TPMCounter
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.makeCounter(auth: auth, at: place)
        }
    }

    /// - Returns: what it stands at; `nil` when there is no such counter.
    public nonisolated func value(ofCounter index: UInt32, auth: Sensitive<[UInt8]>) async throws
        -> UInt64?
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.value(ofCounter: index, auth: auth)
        }
    }

    /// Counts one up, durably.
    ///
    /// - Returns: what it stands at then; `nil` when there is no such counter.
    public nonisolated func increment(counter index: UInt32, auth: Sensitive<[UInt8]>) async throws
        -> UInt64?
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.increment(counter: index, auth: auth)
        }
    }

    /// - Returns: whether there was one.
    @discardableResult
    public nonisolated func removeCounter(_ index: UInt32) async throws -> Bool {
        try await perform { connection throws(TPMError) in try connection.removeCounter(index) }
    }

    /// Where something is in the range that counters are made in, by whomever.
    package nonisolated func counterIndices() async throws -> [UInt32] {
        try await perform { connection throws(TPMError) in try connection.counterIndices() }
    }

    /// Objects and sessions of ours that the TPM holds: none between calls.
    package nonisolated func handleCount() async throws -> Int {
        try await perform { connection throws(TPMError) in try connection.handleCount() }
    }

    /// Extends a register of the SHA-256 bank, as measured boot does. For tests: it cannot be taken
    /// back before the machine starts anew.
    package nonisolated func extend(_ register: Int, with digest: [UInt8]) async throws {
        precondition(
            PCRSelection.range.contains(register) && digest.count == Self.digestSize,
            "a register and a digest")
        try await perform { connection throws(TPMError) in
            try connection.extend(UInt32(register), with: digest)
        }
    }

    private nonisolated func perform<T: Sendable>(
        _ work: @Sendable (Connection) throws(TPMError) -> T
    ) async throws -> T {
        let isAdmitted = waiting.withLock { waiting in
            if waiting < Self.maxWaiting { waiting += 1 } else { return false }
            return true
        }
        guard isAdmitted else {
            throw TPMError(
                .busy,
                "\(Self.maxWaiting) calls wait for the TPM, which is the limit; try again later")
        }
        defer { waiting.withLock { $0 -= 1 } }
        return try await onThread(work)
    }

    private func onThread<T: Sendable>(_ work: (Connection) throws(TPMError) -> T) throws -> T {
        try Task.checkCancellation()
        if connection?.isBroken == true { connection = nil }
        let open = try connection ?? Connection(address: address)
        connection = open
        return try open.noting { () throws(TPMError) in try work(open) }
    }
}

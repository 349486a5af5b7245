internal import Foundation
public import MienCore

/// A TPM 2.0: signing keys and small secrets that only this computer's chip can use.
///
///     let tpm = TPM()
///     let key = try await tpm.makeSigningKey(auth: secret)
///     let signature = try await tpm.sign(
///         digest: Array(SHA256.hash(data: message)), with: key.blob, auth: secret)
///
/// Only counters are stored in the TPM. Everything else is returned to the caller as a ``TPMBlob``,
/// wrapped by the TPM's storage key. Auth values and sealed data cross the bus encrypted, in
/// sessions salted with that storage key. Wrong auth values count toward the TPM's own
/// dictionary-attack limit, which all programs on the computer share.
///
/// Calls block, so they run one after another on this actor's own thread; waiting tasks hold no
/// thread. A task canceled before its turn sends nothing to the TPM. The TPM is opened at the first
/// call, and reopened after ``TPMError/Code/unreachable``.
///
/// Not detected: an attacker between processor and chip who impersonates the TPM from the first
/// call on.
public actor TPM {
    /// The kernel's own resource manager.
    public static let defaultAddress = "device:/dev/tpmrm0"
    /// The maximum number of waiting calls; further calls are refused.
    public static let maxWaiting = 256
    public static let digestSize = 32
    public static let sealedRange = 1...128
    public static let randomRange = 1...4096

    private let executor = ThreadExecutor(name: "mien.tpm")
    private let address: String
    private var connection: Connection?
    private nonisolated let waiting = Locked(0)

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// - Parameter address: Transport and settings in the syntax of tpm2-tss: `device:/dev/tpmrm0`,
    ///   `swtpm:host=127.0.0.1,port=2321`.
    public init(address: String = TPM.defaultAddress) { self.address = address }

    /// Keeps tpm2-tss from writing to standard error unless `TSS2_LOG` is set. Because this sets
    /// that variable, call it at program start, before there are other threads.
    public static func quietLibrary() { unsafe setenv("TSS2_LOG", "all+NONE", 0) }

    /// Makes an ECDSA key on P-256.
    ///
    /// - Parameter auth: 1…32 bytes, not counting trailing zeros, required for every use. Use 32
    ///   random bytes.
    /// - Throws: ``TPMError``; `CancellationError`.
    public nonisolated func makeSigningKey(auth: Sensitive<[UInt8]>) async throws -> TPMSigningKey {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.makeSigningKey(auth: auth)
        }
    }

    /// Returns the public half of a signing key, X9.63 uncompressed. Reads only the blob and does
    /// not use the TPM.
    ///
    /// - Throws: ``TPMError`` `.blobRefused` for sealed data.
    public static func publicKey(of blob: TPMBlob) throws(TPMError) -> [UInt8] {
        guard let point = Template.point(of: blob.publicArea), blob.registers == nil else {
            throw TPMError(.blobRefused, "the blob is not a P-256 signing key")
        }
        return point
    }

    /// Signs with ECDSA.
    ///
    /// - Parameter digest: SHA-256 of the message, 32 bytes.
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: ``TPMError``, with ``TPMError/Code/wrongAuth`` only when `auth` does not belong to
    ///   the key; `CancellationError`.
    public nonisolated func sign(digest: [UInt8], with blob: TPMBlob, auth: Sensitive<[UInt8]>)
        async throws -> [UInt8]
    {
        guard digest.count == Self.digestSize else {
            throw TPMError(.badArgument, "a SHA-256 digest must have 32 bytes, not \(digest.count)")
        }
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.sign(digest: digest, blob: blob, auth: auth)
        }
    }

    /// Seals 1…128 bytes.
    ///
    /// - Parameters:
    ///   - auth: 1…32 bytes required for unsealing.
    ///   - registers: Registers that must hold the same values for unsealing as they hold now.
    public nonisolated func seal(
        _ data: Sensitive<[UInt8]>, auth: Sensitive<[UInt8]>, boundTo registers: PCRSelection? = nil
    ) async throws -> TPMBlob {
        let count = data.use(\.count)
        guard Self.sealedRange.contains(count) else {
            throw TPMError(.badArgument, "sealed data must have 1 to 128 bytes, not \(count)")
        }
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.seal(data, auth: auth, registers: registers)
        }
    }

    /// - Throws: ``TPMError``, with `.policyNotMet` when the registers have changed;
    ///   `CancellationError`.
    public nonisolated func unseal(_ blob: TPMBlob, auth: Sensitive<[UInt8]>) async throws
        -> Sensitive<[UInt8]>
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.unseal(blob, auth: auth)
        }
    }

    /// Returns how close the TPM is to rejecting all auth values for a while.
    public nonisolated func lockout() async throws -> TPMLockout {
        try await perform { connection throws(TPMError) in try connection.lockout() }
    }

    /// Returns 1…4096 bytes from the TPM's generator. They cross the bus unencrypted, so mix them
    /// with the system's random bytes.
    public nonisolated func random(_ count: Int) async throws -> [UInt8] {
        guard Self.randomRange.contains(count) else {
            throw TPMError(.badArgument, "request 1 to 4096 random bytes, not \(count)")
        }
        return try await perform { connection throws(TPMError) in try connection.random(count) }
    }

    // MARK: Counters

    /// Makes a counter that only increases. Even after removal, a new counter never starts below a
    /// value that any counter has had.
    ///
    /// The counter occupies some of the TPM's small memory. Remove it with ``removeCounter(_:)``
    /// when it is no longer needed.
    /// - Parameters:
    ///   - auth: 1…32 bytes required for every use.
    ///   - index: One of ``TPMCounter/indices``; `nil` for a free one. If a counter with this auth
    ///     value already exists there, it is incremented and reused. Requesting the same index
    ///     again after a crash therefore wastes no memory.
    /// - Throws: ``TPMError`` `.wrongAuth` when the index is in use with another auth value.
    public nonisolated func makeCounter(auth: Sensitive<[UInt8]>, at index: UInt32? = nil)
        async throws -> TPMCounter
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.makeCounter(auth: auth, at: index)
        }
    }

    /// - Returns: The counter's value; `nil` when the counter does not exist.
    public nonisolated func value(ofCounter index: UInt32, auth: Sensitive<[UInt8]>) async throws
        -> UInt64?
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.value(ofCounter: index, auth: auth)
        }
    }

    /// Increments a counter durably.
    ///
    /// - Returns: The new value; `nil` when the counter does not exist.
    public nonisolated func increment(counter index: UInt32, auth: Sensitive<[UInt8]>) async throws
        -> UInt64?
    {
        let auth = try Auth(auth)
        return try await perform { connection throws(TPMError) in
            try connection.increment(counter: index, auth: auth)
        }
    }

    /// - Returns: Whether the counter existed.
    @discardableResult
    public nonisolated func removeCounter(_ index: UInt32) async throws -> Bool {
        try await perform { connection throws(TPMError) in try connection.removeCounter(index) }
    }

    /// Returns the indices in use within the range for counters, by any program.
    package nonisolated func counterIndices() async throws -> [UInt32] {
        try await perform { connection throws(TPMError) in try connection.counterIndices() }
    }

    /// Returns the number of our objects and sessions in the TPM: zero between calls.
    package nonisolated func handleCount() async throws -> Int {
        try await perform { connection throws(TPMError) in try connection.handleCount() }
    }

    /// Extends a register of the SHA-256 bank, like measured boot. For tests: it cannot be undone
    /// before the computer restarts.
    package nonisolated func extend(_ register: Int, with digest: [UInt8]) async throws {
        precondition(
            PCRSelection.range.contains(register) && digest.count == Self.digestSize,
            "the register must exist and the digest must have 32 bytes")
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
                "the limit of \(Self.maxWaiting) calls waiting for the TPM is reached; try again later"
            )
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

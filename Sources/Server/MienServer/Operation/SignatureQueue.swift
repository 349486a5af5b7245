internal import MienCore
internal import MienKeys

/// Verifies RSA signatures and certificate chains away from the threads that answer requests.
///
/// RSA keys are chosen by clients: up to 4,096 bits with exponents up to 32 bits, and attestation
/// chains may hold larger ones. Signatures with elliptic curves cost about as much as the queue
/// itself and are checked in place.
struct SignatureQueue: Sendable {
    private let queue: WorkQueue

    init(limits: WorkLimits) { queue = WorkQueue("mien.signature", workers: 2, limits: limits) }

    /// Checks a signature of `key`, in the queue if it is an RSA key.
    func check<Output: Sendable>(
        with key: DevicePublicKey, for share: WorkShare,
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        key.algorithm == .rs256 ? try await queue.run(for: share, body) : try body()
    }

    /// Checks a chain of certificates.
    func run<Output: Sendable>(
        for share: WorkShare, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await queue.run(for: share, body)
    }
}

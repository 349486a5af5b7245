package import MienCore
package import MienKeys

/// Verifies RSA signatures and certificate chains away from the threads that handle requests.
///
/// Clients choose RSA keys: up to 4,096 bits with exponents up to 32 bits, and attestation chains
/// may contain larger ones. Elliptic-curve signatures cost about as much as queueing and are
/// verified in place.
package struct SignatureQueue: Sendable {
    private let queue: WorkQueue

    package init(limits: WorkLimits) {
        queue = WorkQueue("mien.signature", workers: 2, limits: limits)
    }

    package var depth: QueueDepth { queue.depth }

    /// Verifies a signature made with `key`; in the queue if it is an RSA key.
    package func check<Output: Sendable>(
        with key: DevicePublicKey, for share: WorkShare,
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        key.algorithm == .rs256 ? try await queue.run(for: share, body) : try body()
    }

    /// Verifies a certificate chain in the queue.
    package func run<Output: Sendable>(
        for share: WorkShare, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await queue.run(for: share, body)
    }
}

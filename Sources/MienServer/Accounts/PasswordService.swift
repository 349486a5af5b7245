internal import MienAccess
internal import MienCore
internal import MienPassword
internal import MienStore
internal import NIOPosix

/// Hashes and checks passwords on threads of its own, a few at a time.
final class PasswordService: Sendable {
    /// Passwords that may wait to be hashed; more are turned away.
    private static let mostWaiting = 256

    let policy: PasswordPolicy
    private let hasher: PasswordHasher
    private let threads: NIOThreadPool
    private let line: BoundedLine
    /// What an unknown user's password is checked against, so that it takes as long.
    private let decoy: String

    init(policy: PasswordPolicy, cost: PasswordHasher.Cost, workers: Int) throws {
        self.policy = policy
        hasher = PasswordHasher(cost: cost)
        threads = NIOThreadPool(numberOfThreads: workers)
        threads.start()
        line = BoundedLine(most: Self.mostWaiting)
        var generator = SystemRandomNumberGenerator()
        decoy = try hasher.hash(Sensitive(Base64URL.encode(generator.bytes(16))), salt: generator.bytes(PasswordHasher.saltSize))
    }

    func stop() async { try? await threads.shutdownGracefully() }

    func hash(_ password: Sensitive<String>) async throws -> String {
        try await run { [hasher] in
            var generator = SystemRandomNumberGenerator()
            return try hasher.hash(password, salt: generator.bytes(PasswordHasher.saltSize))
        }
    }

    /// - Parameter encoded: `nil` for a user there is none of; takes as long.
    func verify(_ password: Sensitive<String>, against encoded: Sensitive<String>?) async throws -> Bool {
        // Nobody has a password that long; hashing one would only keep us busy.
        guard password.use({ $0.utf8.count <= PasswordPolicy.mostBytes }) else { return false }
        let decoy = decoy
        return try await run { [hasher] in
            guard let encoded else { return hasher.verify(password, against: decoy) && false }
            return encoded.use { hasher.verify(password, against: $0) }
        }
    }

    func isOutdated(_ encoded: Sensitive<String>) -> Bool { encoded.use { hasher.isOutdated($0) } }

    private func run<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
        guard line.enter() else { throw ServerBusy() }
        defer { line.leave() }
        return try await threads.runIfActive(body)
    }
}

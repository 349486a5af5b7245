package import MienAPI
package import MienCore
package import MienHardware
internal import MienStore

/// Hashes and checks passwords on its own threads, a few at a time.
package final class PasswordService: Sendable {
    package let policy: PasswordPolicy
    private let hasher: PasswordHasher
    private let queue: WorkQueue
    /// The hash that an unknown user's password is checked against, so that the check takes as
    /// long.
    private let decoy: String

    package init(
        policy: PasswordPolicy, cost: PasswordHasher.Cost, workers: Int, limits: WorkLimits
    ) throws {
        self.policy = policy
        hasher = PasswordHasher(cost: cost)
        queue = WorkQueue("mien.password", workers: workers, limits: limits)
        var generator = SystemRandomNumberGenerator()
        decoy = try hasher.hash(
            Sensitive(Base64URL.encode(generator.bytes(16))),
            salt: generator.bytes(PasswordHasher.saltSize))
    }

    package var depth: QueueDepth { queue.depth }

    /// - Throws: ``ServerBusy`` if this share has no room in the queue.
    package func requireRoom(for share: WorkShare) throws(ServerBusy) {
        try queue.requireRoom(for: share)
    }

    /// - Parameter share: The client that the work is queued for.
    package func hash(_ password: Sensitive<String>, for share: WorkShare) async throws -> String {
        try await queue.run(for: share) { [hasher] in
            var generator = SystemRandomNumberGenerator()
            return try hasher.hash(password, salt: generator.bytes(PasswordHasher.saltSize))
        }
    }

    /// - Parameters:
    ///   - encoded: `nil` for an unknown user. The check takes as long.
    ///   - share: The client that the work is queued for; the same for unknown and known names.
    package func verify(
        _ password: Sensitive<String>, against encoded: Sensitive<String>?, for share: WorkShare
    ) async throws -> Bool {
        // No stored password is that long, so hashing it would waste time.
        guard password.use({ $0.utf8.count <= PasswordPolicy.maxBytes }) else { return false }
        return try await queue.run(for: share) { [hasher, decoy] in
            guard let encoded else { return hasher.verify(password, against: decoy) && false }
            return encoded.use { encoded in
                guard let foreign = Self.foreign(encoded) else {
                    return hasher.verify(password, against: encoded)
                }
                // A wrong password costs no less than one of ours.
                return foreign.matches(password)
                    || (hasher.verify(password, against: decoy) && false)
            }
        }
    }

    package func isOutdated(_ encoded: Sensitive<String>) -> Bool {
        encoded.use { hasher.isOutdated($0) }
    }

    // MARK: Hashes that another product made

    /// Marks a stored hash that another product made.
    private static let foreignMark = "~"

    /// The content of a password that was imported as a hash.
    package static func content(of hash: ForeignPasswordHash) -> [UInt8] {
        Array((foreignMark + hash.text).utf8)
    }

    private static func foreign(_ encoded: String) -> ForeignPasswordHash? {
        guard encoded.hasPrefix(foreignMark) else { return nil }
        return try? ForeignPasswordHash(String(encoded.dropFirst()))
    }

    /// Measures how long a wrong password of an imported hash takes.
    ///
    /// - Parameter setting: The setting of such hashes.
    func durationOfRefusal(setting: String) async throws -> Duration {
        let decoy = ForeignPasswordHash.decoy(setting: setting)
            .map { Sensitive(String(decoding: Self.content(of: $0), as: UTF8.self)) }
        let clock = ContinuousClock()
        var shortest = Duration.seconds(3600)
        // The shortest of three: a busy machine must not make all refusals slow for good.
        for _ in 0..<3 {
            let begun = clock.now
            _ = try await verify(
                Sensitive("a password of nobody"), against: decoy, for: .stranger())
            shortest = min(shortest, clock.now - begun)
        }
        return shortest
    }
}

internal import Foundation
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
    /// How many refusals are measured at the same time: as many as there may be.
    private let together: Int
    /// Blocks the thread.
    private let pause: @Sendable (Duration) -> Void

    package init(
        policy: PasswordPolicy, cost: PasswordHasher.Cost, workers: Int, limits: WorkLimits,
        pause: @escaping @Sendable (Duration) -> Void = {
            Thread.sleep(forTimeInterval: $0 / .seconds(1))
        }
    ) throws {
        (self.policy, self.pause) = (policy, pause)
        together = min(workers, limits.perPart)
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
    ///   - hold: How long a refusal keeps its thread, if the check takes less. Guesses that wait for
    ///     each other then wait equally, whatever is checked.
    package func verify(
        _ password: Sensitive<String>, against encoded: Sensitive<String>?, for share: WorkShare,
        refusingAfter hold: Duration? = nil
    ) async throws -> Bool {
        // No stored password is that long, so hashing it would waste time.
        guard password.use({ $0.utf8.count <= PasswordPolicy.maxBytes }) else { return false }
        return try await queue.run(for: share) { [hasher, decoy, pause] in
            let clock = ContinuousClock(), begun = clock.now
            let isRight = Self.check(password, encoded, hasher, decoy)
            if !isRight, let hold {
                let left = hold - (clock.now - begun)
                if left > .zero { pause(left) }
            }
            return isRight
        }
    }

    private static func check(
        _ password: Sensitive<String>, _ encoded: Sensitive<String>?, _ hasher: PasswordHasher,
        _ decoy: String
    ) -> Bool {
        guard let encoded else { return hasher.verify(password, against: decoy) && false }
        return encoded.use { encoded in
            guard let foreign = foreign(encoded) else {
                return hasher.verify(password, against: encoded)
            }
            return check(password, foreign, hasher, decoy)
        }
    }

    /// A wrong password costs no less than one of ours.
    private static func check(
        _ password: Sensitive<String>, _ foreign: ForeignPasswordHash, _ hasher: PasswordHasher,
        _ decoy: String
    ) -> Bool {
        foreign.matches(password) || (hasher.verify(password, against: decoy) && false)
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

    /// Measures how long a wrong password of an imported hash takes while all threads check one.
    func durationOfRefusal(of foreign: ForeignPasswordHash) async throws -> Duration {
        let clock = ContinuousClock(), begun = clock.now
        var shortest: Duration?
        // The shortest of three: what else is done at the moment must not make refusals slow.
        for _ in 0..<3 where clock.now - begun < .seconds(3) {
            let longest = try await withThrowingTaskGroup(of: Duration.self) { tasks in
                for _ in 0..<together {
                    tasks.addTask { [queue, hasher, decoy] in
                        // Without the wait for a thread.
                        try await queue.run(for: .common) {
                            clock.measure {
                                _ = Self.check(
                                    Sensitive("a password of nobody"), foreign, hasher, decoy)
                            }
                        }
                    }
                }
                return try await tasks.reduce(.zero) { max($0, $1) }
            }
            shortest = min(shortest ?? longest, longest)
        }
        return shortest ?? .zero
    }
}

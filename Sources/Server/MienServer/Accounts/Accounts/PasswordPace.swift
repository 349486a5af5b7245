internal import MienCore
internal import MienHardware
internal import MienStore

/// How long a refused password takes.
///
/// Hashes that another product made take longer to check than ours. As long as there are some, each
/// refusal keeps its thread for longer than the slowest of them takes, and is answered at a step
/// (``EvenPace``) after that. So a stranger cannot tell whose password was imported, and thereby who
/// has an account: neither by one guess, nor by guesses that wait for each other.
///
/// How long they take is measured beside requests, which never wait for it: at the start, after an
/// import, and every hour.
final class PasswordPace: Sendable {
    struct Pace: Sendable, Hashable {
        /// How long a refusal keeps its thread; `nil` if no hash was imported.
        let hold: Duration?
        /// The step at which it is answered.
        let step: Duration

        /// - Parameter hold: At most ``most`` of it counts.
        init(hold: Duration?) {
            self.hold = hold.map { min($0, PasswordPace.most) }
            // With time for what is read and written besides.
            step =
                self.hold.map {
                    EvenPace.step * ($0 / EvenPace.step + 2).rounded(.up)
                } ?? EvenPace.step
        }
    }

    /// Reads and measures the hashes.
    struct Source: Sendable {
        /// The number of imports so far; `nil` if no imported hash is left.
        let version: @Sendable () async throws -> Int64?
        /// The number of imports so far, and the settings of all hashes that are left.
        let settings: @Sendable () async throws -> (version: Int64, settings: [String])
        /// Returns how long refusing a password of the hash takes.
        let measure: @Sendable (ForeignPasswordHash) async throws -> Duration
        var now: @Sendable () -> ContinuousClock.Instant = { .now }
    }

    private struct State {
        /// The number of imports that ``longest`` includes.
        var version: Int64?
        var longest = Duration.zero
        /// How long refusals took, and when that was measured.
        var durations: [ForeignPasswordHash: (duration: Duration, at: ContinuousClock.Instant)] =
            [:]
        /// When to measure again, and when to try it again after a failure.
        var nextTime, retryTime: ContinuousClock.Instant?
        var measurement: Task<Void, Never>?

        func isDue(for version: Int64, at now: ContinuousClock.Instant) -> Bool {
            guard measurement == nil, now >= retryTime ?? now else { return false }
            return self.version != version || now >= nextTime ?? now
        }
    }

    /// The longest hold: a busy machine must not make refusals take minutes.
    static let most = Duration.seconds(4)
    /// The shortest hold until it is known how long the hashes take.
    static let untilKnown = Duration.seconds(2)
    /// For how long a measurement counts, and the pause after one that failed.
    static let life = Duration.seconds(3600), retryPause = Duration.seconds(10)

    private let source: Source
    private let state = Locked(State())

    init(_ source: Source) { self.source = source }

    convenience init(store: Store, passwords: PasswordService) {
        self.init(
            Source(
                version: {
                    try await store.read { tables in
                        guard try tables.authenticators.hasImportedHashes() else { return nil }
                        return try tables.changes.version(of: .importedHashes)
                    }
                },
                settings: {
                    try await store.read { tables in
                        (
                            try tables.changes.version(of: .importedHashes),
                            try tables.authenticators.importedHashes()
                        )
                    }
                }, measure: { try await passwords.durationOfRefusal(of: $0) }))
    }

    /// The pace for the hashes that are stored now.
    func current() async throws -> Pace {
        guard let version = try await source.version() else { return Pace(hold: nil) }
        let now = source.now()
        return state.withLock { state in
            if state.isDue(for: version, at: now) {
                state.measurement = Task.detached { await self.measure() }
            }
            // An import may have brought slower ones than those that are known.
            let isKnown = state.version == version
            let hold = Self.hold(longest: state.longest)
            return Pace(hold: isKnown ? hold : max(hold, Self.untilKnown))
        }
    }

    /// Begins to measure what is not known yet.
    func prepare() async { _ = try? await current() }

    /// Half as much again, for a server that is busy.
    static func hold(longest: Duration) -> Duration { longest * 1.5 }

    /// The measurement that is under way.
    var measurement: Task<Void, Never>? { state.withLock { $0.measurement } }

    private func measure() async {
        do {
            let (version, settings) = try await source.settings()
            let known = state.withLock { $0.durations }, begun = source.now()
            var durations:
                [ForeignPasswordHash: (duration: Duration, at: ContinuousClock.Instant)] =
                    [:]
            for hash in ForeignPasswordHash.dearest(of: settings) {
                if let found = known[hash], begun < found.at + Self.life {
                    durations[hash] = found
                } else {
                    durations[hash] = (try await source.measure(hash), begun)
                }
            }
            let measured = durations
            state.withLock { state in
                state.version = version
                state.durations = measured
                state.longest = measured.values.map(\.duration).max() ?? .zero
                state.nextTime = (measured.values.map(\.at).min() ?? begun) + Self.life
                (state.retryTime, state.measurement) = (nil, nil)
            }
        } catch {
            // The queue may be full. What is known counts until then.
            state.withLock {
                ($0.retryTime, $0.measurement) = (source.now() + Self.retryPause, nil)
            }
        }
    }
}

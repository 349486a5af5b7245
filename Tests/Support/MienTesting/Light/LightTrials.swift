import MienCore
import MienFace

/// The light check on rendered scenes.
public struct LightTrials {
    public struct Row: Sendable {
        public let name: String
        public let trials: Int
        /// The first refusal of each trial that did not pass.
        public let refusals: [String: Int]
        /// Sorted.
        public let correlations, reliefs: [Double]
        /// Sorted: the correlations of the same frames with other sequences.
        public let others: [Double]

        public var passed: Int { trials - refusals.values.reduce(0, +) }
    }

    /// Runs `count` sessions of a scene.
    ///
    /// - Parameters:
    ///   - follows: Whether the screen shows the session's colors, instead of another sequence.
    ///   - others: How many other sequences to compare each session's frames with.
    public static func run(
        _ name: String, _ count: Int, style: LightChallenge.Style = .vivid, follows: Bool = true,
        others: Int = 0, threshold: Int = 0, first: UInt64 = 1,
        _ change: (inout LitScene) -> Void = { _ in }
    ) -> Row {
        var refusals: [String: Int] = [:], correlations: [Double] = [], reliefs: [Double] = []
        var other: [Double] = []
        for seed in first..<first + UInt64(count) {
            var generator = SeededGenerator(seed: seed &* 31)
            let challenge = LightChallenge.drawn(style, for: .seconds(30), using: &generator)
            let shown =
                follows
                ? challenge : .drawn(style, for: .seconds(30), using: &generator)
            var scene = LitScene()
            scene.seed = seed
            change(&scene)
            let samples = scene.samples(of: shown, seconds: 7)
            let finding = LightFinding(samples, of: challenge, threshold: threshold)
            if let refusal = finding.refusal {
                refusals[refusal.rawValue, default: 0] += 1
            }
            if let value = finding.correlation { correlations.append(value) }
            if let value = finding.relief { reliefs.append(value) }
            for _ in 0..<others {
                let decoy = LightChallenge.drawn(style, for: .seconds(30), using: &generator)
                if let value = LightFinding(samples, of: decoy).correlation { other.append(value) }
            }
        }
        return Row(
            name: name, trials: count, refusals: refusals, correlations: correlations.sorted(),
            reliefs: reliefs.sorted(), others: other.sorted())
    }
}

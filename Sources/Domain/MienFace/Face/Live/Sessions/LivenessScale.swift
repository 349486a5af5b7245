internal import Foundation

/// The limit of one liveness measurement, from `livenessThreshold` 0 to 100.
///
/// It also reads the other way: ``score(_:)`` is the highest threshold whose limit a measurement
/// meets. A check that compares with ``limit(at:)`` therefore passes exactly when its score is at
/// least the threshold.
struct LivenessScale: Sendable, Hashable {
    /// The limit at threshold 0, and at threshold 100.
    let lax, strict: Double

    init(_ lax: Double, _ strict: Double) { (self.lax, self.strict) = (lax, strict) }

    /// Returns the limit at `strictness`, 0...1.
    func limit(at strictness: Double) -> Double { lax + (strict - lax) * strictness }

    /// 0...100; 0 also for measurements that fail at every threshold.
    func score(_ measured: Double) -> Int {
        let score = 100 * (measured - lax) / (strict - lax)
        guard score > 0 else { return 0 }
        // A measurement at a limit meets it, in spite of rounding.
        return Int(min(100, score + 1e-6))
    }
}

extension LivenessLimits {
    func at(_ scale: LivenessScale) -> Double { between(scale.lax, scale.strict) }
}

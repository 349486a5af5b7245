/// The opening of the eyes: the mean distance between upper and lower lids divided by the
/// distance between the eye's corners.
///
/// About 0.23 for open eyes, 0.11–0.14 when laughing, 0.05 at the bottom of a blink (one person,
/// 1,956 frames; docs/facts.md §4). People differ, so compare values over time with the person's own
/// open-eye median.
public struct EyeOpening: Sendable, Hashable, Codable {
    public let right, left: Double

    public init(right: Double, left: Double) { (self.right, self.left) = (right, left) }

    public var mean: Double { (right + left) / 2 }
}

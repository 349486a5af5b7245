/// The cosines below which two frames of one stream show different people. They depend on the
/// descriptor network: some change more than others when a person blinks or turns.
///
/// All are under 1, and a strict one is not below its lax one.
public struct LikenessLimits: Sendable, Hashable, Codable {
    /// Between neighboring frames, at the most lenient setting and at the strictest.
    public let next: Double, strictNext: Double
    /// Between a frontal frame and the still phase.
    public let front: Double, strictFront: Double

    public init(next: Double, strictNext: Double, front: Double, strictFront: Double) {
        (self.next, self.strictNext) = (next, strictNext)
        (self.front, self.strictFront) = (front, strictFront)
    }

    /// The limits of packs that name none, measured with the network of `mien-basic-1`.
    public static let standard = Self(next: 0.93, strictNext: 0.95, front: 0.95, strictFront: 0.96)

    /// Whether the limits are in order.
    public var isValid: Bool {
        [(next, strictNext), (front, strictFront)].allSatisfy { lax, strict in
            0 < lax && lax <= strict && strict < 1
        }
    }

    var nextScale: LivenessScale { LivenessScale(next, strictNext) }
    var frontScale: LivenessScale { LivenessScale(front, strictFront) }
}

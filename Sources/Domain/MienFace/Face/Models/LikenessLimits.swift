/// The cosines below which two frames of one stream show different people. They depend on the
/// descriptor network: some change more than others when a person blinks or turns.
///
/// All are under 1, and a strict one is not below its lax one.
public struct LikenessLimits: Sendable, Hashable, Codable {
    /// Between neighboring frames, at the most lenient setting and at the strictest.
    public let next: Double, strictNext: Double
    /// Between a frontal frame and the still phase.
    public let front: Double, strictFront: Double
    /// Between a view that an enrollment takes and its first frame; `nil` if the pack does not say.
    public let enrollment: Enrollment?

    /// The limits of an enrollment, one for each view. Turned away, a person resembles the first
    /// frame less, and each network loses another amount.
    public struct Enrollment: Sendable, Hashable, Codable {
        public let front, right, left, bottom, top: Double

        public init(front: Double, right: Double, left: Double, bottom: Double, top: Double) {
            (self.front, self.right, self.left) = (front, right, left)
            (self.bottom, self.top) = (bottom, top)
        }

        subscript(view: EnrollmentView) -> Double {
            switch view {
            case .front: front
            case .right: right
            case .left: left
            case .bottom: bottom
            case .top: top
            }
        }
    }

    public init(
        next: Double, strictNext: Double, front: Double, strictFront: Double,
        enrollment: Enrollment? = nil
    ) {
        (self.next, self.strictNext, self.front, self.strictFront) = (
            next, strictNext, front, strictFront
        )
        self.enrollment = enrollment
    }

    /// The limits of packs that name none: those of `mien-basic-1`, the highest of all packs. With
    /// another network, they refuse people who are the same rather than accept others.
    public static let standard = Self(
        next: 0.93, strictNext: 0.95, front: 0.95, strictFront: 0.96,
        enrollment: Enrollment(front: 0.94, right: 0.93, left: 0.93, bottom: 0.93, top: 0.93))

    /// Whether the limits are in order.
    public var isValid: Bool {
        [(next, strictNext), (front, strictFront)].allSatisfy { lax, strict in
            0 < lax && lax <= strict && strict < 1
        }
            && EnrollmentView.allCases.allSatisfy { view in
                (enrollment?[view]).map { 0 < $0 && $0 < 1 } ?? true
            }
    }

    /// Returns the limit for a view of an enrollment. Packs without such limits have those of live
    /// sessions.
    func enrollment(_ view: EnrollmentView) -> Double {
        enrollment?[view] ?? (view == .front ? front : next)
    }

    var nextScale: LivenessScale { LivenessScale(next, strictNext) }
    var frontScale: LivenessScale { LivenessScale(front, strictFront) }
}

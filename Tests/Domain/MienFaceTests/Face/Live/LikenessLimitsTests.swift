import MienTesting
import Testing

@testable import MienFace

@Suite("Limits of likeness") struct LikenessLimitsTests {
    private static let pack = LikenessLimits(
        next: 0.7, strictNext: 0.78, front: 0.75, strictFront: 0.82)

    /// - Parameter cosine: With the face at angle 0.
    private func face(cosine: Float, _ limits: LikenessLimits) throws -> LiveFace {
        let made = try #require(FaceReading.made(MadeLook(), index: 0, at: .zero).face)
        var values = [Float](repeating: 0, count: 8)
        (values[0], values[1]) = (cosine, (1 - cosine * cosine).squareRoot())
        return LiveFace(
            box: made.box, mesh: made.mesh, pose: made.pose, eyes: made.eyes, quality: made.quality,
            likeness: try FaceDescriptor(values), likenessLimits: limits, patch: nil)
    }

    private func isRefused(_ cosine: Float, _ limits: LikenessLimits, threshold: Int) throws -> Bool
    {
        var check = LikenessCheck(limits: LivenessLimits(threshold: threshold))
        check.observe(.beginning(try face(cosine: 1, limits), at: .zero))
        check.observe(.rest(try face(cosine: 1, limits)))
        check.observe(
            .face(
                try face(cosine: cosine, limits), at: .milliseconds(100), isFrontal: true,
                action: nil))
        return check.result?.refusal == .faceChanged
    }

    @Test("two frames are compared with the limits of the pack", arguments: [0, 100])
    func limits(threshold: Int) throws {
        for limits in [Self.pack, .standard] {
            let limit = Float(threshold == 0 ? limits.front : limits.strictFront)
            #expect(try !isRefused(limit + 0.01, limits, threshold: threshold))
            #expect(try isRefused(limit - 0.01, limits, threshold: threshold))
        }
    }

    @Test("limits out of order are invalid")
    func order() {
        #expect(Self.pack.isValid && LikenessLimits.standard.isValid)
        for (next, strict) in [(0.8, 0.7), (0, 0.5), (0.9, 1)] {
            #expect(
                !LikenessLimits(next: next, strictNext: strict, front: 0.8, strictFront: 0.9)
                    .isValid)
        }
    }
}

import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("Likeness in enrollments")
struct EnrollmentLikenessTests {
    private static let limits = LikenessLimits(
        next: 0.7, strictNext: 0.78, front: 0.75, strictFront: 0.82,
        enrollment: .init(front: 0.66, right: 0.56, left: 0.57, bottom: 0.58, top: 0.59))
    private static let poses: [EnrollmentView: MadeLook] = [
        .front: MadeLook(), .right: MadeLook(yaw: -25), .left: MadeLook(yaw: 25),
        .bottom: MadeLook(pitch: -20), .top: MadeLook(pitch: 20),
    ]

    private var enrollment: FaceEnrollment
    private var index = 0

    init() throws {
        enrollment = try FaceEnrollment(
            capture: CaptureID("cap_test")!,
            settings: EnrollmentSettings(
                views: .full, countdownToCapture: .zero, framesToEnroll: 1, timeout: .seconds(10)))
    }

    /// Shows a view for a time, a frame every 40 ms.
    private mutating func show(
        _ view: EnrollmentView, cosine: Double, for time: Duration = .milliseconds(400),
        limits: LikenessLimits = limits
    ) throws {
        for _ in 0..<Int(time / .milliseconds(40)) where enrollment.verdict == nil {
            let made = try #require(
                FaceReading.made(Self.poses[view], index: 0, at: .zero).face)
            var values = [Float](repeating: 0, count: 8)
            (values[0], values[1]) = (Float(cosine), Float((1 - cosine * cosine).squareRoot()))
            let face = LiveFace(
                box: made.box, mesh: made.mesh, pose: made.pose, eyes: made.eyes,
                quality: made.quality, likeness: try FaceDescriptor(values),
                likenessLimits: limits, patch: nil)
            let empty = FaceReading.made(nil, index: index, at: .milliseconds(40 * index))
            _ = enrollment.handle(
                FaceReading(
                    index: index, frame: empty.frame, contentHash: UInt64(index), faceCount: 1,
                    face: face))
            if enrollment.wantsExtraction {
                enrollment.extracted(
                    try FaceTemplate.Entry(
                        descriptor: FaceDescriptor([1, 0]), quality: 80, pose: .frontal))
            }
            index += 1
        }
    }

    @Test("each view has its own limit of the pack", arguments: EnrollmentView.allCases.dropFirst())
    func views(view: EnrollmentView) throws {
        for isAbove in [true, false] {
            var test = try Self()
            try test.show(.front, cosine: 1)
            for one in EnrollmentView.allCases.dropFirst() {
                let limit = Self.limits.enrollment(one)
                let cosine = one == view && !isAbove ? limit - 0.02 : limit + 0.02
                try test.show(one, cosine: cosine, for: .seconds(1.2))
            }
            #expect(test.enrollment.verdict?.isCaptured == (isAbove ? true : false))
            if !isAbove { #expect(test.enrollment.verdict?.refusals == [.faceChanged]) }
        }
    }

    @Test("a hand before the face is waited for; another person who stays is refused")
    func difference() throws {
        var test = try Self()
        try test.show(.front, cosine: 1)
        try test.show(.right, cosine: 0.2, for: .milliseconds(900))
        #expect(test.enrollment.verdict == nil, "nothing was taken, and nobody was refused")
        try test.show(.right, cosine: 0.9)
        try test.show(.left, cosine: 0.2, for: .milliseconds(900))
        try test.show(.left, cosine: 0.9)
        #expect(test.enrollment.verdict == nil)
        try test.show(.bottom, cosine: 0.2, for: .seconds(1.2))
        #expect(test.enrollment.verdict?.refusals == [.faceChanged])
    }

    @Test("without limits of enrollment, those of live sessions apply")
    func older() {
        let older = LikenessLimits(next: 0.7, strictNext: 0.78, front: 0.75, strictFront: 0.82)
        #expect(older.enrollment(.front) == 0.75)
        #expect(EnrollmentView.allCases.dropFirst().allSatisfy { older.enrollment($0) == 0.7 })
        #expect(LikenessLimits.standard.enrollment(.left) == 0.93)
    }

    @Test("limits of enrollment are over 0 and under 1", arguments: EnrollmentView.allCases)
    func order(view: EnrollmentView) {
        for wrong in [0, 1, -0.5, Double.nan] {
            func limit(_ one: EnrollmentView) -> Double { one == view ? wrong : 0.5 }
            let limits = LikenessLimits(
                next: 0.7, strictNext: 0.78, front: 0.75, strictFront: 0.82,
                enrollment: .init(
                    front: limit(.front), right: limit(.right), left: limit(.left),
                    bottom: limit(.bottom), top: limit(.top)))
            #expect(!limits.isValid)
        }
        #expect(Self.limits.isValid && LikenessLimits.standard.isValid)
    }
}

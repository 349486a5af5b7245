import MienFace
import MienTesting
import Testing

@Suite("Head pose")
struct HeadPoseEstimatorTests {
    private let head = SyntheticHead()
    private let center = Point(x: 300, y: 200)
    static let angles: [Float] = [-60, -45, -20, 0, 20, 45, 60]

    private func pose(_ yaw: Float, _ pitch: Float, _ roll: Float, halfWidth: Double = 80)
        -> HeadPose
    {
        head.mesh(
            center: center, halfWidth: halfWidth, pose: HeadPose(yaw: yaw, pitch: pitch, roll: roll)
        ).pose
    }

    /// This head's midline is upright, while people's midlines lean slightly. The estimate
    /// subtracts that lean.
    private var neutral: Float { pose(0, 0, 0).pitch }

    @Test("a frontal head looks straight, apart from the constant lean of people's midline")
    func frontal() {
        let found = pose(0, 0, 0)
        #expect(abs(found.yaw) < 1e-4 && abs(found.roll) < 1e-4)
        #expect(abs(found.pitch) < 6)
    }

    @Test(
        "each angle is within two degrees for combined turns, nods, and tilts", arguments: angles,
        angles)
    func grid(yaw: Float, pitch: Float) {
        for roll in Self.angles {
            let found = pose(yaw, pitch, roll)
            #expect(abs(found.yaw - yaw) < 2, "yaw \(found.yaw) at \(yaw), \(pitch), \(roll)")
            #expect(
                abs(found.pitch - neutral - pitch) < 2,
                "pitch \(found.pitch) at \(yaw), \(pitch), \(roll)")
            #expect(abs(found.roll - roll) < 2, "roll \(found.roll) at \(yaw), \(pitch), \(roll)")
            #expect(found.isValid)
        }
    }

    @Test("a turn of the whole picture changes the roll only", arguments: [90, 180, 270])
    func turnedPicture(degrees: Int) {
        let mesh = head.mesh(
            center: center, halfWidth: 80, pose: HeadPose(yaw: 25, pitch: -15, roll: 10))
        let upright = mesh.pose
        let turned = FaceMesh(
            points: mesh.points.map { point in
                switch degrees {
                case 90: Point(x: -point.y, y: point.x)
                case 180: Point(x: -point.x, y: -point.y)
                default: Point(x: point.y, y: -point.x)
                }
            }, depths: mesh.depths, evidence: mesh.evidence
        ).pose
        #expect(abs(turned.yaw - upright.yaw) < 0.01 && abs(turned.pitch - upright.pitch) < 0.01)
        let roll = (turned.roll - upright.roll - Float(degrees)).remainder(dividingBy: 360)
        #expect(abs(roll) < 0.01, "\(turned.roll) after \(degrees) degrees")
    }

    @Test(
        "a positive yaw means that the nose is closer to the picture's right edge"
    )
    func yawSign() {
        let mesh = head.mesh(
            center: center, halfWidth: 80, pose: HeadPose(yaw: 30, pitch: 0, roll: 0))
        #expect(
            mesh.points[FaceMesh.Landmark.noseTip].x
                > (mesh.rightEyeCenter.x + mesh.leftEyeCenter.x) / 2 + 5)
        #expect(mesh.pose.yaw > 25)
    }

    @Test(
        "a positive pitch means that the nose is closer to the picture's top edge"
    )
    func pitchSign() {
        let frontal = head.mesh(center: center, halfWidth: 80),
            up = head.mesh(
                center: center, halfWidth: 80, pose: HeadPose(yaw: 0, pitch: 30, roll: 0))
        #expect(
            up.points[FaceMesh.Landmark.noseTip].y < frontal.points[FaceMesh.Landmark.noseTip].y - 5
        )
        #expect(up.pose.pitch > frontal.pose.pitch + 25)
    }

    @Test("a positive roll is clockwise on screen, with the person's left eye lower")
    func rollSign() {
        let mesh = head.mesh(
            center: center, halfWidth: 80, pose: HeadPose(yaw: 0, pitch: 0, roll: 30))
        #expect(mesh.leftEyeCenter.y > mesh.rightEyeCenter.y + 5)
        #expect(mesh.pose.roll > 25)
    }

    @Test(
        "upside-down and lying heads are tilted, not turned",
        arguments: [90, 135, 179, -90, -179] as [Float])
    func lying(roll: Float) {
        let found = pose(0, 0, roll)
        #expect(abs(found.roll - roll) < 1 && abs(found.yaw) < 1)
    }

    @Test("the head's size and position do not matter")
    func sizeAndPlace() {
        let small = pose(25, -10, 5, halfWidth: 8), large = pose(25, -10, 5, halfWidth: 800)
        #expect(
            abs(small.yaw - large.yaw) < 0.01 && abs(small.pitch - large.pitch) < 0.01
                && abs(small.roll - large.roll) < 0.01)
    }

    @Test("an open mouth does not turn the head")
    func mouth() {
        let mesh = head.mesh(center: center, halfWidth: 80)
        var points = mesh.points
        for i in [
            FaceMesh.Landmark.chin, FaceMesh.Landmark.lipBottom, FaceMesh.Landmark.mouthLeft,
            FaceMesh.Landmark.mouthRight,
        ] {
            points[i].y += 25
        }
        #expect(
            FaceMesh(points: points, depths: mesh.depths, evidence: mesh.evidence).pose == mesh.pose
        )
    }

    @Test("a mesh that has collapsed into a point still has valid angles")
    func collapsed() {
        let mesh = FaceMesh(
            points: Array(repeating: center, count: 468), depths: Array(repeating: 0, count: 468),
            evidence: 0)
        #expect(mesh.pose.isValid)
    }

    @Test("angles are valid only within ±180 degrees")
    func valid() {
        #expect(HeadPose(yaw: -180, pitch: 180, roll: 0).isValid)
        #expect(!HeadPose(yaw: 180.5, pitch: 0, roll: 0).isValid)
        #expect(!HeadPose(yaw: 0, pitch: .nan, roll: 0).isValid)
    }
}

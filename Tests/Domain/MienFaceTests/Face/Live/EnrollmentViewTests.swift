import MienFace
import MienTesting
import Testing

@Suite("Enrollment views")
struct EnrollmentViewTests {
    /// A head that turns by an angle, seen from the front by a camera that does not mirror: the
    /// person's right eye is on the picture's left.
    private func turned(yaw: Float = 0, pitch: Float = 0) -> FaceMesh {
        SyntheticHead().mesh(
            center: Point(x: 320, y: 240), halfWidth: 80,
            pose: HeadPose(yaw: yaw, pitch: pitch, roll: 0))
    }

    private func views(of mesh: FaceMesh) -> [EnrollmentView] {
        // The synthetic head's midline does not lean as people's do.
        let neutral = turned().pose.pitch
        let pose = HeadPose(yaw: mesh.pose.yaw, pitch: mesh.pose.pitch - neutral, roll: 0)
        return EnrollmentView.allCases.filter { $0.isShown(by: pose) }
    }

    @Test("the person's right eye is on the picture's left")
    func notMirrored() {
        #expect(turned().rightEyeCenter.x < turned().leftEyeCenter.x)
    }

    @Test(
        "turning to one's right moves the nose toward one's right eye, and shows the view right")
    func right() {
        let mesh = turned(yaw: -25), front = turned()
        let nose = mesh.points[FaceMesh.Landmark.noseTip],
            before = front.points[FaceMesh.Landmark.noseTip]
        // The nose moves to the picture's left, where the right eye is.
        #expect(nose.x < before.x - 10)
        #expect(
            abs(nose.x - mesh.rightEyeCenter.x) < abs(nose.x - mesh.leftEyeCenter.x))
        #expect(views(of: mesh) == [.right])
        #expect(EnrollmentView.right.guidance == .turnRight)
    }

    @Test("turning to one's left shows the view left")
    func left() {
        let mesh = turned(yaw: 25)
        #expect(
            mesh.points[FaceMesh.Landmark.noseTip].x
                > turned().points[FaceMesh.Landmark.noseTip].x + 10)
        #expect(views(of: mesh) == [.left])
        #expect(EnrollmentView.left.guidance == .turnLeft)
    }

    @Test("looking down shows the view bottom, looking up the view top")
    func vertical() {
        #expect(views(of: turned(pitch: -20)) == [.bottom])
        #expect(views(of: turned(pitch: 20)) == [.top])
        #expect(views(of: turned()) == [.front])
    }

    @Test("a person who follows an action of a session shows the view with the same direction")
    func sameAsActions() throws {
        let pairs: [(LivenessAction, EnrollmentView)] = [
            (.turnRight, .right), (.turnLeft, .left),
        ]
        for (action, view) in pairs {
            let played = LivenessSession.played(
                MadePerson(), try LivenessChallenge(steps: [.init(action)]),
                settings: try VerificationSettings(mode: .livenessActive))
            #expect(played.session.refusals == [])
            let shown = Set(played.readings.compactMap(\.face).flatMap { views(of: $0.mesh) })
            #expect(shown.contains(view))
            #expect(shown.isDisjoint(with: [.right, .left].filter { $0 != view }))
        }
    }
}

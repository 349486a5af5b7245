import Foundation
import MienFace
import MienTesting
import Testing

@Suite("Mesh fitter")
struct MeshFitterTests {
    private let networks = ScriptedFaceNetworks()
    private let fitter = MeshFitter(FaceGeometry.defaultPack.mesh)
    private let head = SyntheticHead()

    /// Returns a face tilted clockwise on screen.
    private func face(center: Point, width: Double, height: Double, degrees: Double) -> DetectedFace
    {
        let angle = degrees * .pi / 180, along = Point(x: cos(angle), y: sin(angle)) * (0.2 * width)
        return DetectedFace(
            confidence: 0.9, box: Rectangle(center: center, width: width, height: height),
            keyPoints: [center - along, center + along] + Array(repeating: center, count: 4))
    }

    @Test(
        "the network's points map back to their positions in the picture",
        arguments: [0.0, 30, -45, 90, 170])
    func back(degrees: Double) throws {
        let center = Point(x: 210, y: 130), angle = degrees * .pi / 180
        networks.answer(.mesh, head.outputs())
        let mesh = try fitter.mesh(
            of: face(center: center, width: 80, height: 64, degrees: degrees),
            in: RGBImage(width: 400, height: 300, filledWith: .black),
            with: networks)
        // The square is 1.5 × 80 = 120 pixels on the network's 192.
        let answered = head.mesh(center: Point(x: 96, y: 96), halfWidth: 48)
        for i in 0..<FaceMesh.pointCount {
            let p = (answered.points[i] - Point(x: 96, y: 96)) * (120.0 / 192)
            let expected =
                center
                + Point(
                    x: p.x * cos(angle) - p.y * sin(angle), y: p.x * sin(angle) + p.y * cos(angle))
            #expect(mesh.points[i].distance(to: expected) < 1e-3)
            #expect(abs(mesh.depths[i] - answered.depths[i] * 120 / 192) < 1e-3)
        }
        #expect(mesh.evidence == 22)
        #expect(abs(mesh.pose.roll - Float(degrees)) < 0.1)
    }

    @Test(
        "the network sees the face upright, with the eyes level at the detector's positions",
        arguments: [0.0, 25, -70, 180])
    func crop(degrees: Double) throws {
        let face = face(center: Point(x: 200, y: 150), width: 100, height: 100, degrees: degrees)
        // Two white spots at the eyes.
        let image = RGBImage.made(width: 400, height: 300) { x, y in
            let p = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
            return min(p.distance(to: face.rightEye), p.distance(to: face.leftEye)) < 4
                ? .white : .black
        }
        networks.answer(.mesh, head.outputs())
        _ = try fitter.mesh(of: face, in: image, with: networks)
        let shown = try #require(networks.pictures(shownTo: .mesh).first)
        // 20 of 150 pixels from the middle, on 192 pixels.
        for (eye, left) in [(96 - 25.6, 0), (96 + 25.6, 96)] {
            let spot = try #require(shown.centerOfLight(columns: left..<left + 96))
            #expect(spot.distance(to: Point(x: eye, y: 96)) < 0.3)
        }
    }

    @Test(
        "a second fit uses the first mesh: 1.5 times its outline, level with its eyes",
        arguments: [0.0, 40])
    func near(degrees: Double) throws {
        let center = Point(x: 200, y: 150)
        let first = head.mesh(
            center: center, halfWidth: 50, pose: HeadPose(yaw: 0, pitch: 0, roll: Float(degrees)))
        networks.answer(.mesh, head.outputs())
        let second = try fitter.mesh(
            near: first, in: RGBImage(width: 400, height: 300, filledWith: .black), with: networks)
        // The outline is 130 high, so the square is 195. The network sees a head with a half width
        // of 48 of 192.
        #expect(
            abs(second.bounds.center.x - center.x) < 1e-3
                && abs(second.bounds.center.y - center.y) < 1e-3)
        #expect(abs(second.eyeDistance - 0.87 * 48 * 195 / 192) < 1e-3)
        #expect(abs(second.pose.roll - Float(degrees)) < 0.1)
    }

    @Test("an output of the wrong shape, or with NaN, is an error", arguments: 0..<6)
    func wrongShape(kind: Int) throws {
        let right = head.outputs()
        var noNumber = right[0]
        noNumber[700] = .nan
        let answers: [[[Float]]] = [
            [], [right[0]], [Array(right[0].dropLast(3)), right[1]], [right[0], []],
            [right[0], [.nan]], [noNumber, right[1]],
        ]
        networks.answer(.mesh, answers[kind])
        let image = RGBImage(width: 40, height: 30, filledWith: .black)
        let error = try #require(throws: FaceModelError.self) {
            try fitter.mesh(
                of: face(center: Point(x: 20, y: 15), width: 10, height: 10, degrees: 0), in: image,
                with: networks)
        }
        #expect(error.network == .mesh)
    }

    @Test("a face without size, or far outside, gives a mesh and no crash")
    func oddFaces() throws {
        networks.answer(.mesh, head.outputs())
        let image = RGBImage(width: 40, height: 30, filledWith: .white)
        for (center, width) in [
            (Point(x: 20, y: 15), 0.0), (Point(x: -1e6, y: 1e6), 10), (Point(x: 20, y: 15), 1e12),
        ] {
            let mesh = try fitter.mesh(
                of: face(center: center, width: width, height: width, degrees: 0), in: image,
                with: networks)
            #expect(mesh.bounds.center.distance(to: center) < max(1, width * 1e-3))
        }
    }
}

extension RGBImage {
    /// Returns the center of the bright pixels in the given columns; `nil` when there are none.
    func centerOfLight(columns: Range<Int>) -> Point? {
        var (sum, x, y) = (0.0, 0.0, 0.0)
        for row in 0..<height {
            for column in columns {
                let w = Double(self[column, row].green)
                (sum, x, y) = (sum + w, x + w * (Double(column) + 0.5), y + w * (Double(row) + 0.5))
            }
        }
        return sum > 0 ? Point(x: x / sum, y: y / sum) : nil
    }
}

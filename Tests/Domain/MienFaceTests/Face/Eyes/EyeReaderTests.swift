import MienFace
import MienTesting
import Testing

@Suite("Eye reader")
struct EyeReaderTests {
    private let networks = ScriptedFaceNetworks()
    private let reader = EyeReader(FaceGeometry.defaultPack.iris)
    private let image = RGBImage(width: 300, height: 200, filledWith: .black)

    /// Returns an eye from corner to corner with its lids `gap` apart. The other 55 points are
    /// zero.
    private func contour(corners: Float, gap: Float) -> [Float] {
        var points = [(Float, Float)](repeating: (0, 0), count: 71)
        for i in 0...8 {
            points[i] = (10 + corners * Float(i) / 8, 32 + (i == 0 || i == 8 ? 0 : gap / 2))
        }
        for i in 1...7 { points[i + 8] = (10 + corners * Float(i) / 8, 32 - gap / 2) }
        return points.flatMap { [$0.0, $0.1, 7] }
    }

    private let mesh = SyntheticHead().mesh(center: Point(x: 150, y: 100), halfWidth: 70)

    @Test("opening is the lids' mean distance divided by the corners' distance, for each eye")
    func knownAnswer() throws {
        networks.answer(.iris, [contour(corners: 40, gap: 10)], [contour(corners: 32, gap: 2)])
        let opening = try reader.opening(of: mesh, in: image, with: networks)
        #expect(abs(opening.right - 0.25) < 1e-6)
        #expect(abs(opening.left - 0.0625) < 1e-6)
        #expect(abs(opening.mean - 0.15625) < 1e-6)
    }

    @Test("the contour is recognized by its size, at any output position")
    func outputOrder() throws {
        networks.answer(.iris, [[1, 2, 3], contour(corners: 40, gap: 10)])
        #expect(abs(try reader.opening(of: mesh, in: image, with: networks).right - 0.25) < 1e-6)
    }

    /// Half the crop's side is 2.3/2 corner distances, so the corner is 32/2.3 of 64 pixels from
    /// the middle.
    @Test(
        "both eyes are passed as right eyes: upright, with the outer corner on the left",
        arguments: [0, 35, -80] as [Float])
    func crops(roll: Float) throws {
        let mesh = SyntheticHead().mesh(
            center: Point(x: 150, y: 100), halfWidth: 70,
            pose: HeadPose(yaw: 0, pitch: 0, roll: roll))
        let corners = [FaceMesh.Landmark.rightEyeOuter, FaceMesh.Landmark.leftEyeOuter].map {
            mesh.points[$0]
        }
        let image = RGBImage.made(width: 300, height: 200) { x, y in
            corners.contains {
                $0.distance(to: Point(x: Double(x) + 0.5, y: Double(y) + 0.5)) < 2.5
            } ? .white : .black
        }
        networks.answer(.iris, [contour(corners: 40, gap: 10)])
        _ = try reader.opening(of: mesh, in: image, with: networks)
        let shown = networks.pictures(shownTo: .iris)
        #expect(shown.count == 2)
        for picture in shown {
            let spot = try #require(picture.centerOfLight(columns: 0..<64))
            #expect(spot.distance(to: Point(x: 32 - 32 / 2.3, y: 32)) < 0.5)
        }
    }

    @Test("an eye without width is closed")
    func noWidth() throws {
        networks.answer(.iris, [contour(corners: 0, gap: 10)])
        #expect(
            try reader.opening(of: mesh, in: image, with: networks) == EyeOpening(right: 0, left: 0)
        )
    }

    @Test("an output without a contour is an error", arguments: 0..<3)
    func wrongShape(kind: Int) throws {
        let answers: [[[Float]]] = [[], [[1, 2, 3]], [[Float](repeating: 0, count: 212)]]
        networks.answer(.iris, answers[kind])
        let error = try #require(throws: FaceModelError.self) {
            try reader.opening(of: mesh, in: image, with: networks)
        }
        #expect(error.network == .iris)
    }
}

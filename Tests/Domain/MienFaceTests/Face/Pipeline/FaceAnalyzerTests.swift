import MienFace
import MienTesting
import Testing

@Suite("Face analyzer")
struct FaceAnalyzerTests {
    private let networks = ScriptedFaceNetworks()
    private let analyzer = FaceAnalyzer(.defaultPack)
    private let image = RGBImage.noise(width: 400, height: 300)

    /// Sets the faces that each detector returns.
    private func show(near: [DetectedFace], far: [DetectedFace] = []) {
        let geometry = FaceGeometry.defaultPack
        networks.answer(
            .detectorShortRange,
            geometry.detectorShortRange.outputs(showing: near, inPictureOf: 400, by: 300))
        networks.answer(
            .detectorFullRange,
            geometry.detectorFullRange!.outputs(showing: far, inPictureOf: 400, by: 300))
        networks.answer(.mesh, SyntheticHead().outputs())
        networks.answer(.iris, [[Float](repeating: 1, count: 213)])
        networks.answer(.descriptor, [(0..<128).map { Float($0) - 60 }])
    }

    private let large = DetectedFace.made(center: Point(x: 200, y: 150), width: 120)
    private let small = DetectedFace.made(center: Point(x: 90, y: 80), width: 40)

    @Test("the full-range detector does not run after a large face is found")
    func largeFace() throws {
        show(near: [large, small])
        #expect(try analyzer.faces(in: image, with: networks).count == 2)
        #expect(networks.runs == [.detectorShortRange])
    }

    @Test("the full-range detector runs when nothing is found")
    func nothingNear() throws {
        show(near: [], far: [small])
        let faces = try analyzer.faces(in: image, with: networks)
        #expect(faces.count == 1)
        #expect(faces[0].box.center.distance(to: small.box.center) < 3)
        #expect(networks.runs == [.detectorShortRange, .detectorFullRange])
    }

    @Test(
        "the full-range detector runs when only small faces are found, and a face that both find counts once, as found first"
    )
    func smallFaces() throws {
        let shifted = DetectedFace.made(center: Point(x: 96, y: 80), width: 40, confidence: 0.99)
        let other = DetectedFace.made(center: Point(x: 300, y: 200), width: 30)
        show(near: [small], far: [shifted, other])
        let faces = try analyzer.faces(in: image, with: networks)
        #expect(faces.count == 2)
        #expect(faces.contains { $0.box.center.distance(to: small.box.center) < 2 })
        #expect(faces.contains { $0.box.center.distance(to: other.box.center) < 2 })
    }

    @Test("a face below a fifth of the longer side is small")
    func smallness() throws {
        show(near: [.made(center: Point(x: 200, y: 150), width: 81)])
        _ = try analyzer.faces(in: image, with: networks)
        #expect(networks.runs == [.detectorShortRange])
        show(near: [.made(center: Point(x: 200, y: 150), width: 79)])
        _ = try analyzer.faces(in: image, with: networks)
        #expect(networks.runs == [.detectorShortRange, .detectorShortRange, .detectorFullRange])
    }

    @Test("a near search never runs the full-range detector; a thorough one always does")
    func search() throws {
        show(near: [], far: [small])
        #expect(try analyzer.faces(in: image, search: .near, with: networks).isEmpty)
        #expect(networks.runs == [.detectorShortRange])
        show(near: [large], far: [small])
        #expect(try analyzer.faces(in: image, search: .thorough, with: networks).count == 2)
        #expect(networks.runs == [.detectorShortRange, .detectorShortRange, .detectorFullRange])
    }

    @Test("a pack without a full-range detector uses the short-range one")
    func withoutFullRange() throws {
        let whole = FaceGeometry.defaultPack
        let geometry = FaceGeometry(
            detectorShortRange: whole.detectorShortRange, detectorFullRange: nil, mesh: whole.mesh,
            iris: whole.iris, descriptor: whole.descriptor)
        let networks = ScriptedFaceNetworks(geometry: geometry)
        networks.answer(
            .detectorShortRange,
            geometry.detectorShortRange.outputs(showing: [], inPictureOf: 400, by: 300))
        #expect(
            try FaceAnalyzer(geometry).faces(in: image, search: .thorough, with: networks).isEmpty)
    }

    @Test("of two faces of equal size, the one in the middle comes first")
    func central() throws {
        let middle = DetectedFace.made(center: Point(x: 200, y: 150), width: 90),
            corner = DetectedFace.made(center: Point(x: 60, y: 60), width: 90)
        for faces in [[middle, corner], [corner, middle]] {
            show(near: faces)
            let found = try analyzer.faces(in: image, with: networks)
            #expect(found[0].box.center.distance(to: middle.box.center) < 3)
        }
    }

    @Test("a much larger face comes first, even at the edge")
    func largest() throws {
        show(near: [
            .made(center: Point(x: 250, y: 150), width: 50),
            .made(center: Point(x: 90, y: 90), width: 160),
        ])
        #expect(try analyzer.faces(in: image, with: networks)[0].box.width > 150)
    }

    @Test("no further network runs without a face, and the reason says so")
    func noFace() throws {
        show(near: [])
        let analysis = try analyzer.analyze(image, with: networks)
        #expect(analysis.main == nil && analysis.faces.isEmpty)
        #expect(analysis.qualityScore == 0)
        #expect(analysis.reasons() == [.noFace])
        #expect(analysis.reasons(below: 0) == [.noFace])
        let once: [FaceNetwork] = [.detectorShortRange, .detectorFullRange]
        #expect(networks.runs == once + once + once + once, "in four directions")
    }

    @Test(
        "a face that is upside down or sideways is found where it is",
        arguments: [(2, 400, 300), (1, 300, 400), (3, 300, 400)])
    func turned(quarters: Int, width: Int, height: Int) throws {
        show(near: [])
        let geometry = FaceGeometry.defaultPack, seen = Point(x: 170, y: 120)
        func near(_ faces: [DetectedFace]) -> [[Float]] {
            geometry.detectorShortRange.outputs(showing: faces, inPictureOf: width, by: height)
        }
        // Upright, then turned by two quarters, one, and three.
        let face = DetectedFace.made(center: seen, width: 110)
        let order = [0, 2, 1, 3].map { $0 == quarters ? near([face]) : near([]) }
        networks.answer(.detectorShortRange, order[0], order[1], order[2], order[3])
        let main = try #require(try analyzer.analyze(image, with: networks).main)
        let there =
            switch quarters {
            case 1: Point(x: seen.y, y: 300 - seen.x)
            case 2: Point(x: 400 - seen.x, y: 300 - seen.y)
            default: Point(x: 400 - seen.y, y: seen.x)
            }
        #expect(main.detection.box.center.distance(to: there) < 4)
        #expect(main.mesh.bounds.center.distance(to: there) < 6)
        #expect(abs(abs(main.pose.roll) - (quarters == 2 ? 180 : 90)) < 3, "\(main.pose)")
        #expect(abs(main.pose.yaw) < 3 && abs(main.pose.pitch) < 8, "\(main.pose)")
        // A camera is upright.
        show(near: [])
        #expect(try analyzer.analyze(image, search: .near, with: networks).main == nil)
    }

    @Test("the main face gets a mesh, an eye reading, and grades")
    func main() throws {
        show(near: [small, large])
        let analysis = try analyzer.analyze(image, with: networks)
        let main = try #require(analysis.main)
        #expect(networks.runs == [.detectorShortRange, .mesh, .iris, .iris])
        #expect(main.detection == analysis.faces[0])
        #expect(main.mesh.bounds.center.distance(to: large.box.center) < 2)
        #expect(main.pose == main.mesh.pose)
        #expect(main.eyes == EyeOpening(right: 0, left: 0))
        #expect(abs(main.quality[.singleFace]!.value - 40.0 / 120) < 0.01)
        #expect(analysis.qualityScore == main.quality.score)
        #expect(analysis.reasons(below: 101) == main.quality.reasons(below: 101))
    }

    @Test("eyes are not read unless requested")
    func withoutEyes() throws {
        show(near: [large])
        let main = try #require(
            try analyzer.analyze(image, readingEyes: false, with: networks).main)
        #expect(networks.runs == [.detectorShortRange, .mesh])
        #expect(main.eyes == nil && main.quality[.eyes] == nil)
    }

    @Test("a single face has no rival")
    func alone() throws {
        show(near: [large])
        #expect(try analyzer.analyze(image, with: networks).main?.quality[.singleFace]?.value == 0)
    }

    @Test("a hand that the detector takes for the larger face is neither the main face nor a rival")
    func mistaken() throws {
        let hand = DetectedFace.made(center: Point(x: 190, y: 190), width: 150),
            face = DetectedFace.made(center: Point(x: 200, y: 80), width: 90)
        let isFace = SyntheticHead().outputs(), isNone = SyntheticHead().outputs(evidence: -3)
        show(near: [hand, face])
        networks.answer(.mesh, isNone, isFace, isFace)
        let main = try #require(try analyzer.analyze(image, search: .near, with: networks).main)
        #expect(main.detection.box.width < 100 && main.quality[.singleFace]?.value == 0)
        // In a photo, both stay: a covered face is not exchanged for that of somebody behind.
        networks.answer(.mesh, isNone, isFace, isFace)
        let photo = try #require(try analyzer.analyze(image, with: networks).main)
        #expect(photo.detection.box.width > 140 && photo.quality[.singleFace]?.value ?? 0 > 0.5)
        // Two faces remain two.
        networks.answer(.mesh, isFace)
        let both = try #require(try analyzer.analyze(image, search: .near, with: networks).main)
        #expect(both.detection.box.width > 140)
        #expect(both.quality[.singleFace]?.value ?? 0 > 0.5)
        // Without any whole face, the most prominent one is reported.
        networks.answer(.mesh, isNone)
        let none = try #require(try analyzer.analyze(image, search: .near, with: networks).main)
        #expect(none.detection.box.width > 140 && none.mesh.presence < 0.5)
    }

    @Test("a description comes from the crop and its mirror image")
    func describe() throws {
        show(near: [large])
        let face = try #require(try analyzer.analyze(image, with: networks).main)
        let description = try analyzer.describe(face, in: image, with: networks)
        #expect(description.descriptor.dimensions == 128)
        #expect(description.agreement > 0.999)
        #expect(networks.runs.suffix(2) == [.descriptor, .descriptor])
    }

    @Test(
        "a network that fails fails the analysis, by name",
        arguments: [FaceNetwork.detectorShortRange, .detectorFullRange, .mesh, .iris])
    func failure(network: FaceNetwork) throws {
        show(near: [small])
        networks.answer(network, [[1]])
        let error = try #require(throws: FaceModelError.self) {
            try analyzer.analyze(image, with: networks)
        }
        #expect(error.network == network)
    }
}

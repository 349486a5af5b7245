import MienTesting
import Testing

@testable import MienFace

@Suite("Portraits on documents")
struct PortraitFinderTests {
    private let networks = ScriptedFaceNetworks()
    private let finder = PortraitFinder(FaceAnalyzer(.defaultPack))
    private let view = RGBImage.noise(width: 400, height: 300)

    /// Sets the faces that the short-range detector returns, view by view.
    private func show(_ views: [[DetectedFace]]) {
        let geometry = FaceGeometry.defaultPack
        let near = views.map {
            geometry.detectorShortRange.outputs(showing: $0, inPictureOf: 400, by: 300)
        }
        let none = geometry.detectorFullRange!.outputs(
            showing: [], inPictureOf: 400, by: 300)
        // A thorough search runs both detectors on each view.
        switch near.count {
        case 1: networks.answer(.detectorShortRange, near[0])
        case 2: networks.answer(.detectorShortRange, near[0], near[1])
        default: networks.answer(.detectorShortRange, near[0], near[1], near[2])
        }
        networks.answer(.detectorFullRange, none)
        networks.answer(.mesh, SyntheticHead().outputs())
        networks.answer(.iris, [[Float](repeating: 1, count: 213)])
    }

    private static let portrait = DetectedFace.made(center: Point(x: 120, y: 150), width: 120)
    private static let ghost = DetectedFace.made(center: Point(x: 320, y: 200), width: 40)

    private static func turned(_ face: DetectedFace) -> DetectedFace {
        let center = face.box.center
        return DetectedFace(
            confidence: face.confidence, box: face.box,
            keyPoints: face.keyPoints.map { center * 2 - $0 })
    }

    @Test("the larger of two faces is the portrait, also if the small one is clearer")
    func ghost() throws {
        let pale = DetectedFace.made(
            center: Self.portrait.box.center, width: 120, confidence: 0.6)
        let clear = DetectedFace.made(
            center: Self.ghost.box.center, width: 40, confidence: 0.99)
        show([[clear, pale]])
        let found = try #require(try finder.portrait(in: [view], with: networks))
        #expect(found.face.detection.box.center.distance(to: pale.box.center) < 4)
    }

    @Test("a face that is upside down does not count, and the turned view has the portrait")
    func upsideDown() throws {
        #expect(PortraitFinder.isUpright(Self.portrait))
        #expect(!PortraitFinder.isUpright(Self.turned(Self.portrait)))
        show([[Self.portrait]])
        #expect(try finder.portrait(in: [view, view], with: networks)?.view == 0)
    }

    @Test("of equal faces in two views, the clearer one counts")
    func clearer() throws {
        let pale = DetectedFace.made(
            center: Self.portrait.box.center, width: 120, confidence: 0.7)
        show([[pale], [Self.portrait]])
        #expect(try finder.portrait(in: [view, view], with: networks)?.view == 1)
    }

    @Test("of a portrait and a larger pattern that resembles a face, the mesh chooses")
    func pattern() throws {
        let pattern = DetectedFace.made(center: Point(x: 300, y: 150), width: 150)
        show([[pattern, Self.portrait]])
        // The pattern in the view, and in the two pictures cut around it; then the portrait.
        networks.answer(
            .mesh, SyntheticHead().outputs(evidence: 3), SyntheticHead().outputs())
        networks.answer(
            .detectorShortRange,
            FaceGeometry.defaultPack.detectorShortRange.outputs(
                showing: [pattern, Self.portrait], inPictureOf: 400, by: 300),
            FaceGeometry.defaultPack.detectorShortRange.outputs(
                showing: [], inPictureOf: 300, by: 300))
        let found = try #require(try finder.portrait(in: [view], with: networks))
        #expect(found.face.detection.box.center.distance(to: Self.portrait.box.center) < 4)
    }

    @Test("sideways views are searched only without a face in the first two")
    func sideways() throws {
        show([[Self.portrait]])
        let views = [view, view, view]
        #expect(try finder.portrait(in: views, with: networks)?.view == 0)
        let runs = networks.runs.filter { $0 == .detectorShortRange }.count
        #expect(runs == 2)
    }

    @Test("a document without a face has no portrait")
    func nobody() throws {
        show([[]])
        #expect(try finder.portrait(in: [view, view], with: networks) == nil)
    }

    @Test("a face moves with all of its points")
    func moved() {
        let moved = Self.portrait.moved(by: Point(x: 10, y: 0))
        #expect(moved.box.center == Self.portrait.box.center + Point(x: 10, y: 0))
        #expect(
            zip(moved.keyPoints, Self.portrait.keyPoints).allSatisfy {
                $0 == $1 + Point(x: 10, y: 0)
            })
    }
}

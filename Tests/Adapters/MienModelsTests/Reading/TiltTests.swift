import MienCore
import MienDocument
import MienFace
import MienTools
import Testing

@testable import MienModels

/// Documents that are tilted in front of a camera. `scripts/bench documents --tilts` measures more.
@Suite struct TiltTests {
    private static func series(
        _ surface: TiltedSpecimen.Surface, of kind: Specimen.Kind = .td3, seed: UInt64,
        degrees: Double? = 16
    ) -> TiltedSpecimen {
        var random = SeededGenerator(seed: seed)
        let specimen = Specimen(kind, SpecimenPerson.random(&random), &random)
        return TiltedSpecimen(
            surface, of: specimen.image, millimeters: specimen.width, degrees: degrees, &random)
    }

    private static func measured(_ series: TiltedSpecimen) -> TiltMeasurements {
        TiltMeasurements(of: series.frames, front: (series.front, CardPlace(in: series.front)))
    }

    @Test func `the direction of a document follows from its corners, whatever its format`() throws
    {
        // A camera with a focal length of 0.9 of the picture's width looks at a rectangle.
        func pose(_ pitch: Double, _ yaw: Double, _ width: Double, _ height: Double) throws
            -> CardPose
        {
            let cp = (pitch * .pi / 180).cosine, sp = (pitch * .pi / 180).sine
            let cy = (yaw * .pi / 180).cosine, sy = (yaw * .pi / 180).sine
            let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { u, v in
                let (x, y) = (u * width / 2, v * height / 2)
                let (y1, z1) = (y * cp, y * sp)
                let (x2, z2) = (x * cy + z1 * sy, z1 * cy - x * sy)
                let depth = 200 + z2
                return Point(x: 640 + 1152 * x2 / depth, y: 480 + 1152 * y1 / depth)
            }
            return try #require(CardPose(corners, width: 1280, height: 960))
        }
        for (width, height) in [(85.6, 54.0), (125, 88), (60, 60)] {
            let flat = try pose(0, 0, width, height)
            #expect(flat.normal.z < -0.9999)
            for (pitch, yaw) in [(10.0, 0.0), (0, 10), (-25, 0), (15, -20)] {
                let tilted = try pose(pitch, yaw, width, height)
                let truth =
                    (((pitch * .pi / 180).cosine * (yaw * .pi / 180).cosine))
                let angle = flat.angle(to: tilted)
                #expect(abs((angle * .pi / 180).cosine - truth) < 1e-6, "\(pitch), \(yaw)")
            }
        }
        #expect(CardPose([], width: 10, height: 10) == nil)
    }

    @Test(arguments: [5] as [UInt64])
    func `a lamp's reflection moves across laminate, and one that is printed stays`(
        _ seed: UInt64
    ) {
        let laminate = Self.measured(Self.series(.laminate, seed: seed))
        #expect(ReflectionCheck(laminate).result == .passed, "\(laminate)")
        #expect(laminate.tilt > 12 && laminate.tilt < 50)
        for surface in [TiltedSpecimen.Surface.mattePrint, .unlit] {
            let still = Self.measured(Self.series(surface, seed: seed))
            #expect(ReflectionCheck(still).faults == [.noReflection], "\(surface): \(still)")
        }
    }

    @Test
    func `a document that is not tilted, one that is missing, and another kind prove nothing`() {
        let series = Self.series(.laminate, seed: 5)
        let still = TiltMeasurements(of: Array(repeating: series.frames[0], count: 6))
        #expect(ReflectionCheck(still).faults == [.tiltMore, .noReflection], "\(still)")
        let gray = RGBImage(width: 640, height: 480, filledWith: RGBColor(90, 90, 90))
        let none = TiltMeasurements(of: Array(repeating: gray, count: 8))
        #expect(ReflectionCheck(none).faults == [.noDocument])
        #expect(ReflectionCheck(TiltMeasurements(of: [])).faults == [.noDocument])
        let other = Self.series(.laminate, of: .td1, seed: 40).front
        let mixed = TiltMeasurements(of: series.frames, front: (other, CardPlace(in: other)))
        #expect(ReflectionCheck(mixed).faults.first == .otherDocument, "\(mixed)")
    }

    @Test func `more pictures than a series has are left out`() {
        let frame = Self.series(.unlit, seed: 3).frames[0]
        let many = TiltMeasurements(of: Array(repeating: frame, count: 12))
        #expect(many.frames <= ReflectionCheck.frameRange.upperBound)
    }
}

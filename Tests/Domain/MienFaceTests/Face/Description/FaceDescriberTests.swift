import Foundation
import MienFace
import MienTesting
import Testing

@Suite("Face describer")
struct FaceDescriberTests {
    private let networks = ScriptedFaceNetworks()
    private let landmarks = FaceGeometry.defaultPack.descriptor.alignment
    private let image = RGBImage.noise(width: 320, height: 240)

    /// The default pack's alignment with descriptors of four numbers.
    private func describer(_ crops: [FaceDescriber.Crop] = [.init(), .init(mirrored: true)])
        -> FaceDescriber
    {
        FaceDescriber(
            DescriptorGeometry(
                input: InputGeometry(width: 150, height: 150), dimensions: 4, alignment: landmarks),
            crops: crops)
    }

    /// The map from the network's input to the picture: rotated by 20°, with 0.8 pixels to one.
    private let placed = AffineMap(
        a: 0.8 * cos(0.35), b: -0.8 * sin(0.35), tx: 120, c: 0.8 * sin(0.35), d: 0.8 * cos(0.35),
        ty: 60)

    /// A mesh whose landmarks lie where ``placed`` maps them.
    private var mesh: FaceMesh {
        var points = SyntheticHead().mesh(center: Point(x: 160, y: 120), halfWidth: 50).points
        for landmark in landmarks {
            points[landmark.mesh] = placed(Point(x: landmark.x, y: landmark.y))
        }
        return FaceMesh(points: points, depths: Array(repeating: 0, count: 468), evidence: 20)
    }

    @Test("the descriptor is the mean direction of the crops, regardless of vector length")
    func mean() throws {
        networks.answer(.descriptor, [[3, 0, 0, 0]], [[0, 40, 0, 0]])
        let found = try describer().description(of: mesh, in: image, with: networks)
        let half = Float(0.5).squareRoot()
        #expect(found.descriptor == (try FaceDescriptor(normalizing: [half, half, 0, 0])))
        #expect(abs(found.agreement - 0.5.squareRoot()) < 1e-6)
    }

    @Test("identical crops agree fully; contradictory crops agree little")
    func agreement() throws {
        networks.answer(.descriptor, [[1, 2, 3, 4]], [[2, 4, 6, 8]])
        #expect(
            abs(try describer().description(of: mesh, in: image, with: networks).agreement - 1)
                < 1e-6)
        networks.answer(.descriptor, [[1, 0, 0, 0]], [[-0.9, 0.1, 0, 0]])
        #expect(try describer().description(of: mesh, in: image, with: networks).agreement < 0.1)
    }

    @Test("the length of the vectors is graded as the pack says, and lowers the quality")
    func strength() throws {
        let graded = FaceDescriber(
            DescriptorGeometry(
                input: InputGeometry(width: 150, height: 150), dimensions: 4, alignment: landmarks,
                strength: DescriptorStrength(enough: 5, full: 10)),
            crops: [.init(), .init(mirrored: true)])
        let good = FaceQuality(parts: [.init(.size, value: 60, grade: 90, reason: .tooSmall)])
        func quality(_ lengths: Float...) throws -> FaceQuality {
            networks.answer(.descriptor, [[lengths[0], 0, 0, 0]], [[0, lengths[1], 0, 0]])
            let found = try graded.description(of: mesh, in: image, with: networks)
            return graded.quality(graded.quality(good, with: found), with: found)
        }
        #expect(try quality(12, 8).score == 90)
        #expect(try quality(6, 4)[.strength]?.grade == 48)
        let weak = try quality(2, 3)
        #expect(weak.score == 24 && weak.reasons() == [.indistinct])
        #expect(weak[.strength]?.value == 2.5)
        #expect(weak.parts.count == 2, "the part is added once")
        // A pack that says nothing about it.
        networks.answer(.descriptor, [[1, 0, 0, 0]], [[1, 0, 0, 0]])
        let found = try describer().description(of: mesh, in: image, with: networks)
        #expect(describer().quality(good, with: found) == good)
    }

    @Test("one crop gives its own direction")
    func single() throws {
        networks.answer(.descriptor, [[0, 0, 3, 4]])
        let found = try describer([.init()]).description(of: mesh, in: image, with: networks)
        #expect(found.descriptor == (try FaceDescriptor([0, 0, 0.6, 0.8])))
        #expect(networks.runs == [.descriptor])
    }

    @Test("the mirrored crop is the exact mirror image of the plain one")
    func mirrored() throws {
        networks.answer(.descriptor, [[1, 0, 0, 0]])
        _ = try describer().description(of: mesh, in: image, with: networks)
        let shown = networks.pictures(shownTo: .descriptor)
        #expect(shown.count == 2)
        #expect(shown[1] == shown[0].mirrored())
        #expect(shown[1] != shown[0])
    }

    @Test("the landmarks land on their positions on the network's input")
    func alignment() throws {
        let map = try #require(describer().alignment(of: mesh))
        for landmark in landmarks {
            #expect(
                map(mesh.points[landmark.mesh]).distance(to: Point(x: landmark.x, y: landmark.y))
                    < 1e-6)
        }
    }

    @Test(
        "the network's input shows the face at the position set by zoom and shift",
        arguments: [
            FaceDescriber.Crop(), .init(zoom: 1.2), .init(dx: 0.1, dy: -0.05),
            .init(zoom: 0.9, dx: -0.04),
            .init(zoom: 1.1, dy: 0.03, mirrored: true),
        ])
    func crop(crop: FaceDescriber.Crop) throws {
        let mesh = mesh
        // Only the nose is lit.
        let nose = landmarks[4], position = mesh.points[nose.mesh]
        let lit = RGBImage.made(width: 320, height: 240) { x, y in
            position.distance(to: Point(x: Double(x) + 0.5, y: Double(y) + 0.5)) < 5
                ? .white : .black
        }
        networks.answer(.descriptor, [[1, 0, 0, 0]])
        _ = try describer([crop]).description(of: mesh, in: lit, with: networks)
        let spot = try #require(
            networks.pictures(shownTo: .descriptor)[0].centerOfLight(columns: 0..<150))
        let x = 75 + (nose.x - 75) * crop.zoom + 150 * crop.dx,
            y = 75 + (nose.y - 75) * crop.zoom + 150 * crop.dy
        #expect(spot.distance(to: Point(x: crop.mirrored ? 150 - x : x, y: y)) < 0.3)
    }

    @Test("each crop is run once")
    func runs() throws {
        networks.answer(.descriptor, [[1, 0, 0, 0]])
        let crops = [
            FaceDescriber.Crop(), .init(mirrored: true), .init(zoom: 1.1),
            .init(zoom: 1.1, mirrored: true), .init(dx: 0.1),
        ]
        _ = try describer(crops).description(of: mesh, in: image, with: networks)
        #expect(networks.runs.count == 5)
    }

    @Test(
        "a vector without direction is an error",
        arguments: [[0, 0, 0, 0], [.nan, 1, 0, 0], [.infinity, 0, 0, 0], [1e-9, 0, 0, 0]]
            as [[Float]])
    func noDirection(vector: [Float]) {
        networks.answer(.descriptor, [vector])
        #expect(throws: FaceModelError.self) {
            try describer().description(of: mesh, in: image, with: networks)
        }
    }

    @Test("crops that cancel out are an error")
    func cancelled() {
        networks.answer(.descriptor, [[1, 0, 0, 0]], [[-1, 0, 0, 0]])
        #expect(throws: FaceModelError.self) {
            try describer().description(of: mesh, in: image, with: networks)
        }
    }

    @Test(
        "a wrong number of dimensions is an error that states the expected number",
        arguments: [[[1, 2, 3]], [[1, 2, 3, 4, 5]], []] as [[[Float]]])
    func dimensions(outputs: [[Float]]) throws {
        networks.answer(.descriptor, outputs)
        let error = try #require(throws: FaceModelError.self) {
            try describer().description(of: mesh, in: image, with: networks)
        }
        #expect(error.network == .descriptor)
        #expect(error.reason.hasPrefix("expected 4 numbers"))
    }

    @Test("a mesh that has collapsed into a point cannot be aligned")
    func collapsed() {
        let flat = FaceMesh(
            points: Array(repeating: Point(x: 5, y: 5), count: 468),
            depths: Array(repeating: 0, count: 468), evidence: 20)
        networks.answer(.descriptor, [[1, 0, 0, 0]])
        #expect(throws: FaceModelError.self) {
            try describer().description(of: flat, in: image, with: networks)
        }
        #expect(networks.runs.isEmpty)
    }

    @Test("a describer without crops traps")
    func noCrops() async {
        await #expect(processExitsWith: .failure) {
            _ = FaceDescriber(FaceGeometry.defaultPack.descriptor, crops: [])
        }
    }
}

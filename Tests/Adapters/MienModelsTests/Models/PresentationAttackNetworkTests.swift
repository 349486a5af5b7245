import Foundation
import MienModels
import MienTesting
import Testing

@testable import MienFace

/// Tests the pack's presentation-attack network with a network that OpenVINO actually runs.
@Suite("A pack's presentation-attack network")
struct PresentationAttackNetworkTests {
    private static let side = 32

    /// Creates a pack with such a network. Its other networks are invalid.
    private static func pack(live: Int = 1, classes: Int = 2, in scratch: ScratchFolder) throws
        -> ModelPack
    {
        var text = ManifestText()
        text["id"] = "attack-1"
        text["networks.presentationAttack"] = "attack.onnx"
        text["geometry.presentationAttack"] = [
            "input": [
                "width": side, "height": side, "layout": "NCHW", "colour": "RGB",
                "mean": [0, 0, 0], "scale": 1.0 / 255,
            ],
            "cropFactor": 2.0, "activation": "softmax", "classes": classes, "live": live,
            "limit": 0.5,
        ]
        let network =
            [
                "name": "attack.onnx", "bytes": 0, "sha256": "", "licence": "CC0-1.0",
                "source": "made by a test",
            ] as [String: Any]
        text["files"] = (text["files"] as! [[String: Any]]) + [network]
        let manifest = try text.manifest()
        let contents = manifest.files.map { file in
            (
                name: file.name,
                data: file.name == "attack.onnx"
                    ? BrightnessNetwork.onnx(side: side) : Data(file.name.utf8)
            )
        }
        for (name, data) in contents { try scratch.write(data, to: "pack/\(name)") }
        try scratch.write(try manifest.recording(contents), to: "pack/\(PackManifest.fileName)")
        return try ModelPack(folder: scratch("pack"))
    }

    private static func networks(_ pack: ModelPack) throws -> OpenVINOFaceNetworks {
        OpenVINOFaceNetworks(
            CompiledPack(pack, runtime: try InferenceRuntime(), options: NetworkOptions()))
    }

    /// Returns a square of one brightness on a background of another.
    private static func picture(face: UInt8, around: UInt8) -> RGBImage {
        var image = RGBImage(width: 400, height: 300, filledWith: RGBColor(around, around, around))
        for y in 100..<200 { for x in 150..<250 { image[x, y] = RGBColor(face, face, face) } }
        return image
    }

    private static let face = made(DetectedFace.made(center: Point(x: 200, y: 150), width: 100))

    /// A face behind open gates whose mesh has the box's size.
    private static func made(
        _ detection: DetectedFace, brightness: Double = 120, evidence: Double = 20
    ) -> AnalyzedFace {
        let corners = [
            Point(x: detection.box.x, y: detection.box.y),
            Point(
                x: detection.box.x + detection.box.width, y: detection.box.y + detection.box.height),
        ]
        let points = (0..<FaceMesh.pointCount).map { corners[$0 % 2] }
        return AnalyzedFace(
            detection: detection,
            mesh: FaceMesh(
                points: points, depths: points.map { _ in 0 }, evidence: evidence),
            pose: HeadPose(yaw: 0, pitch: 0, roll: 0), eyes: nil,
            quality: FaceQuality(parts: [
                .init(.exposure, value: brightness, grade: 100, reason: .tooDark)
            ]))
    }

    @Test("the network runs on the face and its surroundings, and its output becomes a probability")
    func runs() throws {
        let scratch = try ScratchFolder(), pack = try Self.pack(in: scratch),
            networks = try Self.networks(pack)
        let scorer = PresentationAttackScorer(
            geometry: try #require(pack.manifest.geometry.presentationAttack))
        let white = try scorer.score(
            of: Self.face, in: Self.picture(face: 255, around: 255), with: networks)
        let black = try scorer.score(
            of: Self.face, in: Self.picture(face: 0, around: 0), with: networks)
        #expect(
            try #require(white.attack) < 0.01 && #require(black.attack) > 0.99 && white.limit == 0.5
        )
        // The crop is twice the face's side, so a quarter of it is face.
        let mixed = try scorer.score(
            of: Self.face, in: Self.picture(face: 255, around: 0), with: networks)
        let part = try #require(mixed.attack)
        #expect(abs(part - 1 / (1 + exp(-8 * 2 * (0.5 - 0.25)))) < 0.01, "\(part)")
        // The area beyond the picture is black.
        let corner = Self.made(DetectedFace.made(center: Point(x: 0, y: 0), width: 100))
        let cut = try scorer.score(
            of: corner, in: Self.picture(face: 255, around: 255), with: networks)
        #expect(abs(try #require(cut.attack) - part) < 0.01)
    }

    @Test("a class count that differs from the network's is rejected with both numbers")
    func classes() throws {
        let scratch = try ScratchFolder(), pack = try Self.pack(classes: 3, in: scratch),
            networks = try Self.networks(pack)
        let scorer = PresentationAttackScorer(
            geometry: try #require(pack.manifest.geometry.presentationAttack))
        let error = #expect(throws: FaceModelError.self) {
            try scorer.score(of: Self.face, in: Self.picture(face: 9, around: 9), with: networks)
        }
        #expect(
            error?.description
                == "the presentationAttack network failed: expected 3 finite numbers, got [2]")
    }

    @Test("invalid probabilities are rejected")
    func activation() throws {
        let networks = ScriptedFaceNetworks(
            geometry: FaceGeometry(
                detectorShortRange: FaceGeometry.defaultPack.detectorShortRange,
                detectorFullRange: nil, mesh: FaceGeometry.defaultPack.mesh,
                iris: FaceGeometry.defaultPack.iris,
                descriptor: FaceGeometry.defaultPack.descriptor,
                presentationAttack: .init(
                    input: InputGeometry(width: 8, height: 8), cropFactor: 1, activation: .none,
                    classes: 2, live: 0, limit: 0.5)))
        let scorer = PresentationAttackScorer(
            geometry: try #require(networks.geometry.presentationAttack))
        networks.answer(.presentationAttack, [[0.75, 0.25]], [[7.5, -2.5]], [[.nan, 0]])
        #expect(
            try scorer.score(of: Self.face, in: Self.picture(face: 9, around: 9), with: networks)
                .attack == 0.25)
        for _ in 0..<2 {
            #expect(throws: FaceModelError.self) {
                try scorer.score(
                    of: Self.face, in: Self.picture(face: 9, around: 9), with: networks)
            }
        }
    }

    @Test(
        "an engine needs a pack with a presentation-attack network only if it checks for attacks"
    )
    func engine() throws {
        let small = try SmallPack(), without = try ModelPack(folder: small.folder)
        let error = #expect(throws: InferenceError.self) {
            try FaceEngine(pack: without, looksForAttacks: true)
        }
        #expect(error?.reason.contains("no presentation-attack network") == true)
        let scratch = try ScratchFolder(), with = try Self.pack(in: scratch)
        _ = try FaceEngine(pack: with, looksForAttacks: true)
        _ = try FaceEngine(pack: with)
    }

    @Test("a closed gate is reported, and the network does not run")
    func gates() throws {
        let networks = ScriptedFaceNetworks(geometry: Self.outline())
        let scorer = PresentationAttackScorer(
            geometry: try #require(networks.geometry.presentationAttack))
        let picture = Self.picture(face: 9, around: 9), detection = Self.face.detection
        for (face, gate) in [
            (Self.made(detection, brightness: 49), PresentationGate.light),
            (Self.made(detection, evidence: 0), .confidence),
            // 300 rows are not quite twice the box.
            (
                Self.made(DetectedFace.made(center: Point(x: 200, y: 150), width: 148)),
                .context
            ),
        ] {
            let score = try scorer.score(of: face, in: picture, with: networks)
            #expect(score.finding == .closed(gate) && score.attack == nil)
        }
        networks.answer(.presentationAttack, [[0.25, 0.75]])
        let score = try scorer.score(
            of: Self.made(DetectedFace.made(center: Point(x: 200, y: 150), width: 147)),
            in: picture, with: networks)
        #expect(score == PresentationAttackScore(.attack(0.25), limit: 0.5, strictLimit: 0.3))
    }

    @Test("a crop around the mesh has the box's proportions and stays inside the picture")
    func outlineCrop() throws {
        let scorer = PresentationAttackScorer(
            geometry: try #require(Self.outline().presentationAttack))
        let picture = Self.picture(face: 9, around: 9)
        func part(_ box: Rectangle) -> Rectangle {
            let back = scorer.map(around: box, in: picture).inverse
            let a = back(Point(x: 0, y: 0)), b = back(Point(x: 8, y: 8))
            return Rectangle(x: a.x, y: a.y, width: b.x - a.x, height: b.y - a.y)
        }
        func isNear(_ a: Rectangle, _ b: Rectangle) -> Bool {
            abs(a.x - b.x) + abs(a.y - b.y) + abs(a.width - b.width) + abs(a.height - b.height)
                < 1e-6
        }
        // 2.7 times the box.
        #expect(
            isNear(
                part(Rectangle(x: 160, y: 110, width: 80, height: 100)),
                Rectangle(x: 92, y: 25, width: 216, height: 270)))
        // The picture allows 2 in height, so also in width.
        #expect(
            isNear(
                part(Rectangle(x: 150, y: 75, width: 100, height: 150)),
                Rectangle(x: 100, y: 0, width: 200, height: 300)))
        // Moved inside.
        #expect(
            isNear(
                part(Rectangle(x: -20, y: 220, width: 80, height: 80)),
                Rectangle(x: 0, y: 84, width: 216, height: 216)))
    }

    private static func outline() -> FaceGeometry {
        FaceGeometry(
            detectorShortRange: FaceGeometry.defaultPack.detectorShortRange,
            detectorFullRange: nil, mesh: FaceGeometry.defaultPack.mesh,
            iris: FaceGeometry.defaultPack.iris,
            descriptor: FaceGeometry.defaultPack.descriptor,
            presentationAttack: .init(
                input: InputGeometry(width: 8, height: 8), crop: .outline, cropFactor: 2.7,
                minContext: 2, activation: .none, classes: 2, live: 1, limit: 0.5,
                strictLimit: 0.3))
    }
}

import Foundation
import MienCore
import MienFace
import MienMedia
import MienTesting
import Testing

@testable import MienModels

/// Shared parts of the tests with real photos. They print only distances and counts, never face
/// data.
private enum Installed {
    static let home = MienHome(environment: ProcessInfo.processInfo.environment)
    static let pack = try? PackLibrary(folder: home.packs).pack(PackLibrary.basicID)
    static let better = try? PackLibrary(folder: home.packs).pack(PackLibrary.betterID)
    static let names = [
        "biden", "obama", "obama2", "obama3", "obama_partial_face", "obama_partial_face2",
    ]

    static func path(_ name: String) -> String {
        home.demoPhotos.appending(path: "\(name).jpg").path
    }

    static let photosAreThere = names.allSatisfy {
        FileManager.default.fileExists(atPath: path($0))
    }
    static let isThere = pack != nil && photosAreThere
    static let reason: Comment =
        "needs the default model pack and the demo's photos: run scripts/setup"

    static let photos: [RGBImage] = names.map { try! ImageFile.decode(path($0)) }

    static let compiled: CompiledPack = try! CompiledPack(
        pack!, runtime: InferenceRuntime(), options: NetworkOptions(streams: 2))
    static let analyzer = FaceAnalyzer(pack!.manifest.geometry)

    /// The development photos: 250×250 pixels, with the person in the middle.
    static let developmentPhotos: [String] = {
        let shared =
            ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
            ?? ManifestText.repository.deletingLastPathComponent().appending(path: "shared")
        let images = shared.appending(path: "data/lfw-dev/images")
        let files = FileManager.default
        let people = ((try? files.contentsOfDirectory(atPath: images.path)) ?? []).sorted()
        return people.flatMap { person in
            let folder = images.appending(path: person)
            return ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
                $0.hasSuffix(".jpg")
            }.sorted().map {
                folder.appending(path: $0).path
            }
        }
    }()
}

/// Returns one single-crop descriptor as the network outputs it, not normalized.
private func rawDescriptor(of image: RGBImage, with networks: OpenVINOFaceNetworks) throws
    -> [Float]
{
    let analyzer = Installed.analyzer
    let face = try #require(try analyzer.analyze(image, readingEyes: false, with: networks).main)
    let alignment = try #require(analyzer.describer.alignment(of: face.mesh)),
        input = analyzer.geometry.descriptor.input
    let chip = image.warped(by: alignment, width: input.width, height: input.height)
    return try networks.run(.descriptor) { input.write(chip, into: &$0) }[0]
}

private func distance(_ a: [Float], _ b: [Float]) -> Double {
    zip(a, b).reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) }.squareRoot()
}

extension RGBImage {
    /// The picture after a program has saved it again.
    fileprivate func saved(quality: Int) throws -> RGBImage {
        try ImageDecoder.decode(JPEGEncoder.encode(self, quality: quality))
    }
}

@Suite("Real photos", .enabled(if: Installed.isThere, Installed.reason))
struct RealPhotoTests {
    private let networks = OpenVINOFaceNetworks(Installed.compiled)

    @Test(
        "each photo shows one face, which can be enrolled or gets a reason",
        arguments: Installed.names.indices)
    func oneFace(index: Int) throws {
        let image = Installed.photos[index]
        let analysis = try Installed.analyzer.analyze(image, with: networks)
        #expect(analysis.faces.count == 1)
        let main = try #require(analysis.main)
        #expect(main.pose.isValid && abs(main.pose.yaw) < 45 && abs(main.pose.roll) < 30)
        #expect(main.mesh.presence > 0.9)
        #expect(main.quality.score >= FaceQuality.defaultThreshold || !analysis.reasons().isEmpty)
    }

    @Test(
        "a photo without a note of its orientation shows the same person in each direction",
        arguments: Installed.names.indices, [nil, 90, 60])
    func turned(index: Int, savedWith quality: Int?) async throws {
        let upright = Installed.photos[index], pack = try #require(Installed.pack)
        let engine = try FaceEngine(pack: pack), matcher = try pack.matcher()
        func seen(_ quarters: Int) async throws -> (face: AnalyzedFace, reference: Reference) {
            let turned = upright.turned(byQuarters: quarters)
            let photo = try quality.map { try turned.saved(quality: $0) } ?? turned
            let (face, description) = try #require(try await engine.describe(photo))
            return (face, try matcher.reference(for: description.descriptor))
        }
        let own = try await seen(0)
        for quarters in 1...3 {
            let turned = try await seen(quarters)
            #expect(matcher.score(own.reference, turned.reference) >= MatchScore(60))
            #expect(abs(turned.face.quality.score - own.face.quality.score) <= 20)
            #expect(abs(turned.face.pose.yaw - own.face.pose.yaw) < 8, "\(turned.face.pose)")
            #expect(abs(turned.face.pose.pitch - own.face.pose.pitch) < 8, "\(turned.face.pose)")
        }
    }

    /// The reference: the same networks run by an independent pipeline. Its photos are in the order
    /// of ``Installed/names``.
    @Test(
        "descriptor distances match the reference pipeline and separate the person from the stranger"
    )
    func distances() throws {
        let reference = [
            [0, 0.845, 0.790, 0.857, 0.792, 0.822], [0.845, 0, 0.371, 0.315, 0.223, 0.258],
            [0.790, 0.371, 0, 0.449, 0.388, 0.382],
            [0.857, 0.315, 0.449, 0, 0.361, 0.372], [0.792, 0.223, 0.388, 0.361, 0, 0.275],
            [0.822, 0.258, 0.382, 0.372, 0.275, 0],
        ]
        let vectors = try Installed.photos.map { try rawDescriptor(of: $0, with: networks) }
        for i in 0..<6 {
            for j in i + 1..<6 {
                let found = distance(vectors[i], vectors[j])
                #expect(
                    abs(found - reference[i][j]) < 0.04,
                    "\(Installed.names[i]) and \(Installed.names[j]): \(found)")
                #expect((found < 0.6) == (i > 0), "\(Installed.names[i]) and \(Installed.names[j])")
            }
        }
    }

    @Test(
        "the better pack separates the person from the stranger, also quantized",
        .enabled(if: Installed.better != nil, "mien-default-2 is not installed"),
        arguments: [nil, PackVariant.int8])
    func betterPack(variant: PackVariant?) async throws {
        let pack = try #require(Installed.better), matcher = try pack.matcher()
        let engine = try FaceEngine(pack: pack, variant: variant)
        var references: [Reference] = []
        for photo in Installed.photos {
            let (_, description) = try #require(try await engine.describe(photo))
            #expect(description.descriptor.dimensions == 256 && description.strength > 5)
            references.append(try matcher.reference(for: description.descriptor))
        }
        for i in 0..<6 {
            for j in i + 1..<6 {
                let score = matcher.score(references[i], references[j])
                if i == 0 {
                    #expect(score < MatchScore(30), "\(Installed.names[j]): \(score)")
                } else {
                    #expect(
                        score >= MatchScore(60),
                        "\(Installed.names[i]) and \(Installed.names[j]): \(score)")
                }
            }
        }
    }

    @Test("a pack without quantized networks refuses to run them")
    func noVariant() throws {
        let error = #expect(throws: InferenceError.self) {
            try FaceEngine(pack: Installed.pack!, variant: .int8)
        }
        #expect(error?.reason.contains("contains no int8 networks") == true)
    }

    @Test(
        "a photo tilted by 20° shows the same person and, after alignment, nearly the same values",
        arguments: [20.0, -20])
    func tilted(degrees: Double) throws {
        let image = Installed.photos[1], center = image.bounds.center, angle = degrees * .pi / 180
        func tilt(_ angle: Double, _ image: RGBImage) -> RGBImage {
            let (c, s) = (cos(angle), sin(angle))
            let map = AffineMap(
                a: c, b: -s, tx: center.x - c * center.x + s * center.y, c: s, d: c,
                ty: center.y - s * center.x - c * center.y)
            return image.warped(by: map, width: image.width, height: image.height)
        }
        let tilted = tilt(angle, image), original = try rawDescriptor(of: image, with: networks)
        let pose = try #require(try Installed.analyzer.analyze(tilted, with: networks).main).pose
        let upright = try #require(try Installed.analyzer.analyze(image, with: networks).main).pose
        #expect(abs(Double(pose.roll - upright.roll) - degrees) < 4)
        #expect(distance(try rawDescriptor(of: tilted, with: networks), original) < 0.3)
        #expect(
            distance(try rawDescriptor(of: tilt(-angle, tilted), with: networks), original) < 0.15)
    }

    @Test("a descriptor does not depend on the number of concurrent workers")
    func workers() async throws {
        let analyzer = Installed.analyzer, photos = Installed.photos
        let faces = try photos.map {
            try #require(try analyzer.analyze($0, readingEyes: false, with: networks).main)
        }
        let alone = try zip(faces, photos).map {
            try analyzer.describe($0, in: $1, with: networks).descriptor
        }
        let compiled = Installed.compiled
        let pool = WorkerPool(workers: 2, label: "test.photos") { OpenVINOFaceNetworks(compiled) }
        let different = try await withThrowingTaskGroup(of: Bool.self) { group in
            for job in 0..<200 {
                let i = job % photos.count
                group.addTask {
                    try await pool.run {
                        try analyzer.describe(faces[i], in: photos[i], with: $0).descriptor
                            != alone[i]
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(different == 0)
    }

    @Test(
        "batched crops get the same values as single crops",
        arguments: [2, 4, 7])
    func batches(count: Int) throws {
        let input = Installed.analyzer.geometry.descriptor.input
        let chips = (0..<count).map { number in
            Installed.photos[number % Installed.photos.count].warped(
                by: AffineMap(a: 1, b: 0, tx: Double(10 * number), c: 0, d: 1, ty: 0),
                width: input.width, height: input.height)
        }
        let together = try networks.run(.descriptor, count: count) {
            input.write(chips[$0], into: &$1)
        }
        #expect(together.count == count)
        for (chip, outputs) in zip(chips, together) {
            let alone = try networks.run(.descriptor) { input.write(chip, into: &$0) }
            #expect(outputs.map(\.count) == alone.map(\.count))
            #expect(distance(outputs[0], alone[0]) < 1e-4)
        }
        // Otherwise nothing was batched, and the comparison above proves nothing.
        #expect(Installed.compiled.batched(.descriptor, count: count) != nil)
    }

    @Test("an engine gives the same results as its parts")
    func engine() async throws {
        let engine = try FaceEngine(pack: Installed.pack!, workers: 2), image = Installed.photos[0]
        #expect(engine.packID == Installed.pack?.id)
        let (face, description) = try #require(try await engine.describe(image))
        let direct = try #require(try Installed.analyzer.analyze(image, with: networks).main)
        #expect(face.detection == direct.detection && face.quality == direct.quality)
        #expect(
            try description.descriptor
                == Installed.analyzer.describe(direct, in: image, with: networks).descriptor)
        #expect(description.agreement > 0.9)
        #expect(
            try await engine.describe(RGBImage(width: 64, height: 64, filledWith: .black)) == nil)
    }

    @Test("a picture of one color, of noise, or of a few pixels shows no face")
    func blank() throws {
        let pictures = [
            RGBImage(width: 640, height: 480, filledWith: .white),
            RGBImage(width: 300, height: 900, filledWith: .black),
            .noise(width: 320, height: 240),
            RGBImage(width: 1, height: 1, filledWith: .white),
            RGBImage(width: 3000, height: 2, filledWith: .white),
        ]
        for picture in pictures {
            let analysis = try Installed.analyzer.analyze(
                picture, search: .thorough, with: networks)
            #expect(analysis.faces.isEmpty, "\(picture.width)×\(picture.height)")
            #expect(analysis.reasons() == [.noFace])
        }
    }

    @Test("the eyes of these portraits are open")
    func eyes() throws {
        for image in Installed.photos {
            let eyes = try #require(
                try Installed.analyzer.analyze(image, with: networks).main?.eyes)
            #expect((0.05...0.5).contains(eyes.right) && (0.05...0.5).contains(eyes.left))
        }
    }

    @Test(
        "the face in the middle is found in sixty development photos",
        .enabled(
            if: !Installed.developmentPhotos.isEmpty,
            "needs the development photos: ../shared/data/lfw-dev, or MIEN_SHARED"))
    func developmentPhotos() throws {
        var random = TestSeed.generator(60)
        let sample = Installed.developmentPhotos.shuffled(using: &random).prefix(60)
        let missed = try sample.filter { path in
            let main = try Installed.analyzer.analyze(
                ImageFile.decode(path), readingEyes: false, with: networks
            ).main
            guard let main else { return true }
            return main.detection.box.center.distance(to: Point(x: 125, y: 125)) > 50
        }
        #expect(sample.count == 60)
        let count = missed.count
        #expect(count == 0, "seed \(TestSeed.value)")
    }
}

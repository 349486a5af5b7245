import MienFace
import MienTesting
import Testing

@Suite("Face detector")
struct FaceDetectorTests {
    private let networks = ScriptedFaceNetworks()
    private let detector = FaceDetector(
        .detectorShortRange, geometry: FaceGeometry.defaultPack.detectorShortRange)
    /// Twice as wide as high: on the network's 128×128 input it is 128×64, 32 rows down.
    private let image = RGBImage(width: 400, height: 200, filledWith: .white)

    /// Returns rows without faces, except those given.
    private func outputs(_ rows: [(anchor: Int, numbers: [Float], score: Float)]) -> [[Float]] {
        var all = [Float](repeating: 0, count: 16 * 896),
            scores = [Float](repeating: -50, count: 896)
        for row in rows {
            all.replaceSubrange(16 * row.anchor..<16 * row.anchor + 16, with: row.numbers)
            scores[row.anchor] = row.score
        }
        return [all, scores]
    }

    /// The row of the anchor (100, 68): row 8, column 12 of the first grid.
    private let anchor = (8 * 16 + 12) * 2
    private let numbers: [Float] = [
        -4, -4, 25.6, 19.2, -8, -6, 0, -6, -4, -3, -4, 2, -12, -5, 4, -5,
    ]

    @Test("numbers relative to an anchor become a face at its position in the picture")
    func knownAnswer() throws {
        networks.answer(.detectorShortRange, outputs([(anchor, numbers, 2)]))
        let faces = try detector.faces(in: image, with: networks)
        #expect(faces.count == 1)
        let face = try #require(faces.first)
        // (96, 64) on the square is (96, 32) on the fitted picture; the scale is 3.125 picture
        // pixels.
        #expect(face.box.center.distance(to: Point(x: 300, y: 100)) < 0.01)
        #expect(abs(face.box.width - 80) < 0.01 && abs(face.box.height - 60) < 0.01)
        #expect(abs(face.confidence - 0.880797) < 1e-6)
        let points = [
            (287.5, 93.75), (312.5, 93.75), (300, 103.125), (300, 118.75), (275, 96.875),
            (325, 96.875),
        ]
        for (found, expected) in zip(face.keyPoints, points) {
            #expect(found.distance(to: Point(x: expected.0, y: expected.1)) < 0.01)
        }
        #expect(face.rightEye == face.keyPoints[0] && face.leftEye == face.keyPoints[1])
    }

    @Test(
        "a face is found at its position for any picture size",
        arguments: [(400, 200), (200, 400), (123, 77), (64, 64), (2000, 1501), (31, 90)])
    func roundTrip(width: Int, height: Int) throws {
        let side = Double(min(width, height))
        let shown = [
            DetectedFace.made(
                center: Point(x: 0.3 * Double(width), y: 0.4 * Double(height)), width: 0.3 * side,
                confidence: 0.9),
            .made(
                center: Point(x: 0.8 * Double(width), y: 0.75 * Double(height)), width: 0.2 * side,
                confidence: 0.7),
        ]
        networks.answer(
            .detectorShortRange,
            detector.geometry.outputs(showing: shown, inPictureOf: width, by: height))
        let found = try detector.faces(
            in: RGBImage(width: width, height: height, filledWith: .black), with: networks)
        #expect(found.count == 2)
        // The fitted picture has whole pixels, so the position may be off by half of one.
        let pixel = max(1, Double(max(width, height)) / 128)
        for (a, b) in zip(found, shown) {
            #expect(a.box.center.distance(to: b.box.center) < pixel)
            #expect(abs(a.box.width - b.box.width) < pixel)
            #expect(zip(a.keyPoints, b.keyPoints).allSatisfy { $0.distance(to: $1) < pixel })
            #expect(abs(a.confidence - b.confidence) < 1e-5)
        }
    }

    @Test("the network sees the whole picture, centered on black")
    func fitted() throws {
        networks.answer(.detectorShortRange, outputs([]))
        _ = try detector.faces(in: image, with: networks)
        let shown = try #require(networks.pictures(shownTo: .detectorShortRange).first)
        #expect(
            shown
                == RGBImage.made(width: 128, height: 128) { _, y in
                    (32..<96).contains(y) ? .white : .black
                })
        let values = networks.values(shownTo: .detectorShortRange)[0]
        #expect(abs(values[0] + 1) < 1e-5 && abs(values[3 * (64 * 128 + 64)] - 1) < 1e-5)
    }

    @Test("a row counts from a confidence of one half upward")
    func threshold() throws {
        networks.answer(
            .detectorShortRange, outputs([(anchor, numbers, 0)]),
            outputs([(anchor, numbers, -0.001)]))
        #expect(try detector.faces(in: image, with: networks).map(\.confidence) == [0.5])
        #expect(try detector.faces(in: image, with: networks).isEmpty)
    }

    @Test("the caller sets the threshold")
    func ownThreshold() throws {
        let strict = FaceDetector(
            .detectorShortRange, geometry: detector.geometry, minConfidence: 0.9)
        networks.answer(
            .detectorShortRange, outputs([(anchor, numbers, 2.19)]),
            outputs([(anchor, numbers, 2.2)]))
        #expect(try strict.faces(in: image, with: networks).isEmpty)
        #expect(try strict.faces(in: image, with: networks).count == 1)
    }

    @Test(
        "rows with NaN or boxes without sides are not faces",
        arguments: [0, 1, 2, 3, 4, 15])
    func notFinite(column: Int) throws {
        for bad in [Float.nan, .infinity, -.infinity] {
            var row = numbers
            row[column] = bad
            networks.answer(.detectorShortRange, outputs([(anchor, row, 3), (0, numbers, 1)]))
            #expect(try detector.faces(in: image, with: networks).count == 1)
        }
    }

    @Test("boxes of zero or negative size are not faces", arguments: [2, 3])
    func noSize(column: Int) throws {
        for bad: Float in [0, -10] {
            var row = numbers
            row[column] = bad
            networks.answer(.detectorShortRange, outputs([(anchor, row, 3)]))
            #expect(try detector.faces(in: image, with: networks).isEmpty)
        }
    }

    @Test("a NaN score is not a face; an infinite score is certainty")
    func oddScores() throws {
        networks.answer(
            .detectorShortRange, outputs([(anchor, numbers, .nan)]),
            outputs([(anchor, numbers, .infinity)]))
        #expect(try detector.faces(in: image, with: networks).isEmpty)
        #expect(try detector.faces(in: image, with: networks).map(\.confidence) == [1])
    }

    @Test("rows on one face become one face, weighted by confidence")
    func merged() throws {
        var moved = numbers
        moved[0] = 0
        networks.answer(
            .detectorShortRange, outputs([(anchor, numbers, 2), (anchor + 1, moved, 0)]))
        let faces = try detector.faces(in: image, with: networks)
        #expect(faces.count == 1)
        // 96 and 100 weighted by 0.8808 and 0.5, times 3.125.
        #expect(abs(faces[0].box.center.x - (96 + 4 * 0.5 / 1.380797) * 3.125) < 0.01)
    }

    @Test("of very many faces, the hundred most confident are kept, most confident first")
    func hundred() throws {
        let small: [Float] = [0, 0, 2, 2] + [Float](repeating: 0, count: 12)
        networks.answer(
            .detectorShortRange, outputs((0..<256).map { (2 * $0, small, Float($0) / 64) }))
        let faces = try detector.faces(in: image, with: networks)
        #expect(faces.count == 100)
        #expect(zip(faces, faces.dropFirst()).allSatisfy { $0.confidence > $1.confidence })
        #expect(abs(faces[0].confidence - 0.981736) < 1e-5)
    }

    @Test("an output of the wrong shape is an error that names the network", arguments: 0..<4)
    func wrongShape(kind: Int) throws {
        let right = outputs([])
        let answers: [[[Float]]] = [
            [right[0]], [right[1], right[0]], [Array(right[0].dropLast()), right[1]], [],
        ]
        networks.answer(.detectorShortRange, answers[kind])
        let error = try #require(throws: FaceModelError.self) {
            try detector.faces(in: image, with: networks)
        }
        #expect(error.network == .detectorShortRange)
        #expect("\(error)".hasPrefix("the detectorShortRange network failed: expected 896 rows"))
    }
}

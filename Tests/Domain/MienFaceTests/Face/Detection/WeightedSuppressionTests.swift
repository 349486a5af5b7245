import MienFace
import MienTesting
import Testing

@Suite("Weighted suppression")
struct WeightedSuppressionTests {
    private func face(_ x: Double, _ confidence: Double, y: Double = 0, side: Double = 10)
        -> DetectedFace
    {
        DetectedFace(
            confidence: confidence, box: Rectangle(x: x, y: y, width: side, height: side),
            keyPoints: (0..<6).map { Point(x: x + Double($0), y: y) })
    }

    /// Returns groups far apart, each with a few boxes close together and distinct confidences.
    private func groups(stream: UInt64) -> [DetectedFace] {
        var random = TestSeed.generator(stream)
        return (0..<6).flatMap { group in
            (0..<5).map { _ in
                let x = Double(group) * 100 + random.uniform() * 2, y = random.uniform() * 2
                return DetectedFace(
                    confidence: 0.5 + random.uniform() / 2,
                    box: Rectangle(
                        x: x, y: y, width: 20 + random.uniform(), height: 20 + random.uniform()),
                    keyPoints: (0..<6).map { _ in Point(x: x + random.uniform(), y: y) })
            }
        }
    }

    @Test("no candidates give no faces, and one face stays unchanged")
    func few() {
        #expect(WeightedSuppression().merge([]).isEmpty)
        let merged = WeightedSuppression().merge([face(3, 0.8)])
        #expect(merged.count == 1)
        #expect(merged[0].confidence == 0.8)
        #expect(merged[0].box.center.distance(to: Point(x: 8, y: 5)) < 1e-12)
    }

    @Test(
        "overlapping boxes become their weighted mean with the best one's confidence"
    )
    func weighted() throws {
        let merged = WeightedSuppression().merge([face(1, 0.6), face(0, 0.9), face(50, 0.7)])
        try #require(merged.count == 2)
        #expect(merged.map(\.confidence) == [0.9, 0.7])
        #expect(abs(merged[0].box.x - 0.4) < 1e-12)
        #expect(abs(merged[0].box.width - 10) < 1e-12)
        for i in 0..<6 { #expect(abs(merged[0].keyPoints[i].x - (0.4 + Double(i))) < 1e-12) }
        #expect(merged[1].box.center.distance(to: Point(x: 55, y: 5)) < 1e-12)
    }

    @Test("boxes that overlap exactly as much as allowed stay separate")
    func limit() {
        // Shifted by d of 10, the overlap is (10 − d) / (10 + d).
        #expect(
            WeightedSuppression(minOverlap: 0.3).merge([face(0, 0.9), face(5.4, 0.8)]).count == 2)
        #expect(
            WeightedSuppression(minOverlap: 0.3).merge([face(0, 0.9), face(5.3, 0.8)]).count == 1)
    }

    @Test(
        "a chain of boxes is split at the best one; boxes that do not overlap it are another face")
    func chain() {
        let merged = WeightedSuppression().merge([
            face(0, 0.7), face(4, 0.9), face(8, 0.8), face(12, 0.6),
        ])
        #expect(merged.map(\.confidence) == [0.9, 0.6])
    }

    @Test("merging is idempotent", arguments: 0..<10)
    func idempotent(stream: UInt64) {
        let once = WeightedSuppression().merge(groups(stream: stream)),
            twice = WeightedSuppression().merge(once)
        #expect(once.count == 6)
        #expect(twice.count == 6)
        #expect(
            zip(once, twice).allSatisfy {
                $0.confidence == $1.confidence && $0.box.center.distance(to: $1.box.center) < 1e-9
            })
    }

    @Test("the order of the candidates does not matter", arguments: 0..<10)
    func order(stream: UInt64) {
        let candidates = groups(stream: stream)
        var random = TestSeed.generator(1000 + stream)
        #expect(
            WeightedSuppression().merge(candidates.shuffled(using: &random))
                == WeightedSuppression().merge(candidates))
    }

    @Test("faces are sorted by confidence")
    func sorted() {
        let merged = WeightedSuppression().merge(groups(stream: 99))
        #expect(zip(merged, merged.dropFirst()).allSatisfy { $0.confidence >= $1.confidence })
    }

    @Test("a repeated candidate is one face")
    func copies() {
        #expect(WeightedSuppression().merge(Array(repeating: face(2, 0.9), count: 50)).count == 1)
    }
}

import MienCore
import MienFace
import Testing

@testable import MienCalibration

/// Products that are computed in another order for the sake of the processor's cache must not change
/// by a bit, because the same seed repeats a calibration exactly.
@Suite("Products in the order of memory")
struct CachedProductTests {
    @Test("two vectors at once give the lengths of each", arguments: [1, 7, 8, 9, 64, 130])
    func lengths(order: Int) {
        var generator = SeededGenerator(seed: UInt64(order)), triangle = LowerTriangle(order: order)
        for row in 0..<order {
            for column in 0...row { triangle[row, column] = generator.normal() }
        }
        let a = LowerTriangle.packed((0..<order).map { _ in generator.normal() })
        let b = LowerTriangle.packed((0..<order).map { _ in generator.normal() })
        let both = triangle.squaredLengths(ofProductsWith: a, b)
        #expect(both.0 == triangle.squaredLength(ofProductWith: a))
        #expect(both.1 == triangle.squaredLength(ofProductWith: b))
    }

    @Test("all points at once have the densities of each", arguments: [1, 2, 5])
    func densities(count: Int) throws {
        var generator = SeededGenerator(seed: 3)
        let points = (0..<60).map { _ in (0..<10).map { _ in Float(generator.normal()) } }
        var fitting = GaussianMixture.Fitting()
        (fitting.components, fitting.minPeople) = (2, 10)
        let mixture = try GaussianMixture.fit(points, fitting, using: &generator)
        let packed = points.prefix(count).map { LowerTriangle.packed($0.map(Double.init)) }
        for component in mixture.components {
            var scratch = packed[0], found: [Int: Double] = [:]
            component.forEachLogDensity(at: packed) { found[$0] = $1 }
            #expect(found.count == count)
            for (i, point) in packed.enumerated() {
                #expect(found[i] == component.logDensity(at: point, scratch: &scratch))
            }
        }
    }

    @Test("many vectors at once have the highest cosines of each", arguments: [1, 255, 256, 700])
    func cosines(rowCount: Int) {
        var generator = SeededGenerator(seed: 9)
        func vector() -> [Float] { (0..<20).map { _ in Float(generator.normal()) / 10 } }
        var rows = VectorRows(dimension: 20)
        for _ in 0..<rowCount { rows.append(vector()) }
        let vectors = (0..<5).map { _ in rows.packed(vector()) }
        #expect(
            CohortPrivacy.highest(vectors, rows) == vectors.map { CohortPrivacy.highest($0, rows) })
    }
}

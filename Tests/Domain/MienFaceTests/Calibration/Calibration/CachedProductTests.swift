import Foundation
import MienCore
import Testing

@testable import MienFace

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
            component.forEachLogDensity(at: packed, Array(packed.indices)) { found[$0] = $1 }
            #expect(found.count == count)
            for (i, point) in packed.enumerated() {
                #expect(found[i] == component.logDensity(at: point, scratch: &scratch))
            }
        }
    }

    /// Two crowds in 40 dimensions that differ in few of them.
    private static func crowds() -> [[Float]] {
        var generator = SeededGenerator(seed: 5)
        return (0..<120).map { number in
            let crowd = number % 2
            return (0..<40).map {
                Float(($0 / 4 % 2 == crowd ? 0.3 : 0.001) * generator.normal())
                    + ($0 == 39 ? Float(crowd) : 0)
            }
        }
    }

    @Test("components that a fit leaves out have no share in any point")
    func negligibleComponents() throws {
        var generator = SeededGenerator(seed: 2), fitting = GaussianMixture.Fitting()
        (fitting.components, fitting.minPeople) = (2, 20)
        var last = GaussianMixture.Progress?.none
        let points = Self.crowds()
        let mixture = try GaussianMixture.fit(points, fitting, using: &generator) { last = $0 }
        #expect(mixture.componentCount == 2)
        let densities = points.map { mixture.logDensity(at: $0.map(Double.init)) }
        #expect(last?.meanLogDensity == densities.reduce(0, +) / Double(points.count))
        var left = 0
        for point in points {
            let packed = LowerTriangle.packed(point.map(Double.init))
            var scratch = packed
            for component in mixture.components {
                let density = component.logDensity(at: packed, scratch: &scratch)
                for limit in [-1e4, -1e3, 0, 1e3] {
                    if component.isBelow(limit, at: packed, scratch: &scratch) {
                        #expect(density < limit)
                    }
                }
                let highest = mixture.logDensity(at: point.map(Double.init))
                if component.isBelow(
                    highest - GaussianMixture.negligible, at: packed, scratch: &scratch)
                {
                    left += 1
                }
            }
        }
        #expect(left == points.count, "each point has one component to leave out")
        #expect(exp(-GaussianMixture.negligible) < 1e-26)
    }

    @Test(
        "a search finds the highest cosines of each vector", arguments: [1, 255, 512, 700],
        [Float(-1), 0.2, 0.9])
    func cosines(rowCount: Int, floor: Float) {
        var generator = SeededGenerator(seed: UInt64(rowCount))
        // Most of the length is in few directions, as with faces.
        func vector() -> [Float] {
            let values = (0..<40).map { Float(generator.normal()) / Float(1 + $0) }
            let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return values.map { $0 / length }
        }
        var rows = VectorRows(dimension: 40)
        for _ in 0..<rowCount { rows.append(vector()) }
        let vectors = (0..<40).map { _ in rows.packed(vector()) } + [rows.packedRow(0)]
        var cosines = [Float](repeating: 0, count: rowCount)
        let highest = vectors.map { vector in
            rows.dots(with: vector, rows: 0..<rowCount, into: &cosines)
            return cosines.reduce(floor) { max($0, $1) }
        }
        #expect(CosineSearch(rows).highest(vectors[...], above: floor) == highest)
        var others = VectorRows(dimension: 40)
        for _ in 0..<50 { others.append(vector()) }
        let search = CosineSearch(others)
        #expect(CosineSearch(rows, like: search).highest(vectors[...], above: floor) == highest)
    }

    @Test("the bound of a cohort is the cosine that 99.9 % of its members stay below")
    func bound() {
        var generator = SeededGenerator(seed: 8), rows = VectorRows(dimension: 16)
        func vector() -> [Float] {
            let values = (0..<16).map { _ in Float(generator.normal()) }
            let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return values.map { $0 / length }
        }
        for _ in 0..<100 { rows.append(vector()) }
        for count in [1, 500, 2500] {
            let members = (0..<count).map { _ in rows.packed(vector()) }
            var cosines = [Float](repeating: 0, count: rows.count)
            let highest = members.map { member in
                rows.dots(with: member, rows: 0..<rows.count, into: &cosines)
                return cosines.max() ?? -1
            }.sorted()
            #expect(
                GaussianMixture.bound(of: members, to: CosineSearch(rows))
                    == highest[min(count - 1, Int(0.999 * Double(count)))])
        }
    }
}

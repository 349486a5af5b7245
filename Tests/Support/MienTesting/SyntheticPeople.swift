import MienCore

/// Synthetic descriptors: people at random points of the sphere, with photos scattered around each.
public struct SyntheticPeople {
    public var generator: SeededGenerator
    public let dimension: Int
    /// The deviation of an element between photos of one person, before scaling to length 1.
    public var scatter = 0.05

    public init(seed: UInt64, dimension: Int, scatter: Double = 0.05) {
        (generator, self.dimension, self.scatter) = (
            SeededGenerator(seed: seed), dimension, scatter
        )
    }

    /// Returns a uniformly distributed direction.
    public mutating func direction() -> [Double] {
        Self.unit((0..<dimension).map { _ in generator.normal() })
    }

    public mutating func photo(of person: [Double]) -> [Float] {
        Self.unit(person.map { $0 + scatter * generator.normal() }).map { Float($0) }
    }

    public static func unit(_ v: [Double]) -> [Double] {
        let length = v.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return v.map { $0 / length }
    }
}

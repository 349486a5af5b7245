import MienFace

/// Synthetic descriptors: people at random points of the sphere, with photos scattered around each.
struct SyntheticPeople {
    var generator: SeededGenerator
    let dimension: Int
    /// The deviation of an element between photos of one person, before scaling to length 1.
    var scatter = 0.05

    init(seed: UInt64, dimension: Int, scatter: Double = 0.05) {
        (generator, self.dimension, self.scatter) = (
            SeededGenerator(seed: seed), dimension, scatter
        )
    }

    /// Returns a uniformly distributed direction.
    mutating func direction() -> [Double] {
        Self.unit((0..<dimension).map { _ in generator.normal() })
    }

    mutating func photo(of person: [Double]) -> [Float] {
        Self.unit(person.map { $0 + scatter * generator.normal() }).map { Float($0) }
    }

    /// - Parameter common: An offset added to everybody. It makes all cosines positive, like those
    ///   of real faces.
    mutating func set(people: Int, photosEach: Int, common: Double = 0) -> LabelledDescriptors {
        var set = LabelledDescriptors(dimension: dimension)
        for person in 0..<people {
            // Every third person is in a crowd: a narrow cone around the first axis.
            var center = direction()
            if common > 0 {
                center[0] += common
                if person % 3 == 0 {
                    center = Self.unit(center.enumerated().map { $0 == 0 ? $1 + common : $1 })
                }
            }
            center = Self.unit(center)
            for _ in 0..<photosEach { try! set.append(photo(of: center), of: "person \(person)") }
        }
        return set
    }

    static func unit(_ v: [Double]) -> [Double] {
        let length = v.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return v.map { $0 / length }
    }
}

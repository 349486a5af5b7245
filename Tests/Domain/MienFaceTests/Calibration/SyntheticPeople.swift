import MienFace

/// Made-up descriptors: people at random places of the sphere, photos scattered around each.
struct SyntheticPeople {
    var generator: SeededGenerator
    let dimension: Int
    /// Deviation of an element between photos of one person, before scaling to length 1.
    var scatter = 0.05

    init(seed: UInt64, dimension: Int, scatter: Double = 0.05) {
        (generator, self.dimension, self.scatter) = (
            SeededGenerator(seed: seed), dimension, scatter
        )
    }

    /// A direction without preference.
    mutating func direction() -> [Double] {
        Self.unit((0..<dimension).map { _ in generator.normal() })
    }

    mutating func photo(of person: [Double]) -> [Float] {
        Self.unit(person.map { $0 + scatter * generator.normal() }).map { Float($0) }
    }

    /// - Parameter common: added to everybody: makes all cosines positive, as descriptors of faces
    ///   have them.
    mutating func set(people: Int, photosEach: Int, common: Double = 0) -> LabelledDescriptors {
        var set = LabelledDescriptors(dimension: dimension)
        for person in 0..<people {
            // Every third person lives in a crowd: a narrow cone around the first axis.
            var place = direction()
            if common > 0 {
                place[0] += common
                if person % 3 == 0 {
                    place = Self.unit(place.enumerated().map { $0 == 0 ? $1 + common : $1 })
                }
            }
            place = Self.unit(place)
            for _ in 0..<photosEach { try! set.append(photo(of: place), of: "person \(person)") }
        }
        return set
    }

    static func unit(_ v: [Double]) -> [Double] {
        let length = v.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return v.map { $0 / length }
    }
}

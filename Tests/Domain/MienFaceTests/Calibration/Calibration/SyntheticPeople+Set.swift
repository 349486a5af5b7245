import MienFace
import MienTesting

extension SyntheticPeople {
    /// - Parameter common: An offset added to everybody. It makes all cosines positive, like those
    ///   of real faces.
    mutating func set(people: Int, photosEach: Int, common: Double = 0) -> LabeledDescriptors {
        var set = LabeledDescriptors(dimension: dimension)
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
}

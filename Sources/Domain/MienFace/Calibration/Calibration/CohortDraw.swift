internal import MienCore

/// A cohort drawn from its mixture, with the evidence that it contains no real person's face.
public struct CohortDraw: Sendable {
    public let cohort: Cohort
    public let privacy: CohortPrivacy
}

/// The distance of a cohort's members from the people behind it.
///
/// Two unrelated faces can be close by chance. The bound is therefore the distance of a synthetic
/// face to the nearest of as many synthetic faces as there are photos. A member closer than that to
/// a real photo is drawn again.
public struct CohortPrivacy: Sendable, Equatable {
    /// The highest cosine allowed between a member and a photo. 99.9 % of draws stay below it among
    /// synthetic faces.
    public let bound: Double
    /// The highest cosine between a member and a photo.
    public let nearest: Double
    /// The number of draws discarded for being too close. Chance alone discards about 1 in 1,000
    /// members.
    public let redrawn: Int
    public let members: Int
}

extension CohortPrivacy {
    /// Returns the highest cosine between a member of `cohort` and a photo of `set`.
    public static func nearest(of cohort: Cohort, to set: LabeledDescriptors) -> Double {
        precondition(cohort.dimension == set.dimension)
        let members = (0..<cohort.count).map { cohort.rows.packedRow($0) }
        let search = CosineSearch(set.rows)
        var nearest: Float = -1
        for start in stride(from: 0, to: members.count, by: CosineSearch.batch) {
            let batch = members[start..<min(members.count, start + CosineSearch.batch)]
            nearest = search.highest(batch, above: nearest).max() ?? nearest
        }
        return Double(nearest)
    }
}

extension GaussianMixture {
    /// Draws `count` unit vectors, none closer to a photo of `set` than ``CohortPrivacy/bound``.
    ///
    /// - Parameter set: The photos of all people the mixture was fitted to.
    /// - Throws: `CalibrationError.tooFew` when more than one draw in ten must be discarded,
    ///   because the mixture has then learned individual people instead of their distribution.
    func drawCohort(
        count: Int, nearestCount: Int, apartFrom set: LabeledDescriptors,
        using generator: inout SeededGenerator
    ) throws -> CohortDraw {
        var madeUp = VectorRows(dimension: dimension)
        for _ in 0..<set.photoCount { madeUp.append(unitSample(using: &generator)) }
        var members = (0..<count).map { _ in unitSample(using: &generator) }
        let packed = members.map { madeUp.packed($0) }
        let real = CosineSearch(set.rows)
        let bound = Self.bound(of: packed, to: CosineSearch(madeUp, like: real))
        // The highest cosine of the members that stay. Lower ones need not be known.
        var nearest: Float = -1, redrawn = 0
        for start in stride(from: 0, to: count, by: CosineSearch.batch) {
            let batch = start..<min(count, start + CosineSearch.batch)
            for (i, found) in zip(batch, real.highest(packed[batch], above: nearest)) {
                var highest = found
                while highest > bound {
                    redrawn += 1
                    guard redrawn <= max(count / 10, 10) else {
                        throw CalibrationError.tooFew(
                            "more than \(redrawn - 1) of \(count) synthetic faces are too close to real ones"
                        )
                    }
                    members[i] = unitSample(using: &generator)
                    highest = real.highest([madeUp.packed(members[i])], above: nearest)[0]
                }
                nearest = max(nearest, highest)
            }
        }
        let privacy = CohortPrivacy(
            bound: Double(bound), nearest: Double(nearest), redrawn: redrawn, members: count)
        return try CohortDraw(
            cohort: Cohort(members: members, nearestCount: nearestCount), privacy: privacy)
    }

    /// Returns the cosine that the highest cosines of 99.9 % of `members` stay below.
    static func bound(of members: [[VectorRows.Block]], to search: CosineSearch) -> Float {
        let count = members.count
        let above = count - min(count - 1, Int((0.999 * Double(count)).rounded(.down)))
        // The highest ones so far, in falling order. Lower ones need not be known.
        var highest: [Float] = []
        for start in stride(from: 0, to: count, by: CosineSearch.batch) {
            let batch = members[start..<min(count, start + CosineSearch.batch)]
            let floor = highest.count == above ? highest[above - 1] : -1
            highest = Array(
                (highest + search.highest(batch, above: floor)).sorted(by: >).prefix(above))
        }
        return highest[above - 1]
    }

    func unitSample(using generator: inout SeededGenerator) -> [Float] {
        let drawn = sample(using: &generator)
        let length = drawn.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return drawn.map { Float($0 / length) }
    }
}

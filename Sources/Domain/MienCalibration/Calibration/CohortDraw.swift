internal import MienCore
public import MienFace

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
        return highest((0..<cohort.count).map { cohort.rows.packedRow($0) }, set.rows)
            .reduce(-1) { max($0, Double($1)) }
    }

    static func highest(_ vector: [VectorRows.Block], _ rows: VectorRows) -> Float {
        var cosines = [Float](repeating: 0, count: rows.count)
        rows.dots(with: vector, rows: 0..<rows.count, into: &cosines)
        return cosines.reduce(-1) { $0 > $1 ? $0 : $1 }
    }

    /// Returns the highest cosine of each vector with the rows. Compares all vectors with a few rows,
    /// which then stay in the processor's cache, before the next rows.
    static func highest(_ vectors: [[VectorRows.Block]], _ rows: VectorRows) -> [Float] {
        let step = 256
        var highest = [Float](repeating: -1, count: vectors.count)
        var cosines = [Float](repeating: 0, count: step)
        for start in stride(from: 0, to: rows.count, by: step) {
            let end = min(rows.count, start + step)
            for (i, vector) in vectors.enumerated() {
                rows.dots(with: vector, rows: start..<end, into: &cosines)
                for slot in 0..<end - start where cosines[slot] > highest[i] {
                    highest[i] = cosines[slot]
                }
            }
        }
        return highest
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
        let nearestOwn = CohortPrivacy.highest(packed, madeUp)
        var nearestReal = CohortPrivacy.highest(packed, set.rows)
        let bound = nearestOwn.sorted()[min(count - 1, Int((0.999 * Double(count)).rounded(.down)))]
        var redrawn = 0
        for i in members.indices {
            while nearestReal[i] > bound {
                redrawn += 1
                guard redrawn <= max(count / 10, 10) else {
                    throw CalibrationError.tooFew(
                        "more than \(redrawn - 1) of \(count) synthetic faces are too close to real ones"
                    )
                }
                members[i] = unitSample(using: &generator)
                nearestReal[i] = CohortPrivacy.highest(madeUp.packed(members[i]), set.rows)
            }
        }
        let privacy = CohortPrivacy(
            bound: Double(bound), nearest: Double(nearestReal.max() ?? -1), redrawn: redrawn,
            members: count)
        return try CohortDraw(
            cohort: Cohort(members: members, nearestCount: nearestCount), privacy: privacy)
    }

    func unitSample(using generator: inout SeededGenerator) -> [Float] {
        let drawn = sample(using: &generator)
        let length = drawn.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return drawn.map { Float($0 / length) }
    }
}

public import MienCore

/// Photos of a set, and templates of several of them, which are scored like photos: with cohorts of
/// other people.
public struct TemplatePairs: Sendable {
    /// Templates of one number of photos.
    struct Group: Sendable {
        let photos: Int
        /// The templates' numbers in the set; one for each person, in order.
        let templates: Range<Int>
        /// For each of these people, the photos that are not in the template.
        let probes: [[Int]]
    }

    /// The photos, and after them the templates.
    private(set) var set: LabeledDescriptors
    private(set) var groups: [Group] = []
    private var normalization: PairNormalization?

    /// - Parameter photos: The numbers of photos in a template, each 2...8. Templates of one photo
    ///   are the photos themselves. A template is made of a person's first photos.
    init(_ all: LabeledDescriptors, photos counts: [Int] = [1, 2, 4]) {
        set = all
        var own = [[Int]](repeating: [], count: all.personCount)
        for (photo, person) in all.people.enumerated() { own[person].append(photo) }
        for count in counts {
            let people = own.indices.filter { own[$0].count > count }
            guard people.count >= 2 else { continue }
            let first = set.photoCount
            for person in people {
                set.append(Self.mean(own[person].prefix(count).map { all[$0] }), ofPerson: person)
            }
            groups.append(
                Group(
                    photos: count, templates: first..<set.photoCount,
                    probes: people.map { Array(own[$0].dropFirst(count)) }))
        }
    }

    /// The unit mean of vectors, as ``FaceTemplate`` has it.
    static func mean(_ vectors: [[Float]]) -> [Float] {
        let sum = vectors.dropFirst().reduce(into: vectors[0]) { sum, vector in
            for i in sum.indices { sum[i] += vector[i] }
        }
        let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return sum.map { $0 / length }
    }

    func normalized(by normalization: PairNormalization) -> TemplatePairs {
        var pairs = self
        pairs.normalization = normalization
        return pairs
    }

    /// Returns the rates of each number of photos.
    ///
    /// - Parameter calibration: Made with the same normalization.
    public func rates(
        _ calibration: CalibrationTable,
        thresholds: [MatchScore] = [.defaultThreshold, MatchScore(60)]
    ) -> [TemplateRates] {
        let scorer = PairScorer(set, normalization ?? .none(photoCount: set.photoCount))
        let limits = thresholds.map { Float(calibration.minScore(for: $0)) }
        return groups.map { group in
            var counts = TemplateRates.Counts(thresholds.count)
            for (own, probes) in group.probes.enumerated() {
                for probe in probes {
                    let scores = scorer.scores(probe, group.templates)
                    counts.add(scores, own: own, of: probes.count, limits)
                }
            }
            return TemplateRates(
                photos: group.photos, people: group.probes.count, counts, thresholds)
        }
    }
}

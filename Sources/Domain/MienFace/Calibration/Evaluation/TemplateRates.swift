public import MienCore

/// The error rates of comparing one photo with a template made of several, as in use.
///
/// A person's first photos make the template, and each of their other photos is a probe. Probes are
/// also compared with the templates of all other people.
public struct TemplateRates: Sendable, Equatable {
    /// The photos in a template.
    public let photos: Int
    /// The people with more photos than that.
    public let people: Int
    /// Comparisons of a probe with its own person's template, and with others'.
    public let matedComparisons, impostorComparisons: Int
    public let rows: [Row]

    /// The rates at one threshold, each 0…1.
    public struct Row: Sendable, Equatable {
        public let threshold: MatchScore
        public let trueAcceptRate: Double
        /// The mean over people of the part of their own probes that is accepted.
        public let trueAcceptRatePerPerson: Double
        public let falseMatchRate: Double
    }

    /// Counts of comparisons.
    struct Counts {
        var accepted: [Int], falseMatches: [Int], shares: [Double]
        var mated = 0

        init(_ thresholds: Int) {
            accepted = [Int](repeating: 0, count: thresholds)
            (falseMatches, shares) = (accepted, accepted.map { _ in 0 })
        }

        /// Counts the scores of a probe with all templates.
        ///
        /// - Parameters:
        ///   - own: The number of its own person's template.
        ///   - probes: The number of probes of that person.
        ///   - limits: The score from which a threshold accepts, for each.
        mutating func add(_ scores: [Float], own: Int, of probes: Int, _ limits: [Float]) {
            mated += 1
            for (k, limit) in limits.enumerated() {
                let matches = scores.count { $0 >= limit }, isOwn = scores[own] >= limit
                falseMatches[k] += matches - (isOwn ? 1 : 0)
                guard isOwn else { continue }
                accepted[k] += 1
                shares[k] += 1 / Double(probes)
            }
        }
    }

    init(photos: Int, people: Int, _ counts: Counts, _ thresholds: [MatchScore]) {
        (self.photos, self.people, matedComparisons) = (photos, people, counts.mated)
        let others = counts.mated * (people - 1)
        impostorComparisons = others
        rows = thresholds.indices.map { k in
            Row(
                threshold: thresholds[k],
                trueAcceptRate: Double(counts.accepted[k]) / Double(counts.mated),
                trueAcceptRatePerPerson: counts.shares[k] / Double(people),
                falseMatchRate: Double(counts.falseMatches[k]) / Double(others))
        }
    }

    /// - Parameters:
    ///   - photos: 1…8.
    ///   - thresholds: In any order.
    /// - Returns: `nil` if no two people have more than `photos` photos.
    /// - Throws: `VectorError` if the matcher belongs to another network.
    public init?(
        _ set: LabeledDescriptors, _ matcher: FaceMatcher, photos: Int,
        thresholds: [MatchScore] = [.defaultThreshold, MatchScore(60)]
    ) throws(VectorError) {
        precondition(FaceTemplate.entryRange.contains(photos))
        var own = [[Int]](repeating: [], count: set.personCount)
        for (photo, person) in set.people.enumerated() { own[person].append(photo) }
        own = own.filter { $0.count > photos }
        guard own.count >= 2 else { return nil }
        var gallery = Gallery<Int>(matcher: matcher)
        var templates: [Reference] = []
        for (person, list) in own.enumerated() {
            let sum = list.prefix(photos).reduce(into: [Float](repeating: 0, count: set.dimension))
            {
                for (i, value) in set[$1].enumerated() { $0[i] += value }
            }
            let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
            let template = try matcher.reference(for: sum.map { $0 / length })
            templates.append(template)
            gallery.insert(template, id: person)
        }
        var accepted = [Int](repeating: 0, count: thresholds.count), falseMatches = accepted
        var shares = [Double](repeating: 0, count: thresholds.count)
        var mated = 0
        let lowest = thresholds.min()
        for (person, list) in own.enumerated() {
            let probes = list.dropFirst(photos)
            for photo in probes {
                let probe = try matcher.reference(for: set[photo])
                let score = matcher.score(probe, templates[person])
                let found = gallery.identify(probe, limit: own.count, threshold: lowest)
                mated += 1
                for (k, threshold) in thresholds.enumerated() {
                    if score >= threshold {
                        accepted[k] += 1
                        shares[k] += 1 / Double(probes.count)
                    }
                    falseMatches[k] += found.count { $0.id != person && $0.score >= threshold }
                }
            }
        }
        (self.photos, people, matedComparisons) = (photos, own.count, mated)
        let others = mated * (own.count - 1)
        impostorComparisons = others
        rows = thresholds.indices.map { k in
            Row(
                threshold: thresholds[k], trueAcceptRate: Double(accepted[k]) / Double(mated),
                trueAcceptRatePerPerson: shares[k] / Double(own.count),
                falseMatchRate: Double(falseMatches[k]) / Double(others))
        }
    }
}

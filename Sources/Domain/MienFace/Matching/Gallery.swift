public import MienCore

/// References held in memory, to be searched for the ones a probe matches best (1:N).
///
/// A value; not for more than one writer. 100 000 references of 128 elements take 52 MB.
///
/// A score's false-match rate is that of *one* comparison. Searching n references makes about n
/// times as many false matches: to keep one search under 1 in 1 000 with 1 000 references, ask for
/// 72.
public struct Gallery<ID: Hashable & Sendable>: Sendable {
    /// An entry that may be the probe's person.
    public struct Candidate: Sendable, Equatable {
        public let id: ID
        /// In deviations: see ``ScoreNormaliser``.
        public let normalisedScore: Float
        public let score: MatchScore
    }

    private let matcher: FaceMatcher
    private var rows: VectorRows
    private var ids: [ID] = []
    private var places: [ID: Int] = [:]
    /// Per entry: mean, and half the inverse deviation.
    private var means: [Float] = []
    private var weights: [Float] = []

    public init(matcher: FaceMatcher) {
        self.matcher = matcher
        rows = VectorRows(dimension: matcher.cohort.dimension)
    }

    public var count: Int { ids.count }
    public var isEmpty: Bool { ids.isEmpty }
    public func contains(_ id: ID) -> Bool { places[id] != nil }

    /// Adds an entry, or replaces the one with this id.
    /// - Precondition: `reference` was made by this gallery's matcher.
    public mutating func insert(_ reference: Reference, id: ID) {
        precondition(reference.dimension == rows.dimension, "a reference of another matcher")
        let weight = 0.5 / reference.statistics.deviation
        if let place = places[id] {
            rows.replace(place, with: reference.blocks)
            means[place] = reference.statistics.mean
            weights[place] = weight
        } else {
            places[id] = ids.count
            ids.append(id)
            rows.append(packed: reference.blocks)
            means.append(reference.statistics.mean)
            weights.append(weight)
        }
    }

    /// Removes an entry; its numbers are overwritten or dropped at once.
    /// - Returns: whether there was one.
    @discardableResult public mutating func remove(_ id: ID) -> Bool {
        guard let place = places.removeValue(forKey: id) else { return false }
        rows.removeSwapping(place)
        let last = ids.count - 1
        if place != last {
            (ids[place], means[place], weights[place]) = (ids[last], means[last], weights[last])
            places[ids[place]] = place
        }
        ids.removeLast()
        means.removeLast()
        weights.removeLast()
        return true
    }

    public mutating func reserveCapacity(_ count: Int) {
        rows.reserve(count)
        ids.reserveCapacity(count)
        means.reserveCapacity(count)
        weights.reserveCapacity(count)
    }

    /// The entries that match `probe` best, best first; equal scores in no particular order.
    ///
    /// - Parameters:
    ///   - probe: made by this gallery's matcher.
    ///   - limit: at most so many.
    ///   - threshold: leaves out what matches less; `nil` leaves out nothing.
    public func identify(_ probe: Reference, limit: Int = 1, threshold: MatchScore? = nil)
        -> [Candidate]
    {
        precondition(probe.dimension == rows.dimension, "a probe of another matcher")
        // A little under the threshold, so that rounding leaves out nothing that the table would
        // let in; the filter below is exact.
        let floor =
            threshold.map { Float(matcher.calibration.minScore(for: $0)) - 1e-3 } ?? -.infinity
        var best = BestScores(limit: limit, floor: floor)
        let probeWeight = 0.5 / probe.statistics.deviation, probeMean = probe.statistics.mean
        var cosines = [Float](repeating: 0, count: Self.stretch)
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let range = start..<min(start + Self.stretch, count)
            rows.dots(with: probe.blocks, rows: range, into: &cosines)
            for i in range {
                let cosine = cosines[i - start]
                best.offer(
                    (cosine - probeMean) * probeWeight + (cosine - means[i]) * weights[i], place: i)
            }
        }
        return best.entries.map {
            Candidate(
                id: ids[$0.place], normalisedScore: $0.score,
                score: matcher.calibration.matchScore(of: Double($0.score)))
        }.filter { $0.score >= threshold ?? MatchScore(0) }
    }

    /// Rows scored before they are looked at: their cosines stay in the nearest cache.
    private static var stretch: Int { 1024 }
}

public import MienCore

/// Compares candidates in full precision until no other one can belong to the answer.
///
/// The caller reads the references, which are not in memory, some at a time:
///
///     var search = ExactSearch(probe, candidates, matcher, limit: 3, threshold: threshold)
///     while case let ids = search.wanted(atMost: 32), !ids.isEmpty {
///         for id in ids { search.compare(try await reference(of: id), id: id) }
///     }
///     return search.best
public struct ExactSearch<ID: Hashable & Comparable & Sendable>: Sendable {
    private let probe: Reference
    private let matcher: FaceMatcher
    private let limit: Int
    private let floor: Float
    private let threshold: MatchScore
    private var waiting: ArraySlice<CompactGallery<ID>.Candidate>
    private var found: [(id: ID, score: Float)] = []

    /// - Parameters:
    ///   - candidates: The most promising first.
    ///   - limit: The one with which they were found, and `threshold` likewise.
    public init(
        _ probe: Reference, _ candidates: [CompactGallery<ID>.Candidate], _ matcher: FaceMatcher,
        limit: Int, threshold: MatchScore? = nil
    ) {
        (self.probe, self.matcher, self.limit) = (probe, matcher, limit)
        self.threshold = threshold ?? MatchScore(0)
        floor = threshold.map { Float(matcher.calibration.minScore(for: $0)) - 1e-3 } ?? -.infinity
        waiting = candidates[...]
    }

    /// Returns the next entries to compare; none when the answer is complete.
    public mutating func wanted(atMost count: Int) -> [ID] {
        let bar = found.count == limit ? found[limit - 1].score : floor
        let next = waiting.prefix(count).prefix { $0.mostScore >= bar }
        waiting = waiting.dropFirst(next.count)
        if next.isEmpty { waiting = [] }
        return next.map(\.id)
    }

    /// - Parameter reference: `nil` if the entry is no longer there.
    public mutating func compare(_ reference: Reference?, id: ID) {
        guard let reference else { return }
        let score = matcher.normalizedScore(probe, reference)
        guard score >= floor else { return }
        let place =
            found.firstIndex { $0.score == score ? id < $0.id : score > $0.score } ?? found.count
        guard place < limit else { return }
        found.insert((id, score), at: place)
        if found.count > limit { found.removeLast() }
    }

    /// Best first, and of those with equal scores the lower IDs first.
    public var best: [Gallery<ID>.Candidate] {
        found.map {
            Gallery<ID>.Candidate(
                id: $0.id, normalizedScore: $0.score,
                score: matcher.calibration.matchScore(of: Double($0.score)))
        }.filter { $0.score >= threshold }
    }
}

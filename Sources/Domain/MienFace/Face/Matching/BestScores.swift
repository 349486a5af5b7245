/// Keeps the largest of many scores.
struct BestScores {
    /// Best first.
    private(set) var entries: [(score: Float, index: Int)] = []
    private let limit: Int
    /// The score to exceed once the list is full, or to reach before that.
    private var floor: Float
    /// Whether the first of two entries with equal scores comes before the second.
    private let precedes: ((Int, Int) -> Bool)?

    /// - Parameters:
    ///   - floor: Lower scores are never kept.
    ///   - precedes: Orders entries with equal scores by their indices; `nil` keeps the first ones
    ///     that were offered.
    init(limit: Int, floor: Float, precedes: ((Int, Int) -> Bool)? = nil) {
        self.precedes = precedes
        precondition(limit > 0, "limit must be positive, not \(limit)")
        self.limit = limit
        self.floor = floor
    }

    /// Usually costs one comparison. The list is short, so it is kept sorted by insertion.
    @inline(__always) mutating func offer(_ score: Float, index: Int) {
        guard score >= floor else { return }
        keep(score, index: index)
    }

    private mutating func keep(_ score: Float, index: Int) {
        if entries.count == limit {
            guard comesBefore(entries[limit - 1], score, index) else { return }
            entries.removeLast()
        }
        let slot = entries.firstIndex { comesBefore($0, score, index) } ?? entries.count
        entries.insert((score, index), at: slot)
        if entries.count == limit { floor = entries[limit - 1].score }
    }

    private func comesBefore(_ entry: (score: Float, index: Int), _ score: Float, _ index: Int)
        -> Bool
    {
        if score != entry.score { return score > entry.score }
        return precedes?(index, entry.index) ?? false
    }
}

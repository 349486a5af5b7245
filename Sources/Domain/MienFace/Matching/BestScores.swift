/// Keeps the largest of many scores.
struct BestScores {
    /// Best first.
    private(set) var entries: [(score: Float, index: Int)] = []
    private let limit: Int
    /// The score to exceed once the list is full, or to reach before that.
    private var floor: Float

    /// - Parameter floor: Lower scores are never kept.
    init(limit: Int, floor: Float) {
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
            guard score > entries[limit - 1].score else { return }
            entries.removeLast()
        }
        let slot = entries.firstIndex { $0.score < score } ?? entries.count
        entries.insert((score, index), at: slot)
        if entries.count == limit { floor = entries[limit - 1].score }
    }
}

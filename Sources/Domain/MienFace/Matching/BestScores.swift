/// Keeps the largest of many scores.
struct BestScores {
    /// Best first.
    private(set) var entries: [(score: Float, place: Int)] = []
    private let limit: Int
    /// What a newcomer has to exceed once the list is full, or reach before.
    private var floor: Float

    /// - Parameter floor: scores under it are never kept.
    init(limit: Int, floor: Float) {
        precondition(limit > 0, "a limit of \(limit) keeps nothing")
        self.limit = limit
        self.floor = floor
    }

    /// Nearly always one comparison; the list is short, so placing is by insertion.
    @inline(__always) mutating func offer(_ score: Float, place: Int) {
        guard score >= floor else { return }
        keep(score, place: place)
    }

    private mutating func keep(_ score: Float, place: Int) {
        if entries.count == limit {
            guard score > entries[limit - 1].score else { return }
            entries.removeLast()
        }
        let slot = entries.firstIndex { $0.score < score } ?? entries.count
        entries.insert((score, place), at: slot)
        if entries.count == limit { floor = entries[limit - 1].score }
    }
}

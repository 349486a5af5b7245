public import MienCore

/// References held in memory, searchable for the ones that best match a probe (1:N).
///
/// A value, for one writer. 100,000 references of 128 elements take 52 MB.
///
/// A score's false-match rate applies to *one* comparison. Searching n references produces about n
/// times as many false matches. To keep one search of 1,000 references below 1 in 1,000, use a
/// threshold of 72.
public struct Gallery<ID: Hashable & Sendable>: Sendable {
    /// An entry that may belong to the probe's person.
    public struct Candidate: Sendable, Equatable {
        public let id: ID
        /// See ``FaceMatcher/normalizedScore(_:_:)``.
        public let normalizedScore: Float
        public let score: MatchScore

        /// - Parameter score: What `normalizedScore` means in the calibration of the matcher.
        public init(id: ID, normalizedScore: Float, score: MatchScore) {
            (self.id, self.normalizedScore, self.score) = (id, normalizedScore, score)
        }
    }

    private let matcher: FaceMatcher
    private var rows: VectorRows
    private var ids: [ID] = []
    private var rowByID: [ID: Int] = [:]
    /// For each entry: the mean, and half the inverse deviation.
    private var means: [Float] = []
    private var weights: [Float] = []

    public init(matcher: FaceMatcher) {
        self.matcher = matcher
        rows = VectorRows(dimension: matcher.dimension)
    }

    public var count: Int { ids.count }
    public var isEmpty: Bool { ids.isEmpty }
    public func contains(_ id: ID) -> Bool { rowByID[id] != nil }

    /// Adds an entry, or replaces the one with this ID.
    /// - Precondition: `reference` was made by this gallery's matcher.
    public mutating func insert(_ reference: Reference, id: ID) {
        precondition(
            reference.dimension == rows.dimension, "the reference belongs to another matcher")
        let weight = 0.5 / reference.statistics.deviation
        if let row = rowByID[id] {
            rows.replace(row, with: reference.blocks)
            means[row] = reference.statistics.mean
            weights[row] = weight
        } else {
            rowByID[id] = ids.count
            ids.append(id)
            rows.append(packed: reference.blocks)
            means.append(reference.statistics.mean)
            weights.append(weight)
        }
    }

    /// Removes an entry. Its numbers are overwritten or discarded at once.
    /// - Returns: Whether the entry existed.
    @discardableResult public mutating func remove(_ id: ID) -> Bool {
        guard let row = rowByID.removeValue(forKey: id) else { return false }
        rows.removeSwapping(row)
        let last = ids.count - 1
        if row != last {
            (ids[row], means[row], weights[row]) = (ids[last], means[last], weights[last])
            rowByID[ids[row]] = row
        }
        ids.removeLast()
        means.removeLast()
        weights.removeLast()
        return true
    }

    /// Overwrites and removes all entries.
    public mutating func removeAll() {
        rows.removeAll()
        (ids, rowByID, means, weights) = ([], [:], [], [])
    }

    /// The memory in bytes that a gallery with room for `count` entries takes, except what IDs
    /// refer to: their vectors, two numbers each, and a list and a table of their IDs.
    public static func bytes(forEntries count: Int, dimension: Int) -> Int {
        let vector = (dimension + 15) / 16 * MemoryLayout<VectorRows.Block>.stride
        // A table has a power of two of places, of which at most three quarters are used.
        var places = 1
        while places * 3 < count * 4 { places *= 2 }
        return count * (vector + 2 * MemoryLayout<Float>.stride + MemoryLayout<ID>.stride)
            + places * (MemoryLayout<ID>.stride + MemoryLayout<Int>.stride)
    }

    public mutating func reserveCapacity(_ count: Int) {
        rows.reserve(count)
        rowByID.reserveCapacity(count)
        ids.reserveCapacity(count)
        means.reserveCapacity(count)
        weights.reserveCapacity(count)
    }

    /// Returns the entries that best match `probe`, best first. Equal scores have no particular
    /// order.
    ///
    /// - Parameters:
    ///   - probe: Made by this gallery's matcher.
    ///   - limit: The maximum number of entries.
    ///   - threshold: Omits entries with lower scores; `nil` omits none.
    public func identify(_ probe: Reference, limit: Int = 1, threshold: MatchScore? = nil)
        -> [Candidate]
    {
        identify(probe, limit: limit, threshold: threshold, precedes: nil)
    }

    /// - Parameter precedes: Orders entries with equal scores; `nil` leaves their order open.
    func identify(
        _ probe: Reference, limit: Int, threshold: MatchScore?, precedes: ((ID, ID) -> Bool)?
    ) -> [Candidate] {
        precondition(probe.dimension == rows.dimension, "the probe belongs to another matcher")
        // Slightly below the threshold, so that rounding cannot omit entries that the table
        // accepts. The filter below is exact.
        let floor =
            threshold.map { Float(matcher.calibration.minScore(for: $0)) - 1e-3 } ?? -.infinity
        var best = BestScores(
            limit: limit, floor: floor,
            precedes: precedes.map { precedes in { precedes(ids[$0], ids[$1]) } })
        let probeWeight = 0.5 / probe.statistics.deviation, probeMean = probe.statistics.mean
        var cosines = [Float](repeating: 0, count: Self.stretch)
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let range = start..<min(start + Self.stretch, count)
            rows.dots(with: probe.blocks, rows: range, into: &cosines)
            for i in range {
                let cosine = cosines[i - start]
                best.offer(
                    (cosine - probeMean) * probeWeight + (cosine - means[i]) * weights[i], index: i)
            }
        }
        return best.entries.map {
            Candidate(
                id: ids[$0.index], normalizedScore: $0.score,
                score: matcher.calibration.matchScore(of: Double($0.score)))
        }.filter { $0.score >= threshold ?? MatchScore(0) }
    }

    /// Rows scored per batch, so that their cosines stay in the L1 cache.
    private static var stretch: Int { 1024 }
}

public import MienCore

/// References held in a quarter of their memory, searchable for those that may match a probe best
/// (1:N).
///
/// A search returns candidates. Every entry that belongs to the answer is among them, so comparing
/// them in full precision (``ExactSearch``) gives exactly the answer of a ``Gallery``, which holds full
/// precision. Usually, hardly more entries are candidates than are found.
///
/// A value, for one writer. An entry of 256 elements takes 296 bytes, with its ID in 16.
public struct CompactGallery<ID: Hashable & Sendable>: Sendable {
    /// An entry that may belong to the answer.
    public struct Candidate: Sendable, Equatable {
        public let id: ID
        /// The normalized score in full precision is not larger.
        public let mostScore: Float
    }

    /// What a probe adds to the uncertainty of every product, and what rounding in full precision may.
    private static var slack: Float { 2e-5 }
    /// Lengths of vectors are at most this: see ``VectorError``.
    private static var maxLength: Float { 1.0101 }
    /// Rows scored per batch, so that their products stay in the L1 cache.
    private static var stretch: Int { 1024 }

    private let matcher: FaceMatcher
    private let products: VectorProducts
    private let width: Int
    private var bytes: [Int8] = []
    private var rows: [Row] = []
    private var ids: [ID] = []
    private var places = PlaceTable()

    /// The numbers of an entry.
    private struct Row {
        var scale, error: Float
        /// See ``CohortStatistics``; the weight is half the inverse deviation.
        var mean, weight: Float
    }

    public init(matcher: FaceMatcher, products: VectorProducts) {
        (self.matcher, self.products) = (matcher, products)
        let block = VectorProducts.block
        width = (matcher.dimension + block - 1) / block * block
    }

    public var count: Int { ids.count }
    public var isEmpty: Bool { ids.isEmpty }
    public func contains(_ id: ID) -> Bool { places.find(id, in: ids) != nil }

    public mutating func reserveCapacity(_ count: Int) {
        bytes.reserveCapacity(count * width)
        rows.reserveCapacity(count)
        ids.reserveCapacity(count)
        places.reserve(count, ids)
    }

    /// Adds an entry, or replaces the one with this ID.
    ///
    /// - Parameter statistics: Those of the vector against the cohort of this gallery's matcher.
    /// - Precondition: `vector` has the dimension of this gallery's matcher.
    public mutating func insert(
        _ vector: CompactVector, _ statistics: CohortStatistics, id: ID
    ) {
        precondition(
            vector.bytes.count == matcher.dimension, "the vector belongs to another matcher")
        let row = Row(
            scale: vector.scale, error: vector.error, mean: statistics.mean,
            weight: 0.5 / statistics.deviation)
        if let place = places.find(id, in: ids) {
            bytes.replaceSubrange(
                place * width..<place * width + vector.bytes.count, with: vector.bytes)
            rows[place] = row
            return
        }
        bytes += vector.bytes
        bytes += repeatElement(0, count: width - vector.bytes.count)
        rows.append(row)
        ids.append(id)
        places.insert(ids.count - 1, ids)
    }

    /// Removes an entry. Its bytes are overwritten at once.
    /// - Returns: Whether the entry existed.
    @discardableResult public mutating func remove(_ id: ID) -> Bool {
        guard let place = places.find(id, in: ids) else { return false }
        places.remove(place, ids)
        let last = ids.count - 1
        if place != last {
            places.move(last, to: place, ids)
            for column in 0..<width { bytes[place * width + column] = bytes[last * width + column] }
            (rows[place], ids[place]) = (rows[last], ids[last])
        }
        for column in 0..<width { bytes[last * width + column] = 0 }
        bytes.removeLast(width)
        rows.removeLast()
        ids.removeLast()
        return true
    }

    /// Overwrites and removes all entries.
    public mutating func removeAll() {
        for index in bytes.indices { bytes[index] = 0 }
        (bytes, rows, ids, places) = ([], [], [], PlaceTable())
    }

    /// Returns every entry that may belong to the answer, the most promising first.
    ///
    /// - Parameters:
    ///   - probe: Made by this gallery's matcher.
    ///   - limit: The maximum number of entries in the answer, at least 1.
    ///   - threshold: Omits entries with lower scores; `nil` omits none.
    public func candidates(for probe: Reference, limit: Int = 1, threshold: MatchScore? = nil)
        -> [Candidate]
    {
        precondition(
            probe.dimension == matcher.dimension, "the probe belongs to another matcher")
        let query = CompactProbe(probe.vector, width: width)
        let floor =
            threshold.map { Float(matcher.calibration.minScore(for: $0)) - 1e-3 } ?? -.infinity
        var found = PossibleBest(limit: limit, floor: floor)
        let probeWeight = 0.5 / probe.statistics.deviation, probeMean = probe.statistics.mean
        var sums = [Int64](repeating: 0, count: Self.stretch)
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let range = start..<min(start + Self.stretch, count)
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe query.elements.withUnsafeBufferPointer { query in
                    unsafe sums.withUnsafeMutableBufferPointer { sums in
                        unsafe products.one(
                            bytes.baseAddress! + start * width, width, range.count,
                            query.baseAddress!, sums.baseAddress!)
                    }
                }
            }
            for place in range {
                let row = rows[place],
                    cosine = Float(sums[place - start]) * (query.scale * row.scale)
                let uncertainty =
                    Self.maxLength * row.error + query.error * (Self.maxLength + row.error)
                    + Self.slack
                let score =
                    (cosine - probeMean) * probeWeight + (cosine - row.mean) * row.weight
                found.offer(score, within: uncertainty * (probeWeight + row.weight), place: place)
            }
        }
        return found.finish().map { Candidate(id: ids[$0.place], mostScore: $0.most) }
    }
}

/// A probe with two bytes for each element, so that only the rows are uncertain.
struct CompactProbe {
    /// −32512…32512 each: what two bytes of −128…127 can say.
    let elements: [Int16]
    let scale: Float
    let error: Float

    init(_ vector: [Float], width: Int) {
        let largest = vector.reduce(0) { max($0, abs($1)) }
        let scale = max(largest, .leastNormalMagnitude * 65_536) / 32_512
        let near = vector.map { Int16(max(-32_512, min(32_512, ($0 / scale).rounded()))) }
        self.scale = scale
        error = CompactVector.distance(vector, near.lazy.map { Double($0) * Double(scale) })
        elements = near + [Int16](repeating: 0, count: width - near.count)
    }
}

/// Keeps what may be among the largest of many scores that are known within bounds.
struct PossibleBest {
    private var lowest: BestScores
    private let limit: Int
    private let floor: Float
    private var kept: [(most: Float, place: Int)] = []
    private var room = 4096

    init(limit: Int, floor: Float) {
        (self.limit, self.floor) = (limit, floor)
        lowest = BestScores(limit: limit, floor: -.infinity)
    }

    /// A score that at least `limit` entries reach, or the floor.
    private var bar: Float {
        lowest.entries.count == limit
            ? max(floor, lowest.entries[limit - 1].score) : floor
    }

    /// - Parameter error: The score is off by at most this.
    @inline(__always) mutating func offer(_ score: Float, within error: Float, place: Int) {
        // Of the two, the first comparison usually decides.
        guard score + error >= bar else { return }
        keep(score, error, place)
    }

    private mutating func keep(_ score: Float, _ error: Float, _ place: Int) {
        lowest.offer(score - error, index: place)
        kept.append((score + error, place))
        guard kept.count >= room else { return }
        let bar = bar
        kept.removeAll { $0.most < bar }
        room = max(4096, 2 * kept.count)
    }

    /// Returns what may be among the best, the most promising first.
    func finish() -> [(most: Float, place: Int)] {
        let bar = bar
        return kept.filter { $0.most >= bar }.sorted {
            $0.most == $1.most ? $0.place < $1.place : $0.most > $1.most
        }
    }
}

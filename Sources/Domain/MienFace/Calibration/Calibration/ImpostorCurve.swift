internal import Foundation

/// The false-match rates among all people or within one group, over the score: counted as far as
/// pairs support it, and a line beyond.
struct ImpostorCurve {
    /// The numbers of the photos whose pairs count, in order; `nil` for all.
    private let photos: [Int]?
    private let people: [Int]
    private let points: [Double: ErrorRates.Point]
    /// The strictest counted point.
    let last: ErrorRates.Point
    private var tail: ImpostorTail

    /// - Parameters:
    ///   - photos: The numbers of the photos whose pairs count, in order; `nil` for all.
    ///   - rates: Of these pairs.
    ///   - logRates: The rates that are wanted, in falling order.
    ///   - minSupport: The minimum number of false matches for a counted rate.
    /// - Returns: `nil` if fewer than two different rates can be counted.
    init?(
        _ photos: [Int]?, of people: [Int], _ rates: ErrorRates, logRates: [Double],
        minSupport: Int
    ) {
        var points: [Double: ErrorRates.Point] = [:], order: [ErrorRates.Point] = []
        for logRate in logRates {
            let point = rates.point(falseMatchRate: pow(10, logRate))
            guard point.falseMatches >= minSupport else { break }
            points[logRate] = point
            if let last = order.last,
                point.threshold <= last.threshold || point.falseMatches >= last.falseMatches
            {
                continue
            }
            order.append(point)
        }
        guard order.count >= 2, let last = order.last else { return nil }
        (self.photos, self.people, self.points, self.last) = (photos, people, points, last)
        // The line's slope is fitted to ten times as many pairs as the last counted point has.
        tail = ImpostorTail(
            start: rates.point(falseMatchRate: min(0.1, 10 * last.falseMatchRate)).threshold)
    }

    /// Adds the scores of photo `i` with the photos before it. Rows must come in order.
    mutating func add(row i: Int, _ scores: [Float]) {
        forEachOther(than: i) { j in
            if people[j] != people[i] { tail.add(scores[j], people[i], people[j]) }
        }
    }

    /// The line that the curve follows beyond its last counted point; `nil` if no pair is there.
    func slope(_ times: [Int]? = nil) -> Double? { tail.slope(times) }

    /// The score at which a rate is reached, the rate itself, and the false matches behind it, 0 if
    /// they were not counted.
    func reaching(_ logRate: Double, slope: Double) -> (
        score: Double, logRate: Double, support: Int
    ) {
        if let point = points[logRate] {
            return (point.threshold, log10(point.falseMatchRate), point.falseMatches)
        }
        return (last.threshold + (logRate - log10(last.falseMatchRate)) / slope, logRate, 0)
    }

    /// A bootstrap of the curve's pairs, to which ``row(_:_:)`` adds.
    func bootstrap(personCount: Int, knotScores: [Double]) -> PeopleBootstrap {
        PeopleBootstrap(
            people: photos?.map { people[$0] } ?? people, personCount: personCount,
            knotScores: knotScores)
    }

    /// Returns the part of a row that belongs to the curve, with the photo's place in it; `nil` if
    /// the photo does not.
    func row(_ i: Int, _ scores: [Float]) -> (place: Int, scores: [Float])? {
        guard let photos else { return (i, scores) }
        let place = Self.place(of: i, in: photos)
        guard place < photos.count, photos[place] == i else { return nil }
        return (place, photos[..<place].map { scores[$0] })
    }

    private func forEachOther(than i: Int, _ body: (Int) -> Void) {
        guard let photos else {
            for j in 0..<i { body(j) }
            return
        }
        let place = Self.place(of: i, in: photos)
        guard place < photos.count, photos[place] == i else { return }
        for j in photos[..<place] { body(j) }
    }

    /// The number of elements below `value`.
    private static func place(of value: Int, in sorted: [Int]) -> Int {
        var low = 0, high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

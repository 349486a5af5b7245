internal import Foundation
public import MienCore

/// Estimates how much false-match rates would vary with other people, by resampling people instead
/// of pairs.
///
/// Pairs that share a person are not independent, so resampling pairs would give intervals that are
/// too narrow. A person drawn m times counts m times, and a pair of two people counts m₁·m₂ times.
/// Copies of one person are not compared with each other. Source: Bolle, Ratha and Pankanti, "Error
/// analysis of pattern recognition systems: the subsets bootstrap", 2004.
public struct PeopleBootstrap: Sendable {
    private let people: [Int]
    private let personCount: Int
    /// For each pair (i, j < i) of photos, row by row: how many of the knots' scores it reaches;
    /// 255 for two photos of one person.
    private var reached: [UInt8] = []
    private let knotScores: [Float]
    private static let mated: UInt8 = 255

    /// - Parameters:
    ///   - set: The set whose pairs will be added.
    ///   - knotScores: In increasing order, at most 250.
    public init(_ set: LabeledDescriptors, knotScores: [Double]) {
        self.init(people: set.people, personCount: set.personCount, knotScores: knotScores)
    }

    /// - Parameters:
    ///   - people: The person in each photo whose pairs will be added, 0..<`personCount`.
    ///   - personCount: The number of people of whom rounds are drawn.
    init(people: [Int], personCount: Int, knotScores: [Double]) {
        precondition(knotScores.count <= 250)
        (self.people, self.personCount) = (people, personCount)
        self.knotScores = knotScores.map { Float($0) }
        reached.reserveCapacity(people.count * max(people.count - 1, 0) / 2)
    }

    /// Adds a row of scores. Rows must come in order, starting with photo 1.
    public mutating func add(row i: Int, _ scores: [Float]) {
        for j in 0..<i {
            reached.append(
                people[j] == people[i]
                    ? Self.mated : UInt8(truncatingIfNeeded: knotsReached(by: scores[j])))
        }
    }

    private func knotsReached(by score: Float) -> Int {
        var low = 0, high = knotScores.count
        while low < high {
            let middle = (low + high) / 2
            if knotScores[middle] <= score { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns how often each person is drawn in one round. The values sum to the number of people.
    public func draw(using generator: inout SeededGenerator) -> [Int] {
        var times = [Int](repeating: 0, count: personCount)
        for _ in 0..<personCount { times[generator.index(below: personCount)] += 1 }
        return times
    }

    /// Returns log10 of the false-match rate at each knot when each person counts `times` times.
    /// Where no pair remains, half a pair is assumed.
    public func logRates(_ times: [Int]) -> [Double] {
        var counts = [Int](repeating: 0, count: 256)
        let perPhoto = people.map { times[$0] }
        var start = 0
        for i in 1..<max(people.count, 1) {
            let own = perPhoto[i]
            if own > 0 { for j in 0..<i { counts[Int(reached[start + j])] += own * perPhoto[j] } }
            start += i
        }
        let all = counts.prefix(255).reduce(0, +)
        var above = all
        return knotScores.indices.map { knot in
            above -= counts[knot]
            return log10(max(Double(above), 0.5) / Double(max(all, 1)))
        }
    }

    /// Returns the middle 95 % of `values`, for example of ``logRates(_:)`` at one knot over many
    /// rounds.
    /// - Precondition: `values` is not empty.
    public static func interval(_ values: [Double]) -> [Double] {
        let sorted = values.sorted(), last = Double(sorted.count - 1)
        return [
            sorted[Int((0.025 * last).rounded(.down))], sorted[Int((0.975 * last).rounded(.up))],
        ]
    }
}

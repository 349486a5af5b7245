public import MienCore

/// The error rates of the groups of one column of a ``GroupList``, at one threshold.
///
/// False matches are between two people of the same group, which are more frequent than between
/// groups. Intervals are by bootstrap over the people of each group, like those of
/// ``PeopleBootstrap``.
public struct GroupRates: Sendable, Equatable {
    /// Errors, and how much their rate would vary with other people.
    public struct Rate: Sendable, Equatable {
        public let errors: Int
        public let comparisons: Int
        /// The lower and upper end of the middle 95 % of the rounds, each 0…1. Without errors, from
        /// 0 to three errors (the rule of three, which assumes independent comparisons).
        public let interval: [Double]
        /// 0…1.
        public var value: Double { Double(errors) / Double(max(comparisons, 1)) }
    }

    public struct Group: Sendable, Equatable {
        public let name: String
        public let people: Int
        /// `nil` without mated pairs.
        public let falseNonMatches: Rate?
        /// `nil` without impostor pairs.
        public let falseMatches: Rate?
    }

    /// The highest rate of a group divided by the lowest.
    public struct Ratio: Sendable, Equatable {
        public let worst: String
        public let best: String
        /// 1 or more; `nil` if the best group has no error.
        public let value: Double?
        /// For these two groups, like ``Rate/interval``; `nil` if the best group has no error in
        /// some of the rounds that count.
        public let interval: [Double]?
    }

    public let column: String
    public let threshold: MatchScore
    public let groups: [Group]
    /// `nil` if fewer than two groups have comparisons.
    public let falseNonMatchRatio: Ratio?
    public let falseMatchRatio: Ratio?

    /// - Parameters:
    ///   - column: Its groups.
    ///   - names: The name of each person of the scorer's set, by index.
    ///   - thresholds: Match scores, and the scorer's scores that correspond to them.
    ///   - rounds: Of the bootstrap; over 0.
    /// - Returns: The rates for each threshold.
    public static func all(
        _ column: GroupList.Column, names: [String], _ scorer: PairScorer,
        thresholds: [(match: MatchScore, score: Double)], rounds: Int = 1_000,
        using generator: inout SeededGenerator
    ) -> [GroupRates] {
        precondition(rounds > 0 && names.count == scorer.set.personCount)
        let group = names.map { column.group[$0] ?? -1 }
        var counts = thresholds.map { _ in
            Counts(people: names.count, photos: scorer.set.photosPerPerson)
        }
        let people = scorer.set.people, limits = thresholds.map { Float($0.score) }
        scorer.forEachRow { i, scores in
            let person = people[i], own = group[person]
            guard own >= 0 else { return }
            for j in 0..<i {
                let other = people[j]
                guard group[other] == own else { continue }
                for k in limits.indices {
                    if other == person {
                        counts[k].countMated(person, isAccepted: scores[j] >= limits[k])
                    } else if scores[j] >= limits[k] {
                        counts[k].countMatch(person, other)
                    }
                }
            }
        }
        return thresholds.indices.map { k in
            GroupRates(
                column, group, counts[k], threshold: thresholds[k].match, rounds, &generator)
        }
    }

    private init(
        _ column: GroupList.Column, _ group: [Int], _ counts: Counts, threshold: MatchScore,
        _ rounds: Int, _ generator: inout SeededGenerator
    ) {
        (self.column, self.threshold) = (column.name, threshold)
        var groups: [Group] = [], misses: [Drawn] = [], matches: [Drawn] = []
        for (index, name) in column.groups.enumerated() {
            let members = group.indices.filter { group[$0] == index }
            let (missed, matched) = counts.drawn(members, rounds, &generator)
            groups.append(
                Group(
                    name: name, people: members.count, falseNonMatches: missed.rate,
                    falseMatches: matched.rate))
            misses.append(missed)
            matches.append(matched)
        }
        self.groups = groups
        falseNonMatchRatio = Self.ratio(column.groups, misses)
        falseMatchRatio = Self.ratio(column.groups, matches)
    }

    private static func ratio(_ names: [String], _ drawn: [Drawn]) -> Ratio? {
        let known = drawn.indices.filter { drawn[$0].rate != nil }
        func rate(_ index: Int) -> Double { drawn[index].rate?.value ?? 0 }
        guard let worst = known.max(by: { rate($0) < rate($1) }),
            let best = known.filter({ $0 != worst }).min(by: { rate($0) < rate($1) })
        else { return nil }
        guard rate(best) > 0 else {
            return Ratio(worst: names[worst], best: names[best], value: nil, interval: nil)
        }
        let ratios = zip(drawn[worst].rounds, drawn[best].rounds).map {
            $1 > 0 ? $0 / $1 : .infinity
        }
        let interval = PeopleBootstrap.interval(ratios)
        return Ratio(
            worst: names[worst], best: names[best], value: rate(worst) / rate(best),
            interval: interval[1].isFinite ? interval : nil)
    }
}

/// A rate of a group, and the rate of each round of the bootstrap.
private struct Drawn {
    let rate: GroupRates.Rate?
    let rounds: [Double]

    init(errors: Int, comparisons: Int, rounds: [Double]) {
        self.rounds = rounds
        guard comparisons > 0 else {
            rate = nil
            return
        }
        rate = GroupRates.Rate(
            errors: errors, comparisons: comparisons,
            interval: errors == 0
                ? [0, min(1, 3 / Double(comparisons))] : PeopleBootstrap.interval(rounds))
    }
}

/// Counts of one threshold.
private struct Counts {
    /// Two people, the one with the smaller index first.
    struct Pair: Hashable { let a, b: Int }

    private let photos: [Int]
    /// For each person, mated pairs and those that were refused.
    private var mated: [Int], missed: [Int]
    private var matches: [Pair: Int] = [:]

    init(people: Int, photos: [Int]) {
        self.photos = photos
        (mated, missed) = ([Int](repeating: 0, count: people), [Int](repeating: 0, count: people))
    }

    mutating func countMated(_ person: Int, isAccepted: Bool) {
        mated[person] += 1
        if !isAccepted { missed[person] += 1 }
    }

    mutating func countMatch(_ a: Int, _ b: Int) {
        matches[Pair(a: min(a, b), b: max(a, b)), default: 0] += 1
    }

    /// Returns the false non-matches and false matches of a group.
    func drawn(_ members: [Int], _ rounds: Int, _ generator: inout SeededGenerator) -> (
        Drawn, Drawn
    ) {
        let place = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
        let pairs = matches.compactMap { pair, count in
            place[pair.a].flatMap { a in place[pair.b].map { (a, $0, count) } }
        }
        let own = members.map { (mated: mated[$0], missed: missed[$0], photos: photos[$0]) }
        /// The counts if each member was drawn so often. A pair of two people counts with the
        /// product; copies of one person are not compared.
        func counted(_ times: [Int]) -> (missed: Int, mated: Int, matched: Int, impostors: Int) {
            var mated = 0, missed = 0, all = 0, same = 0
            for (times, person) in zip(times, own) {
                mated += times * person.mated
                missed += times * person.missed
                all += times * person.photos
                same += times * person.photos * times * person.photos
            }
            let matched = pairs.reduce(0) { $0 + times[$1.0] * times[$1.1] * $1.2 }
            return (missed, mated, matched, (all * all - same) / 2)
        }
        let real = counted([Int](repeating: 1, count: members.count))
        var misses: [Double] = [], falseMatches: [Double] = []
        for _ in 0..<rounds where !members.isEmpty {
            var times = [Int](repeating: 0, count: members.count)
            for _ in members { times[generator.index(below: members.count)] += 1 }
            let found = counted(times)
            misses.append(Double(found.missed) / Double(max(found.mated, 1)))
            falseMatches.append(Double(found.matched) / Double(max(found.impostors, 1)))
        }
        return (
            Drawn(errors: real.missed, comparisons: real.mated, rounds: misses),
            Drawn(errors: real.matched, comparisons: real.impostors, rounds: falseMatches)
        )
    }
}

internal import MienCore

/// The groups that the people of a set belong to.
public struct CalibrationGroups: Sendable {
    private let list: GroupList
    private let names: [String]

    /// - Parameters:
    ///   - list: One or more ways to group people. The groups of the first one have equal shares of
    ///     cohorts; false matches are counted within the groups of all.
    ///   - names: The name of each person of the set, by index.
    public init(_ list: GroupList, names: [String]) { (self.list, self.names) = (list, names) }

    /// For each person: the group in the first column, or −1.
    var shares: [Int] { list.columns.first.map { groups(in: $0) } ?? [] }

    private func groups(in column: GroupList.Column) -> [Int] {
        names.map { column.group[$0] ?? -1 }
    }

    /// The numbers of each group's photos, in order.
    func photos(of set: LabeledDescriptors) -> [[Int]] {
        precondition(names.count == set.personCount)
        return list.columns.flatMap { column in
            var photos = [[Int]](repeating: [], count: column.groups.count)
            let group = groups(in: column)
            for (photo, person) in set.people.enumerated() where group[person] >= 0 {
                photos[group[person]].append(photo)
            }
            return photos
        }
    }

    /// Returns the rates of each group at 48 and 60.
    func rates(
        _ scorer: PairScorer, _ table: CalibrationTable, using generator: inout SeededGenerator
    ) -> [GroupRates] {
        let thresholds = [MatchScore.defaultThreshold, MatchScore(60)].map {
            (match: $0, score: table.minScore(for: $0))
        }
        return list.columns.flatMap {
            GroupRates.all(
                $0, names: names, scorer, thresholds: thresholds, using: &generator)
        }
    }
}

extension CalibrationMeasurement.GroupRate {
    /// The rates of all groups of one column at one threshold.
    static func all(_ rates: GroupRates) -> [Self] {
        rates.groups.map { group in
            Self(
                column: rates.column, group: group.name, people: group.people,
                score: rates.threshold.value, falseMatchRate: group.falseMatches?.value,
                falseMatchInterval: group.falseMatches?.interval,
                impostorPairs: group.falseMatches?.comparisons ?? 0,
                falseNonMatchRate: group.falseNonMatches?.value,
                falseNonMatchInterval: group.falseNonMatches?.interval,
                matedPairs: group.falseNonMatches?.comparisons ?? 0)
        }
    }
}

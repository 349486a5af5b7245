internal import MienCore

/// Scores people with cohorts that were fitted without them.
///
/// People are split into groups. A pair of groups is scored with a cohort fitted to the people
/// outside both. An impostor pair's score therefore reflects strangers, as in use.
enum CrossFitting {
    /// - Returns: The group of each photo and of each person.
    static func groups(
        of set: LabeledDescriptors, count: Int, using generator: inout SeededGenerator
    ) -> (photos: [Int], people: [Int]) {
        var groups = (0..<set.personCount).map { $0 % count }
        groups.shuffle(using: &generator)
        return (set.people.map { groups[$0] }, groups)
    }

    /// Fits `groupCount·(groupCount + 1)/2` cohorts.
    ///
    /// - Parameter all: The photos of `set`, and more vectors of the same people, which are
    ///   normalized as well.
    /// - Parameter shares: The group of each person that has an equal share of every cohort, or −1.
    static func normalization(
        _ set: LabeledDescriptors, and all: LabeledDescriptors, _ plan: CalibrationPlan,
        seed: UInt64, shares: [Int]? = nil,
        progress: (CalibrationProgress) throws -> Void
    ) throws -> PairNormalization {
        var generator = SeededGenerator(seed: seed)
        let groups = groups(of: set, count: plan.groups, using: &generator)
        let pairs = (0..<plan.groups).flatMap { a in (a..<plan.groups).map { (a, $0) } }
        var cohorts: [Int: Cohort] = [:]
        for (n, (a, b)) in pairs.enumerated() {
            func isOther(_ person: Int) -> Bool {
                groups.people[person] != a && groups.people[person] != b
            }
            // The people of a part keep their order.
            let part = set.filtered(isOther)
            let partShares = shares.map { shares in
                shares.indices.filter(isOther).map { shares[$0] }
            }
            cohorts[a * plan.groups + b] = try plan.draw(
                from: part, groups: partShares, using: &generator
            ) { round in
                try progress(.fitting(cohort: n + 1, of: pairs.count + 1, round: round))
            }.cohort
        }
        return PairNormalization(
            all, groups: all.people.map { groups.people[$0] }, groupCount: plan.groups
        ) {
            cohorts[$0 * plan.groups + $1]!
        }
    }
}

extension LabeledDescriptors {
    /// Returns only the photos of the people to keep, with new person numbers.
    func filtered(_ keep: (_ person: Int) -> Bool) -> LabeledDescriptors {
        var part = LabeledDescriptors(dimension: dimension)
        for (photo, person) in people.enumerated() where keep(person) {
            part.append(packed: rows.packedRow(photo), of: "\(person)")
        }
        return part
    }
}
